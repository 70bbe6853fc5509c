"""How much a turn matters, 1 to 10 (SIGMA), in two profiles.

`sigma` is the source's formula unchanged. On real conversations it saturates: with MiniLM, nine tenths of the turns of
an assistant's session score 10. `calibrated`, the default, compares a turn with the session's earlier turns of the same
role, so that the score separates turns in any kind of conversation (docs/analysis.md has the distributions).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import log1p, sqrt
from typing import Final, Literal

from clew.analyze.overlays import Overlay

Profile = Literal["calibrated", "sigma"]

LOW: Final = 1.0
HIGH: Final = 10.0
TOP_OVERLAYS: Final = 3

_USUAL: Final = 4.4
"""Importance of a turn that does not differ from the average turn of its role."""
USUAL_MEAN: Final = 4.8
USUAL_DEVIATION: Final = 1.5
"""Mean and deviation of the importance of a session's turns, in the sessions of docs/analysis.md."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What one property adds: `slope` for each unit above the average, at most `most` in either direction."""

    slope: float
    most: float

    def __call__(self, value: float, usual: float) -> float:
        return min(self.most, max(-self.most, self.slope * (value - usual)))


_NOVELTY: Final = _Part(slope=3.5, most=1.4)
_OVERLAYS: Final = _Part(slope=0.3, most=2.0)
_SUBSTANCE: Final = _Part(slope=1.8, most=2.6)


@dataclass(frozen=True, slots=True)
class RoleBaseline:
    """What the turns of one role in a session have been like so far, as sums. They start with two typical turns.

    Attributes:
        turns: number of turns, including the two typical ones.
        novelty, overlays, substance: sums over these turns.
    """

    turns: float = 2.0
    novelty: float = 2 * 0.64
    overlays: float = 2 * 2.5
    substance: float = 2 * 2.0

    def after(self, novelty: float, overlays: float, substance: float) -> "RoleBaseline":
        """The baseline with one more turn."""
        return RoleBaseline(
            self.turns + 1, self.novelty + novelty, self.overlays + overlays, self.substance + substance
        )


@dataclass(frozen=True, slots=True)
class ImportanceSpread:
    """How the importance of a session's turns has spread so far, as sums. It starts with two usual turns.

    Attributes:
        turns: number of turns, including the two usual ones.
        total, squares: sums of their importance and of its squares.
    """

    turns: float = 2.0
    total: float = 2 * USUAL_MEAN
    squares: float = 2 * (USUAL_MEAN**2 + USUAL_DEVIATION**2)

    def after(self, importance: float) -> "ImportanceSpread":
        """The spread with one more turn."""
        return ImportanceSpread(self.turns + 1, self.total + importance, self.squares + importance * importance)

    def placed(self, importance: float) -> float:
        """The importance that is as far from this session's mean, in deviations, as the given one is from the usual."""
        mean = self.total / self.turns
        deviation = sqrt(max(0.0, self.squares / self.turns - mean * mean))
        return mean + (importance - USUAL_MEAN) * deviation / USUAL_DEVIATION


def top_overlays(scores: Mapping[Overlay, float]) -> float:
    """Mean of the three highest overlay scores, 0 to 10; a missing overlay counts as 0."""
    return sum(sorted(scores.values(), reverse=True)[:TOP_OVERLAYS]) / TOP_OVERLAYS


def substance(found: Collection[str]) -> float:
    """How much a turn says: log(1 + number of distinct content terms). "ok, thanks" has 1.1."""
    return log1p(len(set(found)))


def importance(
    novelty: float, overlays: float, content: float, usual: RoleBaseline, profile: Profile = "calibrated"
) -> float:
    """Importance of a turn, 1 to 10.

    Source: SIGMA, stage 2: novelty x 10 and the mean of the top 3 overlay scores; how they are combined is ours.

    Args:
        overlays: as `top_overlays` gives it.
        content: as `substance` gives it; the `sigma` profile ignores it.
        usual: baseline of the turn's role before this turn; the `sigma` profile ignores it.
    """
    if profile == "sigma":
        return _clamped(10 * novelty + overlays)
    usual_content = usual.substance / usual.turns
    unlike = _NOVELTY(novelty, usual.novelty / usual.turns) + _OVERLAYS(overlays, usual.overlays / usual.turns)
    if unlike > 0 and content < usual_content:
        unlike *= content / usual_content  # "ok" differs from what was said before only because it says nothing
    return _clamped(_USUAL + unlike + _SUBSTANCE(content, usual_content))


def moved_importance(importance: float, change: float, profile: Profile = "calibrated") -> float:
    """The importance of a turn whose overlays changed afterwards, as far as a change counts in the profile.

    Args:
        change: of `top_overlays`.
    """
    return _clamped(importance + change * (1.0 if profile == "sigma" else _OVERLAYS.slope))


def _clamped(value: float) -> float:
    return min(HIGH, max(LOW, value))
