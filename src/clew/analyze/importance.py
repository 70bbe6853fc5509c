"""How much a turn matters, 1 to 10 (SIGMA), in two profiles.

`sigma` is the source's formula as it stands. On real conversations it saturates: with MiniLM nine tenths of turns of
an assistant's session score 10. `calibrated`, the default, measures a turn against what is usual in its session for its
role, so that the score tells turns apart in any kind of conversation (docs/analysis.md has the distributions).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import log1p
from typing import Final, Literal

from clew.analyze.overlays import Overlay

Profile = Literal["calibrated", "sigma"]

LOW: Final = 1.0
HIGH: Final = 10.0
TOP_OVERLAYS: Final = 3

_USUAL: Final = 4.4
"""Importance of a turn that is in no way unlike the others."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What one property adds: `slope` for each unit above the usual, no more than `most` either way."""

    slope: float
    most: float

    def __call__(self, value: float, usual: float) -> float:
        return min(self.most, max(-self.most, self.slope * (value - usual)))


_NOVELTY: Final = _Part(slope=3.5, most=1.4)
_OVERLAYS: Final = _Part(slope=0.3, most=2.0)
_SUBSTANCE: Final = _Part(slope=1.8, most=2.6)


@dataclass(frozen=True, slots=True)
class Usual:
    """What turns of one role have been like in a session so far: sums that begin with two turns of a typical one.

    Attributes:
        turns: how many, the two included.
        novelty, overlays, substance: sums over them.
    """

    turns: float = 2.0
    novelty: float = 2 * 0.64
    overlays: float = 2 * 2.5
    substance: float = 2 * 2.0

    def after(self, novelty: float, overlays: float, substance: float) -> "Usual":
        """With one more turn."""
        return Usual(self.turns + 1, self.novelty + novelty, self.overlays + overlays, self.substance + substance)


def top_overlays(scores: Mapping[Overlay, float]) -> float:
    """Mean of the three highest overlay scores, 0 to 10; overlays that nothing raised count as 0."""
    return sum(sorted(scores.values(), reverse=True)[:TOP_OVERLAYS]) / TOP_OVERLAYS


def substance(found: Collection[str]) -> float:
    """How much a turn says: the logarithm of one more than its different content terms. "ok, thanks" has 1.1."""
    return log1p(len(set(found)))


def importance(novelty: float, overlays: float, content: float, usual: Usual, profile: Profile = "calibrated") -> float:
    """Importance of a turn, 1 to 10.

    Source: SIGMA, stage 2: novelty x 10 and the mean of the top 3 overlay scores; how they are combined is DESIGN 5.2.

    Args:
        overlays: as `top_overlays` gives it.
        content: as `substance` gives it; the `sigma` profile has no use for it.
        usual: of the turn's role, before this turn; likewise.
    """
    if profile == "sigma":
        return _clamped(10 * novelty + overlays)
    usual_content = usual.substance / usual.turns
    unlike = _NOVELTY(novelty, usual.novelty / usual.turns) + _OVERLAYS(overlays, usual.overlays / usual.turns)
    if unlike > 0 and content < usual_content:
        unlike *= content / usual_content  # "ok" is unlike what was said before, and says nothing of it
    return _clamped(_USUAL + unlike + _SUBSTANCE(content, usual_content))


def _clamped(value: float) -> float:
    return min(HIGH, max(LOW, value))
