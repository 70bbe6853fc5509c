"""The tenures of a group as facts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Final

from clew.knowledge.groups import Placed, Rest, deed, is_end, is_intent
from clew.knowledge.order import Order
from clew.knowledge.tenures import Tenure, tenures_of
from clew.knowledge.values import value_key
from clew.types.facts import Fact, FactStatus, FactType, Mood, Statement

_DIGITS: Final = 4
_HELD: Final = frozenset((FactStatus.ACTIVE, FactStatus.RECURRING))


@dataclass(frozen=True, slots=True)
class Resolved:
    """One fact with what links and stale marks need.

    Attributes:
        said: its statements, with their keys.
        rivals: ids of the open facts of its group that contradict it.
        ended: the order of the statement that ended it; None if nothing did.
        breaks: whether that makes stale what rests on it. A plan that came true does not.
        hidden: True for a denial of what nobody said, which is kept only for statements that may still arrive.
    """

    fact: Fact
    said: tuple[Placed, ...]
    rivals: tuple[str, ...] = ()
    ended: Order | None = None
    breaks: bool = False
    hidden: bool = False

    @property
    def first(self) -> Order:
        """When it was first said."""
        return self.said[0].order

    @property
    def last(self) -> Order:
        """When it was last said."""
        return self.said[-1].order

    @property
    def stands(self) -> bool:
        """Whether it is current: it holds or is planned, and nothing has replaced it."""
        fact = self.fact
        return self.ended is None and not fact.retracted and fact.status in (*_HELD, FactStatus.PLANNED)

    def rests(self) -> tuple[Rest, ...]:
        """What its statements rest on."""
        return tuple(dict.fromkeys(rest for statement in self.said for rest in statement.rests))


def resolved(group: Iterable[Placed]) -> tuple[Resolved, ...]:
    """The facts of one group in the order in which they began, withdrawn ones last."""
    return tuple(_resolved(tenure) for tenure in tenures_of(group))


def _resolved(tenure: Tenure) -> Resolved:
    rivals = sorted(_id(rival) for rival in tenure.rivals if rival.is_open and tenure.is_open)
    ended = None
    if tenure.successor is not None:
        ended = tenure.successor.said[0].order
    elif tenure.retracted or is_end(tenure.last.statement) or tenure.status is FactStatus.ABANDONED:
        ended = tenure.last.order
    return Resolved(
        _fact(tenure),
        tuple(tenure.said),
        tuple(rivals),
        ended,
        ended is not None and _breaks(tenure),
        _is_hidden(tenure),
    )


def _breaks(tenure: Tenure) -> bool:
    """Whether its end is one for what rests on it: not if the plan came true or the value is the same."""
    successor = tenure.successor
    if tenure.retracted or successor is None:
        return True
    if tenure.is_plan and not successor.is_plan:
        return False
    return tenure.is_plan or value_key(_object(tenure)) != value_key(_object(successor)) or tenure.last.slot is None


def _is_hidden(tenure: Tenure) -> bool:
    return tenure.retracted and tenure.successor is None and len(tenure.said) == 1


def _id(tenure: Tenure) -> str:
    """The id of its first statement; of a denial with a letter, since that may also state another value."""
    first = tenure.said[0].statement
    return first.id + ("x" if first.mood is Mood.NEGATED or _is_hidden(tenure) else "")


def _fact(tenure: Tenure) -> Fact:
    stating, every = tenure.stating(), [member.statement for member in tenure.said]
    latest, slot = stating[-1], tenure.last.slot
    is_due = tenure.is_plan or (slot is not None and slot.dated)
    due = next((statement for statement in reversed(stating) if is_due and statement.valid_from is not None), None)
    support = [statement.support for statement in stating if statement.support is not None]
    return Fact(
        id=_id(tenure),
        subject=latest.subject,
        verb=latest.verb,
        object=_object(tenure),
        status=tenure.status,
        type=_type(stating),
        scope=_latest([statement.scope for statement in stating]),
        when=_latest([statement.when for statement in stating]),
        where=_latest([statement.where for statement in stating]),
        group=tenure.last.group,
        slot=None if slot is None else slot.name,
        valid_from=tenure.start(),
        valid_to=_stated_end(tenure) if tenure.is_open and not is_due else tenure.ended_at,
        due_from=None if due is None else due.valid_from,
        due_to=None if due is None else due.valid_to,
        recorded_at=every[0].said_at,
        confirmed_at=every[-1].said_at,
        sources=tuple(dict.fromkeys(statement.turn for statement in every)),
        support=round(fmean(support), _DIGITS) if support else None,
        provenance=latest.provenance,
        superseded_by=None if tenure.successor is None else _id(tenure.successor),
        retracted=tenure.retracted,
        statements=tuple(every),
    )


def _stated_end(tenure: Tenure) -> datetime | None:
    """Until when something is so by the words that state it, though nobody said since that it is over."""
    latest = tenure.stating()[-1]
    return latest.valid_to if latest.status in (FactStatus.ACTIVE, FactStatus.RECURRING) else tenure.ended_at


def _object(tenure: Tenure) -> str:
    """The most detailed form of the value; the latest of several.

    What was to be done is "to fix the bug" while somebody needs to, and "the bug" of who fixed it.
    """
    stating = tenure.stating()
    if is_intent(stating[-1]):
        told = [each.object for each in reversed(stating) if is_intent(each)]
    else:
        told = [deed(each.verb, each.object)[1] for each in reversed(stating)]
    return max(told, key=lambda each: value_key(each).count("-"))


def _type(statements: Sequence[Statement]) -> FactType:
    """The type that most statements give; of several the first in `FactType`."""
    counts = Counter(statement.type for statement in statements)
    return max(FactType, key=lambda each: counts[each])


def _latest(values: Sequence[str | None]) -> str | None:
    return next((value for value in reversed(values) if value), None)
