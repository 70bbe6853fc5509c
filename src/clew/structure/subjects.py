"""A closed beat looked at once more as a whole: where does what it is about change for good?

The boundary sees a few turns around a gap, which is enough to hear that somebody changes the subject. Where the subject
stays half the same (law, then law and medicine, then medicine), no gap stands out; but the turns on both sides, taken
together, do differ. So a beat is divided where that describes it better: each part has its own mix of subjects, the
evidence of its turns is told by that mix, and every part costs something (the maximum likelihood division of Utiyama
and Isahara, 2001, over domains instead of words). With vectors a part is also told by its centre: what counts is how
much of its turns' directions the centre holds (least squares, as in k-means).
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import log
from typing import Final

import numpy as np

from clew.structure.features import TurnFeatures, unpacked

# The domain that is a manner of speaking and never a subject.
_MANNER: Final = "conversational"

LEAST_TURNS: Final = 2
"""Turns in a part: one alone is an aside."""

LEAST_EVIDENCE: Final = 2.5
"""Evidence for one subject that a part has at least: what names two turns and a half."""

# Evidence of one turn counts up to this, so that a turn full of terms does not make a part.
_MOST: Final = 2.0
# Evidence that every subject of the beat has in every part, which keeps the logarithm finite.
_SMOOTHING: Final = 0.05
# What a part costs, without vectors and with them, and what the centre counts. Set with the part `seen` of the second
# HSCA evaluation, where values around them do as well (docs/structure.md).
_COST: Final = (2.0, 2.5)
_CENTRE: Final = 2.0

_DIGITS: Final = 6

Told = Callable[[int, int], float]
"""How well the turns from one place up to another are told by one mix; more is better."""


def parts(turns: Sequence[TurnFeatures]) -> tuple[range, ...]:
    """Divides a beat where its subjects change.

    Args:
        turns: the beat's turns in order, at least one. The cost grows with the square of their number, which is
            bounded by the longest beat.

    Returns:
        Places in `turns`, in order, that cover all of them; one range when nothing speaks for a division. Of divisions
        that tell it equally well the one with fewer parts, then with the later first border.
    """
    whole = (range(len(turns)),)
    subjects = sorted({domain for turn in turns for domain in turn.domains if domain != _MANNER})
    if len(turns) < 2 * LEAST_TURNS or not subjects:
        return whole
    sums = _sums(turns, subjects)
    centred = _centred(turns)

    def told(low: int, high: int) -> float:
        mix = [after - before for before, after in zip(sums[low], sums[high], strict=True)]
        if high - low < len(turns) and (high - low < LEAST_TURNS or max(mix) < LEAST_EVIDENCE):
            return -np.inf
        return round(_likelihood(mix) + (centred(low, high) if centred is not None else 0.0), _DIGITS)

    return _best(len(turns), told, _COST[centred is not None]) or whole


def _sums(turns: Sequence[TurnFeatures], subjects: Sequence[str]) -> list[list[float]]:
    """Evidence for each subject before each place, and at the end."""
    rows = [[0.0] * len(subjects)]
    for turn in turns:
        found = [turn.domains.get(subject, 0.0) for subject in subjects]
        scale = min(1.0, _MOST / max(sum(found), _MOST))
        rows.append([before + value * scale for before, value in zip(rows[-1], found, strict=True)])
    return rows


def _likelihood(mix: Sequence[float]) -> float:
    """Logarithm of the likelihood of the evidence under its own mix."""
    total = sum(mix) + _SMOOTHING * len(mix)
    return sum([value * log((value + _SMOOTHING) / total) for value in mix if value > 0.0])


def _centred(turns: Sequence[TurnFeatures]) -> Told | None:
    """What the centre of a part holds of its turns' vectors; None when a turn has none."""
    vectors = [unpacked(turn.vector) for turn in turns if turn.vector is not None]
    if len(vectors) < len(turns):
        return None
    sums = list(accumulate(vectors, initial=np.zeros_like(vectors[0])))

    def told(low: int, high: int) -> float:
        ahead = sums[high] - sums[low]
        return _CENTRE * float(ahead @ ahead) / (high - low)

    return told


def _best(count: int, told: Told, cost: float) -> tuple[range, ...]:
    """The division that tells most after what its parts cost; none when no division is allowed."""
    best, start = [0.0] + [-np.inf] * count, [0] * (count + 1)
    for high in range(1, count + 1):
        for low in range(high):
            value = round(best[low] + told(low, high) - cost, _DIGITS)
            if value > best[high]:
                best[high], start[high] = value, low
    found: list[range] = []
    high = count
    while high > 0 and best[high] > -np.inf:
        found.append(range(start[high], high))
        high = start[high]
    return tuple(found[::-1])
