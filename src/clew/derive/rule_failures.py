"""When a rule fails on a turn, finds the turn, so that the stage can continue without it.

A stage takes many turns at a time. When a rule fails it takes half as many, and so on, until the turn on which the rule
fails stands alone and is set aside (`clew.rows.set_aside`). Nothing is looked up for that as long as no rule fails.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Final, TypeVar

from clew.errors import is_rule_failure
from clew.store.row_types import TurnRow

log = logging.getLogger("clew.worker")

PLAIN: Final = ("word", "We planted two apple trees in the garden last spring.", "")
"""Texts on one of which every rule works that works at all. There are several, since one may be like the turn."""

_HERE: Final = "clew."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """That a rule failed.

    Attributes:
        error: what it raised; its message may repeat the text of a turn, and is neither stored nor logged.
    """

    error: Exception

    @property
    def where(self) -> str:
        """The kind of the error and the place in Clew's code, such as "IndexError in clew.project.links, line 33"."""
        return f"{type(self.error).__name__}{_place(self.error.__traceback__)}"


def _place(traceback: TracebackType | None) -> str:
    """The innermost line of Clew that an error passed."""
    found = ""
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__", "")
        if module.startswith(_HERE) and module != __name__:
            found = f" in {module}, line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def tried(work: Callable[[], T]) -> T | RuleFailure:
    """What some work gives, or that a rule failed in it; an error that a later try may not meet is raised."""
    try:
        return work()
    except Exception as error:
        if not is_rule_failure(error):
            raise
        return RuleFailure(error)


class Narrowing:
    """How many turns a stage takes at a time; not kept when the process ends.

    Attributes:
        size: how many it takes next.
    """

    def __init__(self, most: int) -> None:
        """Begins with the most that it ever takes."""
        self._most = self.size = most

    def widen(self) -> None:
        """Takes twice as many from now on: a stretch was done."""
        self.size = min(self._most, 2 * self.size)

    def narrow(self, count: int) -> bool:
        """Takes half as many from now on; returns whether that is possible, as it is not for one turn.

        Args:
            count: turns of the stretch in which a rule failed.
        """
        self.size = max(1, count // 2)
        return count > 1


def check_rules_work(failure: RuleFailure, on_plain: Callable[[TurnRow], object], row: TurnRow) -> None:
    """Raises the error when the rules fail on every plain text as well: then it is them, and not the turn.

    Args:
        on_plain: applies the rules to a row.
        row: of the turn on which they failed; the plain turn has its other fields.
    """
    plain = row._replace(speaker=None, metadata=None, parts=None)
    tries = (tried(partial(on_plain, plain._replace(text=text))) for text in PLAIN)
    if all(isinstance(attempt, RuleFailure) for attempt in tries):
        raise failure.error


def tell(what: str, stage: str, why: str) -> None:
    """Logs once that a turn or a session was set aside."""
    log.warning(
        "%s was set aside by the stage `%s`, which goes on without it: %s; it is found by its words, "
        "`clew doctor` lists it, `clew work --retry` tries it again",
        what,
        stage,
        why,
    )
