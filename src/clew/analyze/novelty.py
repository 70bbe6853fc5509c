"""How new a turn is compared with the ten before it (SIGMA), by its vector or, without a model, by its words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

RECENT: Final = 10
"""Turns that a turn is compared with."""
UNKNOWN: Final = 0.5
"""Novelty of the first turn."""
MEAN_SHARE: Final = 0.7
MAX_SHARE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Calibration:
    """The range of distances for one way of comparing: `low` for a repetition, `high` for unrelated turns.

    Embedders differ in their range of cosines: 0.4 is a near repetition with one and typical of any two sentences with
    another. A distance `1 - cosine` is mapped linearly to 0 at `low` and 1 at `high`.
    """

    low: float = 0.0
    high: float = 1.0

    def __call__(self, distance: float) -> float:
        """The distance on a scale from 0 to 1."""
        return min(1.0, max(0.0, (distance - self.low) / (self.high - self.low)))


PLAIN: Final = Calibration()
"""The distance as it is: the source's own formula."""

WORDS: Final = Calibration(low=0.65, high=0.95)
"""For turns compared by words: few turns on one topic have a cosine above a third, and many share no word."""

_MEASURED: Final = {"minilm-l6": Calibration(low=0.25, high=0.8)}
"""Calibrations by prefix of the embedder's name, measured on LoCoMo, REALTALK and BEAM, see docs/analysis.md."""


def calibration_of(model: str | None) -> Calibration:
    """The calibration of an embedder by its name; MiniLM's for an unmeasured one; that of words for None."""
    if model is None:
        return WORDS
    return next((each for name, each in _MEASURED.items() if model.startswith(name)), _MEASURED["minilm-l6"])


def novelty(cosines: Sequence[float], calibration: Calibration = PLAIN) -> float:
    """`0.7 x mean + 0.3 x max` of the distances to recent turns, 0 to 1; 0.5 when there are none.

    Source: SIGMA, calculateNovelty; the calibration is ours.

    Args:
        cosines: the cosine with each recent turn.
    """
    if not cosines:
        return UNKNOWN
    farthest = calibration(1.0)
    distances = [calibration(1.0 - cosine) if cosine else farthest for cosine in cosines]
    return MEAN_SHARE * sum(distances) / len(distances) + MAX_SHARE * max(distances)


def vector_cosine(one: Vector, other: Vector) -> float:
    """Cosine of two vectors of one model; 0 when either is all zeros."""
    scale = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return float(np.dot(one, other)) / scale if scale else 0.0


def word_cosine(one: Mapping[str, int], other: Mapping[str, int], sizes: tuple[int, int] | None = None) -> float:
    """Cosine of two texts' terms, each weighted with the square root of its count; 0 when either has none.

    Args:
        sizes: the sums of the counts of both, if already known.
    """
    shared = one.keys() & other.keys()
    if not shared:
        return 0.0
    if len(shared) == 1:
        (term,) = shared
        dot = sqrt(one[term] * other[term])
    else:
        dot = sum(map(sqrt, sorted([one[term] * other[term] for term in shared])))
    mine, theirs = sizes or (sum(one.values()), sum(other.values()))
    return dot / sqrt(mine * theirs)


def word_counts(found: Sequence[str]) -> Mapping[str, int]:
    """Terms as `word_cosine` compares them."""
    return Counter(found)
