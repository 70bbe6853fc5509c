"""`python -m clew.evaluate.speed.probe HOME QUESTION`: opens a home, asks once, and prints what that took.

A process of its own, so that what it holds in memory is its own.
"""

import json
import sys
import time
from pathlib import Path
from typing import Final

import click

from clew.evaluate.speed.vectors import RandomEmbedder
from clew.memory import Memory

_STATUS: Final = Path("/proc/self/status")


def resident() -> int | None:
    """Resident bytes of this process; None if the system does not say."""
    if not _STATUS.exists():
        return None
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmRSS:"))
    return 1024 * int(line.split()[1])


def main(home: str, question: str) -> None:
    """Prints seconds to open, seconds of the first recall, and bytes in memory, as one JSON object."""
    started = time.perf_counter()
    with Memory.open(home, embedder=RandomEmbedder()) as memory:
        opened = time.perf_counter()
        memory.recall(question, budget=2000)
        answered = time.perf_counter()
        figures = {"open": opened - started, "first": answered - opened, "resident": resident()}
    click.echo(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
