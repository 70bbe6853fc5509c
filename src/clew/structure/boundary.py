"""How much speaks for a topic ending between two turns: one number, from the turns around the gap.

The evidence is a weighted sum of signals, each of which can be named and left out (`Gap.signals`): how near the turns
on both sides are in meaning (vectors) and in words, and what the words themselves announce (`cues`). The ideas are old:
similarity of neighbouring windows is TextTiling's (Hearst, 1997), words that reach across a gap are lexical chains
(Morris and Hirst, 1991), question and answer belong together. The weights are fitted by logistic regression on human
labels (docs/structure.md), one set with vectors and one without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.structure.cues import Cue
from clew.structure.features import TurnFeatures, unpacked

BEFORE: Final = 6
"""Turns before the gap that are looked at, whatever beat they are in."""

AFTER: Final = 2
"""Turns after it: the one that may begin a topic, and the next, which shows whether the talk stays with it."""

_NEAR: Final = 4
# As plain numbers: flags are compared much more slowly.
_ASKS, _ASKS_YOU, _REQUESTS, _GREETS, _THANKS = map(int, (Cue.ASKS, Cue.ASKS_YOU, Cue.REQUESTS, Cue.GREETS, Cue.THANKS))
_DONE, _POINTS_BACK, _POINTS_BACK_OFTEN, _ASSISTANT = map(
    int, (Cue.DONE, Cue.POINTS_BACK, Cue.POINTS_BACK_OFTEN, Cue.ASSISTANT)
)
# Domains that are a manner of speaking rather than a subject.
_MANNERS: Final = frozenset({"conversational", "narrative"})
# Turns before the gap whose subjects count.
_SUBJECT: Final = 3
# Evidence from which a subject is sure: half as much again as names a domain.
_SURE: Final = 1.5
# Cosine of subjects that speaks neither way: that of one subject and of two, of which it is one.
_SAME: Final = 0.7


@dataclass(frozen=True, slots=True)
class Gap:
    """What was found at one gap.

    Attributes:
        signals: value of each signal by name; those that could not be computed are absent.
    """

    signals: Mapping[str, float]

    @property
    def has_vectors(self) -> bool:
        """Whether the signals that need vectors are there."""
        return "near" in self.signals


def look(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures], length: int) -> Gap:
    """Looks at the gap between two runs of turns.

    Args:
        before: the turns before it in order, at least one, the last `BEFORE` of them counting.
        after: the turns after it, at least one, the first `AFTER` of them counting.
        length: turns that the beat before the gap has.
    """
    before, after = before[-BEFORE:], after[:AFTER]
    left, right = before[-1], after[0]
    signals = _words(before, after) | _cues(left.cues, right.cues)
    signals["fresh"] = float(length == 1)
    signals["domain"] = _domain_shift(before[-_SUBJECT:], after)
    return Gap(signals | _vectors(before[-_NEAR:], after))


def _words(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures]) -> dict[str, float]:
    """Term overlap of two turns on each side, as cosine; and the share of new words in the turn after the gap."""
    left = set().union(*[turn.terms for turn in before[-2:]])
    right = set().union(*[turn.terms for turn in after])
    known = left.union(*[turn.terms for turn in before[:-2]])
    first = after[0].terms
    overlap = len(left & right) / sqrt(len(left) * len(right)) if left and right else 0.0
    return {"chain": overlap, "new": len(set(first) - known) / max(1, len(first))}


def _cues(left: int, right: int) -> dict[str, float]:
    """What the words announce. An assistant's own questions and plans carry on what it was asked: they do not count."""
    person = not right & _ASSISTANT
    return {
        "asked": float(left & _ASKS > 0),
        "done": float(left & _DONE > 0),
        "asks_you": float(person and right & _ASKS_YOU > 0),
        "requests": float(person and right & _REQUESTS > 0),
        "greets": float(right & _GREETS > 0),
        "thanks": float(right & _THANKS > 0),
        "points_back": float((right & _POINTS_BACK > 0) + (right & _POINTS_BACK_OFTEN > 0)),
        "assistant": float(not person),
    }


def _domain_shift(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures]) -> float:
    """How far the subjects move: 1 when both sides are sure of theirs and share none, below 0 when they are the same.

    Summed evidence, since a short turn alone seldom has enough for a name. A turn without any says nothing, whatever
    the next one brings.
    """
    left, right = _subjects(before), _subjects(after)
    long, other = sqrt(sum(left.values())), sqrt(sum(right.values()))
    if not long or not other or not _subjects(after[:1]):
        return 0.0
    shared = sum([sqrt(value * right[domain]) for domain, value in left.items() if domain in right])
    return round(min(1.0, long / _SURE) * min(1.0, other / _SURE) * (1.0 - shared / (long * other) / _SAME), 6)


def _subjects(turns: Sequence[TurnFeatures]) -> dict[str, float]:
    """Squares of the evidence for each subject."""
    found: dict[str, float] = {}
    for turn in turns:
        for domain, value in turn.domains.items():
            if domain not in _MANNERS:
                found[domain] = found.get(domain, 0.0) + value
    return {domain: value * value for domain, value in found.items()}


def _vectors(before: Sequence[TurnFeatures], after: Sequence[TurnFeatures]) -> dict[str, float]:
    """Cosines across the gap; nothing when one of the two turns beside it has no vector."""
    known = [unpacked(turn.vector) for turn in before if turn.vector is not None]
    ahead = [unpacked(turn.vector) for turn in after if turn.vector is not None]
    if before[-1].vector is None or after[0].vector is None:
        return {}
    left, right = known[-1], ahead[0]
    near = float(left @ right)
    windows = float(_sum(known[-2:]) @ _sum(ahead))
    if len(ahead) < AFTER:
        return {"near": near, "windows": windows, "onward": near, "across": max(float(each @ right) for each in known)}
    return {
        "near": near,
        "windows": windows,
        "onward": float(right @ ahead[1]),
        "across": max(float(each @ ahead[1]) for each in known),
    }


def _sum(vectors: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The direction of a window: its vectors summed, at length 1."""
    total = vectors[0]
    for vector in vectors[1:]:
        total = total + vector
    return total / max(sqrt(float(total @ total)), 1e-12)


WITH_VECTORS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "constant": 0.28,
        "near": -3.68,
        "windows": -3.45,
        "across": -2.04,
        "onward": 2.28,
        "chain": -1.10,
        "new": 0.99,
        "asked": -0.74,
        "done": 1.63,
        "asks_you": 1.80,
        "requests": 1.32,
        "greets": 0.81,
        "thanks": -2.96,
        "points_back": -0.52,
        "assistant": -1.67,
        "fresh": -0.50,
        "domain": 1.40,
    }
)
"""Weight of each signal, in logits; `constant` is chosen so that 0 is where Pk was lowest. `domain` alone is set by
hand, since the labelled conversations hardly ever change their subject domain."""

WITHOUT_VECTORS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "constant": -1.11,
        "chain": -6.08,
        "new": 1.14,
        "asked": -1.03,
        "done": 2.02,
        "asks_you": 1.67,
        "requests": 1.50,
        "greets": 1.14,
        "thanks": -2.92,
        "points_back": -0.46,
        "assistant": -1.80,
        "fresh": -0.81,
        "domain": 1.40,
    }
)
"""The same where a turn beside the gap has no vector."""

COSINES: Final = ("near", "windows", "across", "onward")
"""Signals that are cosines, and so mean different things with different embedders."""

SIMILARITY: Final = (0.35, 0.20)
"""Mean and standard deviation of MiniLM's cosine of neighbouring turns, where the weights were fitted."""


def calibrate(cosines: Sequence[float]) -> tuple[float, float]:
    """What `evidence` needs to know of another embedder, from cosines of neighbouring turns; 100 are plenty.

    Returns:
        Their mean and standard deviation; those of MiniLM when they are fewer than two or all alike.
    """
    if len(cosines) < 2:
        return SIMILARITY
    mean = sum(cosines) / len(cosines)
    spread = sqrt(sum([(value - mean) ** 2 for value in cosines]) / len(cosines))
    return (mean, spread) if spread > 0.0 else SIMILARITY


def evidence(gap: Gap, similarity: tuple[float, float] = SIMILARITY) -> float:
    """How much speaks for a topic ending here, in logits: above 0 more than not, whatever the conversation.

    Args:
        gap: what `look` found.
        similarity: mean and standard deviation of the cosine of neighbouring turns with the embedder in use, as
            `calibrate` measures them.
    """
    weights = WITH_VECTORS if gap.has_vectors else WITHOUT_VECTORS
    mean, spread = similarity
    total = weights["constant"]
    for name, weight in weights.items():
        value = gap.signals.get(name)
        if value is None:
            continue
        if name in COSINES:
            value = (value - mean) / spread * SIMILARITY[1] + SIMILARITY[0]
        total += weight * value
    return round(total, 6)
