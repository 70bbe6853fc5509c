"""The strategies of a recall (default, broad, temporal, sigma): items and tokens of each, and which one `auto` picks.

Borders: decides by the intent of the question. Only `sigma` ranks by itself, with the formula of `clew.rank.sigma`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import Mask
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Fused, Opinion
from clew.rank.intent import Kind
from clew.rank.search import Ranking
from clew.rank.sigma import LEAST, MOST, candidates, chosen, relevance
from clew.types.exact import exact_choice


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to recall.

    Attributes:
        results: most items of a block, where the caller named the strategy or its budget follows from a window.
        share: share of a model's window that its block may take.
    """

    name: str
    results: int
    share: float


STRATEGIES: Final = {
    strategy.name: strategy
    for strategy in (
        Strategy("default", 10, 0.25),
        Strategy("broad", 15, 0.35),
        Strategy("temporal", 8, 0.20),
        Strategy("sigma", MOST, 0.25),
    )
}
"""The first three come from Virtual Context; `sigma` is SIGMA's injection, which defines no share."""

AUTO: Final = "auto"
_BY_KIND: Final[dict[Kind, str]] = {"broad": "broad", "temporal": "temporal"}


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """What was decided for one recall.

    Attributes:
        results: most items; None for as many as fit.
        budget: tokens of the block.
    """

    strategy: str
    kind: Kind
    results: int | None
    budget: int


def checked(strategy: object) -> str:
    """The name of a strategy.

    Raises:
        InputError: the strategy is unknown.
    """
    return exact_choice(strategy, "strategy", (AUTO, *STRATEGIES))


def plan(kind: Kind, strategy: str, budget: int | None, window: int | None, default: int) -> RecallPlan:
    """Which strategy, how many items and how many tokens.

    A given budget holds. Without one it is the strategy's share of the window, rounded down; without a window
    the `default`. The number of items is bounded only where the caller named the strategy, or left the budget to it:
    a caller who gives `auto` an exact budget wants it filled.
    """
    named = STRATEGIES[_BY_KIND.get(kind, "default") if strategy == AUTO else strategy]
    by_window = budget is None and window is not None
    if budget is None:
        budget = default if window is None else int(named.share * window)
    return RecallPlan(named.name, kind, named.results if by_window or strategy != AUTO else None, budget)


Scored = Callable[[NDArray[np.int64]], tuple[Scores, Scores, Scores]]
"""Maps positions to the importance of each turn, the sum of its overlays O1, O4 and O5, and whether it is a shift."""


def rank_sigma(frame: Frame, mask: Mask | None, scored: Scored) -> Ranking:
    """SIGMA's ranking: of the last 50 turns and all shifts, those with enough relevance, five at most.

    Without vectors a turn's BM25F as a share of the best one replaces the cosine.
    """
    may = frame.view.turns.chars > 0
    places = np.flatnonzero(may if mask is None else may & mask)
    importance, overlays, shifts = scored(places)
    own = candidates(len(places), np.flatnonzero(np.nan_to_num(shifts) > 0).tolist())
    values = np.zeros(frame.size)
    values[places[own]] = relevance(_likeness(frame)[places[own]], importance[own], overlays[own])
    positions = np.array([places[own][place] for place in chosen(values[places[own]], LEAST)], dtype=np.int64)
    return Ranking(frame, Fused.of(values, [Opinion("sigma", values, 1.0)]), positions)


def _likeness(frame: Frame) -> Scores:
    if frame.similarity is not None:
        asked: Scores = frame.similarity[0]
        return asked
    if frame.piece_scores is None or not frame.size:
        return np.zeros(frame.size)
    best: Scores = np.zeros(frame.size)
    np.maximum.at(best, frame.view.pieces.turn, frame.piece_scores)
    best /= max(float(best.max()), 1e-9)
    return best
