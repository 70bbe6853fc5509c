"""Finds the turns at and around a position in a conversation, and the nodes of the macro layer."""

from collections.abc import Sequence
from numbers import Integral
from typing import Final

from clew.errors import InputError, shown
from clew.rank.anchors import WeightedRange
from clew.rank.intent.position_phrases import PositionPhrase
from clew.store.protocol import Reader
from clew.store.rows import from_us
from clew.store.selections import NODE_SPANS
from clew.store.tables import NODE
from clew.store.turn_selections import TURN_AT, TURN_SEQ, TURN_SESSION
from clew.structure.hierarchy_codec import summary_of
from clew.structure.macro import MacroNode
from clew.types.ids import BEAT

AROUND: Final = (1.0, 0.5, 0.25)
"""Value of the beat pointed at, of its neighbours, and of theirs."""


def one_position(position: int | None, context_position: int | None) -> int | None:
    """The one of two arguments with the same meaning that was given.

    Raises:
        InputError: both are.
    """
    if position is not None and context_position is not None:
        raise InputError("position and context_position are two names of one argument; give one of them")
    place = context_position if position is None else position
    if isinstance(place, bool) or not isinstance(place, Integral | None):
        raise InputError(f"position is {shown(place)}; expected a whole number: the position of a beat")
    return None if place is None else int(place)


def macro_nodes_of(reader: Reader, space: str, session: str) -> list[MacroNode]:
    """The closed beats of a session in order, in the form that the macro layer takes."""
    key = (space, session, BEAT)
    rows = NODE.scan(reader, key, key, index="level")
    ends = TURN_AT.get_many(reader, [(space, session, row.high) for row in rows])
    nodes = []
    for row, end in zip(rows, ends, strict=True):
        summary = summary_of(row.data)
        nodes.append(
            MacroNode(
                session=session,
                position=row.place,
                low=row.low,
                high=row.high,
                macro_weight=summary.macro_weight,
                domains=summary.domains,
                at=from_us(end),
                states=summary.states,
            )
        )
    return nodes


def region_of(reader: Reader, space: str, session: str | None, position: int | None) -> tuple[WeightedRange, ...]:
    """The turns of the beat at a position and of the beats around it; empty without a position.

    Args:
        session: None for that of the newest turn.
        position: place of a beat, from 0; or beats before the newest, negative. The turns since the last closed beat
            are the newest beat, at the place after it.

    Raises:
        InputError: there is no such beat; the message says how many there are.
    """
    if position is None:
        return ()
    name = newest_session(reader, space) if session is None else session
    spans = [] if name is None else _spans(reader, space, name)
    place = len(spans) - 1 + position if position < 0 else position
    if name is None or not 0 <= place < len(spans):
        raise InputError(f"there is no beat at position {shown(position)}; session {name!r} has {len(spans)}, from 0")
    return tuple(_around(name, spans, place))


def _around(session: str, spans: Sequence[tuple[int, int]], place: int) -> list[WeightedRange]:
    near = range(max(0, place - len(AROUND) + 1), min(len(spans), place + len(AROUND)))
    return [WeightedRange(session, *spans[neighbour], AROUND[abs(neighbour - place)]) for neighbour in near]


def outline_of_place(reader: Reader, space: str, place: PositionPhrase, session: str) -> list[WeightedRange]:
    """The turns of beats or chapters that a question counts back from the newest; empty where there are not so many.

    The turns since the last closed beat, or chapter, are the newest. What is so many ago comes with what is around it.
    """
    spans = _spans(reader, space, session, BEAT if place.unit == "beat" else BEAT + 1)
    if place.kind == "last":
        return [WeightedRange(session, low, high, AROUND[0]) for low, high in spans[-max(1, place.count) :]]
    return _around(session, spans, len(spans) - 1 - place.count) if place.count < len(spans) else []


def newest_session(reader: Reader, space: str) -> str | None:
    """The session of the turn that was stored last; None for an empty space."""
    return TURN_SESSION.first(reader, (space,), (space,), index="ordinal", reverse=True)


def _spans(reader: Reader, space: str, session: str, level: int = BEAT) -> list[tuple[int, int]]:
    """First and last turn of each closed beat, or node of another level, and of the open one."""
    key = (space, session, level)
    spans = [(row.low, row.high) for row in NODE_SPANS.scan(reader, key, key, index="level")]
    last = TURN_SEQ.first(reader, (space, session), (space, session), reverse=True)
    start = max((high for _, high in spans), default=-1) + 1
    if last is not None and last >= start:
        spans.append((start, last))
    return spans
