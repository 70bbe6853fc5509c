"""Divide the talk of many speakers, whose topics last for many minutes and whose single gaps say little.

A gap in a meeting is judged by a long window on each side: where the words change and other people do the talking, a
topic has changed (TextTiling's comparison of blocks, Hearst, 1997, over words and speakers). Topics at the beginning of
a meeting are shorter than later ones. From both follows how likely it is that a stretch of half a topic contains a
border, and a border is set where a division is expected to lower Pk: where the stretches that would contain it are more
likely divided than not.

Lengths are counted in distinct search terms of a turn (`TurnFeatures.terms`), about a third of its words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.structure.features import TurnFeatures
from clew.types.record import Record

EVERY: Final = 16
"""Turns of the open beat after which it is examined again."""

WINDOW: Final = 150
"""Terms on each side of a gap that are compared: some 400 words, or three minutes of talk."""

STRETCH: Final = 300
"""Terms of half a topic: some 800 words."""


@dataclass(frozen=True, slots=True)
class MeetingWeights(Record):
    """How likely a border is, in logits.

    The defaults are the logistic regression on all meetings at hand. `benchmarks.meetings` fits them again, also
    without the meetings on which they are measured.

    Attributes:
        contrast: for each unit of `strength`.
        growth: subtracted while the meeting grows by a factor of e, up to `LATE`.
        constant: at the length of one term.
    """

    contrast: float = 0.59
    growth: float = 1.0
    constant: float = 6.49


DEFAULT: Final = MeetingWeights()

FIRST: Final = 185
"""Terms added to the length of a meeting, so that its first turns do not count for too much."""

LATE: Final = 3_000
"""Terms from which on a meeting's length makes no difference: some 8,000 words."""

# Weight of a turn among its speaker's: the square root of its length, in whole numbers so that sums are exact.
_SPEAKER_SCALE: Final = 16
_DIGITS: Final = 6


def complete_gaps(turns: Sequence[TurnFeatures]) -> int:
    """Number of gaps of the open beat whose window after them is complete and can change no more."""
    ahead = 0
    for place in range(len(turns) - 1, 0, -1):
        ahead += len(turns[place].terms)
        if ahead >= WINDOW:
            return place
    return 0


def contrasts(turns: Sequence[TurnFeatures], known: Sequence[float], gaps: int) -> tuple[float, ...]:
    """How far words and speakers differ on both sides of each of the first gaps, 0..1; windows end with the turns.

    Args:
        turns: those of a beat; gap n is before turn n, the first gap is 1.
        known: contrasts of the first gaps as computed before.
        gaps: number of gaps wanted.
    """
    first = len(known) + 1
    if gaps < first:
        return tuple(known)
    ends = np.cumsum([0, *[len(turn.terms) for turn in turns]])
    places = np.arange(first, gaps + 1)
    lows = np.searchsorted(ends, ends[places] - WINDOW)
    highs = np.minimum(np.searchsorted(ends, ends[places] + WINDOW), len(turns))
    base = int(lows[0])
    seen = turns[base : int(highs[-1])]
    total = np.zeros(len(places))
    for sums in (_words(seen), _speakers(seen)):
        left = sums[places - base] - sums[np.maximum(lows - base, 0)]
        right = sums[highs - base] - sums[places - base]
        alike = np.einsum("ij,ij->i", left, right)
        lengths = np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right)
        total += 1.0 - alike / np.sqrt(np.maximum(lengths, 1.0))
    return (*known, *np.round(total / 2.0, _DIGITS).tolist())


def _words(turns: Sequence[TurnFeatures]) -> NDArray[np.float64]:
    """Cumulative number of turns with each term, before each turn and at the end."""
    words = [term for turn in turns for term in turn.terms]
    columns = np.unique(np.array(words, np.int64), return_inverse=True)[1]
    sums = np.zeros((len(turns) + 1, int(columns.max(initial=0)) + 1))
    sums[np.repeat(np.arange(1, len(turns) + 1), [len(turn.terms) for turn in turns]), columns] = 1.0
    return np.cumsum(sums, axis=0, out=sums)


def _speakers(turns: Sequence[TurnFeatures]) -> NDArray[np.float64]:
    """Cumulative share of each speaker, before each turn and at the end."""
    columns = np.unique([turn.speaker for turn in turns], return_inverse=True)[1]
    sums = np.zeros((len(turns) + 1, int(columns.max(initial=0)) + 1))
    sizes = np.array([len(turn.terms) for turn in turns], np.float64)
    sums[np.arange(1, len(turns) + 1), columns] = np.rint(_SPEAKER_SCALE * np.sqrt(sizes))
    return np.cumsum(sums, axis=0, out=sums)


@dataclass(frozen=True, slots=True)
class OpenMeeting:
    """The open beat of a meeting as far as it is examined.

    Attributes:
        sizes: number of terms of each of its turns.
        contrasts: those of its first gaps.
        heard: terms of the meeting before it.
        ended: whether nothing follows; else a border is set only when all that can speak against it is known.
    """

    sizes: Sequence[int]
    contrasts: Sequence[float]
    heard: int
    ended: bool = False


def division(beat: OpenMeeting, weights: MeetingWeights = DEFAULT) -> int | None:
    """The first turn that begins another topic, counted from the beat's first; None when none does."""
    gains, first = _gains(beat, weights)
    reach = stretch(beat.sizes)
    for place, gain in enumerate(gains):
        if gain > 0.0 and gain >= max(gains[max(0, place - reach) : place + reach + 1]):
            return first + place
    return None


def best_division(beat: OpenMeeting, weights: MeetingWeights = DEFAULT) -> int:
    """Where a beat that is too long is divided at the lowest loss; behind all its turns when they are all alike."""
    gains, first = _gains(beat, weights)
    return first + gains.index(max(gains)) if gains else len(beat.sizes)


def stretch(sizes: Sequence[int]) -> int:
    """Turns in half a topic."""
    return max(4, round(STRETCH * len(sizes) / max(1, sum(sizes))))


def window_means(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """The mean of every `reach` neighbouring values."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    means: NDArray[np.float64] = (sums[reach:] - sums[:-reach]) / reach
    return means


def strength(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """How far contrasts rise above the others anywhere in `reach` neighbouring gaps, in standard deviations."""
    raised: NDArray[np.float64] = np.log(window_means(np.exp((values - values.mean()) / values.std()), reach))
    return raised


def unlikelihood(sizes: Sequence[int], heard: int) -> NDArray[np.float64]:
    """The logarithm of the meeting's length after each turn."""
    logs: NDArray[np.float64] = np.log(FIRST + np.minimum(heard + np.cumsum(sizes), LATE))
    return logs


def _gains(beat: OpenMeeting, weights: MeetingWeights) -> tuple[list[float], int]:
    """What a border before each turn is expected to gain, in stretches that are judged right; and the first turn."""
    reach, known = stretch(beat.sizes), len(beat.contrasts)
    values = np.array(beat.contrasts)
    spread = float(values.std()) if known else 0.0
    least = max(3, reach // 3)
    if known < (reach + 1 if beat.ended else 3 * reach) or spread < 10.0**-_DIGITS:
        return [], least
    logits = weights.constant + weights.contrast * strength(values, reach)
    logits -= weights.growth * window_means(unlikelihood(beat.sizes[:known], beat.heard), reach)
    chances = 1.0 / (1.0 + np.exp(-logits))
    total = np.concatenate([[0.0], np.cumsum(chances - 0.5)])
    last = len(beat.sizes) - least if beat.ended else len(chances) - reach
    places = np.arange(least, max(least, last))
    gains = total[np.minimum(places, len(chances))] - total[np.clip(places - reach, 0, len(chances))]
    return np.round(gains, _DIGITS).tolist(), least
