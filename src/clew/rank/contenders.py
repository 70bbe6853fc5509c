"""Finds the best turns of a large space without scoring all of them.

Most turns match a question too little to be among the best, whatever else speaks for them. So the sum of the signals
that differ from turn to turn, which is often BM25F alone and then need not be summed, is compared with a bound: what
the best turns score at least, less the most that all else can add. Only turns that reach it are scored, and the few for
which a sparse signal speaks. The result is that of scoring all of them, to the last bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import Mask
from clew.rank.fusion import MARGIN, Opinion, scores_of
from clew.rank.sparse_columns import BySession, FewTurns, Scores, distinct, whole

GROUP: Final = 32
"""Most turns that are represented by the highest of them."""

GROUPS: Final = 4
"""Fewest groups for each wanted turn."""

SAMPLED: Final = 64
"""Turns that are scored first, beside two for each wanted one, to learn what the best score at least."""

SHARE: Final = 8
"""Where more than one of so many turns may be among the best, all are scored."""

Positions = NDArray[np.intp]
ScoreAt = Callable[[Positions], Scores]


@dataclass(frozen=True, slots=True, eq=False)
class Contenders:
    """The turns that may be among the best, ascending, with what the question's signals give them and their scores."""

    positions: Positions
    spoken: Scores
    scores: Scores

    def at(self, positions: NDArray[np.integer]) -> Scores | None:
        """The scores of some turns; None if one of them is not among these."""
        places = self.positions.searchsorted(positions)
        if len(places) and int(places.max()) == len(self.positions):
            return None
        return self.scores[places] if (self.positions[places] == positions).all() else None


@dataclass(frozen=True, slots=True, eq=False)
class _Leading:
    """What decides whether a turn may be among the best.

    Attributes:
        values: of every turn; the higher, the more likely.
        mean, factor: (value - mean) * factor is what it adds to the score.
        others: the most that signals with one value for a session add.
        few: positions for which a sparse signal speaks.
    """

    values: Scores
    mean: float
    factor: float
    others: float
    few: Positions


def contenders(
    asked: Sequence[Opinion], prior: Scores, most: float, limit: int, allowed: Mask | None, spoken_at: ScoreAt
) -> Contenders | None:
    """The turns that may be among the best; None if finding them costs as much as scoring all.

    Args:
        asked: the opinions that depend on the question.
        prior: what the others add to each turn.
        most: the highest of these.
        limit: how many turns are wanted.
        allowed: turns that may be found; None for all.
        spoken_at: returns the sum of `asked` for some turns.
    """
    rows = min(GROUP, len(prior) // (GROUPS * max(limit, 1)))
    leading = _leading(asked, len(prior)) if rows > 1 and limit else None
    if leading is None:
        return None
    groups = _Groups(leading.values, rows)
    floor = groups.reached_by(2 * limit + SAMPLED)
    sample = None if floor is None else _scored(groups.from_on(floor, leading.few), prior, allowed, spoken_at)
    if floor is None or sample is None or len(sample.scores) < limit:
        return None
    place = len(sample.scores) - limit
    least = float(np.partition(sample.scores, place)[place]) - MARGIN
    needed = leading.mean + (least - leading.others - most) / leading.factor
    needed -= 1e-9 * (1.0 + abs(needed))  # so that rounding leaves no turn out
    if needed >= floor:
        return sample
    if groups.width_from(needed) * SHARE > len(prior):
        return None
    return _scored(groups.from_on(needed, leading.few), prior, allowed, spoken_at)


def _leading(asked: Sequence[Opinion], size: int) -> _Leading | None:
    """Splits the opinions; None if none differs from turn to turn, or the only one that does counts against a turn."""
    each_turn: list[Opinion] = []
    few: list[Positions] = []
    others = 0.0
    for opinion in asked:
        factor = opinion.weight / opinion.spread
        if isinstance(opinion.values, FewTurns):
            few.append(opinion.values.positions)
            others -= opinion.mean * factor
        elif isinstance(opinion.values, BySession):
            others += float(((opinion.values.values - opinion.mean) * factor).max())
        else:
            each_turn.append(opinion)
    if not each_turn:
        return None
    positions = distinct(np.concatenate(few)) if few else np.zeros(0, dtype=np.intp)
    if len(each_turn) > 1:
        return _Leading(scores_of(each_turn, size), 0.0, 1.0, others, positions)
    (only,) = each_turn
    factor = only.weight / only.spread
    return _Leading(whole(only.values), only.mean, factor, others, positions) if factor > 0.0 else None


def _scored(positions: Positions, prior: Scores, allowed: Mask | None, spoken_at: ScoreAt) -> Contenders:
    if allowed is not None:
        positions = positions[allowed[positions]]
    spoken = spoken_at(positions)
    return Contenders(positions, spoken, prior[positions] + spoken)


class _Groups:
    """Values in groups of which the highest is known.

    Adjacent turns, which often match together, are in different groups.
    """

    def __init__(self, values: Scores, rows: int) -> None:
        self._count = len(values) // rows
        cut = rows * self._count
        self._table = values[:cut].reshape(rows, self._count)
        self._rest, self._first = values[cut:], cut
        self._highest = np.maximum.reduce(self._table, axis=0)

    def reached_by(self, wanted: int) -> float | None:
        """A value that at least `wanted` values reach; None if there are fewer groups, or a value is missing."""
        if wanted >= self._count or isnan(np.add.reduce(self._highest)) or isnan(np.add.reduce(self._rest)):
            return None
        place = self._count - wanted
        return float(np.partition(self._highest, place)[place])

    def width_from(self, least: float) -> int:
        """How many values are in groups whose highest value reaches `least`."""
        return len(self._table) * int(np.count_nonzero(self._highest >= least))

    def from_on(self, least: float, also: Positions) -> Positions:
        """The positions of the values that reach `least`, together with the positions in `also`; ascending."""
        columns = np.flatnonzero(self._highest >= least)
        row, column = np.nonzero(self._table.take(columns, axis=1) >= least)
        rest = np.flatnonzero(self._rest >= least)
        reaching = np.concatenate((row * self._count + columns[column], rest + self._first))
        return distinct(np.concatenate((reaching, also))) if len(also) else reaching
