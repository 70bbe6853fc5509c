"""Many opinions, one score: weighted z-scores, or reciprocal ranks. Both can be recomputed by hand from a receipt.

Borders: knows signals only as named columns of numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.recall.frame import Scores

FLAT: Final = 1e-12
"""A signal whose values spread less than this says nothing of any turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """One signal's values over all turns, with what fusion needs to know of it.

    A value enters the sum as weight * (value - mean) / spread; a plain value has mean 0 and spread 1.

    Attributes:
        values: one a turn; NaN where the signal knows nothing, which adds nothing.
        ranks: the signal orders turns by relevance, see `by_rank`.
    """

    name: str
    values: Scores
    weight: float
    mean: float = 0.0
    spread: float = 1.0
    ranks: bool = False

    def share(self, position: int) -> float:
        """What the signal adds to one turn's score, when scores are added."""
        value = float(self.values[position])
        return 0.0 if np.isnan(value) else self.weight * (value - self.mean) / self.spread

    def add_to(self, total: Scores) -> None:
        """Adds every turn's share."""
        shares = self.values - self.mean if self.mean else self.values.copy()
        shares *= self.weight / self.spread
        np.nan_to_num(shares, copy=False, nan=0.0)
        total += shares


def centred(values: Scores) -> tuple[float, float]:
    """Mean and standard deviation over the known values; a signal that is flat has an endless spread, so it adds 0."""
    known = values[~np.isnan(values)]
    if not len(known):
        return 0.0, np.inf
    spread = float(np.std(known))
    return float(np.mean(known)), spread if spread >= FLAT else np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """The fused score of every turn, and where each part of it comes from."""

    score: Scores
    opinions: Sequence[Opinion]
    rank_shares: dict[str, Scores] | None = None

    def shares(self, position: int) -> dict[str, float]:
        """What each signal added to one turn's score, rounded to 1e-6; signals that added nothing are absent."""
        if self.rank_shares is None:
            found = {opinion.name: round(opinion.share(position), 6) for opinion in self.opinions}
        else:
            found = {name: round(float(share[position]), 6) for name, share in self.rank_shares.items()}
        return {name: share for name, share in found.items() if share}


def by_score(opinions: Sequence[Opinion], size: int, start: Scores | None = None) -> Fused:
    """Adds weighted values: z-scores of the signals that measure relevance, plain values of boosts and priors.

    Args:
        start: the sum of the first opinions, when the caller keeps it; those are then not added again.
    """
    total = np.zeros(size) if start is None else start.copy()
    for opinion in opinions:
        opinion.add_to(total)
    return Fused(total, opinions)


def by_rank(opinions: Sequence[Opinion], size: int, k: int) -> Fused:
    """Reciprocal rank fusion: each relevance signal adds weight / (k + rank), ranks from 1, ties sharing the best.

    A turn that a signal does not know, or gives its lowest value 0, gets nothing from it. Boosts and priors add their
    value times one rank step at the top, so that they order neighbours and never overrule a signal (the sum is Cormack,
    Clarke and Büttcher's, 2009; the treatment of boosts is ours).
    """
    total, shares = np.zeros(size), {}
    step = 1.0 / (k + 1) - 1.0 / (k + 2)
    for opinion in opinions:
        share = np.zeros(size)
        if opinion.ranks:
            share = opinion.weight * _reciprocal(opinion.values, k)
        else:
            opinion.add_to(share)
            share *= step
        shares[opinion.name] = share
        total += share
    return Fused(total, opinions, shares)


def _reciprocal(values: Scores, k: int) -> Scores:
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros_like(values)
    rounded = np.round(np.where(known, values, -np.inf), 6)
    _, inverse, counts = np.unique(-rounded, return_inverse=True, return_counts=True)
    first = np.concatenate(([0], np.cumsum(counts)[:-1])) + 1
    silent = ~known | ((rounded == 0.0) & (rounded == np.min(rounded[known])))
    return np.where(silent, 0.0, 1.0 / (k + first[inverse]))


def best(
    score: Scores, limit: int, tie: Sequence[NDArray[np.integer]], mask: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Positions of the best turns, best first.

    Scores are compared after rounding to 1e-6; ties go by the `tie` columns in order, ascending.

    Args:
        mask: only turns where it is True; None means all.
    """
    allowed = np.arange(len(score)) if mask is None else np.flatnonzero(mask)
    if limit == 0 or not len(allowed):
        return allowed[:0]
    rounded = np.round(score[allowed], 6)
    if len(allowed) > limit:
        floor = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        keep = np.flatnonzero(rounded >= floor)
        allowed, rounded = allowed[keep], rounded[keep]
    order = np.lexsort([*(column[allowed] for column in reversed(tie)), -rounded])
    return allowed[order[:limit]]
