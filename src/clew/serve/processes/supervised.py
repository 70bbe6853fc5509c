"""A server that ends with the process that started it: `python -m clew.serve.processes.supervised`.

Its first line of standard input is a JSON object with `home`, `space`, `serve` (settings) and `fd` (a socket that
listens) or `port`; when the input ends, so does the server. It writes one line when it serves.
"""

import json
import os
import signal
import socket
import sys
import threading
from typing import Any

from clew.config import load_config
from clew.errors import ClewError
from clew.memory import Memory
from clew.memory.opening import utc_now
from clew.serve.event_log import EventLog
from clew.serve.processes.run_server import run_server, services_of
from clew.store.open import home_of


def main() -> None:
    """Serves until the input ends."""
    given = json.loads(sys.stdin.readline())
    arguments: dict[str, Any] = {"serve": {**given["serve"], "port": given.get("port", 0)}}
    home, space = given["home"], given["space"]

    def opening(name: str) -> Memory:
        return Memory.open(home, space=name, config=arguments)

    def announce(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        threading.Thread(target=_end_with_input, name="clew-parent", daemon=True).start()

    services = services_of(load_config(home_of(home), arguments), space, opening, EventLog(utc_now))
    listening = socket.socket(fileno=given["fd"]) if "fd" in given else None
    run_server(services, announce, listening)


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1 << 16):  # no buffer, whose lock would break off an end that comes by a signal
        continue
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    try:
        main()
    except ClewError as error:
        sys.exit(str(error))
