"""Serves with several processes on one address, each started again when it dies. Start at `run_workers`.

The listening socket belongs to this process and is inherited; the system gives each connection to one of them. They
share nothing but the database, so it has to be one that several processes write at once.
"""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from clew.config import ServeConfig
from clew.errors import ConfigError
from clew.serve.run_server import address_of, listen

_LOOK: Final = 0.2
"""Seconds between two looks at the processes."""
_DELAY: Final = 1.0
"""Seconds before a process that died is started again."""


def run_workers(
    home: str | None, space: str, config: ServeConfig, given: Mapping[str, Any], announce: Callable[[str], None]
) -> None:
    """Serves until a signal ends it.

    Args:
        home: the address of a PostgreSQL server; None for that of CLEW_STORE.
        config: all settings, of which this reads the address and the number of processes.
        given: those of `serve.*` that the processes do not find in the environment and in clew.toml.

    Raises:
        ConfigError: sockets are not inherited on this system, it cannot listen on the address, or a process did not
            start.
    """
    if sys.platform == "win32":
        raise ConfigError("serve.workers is more than 1, which Windows does not support; set it to 1")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    with listen(config.host, config.port) as listening:
        order = {"home": home, "space": space, "serve": {**given, "workers": 1}, "fd": listening.fileno()}
        workers = [_started(order, listening) for _ in range(config.workers)]
        if not _are_ready(workers):
            _end(workers)
            raise ConfigError("a process of the server did not start; the lines above say why")
        announce(address_of(listening))
        while not stopping.wait(_LOOK):
            dead = [place for place, worker in enumerate(workers) if worker.poll() is not None]
            if dead and not stopping.wait(_DELAY):
                for place in dead:
                    workers[place] = _started(order, listening)
        _end(workers)


def _are_ready(workers: Sequence[subprocess.Popen[bytes]]) -> bool:
    """Waits for all; each writes one line when it serves, and one that ends instead writes none."""
    lines = [worker.stdout is not None and worker.stdout.readline() for worker in workers]
    return all(lines)


def _end(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    """Asks all to end, then waits for the answers that they are giving."""
    for worker in workers:
        if worker.stdin is not None:
            worker.stdin.close()
    for worker in workers:
        worker.wait()
        if worker.stdout is not None:
            worker.stdout.close()


def _started(order: Mapping[str, Any], listening: socket.socket) -> subprocess.Popen[bytes]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "clew.serve.supervised"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(listening.fileno(),),
        start_new_session=True,  # Ctrl-C in the terminal is for this process, which then asks them to end
    )
    if worker.stdin is not None:
        worker.stdin.write(json.dumps(order).encode() + b"\n")
        worker.stdin.flush()
    return worker
