"""Many opinions, one score: weighted z-scores, or reciprocal ranks. Both can be recomputed by hand from a receipt.

Borders: knows signals only as named columns of numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.recall.frame import Scores


@dataclass(frozen=True, slots=True)
class Opinion:
    """One signal's values over all turns, with what fusion needs to know of it."""

    name: str
    values: Scores
    weight: float
    scale: Literal["z", "raw"]
    ranks: bool


@dataclass(frozen=True, slots=True)
class Fused:
    """The fused score of every turn, and each signal's share in it: `score` is the sum of the shares, in order."""

    score: Scores
    shares: dict[str, Scores]


def z_scores(values: Scores) -> Scores:
    """(x - mean) / standard deviation over the known values; unknown ones and a flat signal give 0."""
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros_like(values)
    mean, spread = float(np.mean(values[known])), float(np.std(values[known]))
    if spread < 1e-12:
        return np.zeros_like(values)
    centred = (values - mean) / spread
    return np.where(known, centred, 0.0)


def by_score(opinions: Sequence[Opinion], size: int) -> Fused:
    """Adds weighted values: z-scores of the signals that measure relevance, plain values of boosts and priors."""
    total, shares = np.zeros(size), {}
    for opinion in opinions:
        values = z_scores(opinion.values) if opinion.scale == "z" else np.nan_to_num(opinion.values, nan=0.0)
        shares[opinion.name] = opinion.weight * values
        total += shares[opinion.name]
    return Fused(total, shares)


def by_rank(opinions: Sequence[Opinion], size: int, k: int) -> Fused:
    """Reciprocal rank fusion: each relevance signal adds weight / (k + rank), ranks from 1, ties sharing the best.

    A turn that a signal does not know, or gives its lowest value 0, gets nothing from it. Boosts and priors add their
    plain value scaled to one rank step at the top, so that they order neighbours and never overrule a signal
    (Cormack, Clarke and Büttcher 2009, for the sum; the treatment of boosts is ours).
    """
    total, shares = np.zeros(size), {}
    step = 1.0 / (k + 1) - 1.0 / (k + 2)
    for opinion in opinions:
        if opinion.ranks:
            share = opinion.weight * _reciprocal(opinion.values, k)
        else:
            values = z_scores(opinion.values) if opinion.scale == "z" else np.nan_to_num(opinion.values, nan=0.0)
            share = opinion.weight * step * values
        shares[opinion.name] = share
        total += share
    return Fused(total, shares)


def _reciprocal(values: Scores, k: int) -> Scores:
    known = ~np.isnan(values)
    rounded = np.round(np.where(known, values, -np.inf), 6)
    distinct, inverse, counts = np.unique(-rounded, return_inverse=True, return_counts=True)
    first = np.concatenate(([0], np.cumsum(counts)[:-1])) + 1
    share = 1.0 / (k + first[inverse])
    lowest = -np.inf if not len(distinct) else float(np.min(rounded[known])) if known.any() else -np.inf
    silent = ~known | ((rounded <= 0.0) & (rounded == lowest))
    return np.where(silent, 0.0, share)


def best(
    score: Scores, limit: int, tie: Sequence[NDArray[np.integer]], mask: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Positions of the best turns, best first.

    Scores are compared after rounding to 1e-6; ties go by the `tie` columns in order, ascending.

    Args:
        mask: only turns where it is True; None means all.
    """
    allowed = np.arange(len(score)) if mask is None else np.flatnonzero(mask)
    rounded = np.round(score[allowed], 6)
    if limit == 0:
        return allowed[:0]
    if len(allowed) > limit:
        floor = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        keep = rounded >= floor
        allowed, rounded = allowed[keep], rounded[keep]
    order = np.lexsort([*(column[allowed] for column in reversed(tie)), -rounded])
    return allowed[order[:limit]]
