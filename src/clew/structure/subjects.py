"""Divide a closed beat where its subject changes for good.

`boundary` sees a few turns around a gap, enough to notice that somebody changes the subject. Where the subject stays
half the same (law, then law and medicine, then medicine), no gap stands out, but the turns on either side, taken
together, do differ. So a beat is divided where that describes the evidence better: each part has its own mix of
subjects, the evidence of its turns is scored by that mix, and every part has a cost (the maximum likelihood division of
Utiyama and Isahara, 2001, over domains instead of words). With vectors a part is also scored by how much of its turns'
directions its centre explains (least squares, as in k-means).
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import log
from typing import Final

import numpy as np

from clew.structure.features import TurnFeatures, unpacked

# A domain that is a manner of speaking, never a subject.
_MANNER: Final = "conversational"

LEAST_TURNS: Final = 2
"""Fewest turns in a part: a single turn is an aside."""

LEAST_EVIDENCE: Final = 2.5
"""Least evidence for one subject in a part: enough to name the domain of two and a half turns."""

# Evidence of one turn counts up to this, so that a turn full of terms does not make a part.
_MOST: Final = 2.0
# Evidence that every subject of the beat has in every part, which keeps the logarithm finite.
_SMOOTHING: Final = 0.05
# Cost of a part without and with vectors, and weight of the centre. Set on the `seen` part of the second HSCA
# evaluation, where nearby values do equally well (docs/structure.md).
_COST: Final[tuple[float, ...]] = (2.0, 2.5)
_CENTRE: Final = 2.0

_DIGITS: Final = 6

Fit = Callable[[int, int], float]
"""How well one mix describes the turns from one place up to another; higher is better."""


def parts(turns: Sequence[TurnFeatures]) -> tuple[range, ...]:
    """Divide a beat where its subjects change.

    Args:
        turns: the beat's turns in order, at least one. The cost grows with the square of their number, which is
            bounded by the longest beat.

    Returns:
        Index ranges of `turns` that cover all of them in order; one range when nothing speaks for a division. Ties go
        to the division with fewer parts, then to the one with the later first border.
    """
    whole = (range(len(turns)),)
    subjects = sorted({domain for turn in turns for domain in turn.domains if domain != _MANNER})
    if len(turns) < 2 * LEAST_TURNS or not subjects:
        return whole
    sums = _sums(turns, subjects)
    centred = _centred(turns)

    def fit(low: int, high: int) -> float:
        mix = [after - before for before, after in zip(sums[low], sums[high], strict=True)]
        if high - low < len(turns) and (high - low < LEAST_TURNS or max(mix) < LEAST_EVIDENCE):
            return -np.inf
        return round(_likelihood(mix) + (centred(low, high) if centred is not None else 0.0), _DIGITS)

    return _best(len(turns), fit, _COST[centred is not None]) or whole


def _sums(turns: Sequence[TurnFeatures], subjects: Sequence[str]) -> list[list[float]]:
    """Cumulative evidence for each subject before each turn, and at the end."""
    rows = [[0.0] * len(subjects)]
    for turn in turns:
        found = [turn.domains.get(subject, 0.0) for subject in subjects]
        scale = min(1.0, _MOST / max(sum(found), _MOST))
        rows.append([before + value * scale for before, value in zip(rows[-1], found, strict=True)])
    return rows


def _likelihood(mix: Sequence[float]) -> float:
    """Log-likelihood of the evidence under its own mix."""
    total = sum(mix) + _SMOOTHING * len(mix)
    return sum([value * log((value + _SMOOTHING) / total) for value in mix if value > 0.0])


def _centred(turns: Sequence[TurnFeatures]) -> Fit | None:
    """How much of its turns' vectors the centre of a part explains; None when a turn has no vector."""
    vectors = [unpacked(turn.vector) for turn in turns if turn.vector is not None]
    if len(vectors) < len(turns):
        return None
    sums = list(accumulate(vectors, initial=np.zeros_like(vectors[0])))

    def fit(low: int, high: int) -> float:
        ahead = sums[high] - sums[low]
        return _CENTRE * float(ahead @ ahead) / (high - low)

    return fit


def _best(count: int, fit: Fit, cost: float) -> tuple[range, ...]:
    """The best division after the cost of its parts; empty when no division is allowed."""
    best, start = [0.0] + [-np.inf] * count, [0] * (count + 1)
    for high in range(1, count + 1):
        for low in range(high):
            value = round(best[low] + fit(low, high) - cost, _DIGITS)
            if value > best[high]:
                best[high], start[high] = value, low
    found: list[range] = []
    high = count
    while high > 0 and best[high] > -np.inf:
        found.append(range(start[high], high))
        high = start[high]
    return tuple(found[::-1])
