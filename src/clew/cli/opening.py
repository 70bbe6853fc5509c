"""Opens the memory that a command works on, and says what it leaves behind. Loads the whole library."""

import time
from typing import Any, Final

from clew.cli.options import Scope
from clew.cli.show import bar, err
from clew.errors import ClewError, NotFoundError
from clew.memory import Memory
from clew.store.open import home_of
from clew.store.sqlite import DATABASE

PATIENCE: Final = 2.0
"""Seconds that a command which adds turns goes on working after they are durable."""

LOOK: Final = 0.25
"""Seconds between two looks at how far the work has come."""

_WAITING: Final = {
    "embed": "turns wait for their vectors (they are found by their words meanwhile)",
    "recognise": "turns wait for the named-entity model (rules name what is in them meanwhile)",
    "receipts": "receipts are not written",
    "nuance_model": "turns wait for what the language model says of them",
    "switch": "old models keep vectors",
    "scrub": "pass over the raw files is due: they may hold traces of forgotten turns",
    "retention": "search for expired turns is not done",
}


def open_memory(scope: Scope, **arguments: Any) -> Memory:
    """The memory that the options name; `arguments` as `Memory.open` takes them."""
    return Memory.open(scope.home, space=scope.space, **arguments)


def see_that_home_exists(location: str | None) -> None:
    """Refuses a home that is not there: opening it would make it.

    Raises:
        NotFoundError: it has no database.
    """
    home = home_of(location)
    if home is not None and not (home / DATABASE).is_file():
        raise NotFoundError(f"{str(home)!r} is no home: it has no {DATABASE}; name the directory of an existing one")


def settle(memory: Memory) -> dict[str, int]:
    """Works for a short while behind what was added, and gives the work that is left, by kind."""
    memory.drain(PATIENCE)
    return memory.stats().pending


def say_pending(pending: dict[str, int]) -> None:
    """Says on stderr what is left to do, if anything."""
    for kind, count in pending.items():
        err().print(f"{count:,} {_WAITING.get(kind, kind)}; `clew work --once` finishes them.", style="dim")


def work_through(memory: Memory, title: str) -> None:
    """Works until nothing waits, with a bar on a terminal.

    Raises:
        ClewError: the work fails again and again.
    """
    total = memory.stats().pending.get("embed", 0)
    with bar(title) as shown:
        task = shown.add_task("", total=total)
        while not memory.drain(LOOK) or _holds_names(memory):
            stats = memory.stats()
            failure = stats.details["worker_failure"] or stats.details["llm_failure"]
            if failure is not None:
                raise ClewError(f"the work cannot go on: {failure}")
            waiting = stats.pending.get("embed", 0)
            total = max(total, waiting)
            shown.update(task, total=total, completed=total - waiting)


def _holds_names(memory: Memory) -> bool:
    """Whether turns wait for a named-entity model that is not loaded for so few at once, and works."""
    stats = memory.stats()
    held = "recognise" in stats.pending and stats.details["ner_failure"] is None
    if held:
        time.sleep(LOOK)
    return held
