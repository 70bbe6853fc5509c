"""Dampening after fusion: less for announcements, for turns far from other matches, and for labels that fit anything.

All steps (gravity and hub: Virtual Context) are subtracted from the fused score as an opinion each, so that
receipts show them and a score stays the sum of its parts. Pure, over fused scores and columns.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.config import RecallConfig
from clew.index.view import IndexView
from clew.rank.announcements import announcement, has_announcements
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Fused, Opinion, Tie, best, boost_step
from clew.rank.graph_context import HierarchyNode, nodes_of

RELEVANT: Final = 20
"""Number of best turns that count as relevant (docs/recall-refused.md: 5, 10 and 40 did no better)."""

DAY: Final = 86_400_000_000
"""A day in microseconds: the time to the nearest relevant turn at which the distance in time is 0.5."""

SAME_CHAPTER: Final = 1 / 3
SAME_SESSION: Final = 2 / 3
"""Distances in the hierarchy: 0 within a beat, `SAME_CHAPTER`, `SAME_SESSION`, and 1 across sessions."""

STEPS: Final = ("announcement", "gravity", "hub")
"""Names of the steps in receipts."""

Mask = NDArray[np.bool_]


def weights(config: RecallConfig) -> dict[str, float]:
    """The weight of each of `STEPS`."""
    return {"announcement": config.announcement, "gravity": config.gravity, "hub": config.hub}


def dampening(
    frame: Frame, score: Scores, tie: Tie, allowed: Mask | None, opinions: Sequence[Opinion] = ()
) -> list[Opinion]:
    """The opinions that are subtracted from the fused scores: one per step that has a weight and a value.

    Args:
        tie: columns by which equal scores are ordered.
        allowed: turns that may be found; None means all.
        opinions: of the signals on all turns.
    """
    subtracted = announcement(frame, score, opinions, boost_unit(frame.config))
    if frame.config.gravity:
        relevant = best(score, RELEVANT, tie, allowed)
        values = gravity(frame.view, frame.around.nodes, relevant)
        subtracted += [] if values is None else [Opinion("gravity", -values, frame.config.gravity)]
    if frame.config.hub and frame.labels.hubs is not None:
        subtracted.append(Opinion("hub", -frame.labels.hubs, frame.config.hub))
    return subtracted


def is_needed(frame: Frame) -> bool:
    """Whether some step may subtract anything."""
    hubs = frame.config.hub and frame.labels.hubs is not None
    return bool(frame.config.gravity or hubs) or has_announcements(frame)


def boost_unit(config: RecallConfig) -> float:
    """What values are multiplied by before they are subtracted: 1, or one rank step at the top under rank fusion."""
    return boost_step(config.rrf_k) if config.fusion == "rrf" else 1.0


def dampened(frame: Frame, fused: Fused, tie: Tie, allowed: Mask | None) -> Fused:
    """The fused scores after all steps.

    Score fusion subtracts weight times value. Reciprocal rank fusion multiplies that by one rank step at the top, as
    for every boost.
    """
    subtracted = dampening(frame, fused.score, tie, allowed, fused.opinions)
    if not subtracted:
        return fused
    step = boost_unit(frame.config)
    shares = {opinion.name: step * opinion.shares() for opinion in subtracted}
    score = fused.score
    for share in shares.values():
        score = score + share
    by_rank = None if fused.rank_shares is None else {**fused.rank_shares, **shares}
    return Fused.of(score, [*fused.opinions, *subtracted], by_rank)


def gravity(view: IndexView, nodes: Sequence[HierarchyNode], relevant: NDArray[np.int64]) -> Scores | None:
    """The distance of each turn from the nearest other relevant turn, in the hierarchy and in time: 0 to 1.

    The product of two distances: in the hierarchy 0 in the same beat, 1/3 in the same chapter, 2/3 in the same session,
    else 1; in time d / (d + 1 day). A turn that is near in either respect is thus not far. Where a time is unknown the
    hierarchy alone decides; a turn in no closed beat shares a beat with no other. None with fewer than two relevant
    turns.

    Args:
        nodes: the hierarchy, as `GraphContextReader` gives it.
        relevant: positions, each once.
    """
    if len(relevant) < 2:
        return None
    beats, chapters = nodes_of(view, nodes)
    far = np.ones(len(beats))
    for column, distance in ((view.turns.session, SAME_SESSION), (chapters, SAME_CHAPTER), (beats, 0.0)):
        far[_shared(column, relevant)] = distance
    return far * _apart(view.turns.at, relevant)


def _shared(column: NDArray[np.integer], relevant: NDArray[np.int64]) -> Mask:
    """Whether a relevant turn other than the turn itself has the same value in a column; -1 never matches."""
    counts = np.bincount(column[relevant] + 1, minlength=int(column.max(initial=0)) + 2)
    counts[0] = 0
    others = counts[column + 1]
    others[relevant] -= column[relevant] >= 0
    return np.asarray(others > 0)


def _apart(at: NDArray[np.int64], relevant: NDArray[np.int64]) -> Scores:
    """The distance in time of each turn from the nearest other relevant turn; 1 where a time is unknown."""
    known = at != IndexView.NO_TIME
    timed = relevant[known[relevant]]
    gaps = np.full(len(at), np.inf)
    if len(timed):
        order = np.sort(at[timed])
        gaps[known] = _nearest(order, at[known])
        apart = np.diff(order, prepend=order[0], append=order[-1]).astype(np.float64)
        apart[[0, -1]] = np.inf  # before the first and behind the last there is none
        own = np.minimum(apart[:-1], apart[1:])
        gaps[timed] = own[np.searchsorted(order, at[timed])]
    apart_by = np.ones(len(at))
    np.divide(gaps, gaps + DAY, out=apart_by, where=np.isfinite(gaps))
    return apart_by


def _nearest(order: NDArray[np.int64], at: NDArray[np.int64]) -> Scores:
    """The distance of each time from the nearest time in `order`, which ascends."""
    after = np.minimum(np.searchsorted(order, at), len(order) - 1)
    before = np.maximum(after - 1, 0)
    gaps: NDArray[np.int64] = np.minimum(np.abs(order[after] - at), np.abs(at - order[before]))
    return gaps.astype(np.float64)
