"""Bounded search, nested cross-validation and a paired test: finds better parameters and decides whether to adopt them.

Borders: knows parameters as named grids of numbers and the history as one score per example, not what they mean. The
two outer folds measure what the procedure gains on history that it has not seen; the inner folds choose the number of
steps away from the start. Groups (conversations, or stretches of one) are never split.

Each half is judged with the values chosen on the other half, in a test of its own, so that both p are exact. They are
not independent, but twice their mean is a valid p for any dependence (Rüschendorf 1982). A single test over all folds
would be wrong, since the folds share most of the data that chose their values: with random labels it adopted in 3.8 %
of runs where 1.7 % were allowed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.types.tuning import Verdict

Scores = NDArray[np.float64]
Rows = NDArray[np.int64]
Point = tuple[int, ...]

OUTER: Final = 2
INNER: Final = 4
MOST_STEPS: Final = 8
"""Most steps of a single tuning, each of one parameter."""

LEAPS: Final = (1, 2, 4)
"""Distances on a parameter's grid that a step may take."""

FAMILIES: Final = 5
ALPHA: Final = 0.05 / FAMILIES
"""Level of the one-sided test of one family: 0.05 for the five families of a tuning together (Bonferroni)."""

MIN_PAIRS: Final = 40
"""Judging examples below which nothing is tried."""

MIN_GROUPS: Final = 14
"""Groups of judging examples below which nothing is tried: fewer than 7 in a half cannot be significant."""

STRETCHES: Final = 20
"""Stretches of equal size that the history is cut into where it has fewer conversations than that."""

_EXACT: Final = 12
_DRAWS: Final = 9_999
_SEED: Final = 20_240_305
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """One parameter: the values that it may take, ascending, and the index of its current value."""

    name: str
    values: tuple[float, ...]
    start: int


def axis(name: str, values: Sequence[float], start: float) -> Axis:
    """A parameter with these values, and `start` added to them as the current one.

    Raises:
        InputError: `start` is outside the range of the values.
    """
    if not min(values) <= start <= max(values):
        raise InputError(f"{name} is {start!r}; expected a value from {min(values):g} to {max(values):g}")
    grid = tuple(sorted({*map(float, values), float(start)}))
    return Axis(name, grid, grid.index(float(start)))


@dataclass(frozen=True, slots=True, eq=False)
class TuningProblem:
    """Parameters to be tuned, and the history on which they are scored.

    Attributes:
        score: maps values by name to one score per example in [0, 1], higher being better.
        groups: the group of each example; examples of a group are in the same fold.
        judges: which examples judge; the others (silver) only help to choose.
        helper_weight: weight of an example that does not judge.
    """

    family: str
    axes: tuple[Axis, ...]
    score: Callable[[Mapping[str, float]], Scores]
    groups: Sequence[str]
    judges: NDArray[np.bool_]
    helper_weight: float = 0.1


def decide(problem: TuningProblem, alpha: float = ALPHA) -> Verdict:
    """Tunes a family of parameters, judges the result out of fold, and returns the values to adopt, if any.

    These are chosen on the whole history, by the procedure that was judged.
    """
    judged, folds = int(problem.judges.sum()), _Folds(problem.groups)
    helpers = len(problem.judges) - judged
    groups = len({group for group, judge in zip(problem.groups, problem.judges, strict=True) if judge})
    said = Verdict(
        family=problem.family, adopted=False, reason="", pairs=judged, helpers=helpers, groups=groups, alpha=alpha
    )
    if judged < MIN_PAIRS or groups < MIN_GROUPS:
        reason = f"{judged} pairs in {groups} groups; at least {MIN_PAIRS} in {MIN_GROUPS} are needed"
        return replace(said, reason=reason)
    if not problem.axes:
        return replace(said, reason="no parameter is free that enough of the history speaks to")
    search = _Search(problem)
    every = np.arange(len(problem.groups))
    before = search.scores(search.start)
    after = before.copy()
    halves = []
    for train, test in folds.split(every, OUTER):
        after[test] = search.scores(search.tuned(train, folds))[test]
        mine = test[problem.judges[test]]
        halves.append(sign_flip((after - before)[mine], [problem.groups[row] for row in mine.tolist()]))
    chosen = search.tuned(every, folds)
    rows = np.flatnonzero(problem.judges)
    p = min(1.0, 2.0 * sum(halves) / len(halves))
    low, high = interval((after - before)[rows], [problem.groups[row] for row in rows.tolist()])
    changed = search.changed(chosen)
    adopted = bool(changed) and p <= alpha and low > 0.0
    return replace(
        said,
        adopted=adopted,
        reason=_reason(p, alpha, adopted=adopted, changed=bool(changed)),
        before=float(before[rows].mean()),
        after=float(after[rows].mean()),
        low=low,
        high=high,
        p=p,
        values=changed if adopted else {},
    )


def _reason(p: float, alpha: float, *, adopted: bool, changed: bool) -> str:
    if adopted:
        return f"significantly better on history that did not choose it (p {p:.4f}, at most {alpha:.4f})"
    if not changed:
        return "no other values did better"
    return f"not significantly better on history that did not choose it (p {p:.4f}, needed {alpha:.4f})"


def stretches(places: Sequence[tuple[str, int]]) -> list[str]:
    """The group of each example, given as (conversation, place in it): the conversation or a stretch of it.

    Where there are fewer conversations than `STRETCHES`, the ordered examples are cut into that many runs of equal
    size; a run never spans two conversations.
    """
    sessions = [session for session, _ in places]
    if len(set(sessions)) >= STRETCHES:
        return sessions
    order = sorted(range(len(places)), key=lambda row: (places[row], row))
    groups = [""] * len(places)
    for rank, row in enumerate(order):
        groups[row] = f"{sessions[row]}#{rank * STRETCHES // len(places)}"
    return groups


def sign_flip(differences: Scores, groups: Sequence[str]) -> float:
    """One-sided p of a paired permutation test over groups: how often random signs do at least as well.

    Exact for up to 12 groups that differ at all, else of 9,999 seeded draws (Phipson and Smyth 2010: with the observed
    one among them). 1 when nothing differs.
    """
    _, where = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.bincount(where, weights=differences)
    sums = sums[np.abs(sums) > _LEAST]
    observed = float(sums.sum())
    if not len(sums) or observed <= 0.0:
        return 1.0
    if len(sums) <= _EXACT:
        bits = np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))
        drawn = np.where(bits & 1, -1.0, 1.0) @ sums
        return float(np.mean(drawn >= observed - _LEAST))
    signs = np.random.default_rng(_SEED).choice((-1.0, 1.0), (_DRAWS, len(sums)))
    return float((1 + np.sum(signs @ sums >= observed - _LEAST)) / (1 + _DRAWS))


def interval(differences: Scores, groups: Sequence[str]) -> tuple[float, float]:
    """95 % interval of the mean from a bootstrap over groups (percentile limits), seeded."""
    _, where = np.unique(np.asarray(groups), return_inverse=True)
    sums, counts = np.bincount(where, weights=differences), np.bincount(where)
    drawn = np.random.default_rng(_SEED).integers(0, len(sums), (2000, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


class _Folds:
    """Assigns groups to folds by their order, so that folds are spread over time."""

    def __init__(self, groups: Sequence[str]) -> None:
        known = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        self._group = np.array([known[group] for group in groups], dtype=np.int64)

    def split(self, rows: Rows, folds: int) -> Iterator[tuple[Rows, Rows]]:
        """Training and test rows of each fold, of the given rows; folds without test rows are left out."""
        _, place = np.unique(self._group[rows], return_inverse=True)
        for fold in range(folds):
            test = place % folds == fold
            if test.any() and not test.all():
                yield rows[~test], rows[test]


class _Search:
    """Hill climbing on the grid, with cached scores, since folds revisit the same points."""

    def __init__(self, problem: TuningProblem) -> None:
        self._problem = problem
        self._weights = np.where(problem.judges, 1.0, problem.helper_weight)
        self._held: dict[Point, Scores] = {}
        self.start: Point = tuple(dimension.start for dimension in problem.axes)

    def scores(self, point: Point) -> Scores:
        """One score per example."""
        if point not in self._held:
            self._held[point] = self._problem.score(self._values(point))
        return self._held[point]

    def changed(self, point: Point) -> dict[str, float]:
        """The values that differ from the start."""
        pairs = zip(self._problem.axes, point, strict=True)
        return {dimension.name: dimension.values[place] for dimension, place in pairs if place != dimension.start}

    def tuned(self, rows: Rows, folds: _Folds) -> Point:
        """The end of a climb on these rows, with the number of steps that does best on inner folds."""
        curve = np.zeros(MOST_STEPS + 1)
        for train, test in folds.split(rows, INNER):
            path = self._climb(train, MOST_STEPS)
            ends = [self._mean(point, test) for point in path]
            curve += len(test) * np.array(ends + [ends[-1]] * (MOST_STEPS + 1 - len(ends)))
        return self._climb(rows, int(np.argmax(np.round(curve, 9))))[-1]

    def _climb(self, rows: Rows, steps: int) -> list[Point]:
        path = [self.start]
        while len(path) <= steps:
            best = max(self._neighbours(path[-1]), key=lambda point: self._mean(point, rows))
            if self._mean(best, rows) <= self._mean(path[-1], rows) + _LEAST:
                break
            path.append(best)
        return path

    def _mean(self, point: Point, rows: Rows) -> float:
        weights = self._weights[rows]
        return float(np.dot(self.scores(point)[rows], weights) / weights.sum())

    def _neighbours(self, point: Point) -> Iterator[Point]:
        """The points at a distance of 1, 2 or 4 in one parameter, nearest first: scores may change in jumps."""
        for leap in LEAPS:
            for place, dimension in enumerate(self._problem.axes):
                for notch in (point[place] - leap, point[place] + leap):
                    if 0 <= notch < len(dimension.values):
                        yield (*point[:place], notch, *point[place + 1 :])

    def _values(self, point: Point) -> dict[str, float]:
        return {
            dimension.name: dimension.values[place] for dimension, place in zip(self._problem.axes, point, strict=True)
        }
