"""Opens the memory for a command, and reports the background work that is pending."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from clew.cli.options import Scope
from clew.cli.show import bar, err
from clew.cli.terminal import emit
from clew.errors import ClewError, InputError, NotFoundError, StoreError
from clew.memory.arguments import given_session
from clew.memory.recalls import MemoryRecalls, open_recalls
from clew.recall.session_names import session_meant
from clew.recall.sessions import latest_name
from clew.store.home import refuse_non_file
from clew.store.open import home_of
from clew.store.sqlite import DATABASE
from clew.text.counted import counted
from clew.types import Stats
from clew.types.work import WorkProgress

if TYPE_CHECKING:
    from clew.memory import Memory

PATIENCE: Final = 2.0
"""Seconds that a command waits at most for background work, such as the analysis of turns that were just added."""

LOOK: Final = 0.5
"""Seconds between two updates of a progress bar."""

_WAITING: Final = {
    "embed": ("turn", "without vectors (found by its words)", "without vectors (search finds them by their words)"),
    "recognise": ("turn", "waiting for the named-entity model (until then, rules find the names)"),
    "read": ("turn", "not read yet for tags, names and facts"),
    "receipts": ("receipt", "not written yet"),
    "condense": ("session", "due to be condensed"),
    "nuance_model": ("turn", "waiting for the language model"),
    "switch": ("old model", "with vectors that are still stored"),
    "scrub": ("cleaning", "of the database files due (they may contain traces of forgotten turns)"),
    "retention": ("check", "for expired turns due"),
    "pruning": ("check", "for old records of the proxy due"),
}
"""What waits, by the kind of job: the noun, and what is to be said of one, and of several where that differs."""

_READING: Final = frozenset(("analyse", "entities", "mentions", "facts"))
"""Kinds of jobs that read each turn; they are told together."""


def open_memory(scope: Scope, *, makes_home: bool = False, **arguments: Any) -> "Memory":
    """Opens the memory that the options name.

    Args:
        makes_home: whether the command begins a memory where there is none; the others would answer a mistyped name
            from an empty one that they leave behind.
        arguments: for `Memory.open`.

    Raises:
        NotFoundError: there is none.
    """
    from clew.memory import Memory  # twice the modules that a question needs, see `open_for_questions`

    if not makes_home:
        check_home_exists(scope.home)
    memory = Memory.open(scope.home, space=scope.space, **arguments)
    _say_read_only(memory)
    return memory


@contextmanager
def open_for_questions(scope: Scope) -> Iterator[MemoryRecalls]:
    """Opens the memory that the options name for questions only, without background work: a command starts faster.

    Raises:
        NotFoundError: there is none.
    """
    check_home_exists(scope.home)
    with open_recalls(scope.home, space=scope.space) as memory:
        _say_read_only(memory)
        yield memory


def _say_read_only(memory: MemoryRecalls) -> None:
    if not memory.is_writable:
        err().print("This user cannot write the home: it is only read, and receipts are not kept.", style="dim")


def session_named(memory: MemoryRecalls, name: str | None) -> str:
    """The conversation that a name of the command line means, see `session_meant`; the latest without a name.

    Raises:
        InputError: the name is empty, or may mean several conversations.
        NotFoundError: there is no such conversation, or nothing is stored.
    """
    if name is not None and not name.strip():
        raise InputError(f"the name of the session, {name!r}, is empty; `clew sessions` lists the names")
    return latest_session(memory) if name is None else session_meant(memory.reads, given_session(name))


def latest_session(memory: MemoryRecalls) -> str:
    """The name of the conversation that went on last; corrections of facts are none.

    Raises:
        NotFoundError: nothing is stored.
    """
    path = memory.reads
    latest = latest_name(path.store, path.space, path.live.view(), path.clock())
    if latest is None:
        raise NotFoundError("nothing is stored yet; `clew import` or `clew add` stores conversations")
    return latest


@contextmanager
def damage_as_json(scope: Scope) -> Iterator[None]:
    """Prints a store that is too damaged to be checked as a record of the check, where JSON is asked for.

    Raises:
        StoreError: as raised within, told on standard error as ever.
    """
    try:
        yield
    except StoreError as error:
        if scope.as_json:
            emit({"ok": False, "problem": str(error)})
        raise


def check_home_exists(location: str | None) -> None:
    """Refuses a home that does not exist, since opening it would create it.

    Raises:
        NotFoundError: the directory has no database.
        StoreError: a link stands in its place.
    """
    home = home_of(location)
    if home is None:
        return
    try:
        (home / DATABASE).stat()
    except FileNotFoundError:
        refuse_non_file(home / DATABASE)
        raise NotFoundError(
            f"there is no memory in {str(home)!r}: it has no {DATABASE}; check the name, or begin one there with "
            "`clew import claude-code` or `clew add`"
        ) from None
    except OSError:
        return  # opening it says what is wrong


def settle(memory: "Memory") -> Stats:
    """Runs background work for a short while, and returns what is pending, and the likely time for it, as stats."""
    memory.drain(PATIENCE)
    return memory.stats()


def say_pending(pending: Mapping[str, int], seconds: float | None = None, *, is_ours: bool = True) -> None:
    """Reports pending jobs on stderr, if there are any, with the time that they are likely to take.

    Args:
        is_ours: whether this user may write the home, and so can run the jobs.
    """
    if not pending:
        return
    unread = max((count for kind, count in pending.items() if kind in _READING), default=0)
    told = {kind: count for kind, count in pending.items() if kind not in _READING}
    for kind, count in (told | {"read": unread} if unread else told).items():
        noun, *said = _WAITING.get(kind, (f"{kind} job", "pending"))
        err().print(f"{counted(count, noun)} {said[0] if count == 1 else said[-1]}", style="dim")
    takes = "" if seconds is None else f"; it is likely to take {duration(seconds)}"
    whose = "`clew work --once` does it now" if is_ours else "its owner's `clew work --once` does it"
    err().print(f"{whose}{takes}.", style="dim")


def duration(seconds: float) -> str:
    """A length of time as people say it: `20 seconds`, `about 4 minutes`, `about 2.5 hours`."""
    if seconds < 60:
        return counted(max(1, round(seconds)), "second")
    if seconds < 5_400:
        return f"about {counted(round(seconds / 60), 'minute')}"
    return f"about {seconds / 3_600:.1f} hours"


def work_through(memory: "Memory", title: str) -> dict[str, int]:
    """Runs background work until nothing is pending, with a progress bar on a terminal.

    Returns:
        Jobs of each kind that were pending at once at most.

    Raises:
        ClewError: the work fails repeatedly.
    """
    most: dict[str, int] = {}
    with bar(title, "{task.fields[left]}") as shown:
        task = shown.add_task("", total=0, left="")

        def show(progress: WorkProgress) -> None:
            most.update({kind: max(count, most.get(kind, 0)) for kind, count in progress.pending.items()})
            total, waiting = sum(most.values()), sum(progress.pending.values())
            seconds = progress.seconds_left
            left = "" if not seconds else f"{duration(seconds)} left"
            shown.update(task, total=total, completed=total - waiting, left=left)

        while not memory.drain(LOOK, show) or _is_held_back(memory):
            details = memory.stats().details
            failure = details["worker_failure"] or details["llm_failure"]
            if failure is not None:
                raise ClewError(f"background work cannot continue: {failure}")
    return most


def _is_held_back(memory: "Memory") -> bool:
    """Whether turns wait although nothing is in the way; pauses if so.

    They wait for a working named-entity model, which is loaded only for a larger batch, or are old turns of a home that
    are not read for facts in the first seconds.
    """
    stats = memory.stats()
    waits = "facts" in stats.pending or ("recognise" in stats.pending and stats.details["ner_failure"] is None)
    if waits:
        time.sleep(LOOK)
    return waits
