"""Resolves position phrases ("before we chose Redis") to the turn that they mean and the turns on its sides.

A clause is looked up by its own words, weighted by rarity: the cost is bounded by their postings, and the result does
not depend on the layout of the index.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.rank.intent.position_phrases import CLAUSES, PositionPhrase
from clew.rank.session_order import TalksByTime
from clew.text.terms import query_terms
from clew.types.ids import turn_id
from clew.types.turn import ROLES

ENOUGH: Final = 0.5
"""Share of the summed rarity of a clause's words that a turn must contain to be the turn it means; a choice."""

SIDE: Final = 0.5
"""Value of a turn on the side asked about, which tells less than a neighbourhood. A choice, as are the next two."""

CLOSE: Final = ((-2, 4, 1.0), (-8, 12, 0.5))
"""Ranges of turns around the turn that a clause means, with their values: more after it, where it is discussed."""

START: Final = ((0, 11, 1.0), (12, 35, 0.5))
"""Ranges of turns at the beginning of a conversation, with their values."""

REQUESTS: Final = (1.0, 0.5, 0.25)
"""Values of the user's last, or first, messages."""

LOOKED: Final = 32
"""Latest conversations in which what a user said, or work of a kind, is looked for."""

_USER: Final = ROLES.index("user")

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeightedRange:
    """Turns of one session from `low` to `high`, both included; `value` is 1 at the place meant, and less around it."""

    session: str
    low: int
    high: int
    value: float


@dataclass(frozen=True, slots=True)
class SideOfTurn:
    """All turns before a turn, or from it on.

    Attributes:
        position: position of the turn in the view.
        after: the turns from it on, and not those before it.
    """

    position: int
    after: bool
    value: float = SIDE


@dataclass(frozen=True, slots=True)
class PointedTurns:
    """The turns that a question's position phrases point at.

    Attributes:
        explained: for the receipt, each phrase as it was understood and the turns that were found.
        alone: nothing is asked for but the turns of `stretches`, in the order of their values.
    """

    stretches: tuple[WeightedRange, ...] = ()
    sides: tuple[SideOfTurn, ...] = ()
    explained: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    alone: bool = False


NOWHERE: Final = PointedTurns()


def rarities(view: IndexView, terms: Iterable[str]) -> Values:
    """The summed rarity of the terms that each turn contains; a term's rarity is log(1 + turns / turns with it)."""
    totals = np.zeros(len(view.turns.ordinal))
    for term in terms:
        postings = view.lookup(term)
        totals[view.pieces.turn[postings.pieces]] += _rarity(view, postings.df)  # several pieces of a turn add it once
    return totals


def _rarity(view: IndexView, df: int) -> float:
    return log(1 + len(view.turns.ordinal) / max(df, 1))


def anchor(view: IndexView, place: PositionPhrase) -> int | None:
    """The turn that a clause means; None when no turn contains enough of its words.

    The first of the turns with the greatest rarity of the subject's words, and among these of the verb's words.
    """
    every = query_terms(place.clause)
    subject = [term for term in query_terms(place.subject) if term in every] or every
    if not subject or not len(view.turns.ordinal):
        return None
    scores = np.round(np.where(view.turns.chars > 0, rarities(view, subject), 0.0), 6)
    best = float(scores.max())
    if best <= 0 or best < ENOUGH * sum(_rarity(view, view.document_frequency(term)) for term in subject):
        return None
    candidates = np.flatnonzero(scores == best)
    if place.kind != "first" and (others := [term for term in every if term not in subject]):
        also = np.round(rarities(view, others)[candidates], 6)
        candidates = candidates[also == also.max()]
    return min(candidates.tolist(), key=lambda at: _moment(view, at))


FindNodes = Callable[[PositionPhrase, str], Sequence[WeightedRange]]
"""Finds the turns of beats and chapters, which the index does not hold: (phrase, current session) -> ranges."""


def resolve_positions(
    view: IndexView, places: Sequence[PositionPhrase], talks: TalksByTime, outline: FindNodes | None
) -> PointedTurns:
    """The turns that position phrases point at; a phrase that is not found points at none.

    Args:
        talks: the sessions in the order of their time, and the current one.
        outline: looks up beats and chapters; None where there are none.
    """
    stretches: list[WeightedRange] = []
    sides: list[SideOfTurn] = []
    explained: list[dict[str, Any]] = []
    for place in places if len(view.turns.ordinal) else ():
        at = anchor(view, place) if place.kind in CLAUSES else None
        if place.unit == "request":
            ranges = _requests(view, talks, is_first=place.kind == "start")
        elif place.kind not in CLAUSES:
            ranges = _stretches(view, place, talks, outline)
        elif at is None or place.kind in ("before", "after"):
            ranges = []
            sides += [] if at is None else [SideOfTurn(at, after=place.kind == "after")]
        else:
            name, seq = view.sessions[int(view.turns.session[at])], int(view.turns.seq[at])
            ranges = [WeightedRange(name, max(0, seq + low), seq + high, value) for low, high, value in CLOSE]
        stretches += ranges
        explained.append({"words": place.words, "kind": place.kind, **_explained(view, at, ranges)})
    return PointedTurns(tuple(stretches), tuple(sides), tuple(explained))


def _stretches(
    view: IndexView, place: PositionPhrase, talks: TalksByTime, outline: FindNodes | None
) -> list[WeightedRange]:
    """The turns of a phrase that counts from an end of the conversation."""
    if place.kind == "start":
        return [WeightedRange(name, low, high, value) for name in talks.first() for low, high, value in START]
    if place.kind == "previous" or place.unit == "session":
        wanted = talks.back(max(1, place.count), alone=place.kind == "ago")
        return [_whole(view, name) for name in wanted]
    now = talks.current
    if place.kind == "session":
        return [_whole(view, now)]
    if place.unit == "turn":
        end = _whole(view, now).high
        if place.kind == "last":
            return [WeightedRange(now, max(0, end - place.count + 1), end, 1.0)]
        return [WeightedRange(now, end - place.count - 1, end - place.count + 1, 1.0)] if place.count <= end else []
    return [] if outline is None else list(outline(place, now))


def _requests(view: IndexView, talks: TalksByTime, *, is_first: bool) -> list[WeightedRange]:
    """The user's first or last message, and the next two, of a session or else of the last in which a user speaks."""
    turns = view.turns
    by_user = (turns.role == _USER) & (turns.chars > 0)  # text that a client put in has none
    for name in talks.latest(LOOKED):
        seqs = sorted(turns.seq[by_user & (turns.session == view.sessions.index(name))].tolist(), reverse=not is_first)
        if seqs:
            return [WeightedRange(name, seq, seq, value) for seq, value in zip(seqs, REQUESTS, strict=False)]
    return []


def _whole(view: IndexView, session: str) -> WeightedRange:
    seqs = view.turns.seq[view.turns.session == view.sessions.index(session)]
    return WeightedRange(session, 0, int(seqs.max(initial=0)), 1.0)


def _explained(view: IndexView, at: int | None, ranges: Sequence[WeightedRange]) -> dict[str, Any]:
    """The receipt's entry for what was found: the turn, or the ranges of highest value."""
    if at is not None:
        return {"turn": turn_id(view.sessions[int(view.turns.session[at])], int(view.turns.seq[at]))}
    nearest = [stretch for stretch in ranges if stretch.value == max(one.value for one in ranges)]
    return {"turns": [f"{turn_id(stretch.session, stretch.low)} to {stretch.high}" for stretch in nearest]}


def on_side(view: IndexView, side: SideOfTurn) -> NDArray[np.bool_]:
    """The turns on a side of a turn, which itself is on the later side.

    Turns of the same session are ordered by seq, others by time, or by arrival where a time is unknown.
    """
    turns, at = view.turns, side.position
    later = turns.ordinal >= turns.ordinal[at]
    if turns.at[at] != view.NO_TIME:
        dated = turns.at != view.NO_TIME
        later = np.where(dated, turns.at >= turns.at[at], later)
    later = np.where(turns.session == turns.session[at], turns.seq >= turns.seq[at], later)
    chosen: NDArray[np.bool_] = later if side.after else ~later
    return chosen


def _moment(view: IndexView, at: int) -> tuple[bool, int, str, int]:
    turns = view.turns
    dated = turns.at[at] != view.NO_TIME
    return not dated, int(turns.at[at]) if dated else 0, view.sessions[int(turns.session[at])], int(turns.seq[at])
