"""Means with bootstrap intervals over conversations, because the questions of one conversation are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from clew.types.record import Record

DRAWS: Final = 2000
SEED: Final = 20_240_229
LEVEL: Final = 95.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Record):
    """A mean, and its 95 % interval from a bootstrap over conversations.

    Attributes:
        count: number of values.
        low, high: None if there is only one conversation.
    """

    count: int
    mean: float
    low: float | None = None
    high: float | None = None


def estimate(values: Sequence[float], groups: Sequence[str]) -> Estimate | None:
    """The mean of values with its interval; None for no values.

    Each draw takes as many groups as there are, with replacement, and means over all values of the groups drawn
    (cluster bootstrap, percentile limits; Davison and Hinkley 1997, 3.8). Seeded: same values, same interval.

    Args:
        groups: the conversation of each value.
    """
    if not values:
        return None
    known, where = np.unique(np.asarray(groups), return_inverse=True)
    sums, counts = np.bincount(where, weights=np.asarray(values, dtype=np.float64)), np.bincount(where)
    mean = float(sums.sum() / counts.sum())
    if len(known) < 2:
        return Estimate(count=len(values), mean=mean)
    drawn = np.random.default_rng(SEED).integers(0, len(known), (DRAWS, len(known)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Estimate(count=len(values), mean=mean, low=float(low), high=float(high))
