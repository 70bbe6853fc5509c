"""Fuses the opinions of signals into one score: weighted z-scores, or reciprocal ranks.

Both can be recomputed by hand from a receipt. Borders: knows signals only as named columns of numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat
from math import isnan
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.index.kernel import in_c
from clew.rank.frame import Scores
from clew.rank.sparse_columns import Column, whole

FLAT: Final = 1e-12
"""Least standard deviation of a signal; below it the signal adds 0."""

SILENT: Final = 20
"""Imaginary turns with value 0 that are added to every space when mean and spread are computed."""

GROUP: Final = 32
"""Most scores in a group that is represented by its best in the search for the best turns."""

GROUPS: Final = 3
"""Fewest groups for each wanted score: with fewer, too many scores would pass that are not among the best."""

FEW: Final = 20
"""Turns whose shares are named one by one."""

MARGIN: Final = 2e-6
"""What scores that round to the same 1e-6 differ by at most, and the same again for errors of floating-point sums."""


class Lookup(Protocol):
    """A column that is evaluated only at the requested positions."""

    def __getitem__(self, positions: NDArray[np.int64], /) -> NDArray[np.int64]:
        """The values at these positions."""
        ...


Tie = Sequence[NDArray[np.integer] | Lookup]
"""Columns that order turns of equal score, each ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """One signal's values over all turns, with its weight and scale.

    A value enters the sum as weight * (value - mean) / spread; a plain value has mean 0 and spread 1.

    Attributes:
        values: one per turn; NaN adds nothing and is allowed only where `ranks` is true.
        ranks: the signal orders turns by relevance, see `by_rank`.
    """

    name: str
    values: Column
    weight: float
    mean: float = 0.0
    spread: float = 1.0
    ranks: bool = False

    def shares(self, positions: NDArray[np.int64] | None = None) -> Scores:
        """What the signal adds to the score of these turns, or of all turns, under score fusion."""
        values = whole(self.values) if positions is None else self.values[positions]
        shares = values - self.mean
        shares *= self.weight / self.spread
        if self.ranks and isnan(np.add.reduce(shares)):
            shares[np.isnan(shares)] = 0.0
        return shares


def centred(values: Scores) -> tuple[float, float]:
    """The mean and standard deviation of the known values together with `SILENT` imaginary turns of value 0.

    In a large space these turns change nothing. In a small one, or where all turns have the same value, they keep the
    mean below a match: the only turn of a space would otherwise be its own average. A flat signal gets an infinite
    spread, so that it adds 0.
    """
    defined, total = values, float(np.add.reduce(values))
    if isnan(total):  # one sum is cheaper than a test of every value
        defined = values[~np.isnan(values)]
        total = float(np.add.reduce(defined))
    size = len(defined) + SILENT
    mean = total / size
    spread = float(np.sqrt(max(float(np.add.reduce(defined * defined)) / size - mean * mean, 0.0)))
    return mean, spread if spread >= FLAT else np.inf


@dataclass(frozen=True, eq=False)
class Fused:
    """The fused scores of all turns, computed when they are first read, and the opinions that they are the sum of.

    Attributes:
        total: adds up the scores of all turns.
        some: returns the scores of some turns, where that does not need those of all.
    """

    total: Callable[[], Scores]
    opinions: Sequence[Opinion]
    rank_shares: dict[str, Scores] | None = None
    some: Callable[[NDArray[np.integer]], Scores] | None = None

    @classmethod
    def of(cls, score: Scores, opinions: Sequence[Opinion], rank_shares: dict[str, Scores] | None = None) -> "Fused":
        """The fused scores of turns that were added up already."""
        return cls(lambda: score, opinions, rank_shares)

    @cached_property
    def score(self) -> Scores:
        """The score of every turn."""
        return self.total()

    def at(self, positions: NDArray[np.integer]) -> Scores:
        """The scores of some turns."""
        return self.score[positions] if self.some is None else self.some(positions)

    def shares(self, positions: NDArray[np.int64]) -> "ShareTable":
        """What each signal added to these turns' scores."""
        if self.rank_shares is None:
            return ShareTable([opinion.name for opinion in self.opinions], _shares(self.opinions, positions))
        columns = [share[positions] for share in self.rank_shares.values()]
        return ShareTable(list(self.rank_shares), np.array(columns).reshape(len(columns), len(positions)).T)


@dataclass(frozen=True, slots=True, eq=False)
class ShareTable:
    """What each signal added to the scores of some turns; holds nothing of all other turns.

    Attributes:
        names: of the signals.
        shares: a row for each turn, a column for each signal.
    """

    names: Sequence[str]
    shares: Scores

    def by_name(self) -> list[dict[str, float]]:
        """The shares of each turn, rounded to 1e-6; signals that added 0 are absent."""
        table = np.round(self.shares, 6)
        if len(table) <= FEW:  # then looking for signals that are silent for all costs more than it saves
            return [dict(compress(zip(self.names, row, strict=True), row)) for row in table.tolist()]
        speaking = np.flatnonzero(table.any(axis=0))
        table, names = table[:, speaking], [self.names[column] for column in speaking.tolist()]
        if table.all():
            return list(map(dict, map(zip, repeat(names), table.tolist())))
        return [dict(compress(zip(names, row, strict=True), row)) for row in table.tolist()]


def _shares(opinions: Sequence[Opinion], positions: NDArray[np.int64]) -> Scores:
    """`Opinion.shares` of all opinions at once: one row per position."""
    values = np.empty((len(positions), len(opinions)))
    for column, opinion in enumerate(opinions):
        values[:, column] = opinion.values[positions]
    values -= [opinion.mean for opinion in opinions]
    values *= [opinion.weight / opinion.spread for opinion in opinions]
    if isnan(np.add.reduce(values, axis=None)):  # one sum is cheaper than a test of every value
        ranks = np.array([opinion.ranks for opinion in opinions], dtype=np.bool_)
        values[np.isnan(values) & ranks] = 0.0
    return values


def scores_of(opinions: Sequence[Opinion], size: int) -> Scores:
    """Score fusion: the sum of weighted z-scores of relevance signals and plain values of boosts and priors."""
    total = np.empty(size)
    sum_shares(
        total,
        [(whole(opinion.values), opinion.mean, opinion.weight / opinion.spread, opinion.ranks) for opinion in opinions],
    )
    return total


def scores_at(opinions: Sequence[Opinion], positions: NDArray[np.integer]) -> Scores:
    """What `scores_of` gives to some turns, to the last bit."""
    total = np.empty(len(positions))
    rows = [
        (opinion.values[positions], opinion.mean, opinion.weight / opinion.spread, opinion.ranks)
        for opinion in opinions
    ]
    sum_shares(total, rows)
    return total


@in_c
def sum_shares(total: Scores, rows: list[tuple[Scores, float, float, bool]]) -> None:
    """Makes the total of each turn the sum of (value - mean) * factor over all rows, added in their order.

    Args:
        rows: values, mean and factor, and whether a value that is NaN adds nothing.
    """
    total[:], share = 0.0, np.empty(len(total))
    for values, mean, factor, _ in rows:
        if mean:
            np.subtract(values, mean, out=share)
            share *= factor
        else:  # as all plain values have
            np.multiply(values, factor, out=share)
        total += share
    if isnan(np.add.reduce(total)):  # one sum is cheaper than a test of every value
        total[:] = 0.0
        for values, mean, factor, skips in rows:
            share = (values - mean) * factor
            total += np.where(np.isnan(share), 0.0, share) if skips else share


def by_rank(opinions: Sequence[Opinion], size: int, k: int) -> Fused:
    """Reciprocal rank fusion: each relevance signal adds weight / (k + rank), ranks from 1, ties sharing the best.

    A turn gets nothing from a signal whose value for it is NaN, or 0 where that is the lowest value. Boosts and priors
    add their value times one rank step at the top, so that they order neighbours and never overrule a signal (the sum
    is Cormack, Clarke and Büttcher's, 2009; the treatment of boosts is ours).
    """
    total, shares = np.zeros(size), {}
    step = boost_step(k)
    for opinion in opinions:
        share = opinion.weight * _reciprocal(whole(opinion.values), k) if opinion.ranks else step * opinion.shares()
        shares[opinion.name] = share
        total += share
    return Fused.of(total, opinions, shares)


def boost_step(k: int) -> float:
    """Difference between the first rank's share and the second's: the unit of boosts under reciprocal ranks."""
    return 1.0 / (k + 1) - 1.0 / (k + 2)


def _reciprocal(values: Scores, k: int) -> Scores:
    defined = ~np.isnan(values)
    if not defined.any():
        return np.zeros_like(values)
    rounded = np.round(np.where(defined, values, -np.inf), 6)
    _, inverse, counts = np.unique(-rounded, return_inverse=True, return_counts=True)
    first = np.concatenate(([0], np.cumsum(counts)[:-1])) + 1
    silent = ~defined | ((rounded == 0.0) & (rounded == np.min(rounded[defined])))
    return np.where(silent, 0.0, 1.0 / (k + first[inverse]))


def best(score: Scores, limit: int, tie: Tie, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Positions of the best turns, best first.

    Scores are compared after rounding to 1e-6; ties go by the `tie` columns in order, ascending.

    Args:
        mask: only turns where it is True; None means all.
    """
    if not limit:
        return np.zeros(0, dtype=np.int64)
    ranked, tied = pick(score, limit, mask)
    positions = np.frombuffer(ranked, dtype=np.int64)
    if not tied:  # which saves half of the time
        return positions
    falling = -np.round(score[positions], 6)
    return positions[np.lexsort([*(column[positions] for column in reversed(tie)), falling])[:limit]]


@in_c
def pick(score: Scores, limit: int, mask: NDArray[np.bool_] | None) -> tuple[NDArray[np.int64] | bytearray, bool]:
    """The positions of the best turns, and whether any of them are tied.

    Args:
        score: finite, or -infinity where a turn may not be found.
        limit: at least 1.

    Returns:
        Without a tie the `limit` best positions, best first; else all that may be among them, ascending.
    """
    if mask is not None:
        score = np.where(mask, score, -np.inf)
    allowed = np.flatnonzero(score >= _floor(score, limit))
    allowed = allowed[np.isfinite(score[allowed])]
    falling = -np.round(score[allowed], 6)
    order = np.argsort(falling)
    falling = falling[order][: limit + 1]
    tied = bool((falling[1:] == falling[:-1]).any())
    return (allowed if tied else allowed[order[:limit]]), tied


def _floor(score: Scores, limit: int) -> float:
    """A value that at least `limit` scores reach, and few more: the limit-th best of the maxima of groups.

    A group whose maximum reaches the value has at least one such score. The maxima are found in one pass; ordering all
    scores would cost ten times as much. Adjacent turns, which often match together, are in different groups. Scores
    that round to the same 1e-6 differ by at most 1e-6; the same again covers floating-point errors.
    """
    if len(score) <= limit:
        return -np.inf
    size = min(GROUP, len(score) // (GROUPS * limit))
    if size > 1:
        count = len(score) // size
        score = score[: size * count].reshape(size, count).max(axis=0)
    return float(np.partition(score, len(score) - limit)[len(score) - limit]) - MARGIN
