"""Serves with several processes on one address, each started again when it dies. Start at `run_workers`.

The listening socket belongs to this process and is inherited; the system gives each connection to one of them. They
share nothing but the database, so it has to be one that several processes write at once.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Final

from clew.config import ServeConfig
from clew.errors import ConfigError
from clew.serve.processes.run_server import GRACE, address_of, listen
from clew.serve.processes.supervised_process import close_pipes, end_input, start_supervised

_LOOK: Final = 0.2
"""Seconds between two looks at the processes."""
_DELAY: Final = 1.0
"""Seconds before a process that died is started again."""
_PATIENCE: Final = 2.0 * GRACE
"""Seconds that each process has to end: for its running answers, and for closing its memories. Then it is killed."""


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
    signals: SimpleQueue[int] = SimpleQueue()  # not an Event: its lock may be held by what the signal interrupts
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: signals.put(number))
    with listen(config.host, config.port) as listening:
        order = {"home": home, "space": space, "serve": {**given, "workers": 1}, "fd": listening.fileno()}
        workers = [start_supervised(order, inherits=listening.fileno()) for _ in range(config.workers)]
        if not _are_ready(workers):
            _end(workers)
            raise ConfigError("a process of the server did not start; the lines above say why")
        announce(address_of(listening))
        while not _comes(signals, _LOOK):
            dead = [index for index, worker in enumerate(workers) if worker.poll() is not None]
            if dead and _comes(signals, _DELAY):
                break
            for index in dead:
                close_pipes(workers[index])
                workers[index] = start_supervised(order, inherits=listening.fileno())
        _end(workers, signals)


def _comes(signals: SimpleQueue[int], seconds: float) -> bool:
    """Waits for a signal to stop; whether one came."""
    return _signal(signals, seconds) is not None


def _signal(signals: SimpleQueue[int], seconds: float) -> int | None:
    """Waits for a signal; None when none came."""
    try:
        return signals.get(timeout=seconds)
    except Empty:
        return None


def _are_ready(workers: Sequence[subprocess.Popen[bytes]]) -> bool:
    """Waits for all; each writes one line when it serves, and one that ends instead writes none."""
    lines = [worker.stdout is not None and worker.stdout.readline() for worker in workers]
    return all(lines)


def _end(
    workers: Sequence[subprocess.Popen[bytes]], signals: SimpleQueue[int] | None = None, patience: float = _PATIENCE
) -> None:
    """Asks all to end, then waits for the answers that they are giving, and kills those that do not end.

    Args:
        signals: where another signal is put: Ctrl-C breaks the answers off, once more kills the processes.
    """
    for worker in workers:
        end_input(worker)
    signals = SimpleQueue() if signals is None else signals
    until, hurried = time.monotonic() + patience, False
    while any(worker.poll() is None for worker in workers):
        came = _signal(signals, min(_LOOK, patience))
        if time.monotonic() >= until or (came == signal.SIGINT and hurried):
            break
        if came == signal.SIGINT:
            hurried = True
            for worker in workers:
                worker.send_signal(signal.SIGINT)
    for worker in workers:
        worker.kill()  # does nothing to one that has ended
        worker.wait()
        close_pipes(worker)
