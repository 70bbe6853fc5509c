"""A server in a process of its own (`clew.serve.processes.supervised`), from the side of the process that starts it.

Start at `start_supervised`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


def start_supervised(
    order: Mapping[str, Any], *, inherits: int | None = None, captures_log: bool = False
) -> subprocess.Popen[bytes]:
    """Starts a server, which writes one line when it serves, and ends when its input does.

    Args:
        order: what it reads first, see `clew.serve.processes.supervised`.
        inherits: descriptor of the listening socket that it inherits; None where it listens by itself.
        captures_log: whether its standard error is a pipe, which somebody then has to read.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "clew.serve.processes.supervised"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if captures_log else None,
        pass_fds=() if inherits is None else (inherits,),
        start_new_session=True,  # Ctrl-C in the terminal is for the process that starts it
        env={**os.environ, "PYTHONUNBUFFERED": "1"} if captures_log else None,
    )
    if process.stdin is not None:
        with suppress(BrokenPipeError):  # it died before it read; who waits for its line sees that
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
    return process


def end_input(process: subprocess.Popen[bytes]) -> None:
    """Tells a server to end, if it has not ended."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):  # an order that it never read
            process.stdin.close()


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Closes what connected a process that has ended."""
    end_input(process)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
