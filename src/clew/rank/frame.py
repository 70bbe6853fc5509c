"""The input of one ranking, gathered once: the question, a view of the index, cosines and weights."""

from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from operator import add
from typing import Final, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from clew.config import RecallConfig
from clew.index.bm25 import bm25f
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.anchors import NOWHERE, PointedTurns, WeightedRange
from clew.rank.graph_context import NOTHING, GraphContext
from clew.rank.intent import Intent
from clew.rank.intent.respelling import WEIGHT
from clew.rank.labels import NO_LABELS, QuestionLabels
from clew.store.rows import from_us
from clew.text.terms import terms
from clew.types.turn import ROLES

Scores = NDArray[np.float64]
"""One value per turn, in the order of the view; NaN where a signal has no value for a turn."""

_PROGRAMS: Final = CacheKey[int]("programs")
_ENDS: Final = CacheKey[tuple[int, ...]]("first and last time")
_SIDES: Final = CacheKey[NDArray[np.intp]]("sides")
_AGENT_SHARE: Final = CacheKey[NDArray[np.float64]]("agent share")
_HAS_AGENTS_WORK: Final = CacheKey[bool]("has an agent's work")
_FINDINGS: Final = CacheKey[NDArray[np.float64] | None]("share of findings")
_TOOL_USE: Final = CacheKey[NDArray[np.float64] | None]("use of tools")
_DAYS: Final = CacheKey[tuple[date, date] | None]("first and last day")
_ANSWERS: Final = CacheKey[tuple[NDArray[np.intp], NDArray[np.intp]]]("answers")

EVERY: Final = slice(None)
"""The slice of all turns."""

ASSISTANT: Final = ROLES.index("assistant")
USER: Final = ROLES.index("user")
SYSTEM: Final = ROLES.index("system")
TOOL: Final = ROLES.index("tool")

ASSISTANT_SHARE: Final = 0.1
"""Least share of unnamed assistant turns from which a space counts as a person talking to an assistant."""

SMOOTHING: Final = 2.0
"""Turns of the user, and as many of others, that are added to every session when `agent_share` is computed."""

RESULTS: Final = 0.25
"""Results of tools for each of the person's turns from which a session is worked with tools throughout."""

WORKED: Final = 0.7
"""Least share of findings in a session that is worked with tools throughout; chosen with `terse`, on the same."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One question over one view of the index.

    Attributes:
        piece_scores: BM25F of each piece; None when the question has no term.
        similarity: cosine of the question (row 0) and its rewritten form (row 1) to each turn; None without embedder.
        with_assistant: an assistant takes part in this space's conversations.
        alike: how alike the turns are by their vectors, see `likeness`; 0 without embedder.
        facts: share of the question that the best fact of each turn answers; None where facts are not asked for.
        cosines: cosine of the question to each turn, also where all are too small to rank by; None without embedder.
        region: turns at the beat that the caller points at; empty without one.
        pointed: turns that the question's own words point at.
        titled: the beginnings of conversations whose titles have the words of the question.
        around: entity graph and hierarchy around the question, as far as weighted signals need them.
        hop: terms of the second look-up; empty in the first one.
        labels: agreement of labels with the question, as far as weighted signals need it.
        importance: importance of each turn, 1 to 10, NaN while unknown; None unless its weight is above 0.
    """

    intent: Intent
    view: IndexView
    config: RecallConfig
    piece_scores: Scores | None
    similarity: Scores | None
    with_assistant: bool
    region: tuple[WeightedRange, ...] = ()
    pointed: PointedTurns = NOWHERE
    titled: tuple[WeightedRange, ...] = ()
    around: GraphContext = NOTHING
    hop: tuple[str, ...] = ()
    labels: QuestionLabels = NO_LABELS
    importance: Scores | None = None
    cosines: Scores | None = None
    alike: float = 0.0
    facts: Scores | None = None

    @property
    def size(self) -> int:
        """Number of turns that are ranked."""
        return len(self.view.turns.ordinal)

    @property
    def matches(self) -> bool:
        """Whether some turn has a word of the question, or is near to it in meaning."""
        return self.similarity is not None or (self.piece_scores is not None and bool(self.piece_scores.any()))

    def best_piece(self, position: int) -> int:
        """Index of the piece of a turn that matches the question's terms best, the first of equals; 0 without terms."""
        if self.view.turns.piece_count[position] == 1:
            return 0
        return int(np.argmax(np.round(self.scores_of_pieces(position), 6)))

    def scores_of_pieces(self, position: int) -> list[float]:
        """BM25F of each piece of a turn for the question's terms, in the order of the text; 0 without a term."""
        first = int(self.view.turns.first_piece[position])
        count = int(self.view.turns.piece_count[position])
        if self.piece_scores is None:
            return [0.0] * count
        scores: list[float] = self.piece_scores[first : first + count].tolist()
        return scores


class FrameParts(TypedDict, total=False):
    """Fields of a frame that not every question has; see `Frame`."""

    region: tuple[WeightedRange, ...]
    pointed: PointedTurns
    titled: tuple[WeightedRange, ...]
    around: GraphContext
    labels: QuestionLabels
    importance: Scores | None
    cosines: Scores | None
    alike: float
    facts: Scores | None


def make_frame(
    intent: Intent,
    view: IndexView,
    config: RecallConfig,
    similarity: Scores | None,
    *,
    with_assistant: bool,
    **more: Unpack[FrameParts],
) -> Frame:
    """A frame with the BM25F of the question's terms, computed once for all signals."""
    pieces = bm25f(view, intent.terms, weights=_weights(intent)) if intent.terms else None
    return Frame(intent, view, config, pieces, similarity, with_assistant, **more)


def _weights(intent: Intent) -> list[float] | None:
    """What each term weighs; None where all weigh the same."""
    if not intent.respelt:
        return None
    read = {term for _, word in intent.respelt for term in terms(word)}
    return [WEIGHT if term in read else 1.0 for term in intent.terms]


@lru_cache(maxsize=16)
def without_price(config: RecallConfig) -> RecallConfig:
    """Settings with a weight of 0 for the cost of turns, for rankings without a budget."""
    return replace(config, cost=0.0, cost_assistant=0.0)


def assistant_takes_part(view: IndexView) -> bool:
    """Whether an assistant takes part: turns of role assistant that have no person's name."""
    programs = view.folded(_PROGRAMS, lambda rows: _programs(view, rows), add)
    return len(view.turns.role) > 0 and programs >= ASSISTANT_SHARE * len(view.turns.role)


def agent_share(view: IndexView) -> NDArray[np.float64]:
    """How far each turn's session is an agent's work: 0 where the person has half of the turns, towards 1 with none.

    `SMOOTHING` turns of each side are added, so that a session that has just begun is judged as a conversation.
    """
    return view.derived(_AGENT_SHARE, lambda: _agent_share(view))


def _agent_share(view: IndexView) -> NDArray[np.float64]:
    turns, users, _ = _counts(view)
    shares = np.maximum(0.0, 1.0 - 2.0 * (users + SMOOTHING) / (turns + 2.0 * SMOOTHING))
    return np.asarray(shares[view.turns.session])


def has_agents_work(view: IndexView) -> bool:
    """Whether some session is an agent's work in part: some `agent_share` is above 0."""
    return view.derived(_HAS_AGENTS_WORK, lambda: bool(agent_share(view).max(initial=0.0) > 0.0))


def tool_use(view: IndexView) -> NDArray[np.float64] | None:
    """How far each session is worked with tools, 0 to 1; None where no tool was used.

    Whole from a result for every `1 / RESULTS` turns of the person on, `SMOOTHING` more of these than there are.
    """
    return view.derived(_TOOL_USE, lambda: _tool_use(view))


def _tool_use(view: IndexView) -> NDArray[np.float64] | None:
    _, users, results = _counts(view)
    return np.minimum(results / (RESULTS * (users + SMOOTHING)), 1.0) if results.any() else None


def findings_share(view: IndexView) -> NDArray[np.float64] | None:
    """How far what others than the person say in each turn's session are findings of an agent; None for chats alone.

    As much as the agent share, and at least `WORKED` where the session is worked with tools: who has something done by
    an assistant with tools may answer each step, and what was found out still stands in the others' turns.
    """
    return view.derived(_FINDINGS, lambda: _findings_share(view))


def _findings_share(view: IndexView) -> NDArray[np.float64] | None:
    shares, use = agent_share(view), tool_use(view)
    if use is not None:
        shares = np.maximum(shares, WORKED * use[view.turns.session])
    return shares if shares.any() else None


def _counts(view: IndexView) -> NDArray[np.intp]:
    """How many turns each session has, how many of them are the user's, and how many are results of tools."""
    return view.folded(_SIDES, lambda rows: _sides(view, rows), _added)


def _sides(view: IndexView, rows: slice) -> NDArray[np.intp]:
    """`_counts` of a slice of turns."""
    session, role, count = view.turns.session[rows], view.turns.role[rows], len(view.sessions)
    return np.stack(
        [np.bincount(some, minlength=count) for some in (session, session[role == USER], session[role == TOOL])]
    )


def _added(one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.intp]:
    """The sum of two counts of sessions, of which the later may have more of them."""
    total = other.copy()
    total[:, : one.shape[1]] += one
    return total


def covered_days(view: IndexView) -> tuple[date, date] | None:
    """First and last day of the turns; None when no turn has a time."""
    return view.derived(_DAYS, lambda: _covered_days(view))


def _covered_days(view: IndexView) -> tuple[date, date] | None:
    ends = view.folded(_ENDS, lambda rows: _covered(view, rows), lambda one, other: _ends((*one, *other)))
    return (_day(ends[0]), _day(ends[1])) if ends else None


def _covered(view: IndexView, rows: slice) -> tuple[int, ...]:
    """First and last known time of a slice of turns; empty when none is known."""
    at = view.turns.at[rows]
    moments = at[at != view.NO_TIME]
    return _ends((int(moments.min()), int(moments.max()))) if len(moments) else ()


def _ends(moments: tuple[int, ...]) -> tuple[int, ...]:
    return (min(moments), max(moments)) if moments else ()


def _day(moment: int) -> date:
    return from_us(moment).date()


def answers(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the turns that follow a question, and of those questions; cached with the view."""
    return view.derived(_ANSWERS, lambda: _answers(view))


def _answers(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    turns = view.turns
    whole = np.flatnonzero(turns.piece_count > 0)
    before = view.previous[turns.first_piece[whole]]
    whole, asked = whole[before >= 0], view.pieces.turn[before[before >= 0]].astype(np.intp)
    asks = turns.asks[asked]
    return whole[asks], asked[asks]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The turn before and the turn after each turn, in its session and branch.

    Attributes:
        odd: positions of the turns whose neighbour on either side is not the adjacent turn of the view.
        before: position of the turn before each of `odd`; the number of turns where there is none.
        after: position of the turn after each of `odd`; the number of turns where there is none.
    """

    odd: NDArray[np.intp]
    before: NDArray[np.intp]
    after: NDArray[np.intp]

    def combined(self, values: Scores, nowhere: float, combine: np.ufunc) -> Scores:
        """The value of each turn combined with that of the turn before, then with that of the turn after.

        Most neighbours are adjacent in the view, so whole arrays are combined, at a tenth of the cost of look-ups.

        Args:
            nowhere: the value that stands in where there is no neighbour.
        """
        totals = values.copy()
        combine(totals[1:], values[:-1], out=totals[1:])
        combine(totals[:-1], values[1:], out=totals[:-1])
        sides = (
            np.where(places < len(values), values.take(places, mode="clip"), nowhere)
            for places in (self.before, self.after)
        )
        own = values[self.odd]
        for side in sides:
            own = combine(own, side)
        totals[self.odd] = own
        return totals


def neighbours(view: IndexView) -> Neighbours:
    """The neighbours of every turn; cached with the view."""
    return view.derived(_BESIDE, lambda: _beside(view))


def _beside(view: IndexView) -> Neighbours:
    turns, places = view.turns, np.arange(len(view.turns.ordinal))
    owner = np.append(view.pieces.turn.astype(np.intp), len(places))
    before = owner[view.previous[turns.first_piece]]
    after = owner[view.next[turns.first_piece + turns.piece_count - 1]]
    odd = np.flatnonzero((before != places - 1) | (after != places + 1) | (after == len(places)))
    return Neighbours(odd, before[odd], after[odd])


_BESIDE: Final = CacheKey[Neighbours]("neighbours")


def _programs(view: IndexView, rows: slice) -> int:
    """Number of assistant turns without a person's name in a slice of turns."""
    said = np.bincount(view.turns.speaker[rows][view.turns.role[rows] == ASSISTANT] + 1)
    counts = zip(np.flatnonzero(said).tolist(), said[said > 0].tolist(), strict=True)
    names = ("", *view.speakers)
    return sum(count for code, count in counts if names[code].casefold() in ("", "assistant"))
