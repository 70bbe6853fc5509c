"""The spans of a group as facts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from clew.knowledge.groups import Placed, Rest
from clew.knowledge.order import Order
from clew.knowledge.spans import Span, ends, spans_of
from clew.knowledge.values import value_key
from clew.types.facts import Fact, FactStatus, FactType, Statement

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
        return tuple(dict.fromkeys(rest for each in self.said for rest in each.rests))


def resolved(group: Iterable[Placed]) -> tuple[Resolved, ...]:
    """The facts of one group in the order in which they began, withdrawn ones last."""
    return tuple(_resolved(span) for span in spans_of(group))


def _resolved(span: Span) -> Resolved:
    rivals = sorted(_id(rival) for rival in span.rivals if rival.is_open and span.is_open)
    ended = None
    if span.successor is not None:
        ended = span.successor.said[0].order
    elif span.retracted or ends(span.last.statement) or span.status is FactStatus.ABANDONED:
        ended = span.last.order
    return Resolved(
        _fact(span), tuple(span.said), tuple(rivals), ended, ended is not None and _breaks(span), _is_hidden(span)
    )


def _breaks(span: Span) -> bool:
    """Whether its end is one for what rests on it: not if the plan came true or the value is the same."""
    successor = span.successor
    if span.retracted or successor is None:
        return True
    if span.is_plan and not successor.is_plan:
        return False
    return span.is_plan or value_key(_object(span)) != value_key(_object(successor)) or span.last.slot is None


def _is_hidden(span: Span) -> bool:
    return span.retracted and span.successor is None and len(span.said) == 1


def _id(span: Span) -> str:
    """The id of its first statement; a hidden one's with a letter, since one turn may end a value by naming another."""
    return span.said[0].statement.id + ("x" if _is_hidden(span) else "")


def _fact(span: Span) -> Fact:
    stating, every = span.stating(), [each.statement for each in span.said]
    latest, slot = stating[-1], span.last.slot
    is_due = span.is_plan or (slot is not None and slot.dated)
    due = next((each for each in reversed(stating) if is_due and each.valid_from is not None), None)
    support = [each.support for each in stating if each.support is not None]
    return Fact(
        id=_id(span),
        subject=latest.subject,
        verb=latest.verb,
        object=_object(span),
        status=span.status,
        type=_type(stating),
        scope=_latest([each.scope for each in stating]),
        when=_latest([each.when for each in stating]),
        where=_latest([each.where for each in stating]),
        group=span.last.group,
        slot=None if slot is None else slot.name,
        valid_from=span.start(),
        valid_to=span.ended_at,
        due_from=None if due is None else due.valid_from,
        due_to=None if due is None else due.valid_to,
        recorded_at=every[0].said_at,
        sources=tuple(dict.fromkeys(each.turn for each in every)),
        support=round(fmean(support), _DIGITS) if support else None,
        provenance=latest.provenance,
        superseded_by=None if span.successor is None else _id(span.successor),
        retracted=span.retracted,
        statements=tuple(every),
    )


def _object(span: Span) -> str:
    """The most detailed form of the value; the latest of several."""
    return max(reversed(span.stating()), key=lambda each: value_key(each.object).count("-")).object


def _type(statements: Sequence[Statement]) -> FactType:
    """The type that most statements give; of several the first in `FactType`."""
    counts = Counter(each.type for each in statements)
    return max(FactType, key=lambda each: counts[each])


def _latest(values: Sequence[str | None]) -> str | None:
    return next((value for value in reversed(values) if value), None)
