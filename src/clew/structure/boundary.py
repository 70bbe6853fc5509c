"""The evidence that a topic ends between two turns: one number, from the turns around the gap.

The evidence is a weighted sum of named signals (`Gap.signals`): how similar the turns on both sides are in meaning
(vectors) and in words, and what the words themselves announce (`cues`). The ideas are established: similarity of
neighbouring windows is TextTiling's (Hearst, 1997), words that recur across a gap are lexical chains (Morris and Hirst,
1991), a question belongs with its answer. The weights are fitted by logistic regression on human labels
(docs/structure.md), one set with vectors and one without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p, sqrt
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.structure.cues import TurnCue
from clew.structure.features import TurnFeatures, unpacked

BEFORE: Final = 6
"""Turns before the gap that are examined, in whichever beat they are."""

AFTER: Final = 2
"""Turns after the gap that are examined: one that may begin a topic, and the next, which shows whether it lasts."""

_NEAR: Final = 4
# As plain integers, because comparing enum flags is much slower.
_ASKS, _ASKS_YOU, _REQUESTS, _GREETS, _THANKS = map(
    int, (TurnCue.ASKS, TurnCue.ASKS_YOU, TurnCue.REQUESTS, TurnCue.GREETS, TurnCue.THANKS)
)
_DONE, _POINTS_BACK, _POINTS_BACK_OFTEN, _ASSISTANT = map(
    int, (TurnCue.DONE, TurnCue.POINTS_BACK, TurnCue.POINTS_BACK_OFTEN, TurnCue.ASSISTANT)
)
_ASKS_ABOUT_YOURS, _ACQUAINTS, _ASKS_HOW_YOU_ARE = map(
    int, (TurnCue.ASKS_ABOUT_YOURS, TurnCue.ACQUAINTS, TurnCue.ASKS_HOW_YOU_ARE)
)
_TELLS_AND_ASKS, _ABOUT_SELF, _ABOUT_SELF_OFTEN = map(
    int, (TurnCue.TELLS_AND_ASKS, TurnCue.ABOUT_SELF, TurnCue.ABOUT_SELF_OFTEN)
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The signals at one gap.

    Attributes:
        signals: value of each signal by name; a signal that could not be computed is absent.
    """

    signals: Mapping[str, float]

    @property
    def has_vectors(self) -> bool:
        """Whether the signals that need vectors are present."""
        return "near" in self.signals


def gap_at(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures], length: int) -> Gap:
    """Compute the signals at the gap between two runs of turns.

    Args:
        before: the turns before the gap in order, at least one; the last `BEFORE` are used.
        after: the turns after the gap, at least one; the first `AFTER` are used.
        length: number of turns in the beat before the gap.
    """
    before, after = before[-BEFORE:], after[:AFTER]
    left, right = before[-1], after[0]
    signals = {**_words(before, after), **_cues(left.cues, right.cues)}
    signals["fresh"] = float(length == 1)
    signals["asked_before"] = float(len(before) > 1 and before[-2].cues & _ASKS > 0)
    return Gap(signals if left.vector is None or right.vector is None else signals | _vectors(before[-_NEAR:], after))


def _words(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures]) -> dict[str, float]:
    """Signals from the terms: what both sides share, what is new, what goes on, and how much was said last."""
    left = set().union(*[turn.terms for turn in before[-2:]])
    right = set().union(*[turn.terms for turn in after])
    known = left.union(*[turn.terms for turn in before[:-2]])
    first = after[0].terms
    overlap = len(left & right) / sqrt(len(left) * len(right)) if left and right else 0.0
    return {
        "chain": overlap,
        "new": len(set(first) - known) / max(1, len(first)),
        "goes_on": float(len(after) > 1 and not set(first).isdisjoint(after[1].terms)),
        "told": log1p(len(before[-1].terms)),
    }


@lru_cache(maxsize=1 << 10)
def _cues(left: int, right: int) -> Mapping[str, float]:
    """Signals from the wording. An assistant's own questions and plans continue what it was asked, so they are 0."""
    person = not right & _ASSISTANT
    return {
        "asked": float(left & _ASKS > 0),
        "done": float(left & _DONE > 0),
        "asks_you": float(person and right & _ASKS_YOU > 0),
        "asks_about_yours": float(person and right & _ASKS_ABOUT_YOURS > 0),
        "acquaints": float(person and right & _ACQUAINTS > 0),
        "tells_and_asks": float(person and right & _TELLS_AND_ASKS > 0),
        "about_self": float((right & _ABOUT_SELF > 0) + (right & _ABOUT_SELF_OFTEN > 0)),
        "asked_how": float(left & _ASKS_HOW_YOU_ARE > 0),
        "requests": float(person and right & _REQUESTS > 0),
        "greets": float(right & _GREETS > 0),
        "thanks": float(right & _THANKS > 0),
        "points_back": float((right & _POINTS_BACK > 0) + (right & _POINTS_BACK_OFTEN > 0)),
        "assistant": float(not person),
    }


def _vectors(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures]) -> dict[str, float]:
    """Cosines across the gap, where the two turns beside it have vectors."""
    known = [unpacked(turn.vector) for turn in before if turn.vector is not None]
    ahead = [unpacked(turn.vector) for turn in after if turn.vector is not None]
    left, right = known[-1], ahead[0]
    near = float(left @ right)
    windows = float(_sum(known[-2:]) @ _sum(ahead))
    if len(ahead) < AFTER:
        return {
            "near": near,
            "windows": windows,
            "onward": near,
            "across": max(float(vector @ right) for vector in known),
        }
    return {
        "near": near,
        "windows": windows,
        "onward": float(right @ ahead[1]),
        "across": max(float(vector @ ahead[1]) for vector in known),
    }


def _sum(vectors: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The direction of a window: the sum of its vectors, normalised."""
    total = vectors[0]
    for vector in vectors[1:]:
        total = total + vector
    return total / max(sqrt(float(total @ total)), 1e-12)


WITH_VECTORS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "constant": -0.02,
        "near": -3.41,
        "windows": -3.26,
        "across": -2.09,
        "onward": 2.23,
        "chain": -0.75,
        "new": 1.00,
        "asked": -0.70,
        "done": 1.40,
        "asks_you": 1.75,
        "requests": 1.23,
        "greets": 0.49,
        "thanks": -2.35,
        "points_back": -0.45,
        "assistant": -0.96,
        "fresh": -0.57,
    }
)
"""Weight of each signal, in logits; `constant` is chosen so that 0 is where Pk was lowest."""

WITHOUT_VECTORS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "constant": -2.78,
        "chain": -5.33,
        "new": 0.90,
        "goes_on": 0.45,
        "told": 0.53,
        "asked": -0.92,
        "asked_before": -0.23,
        "asked_how": -1.08,
        "done": 1.50,
        "asks_you": 1.45,
        "asks_about_yours": 0.82,
        "acquaints": 1.12,
        "tells_and_asks": 0.59,
        "about_self": 0.25,
        "requests": 1.13,
        "greets": 0.52,
        "thanks": -1.61,
        "points_back": -0.41,
        "assistant": -0.95,
        "fresh": -0.67,
    }
)
"""Weight of each signal, in logits, where a turn beside the gap has no vector."""

COSINES: Final = ("near", "windows", "across", "onward")
"""Signals that are cosines, whose scale differs between embedders."""

SIMILARITY: Final = (0.35, 0.20)
"""Mean and standard deviation of MiniLM's cosine of neighbouring turns in the data the weights were fitted on."""


def calibrate(cosines: Sequence[float]) -> tuple[float, float]:
    """What `evidence` needs to know about another embedder, from cosines of neighbouring turns; 100 are plenty.

    Returns:
        Mean and standard deviation of the cosines; MiniLM's when there are fewer than two or all are equal.
    """
    if len(cosines) < 2:
        return SIMILARITY
    mean = sum(cosines) / len(cosines)
    spread = sqrt(sum([(value - mean) ** 2 for value in cosines]) / len(cosines))
    return (mean, spread) if spread > 0.0 else SIMILARITY


def evidence(gap: Gap, similarity: tuple[float, float] = SIMILARITY) -> float:
    """The evidence that a topic ends at a gap, in logits; above 0 a boundary is more likely than not.

    Args:
        gap: the signals, as `gap_at` computes them.
        similarity: mean and standard deviation of the cosine of neighbouring turns with the embedder in use, as
            `calibrate` measures them.
    """
    weights = WITH_VECTORS if gap.has_vectors else WITHOUT_VECTORS
    mean, spread = similarity
    signals = gap.signals
    total = weights["constant"]
    for name, weight in weights.items():
        value = signals.get(name)
        if value is None or (value == 0.0 and name not in COSINES):
            continue
        if name in COSINES:
            value = (value - mean) / spread * SIMILARITY[1] + SIMILARITY[0]
        total += weight * value
    return round(total, 6)
