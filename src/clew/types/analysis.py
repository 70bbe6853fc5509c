"""What one turn is beside those before it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clew.types.record import Record

_DIGITS: Final = 4
_TAG_DIGITS: Final = 2


@dataclass(frozen=True, slots=True)
class TurnAnalysis(Record):
    """Novelty, overlays and importance of a turn (SIGMA, TurnAnalysis).

    Attributes:
        turn: its id.
        novelty: 0 to 1; 0.5 when there was nothing before it.
        overlays: score by name, 0 to 10; what nothing raised is absent.
        importance: 1 to 10.
        paradigm_shift: new and important at once.
        preserved: important enough to be kept in full when a session is compacted.
        routine: of little importance.
        references: ids of earlier turns that it speaks of.
        tags: what it is about; weight by name, 0 to 1.
    """

    turn: str
    novelty: float
    overlays: Mapping[str, float]
    importance: float
    paradigm_shift: bool
    preserved: bool
    routine: bool
    references: tuple[str, ...] = ()
    tags: Mapping[str, float] = field(default_factory=dict)

    def annotations(self) -> dict[str, Any]:
        """The values to store by kind, scores to 4 digits, tags to 2; what is empty or false is left out."""
        values: dict[str, Any] = {
            "importance": round(self.importance, _DIGITS),
            "novelty": round(self.novelty, _DIGITS),
            "overlays": {name: round(score, _DIGITS) for name, score in self.overlays.items()},
            "paradigm_shift": self.paradigm_shift,
            "routine": self.routine,
            "references": list(self.references),
            "tags": {name: round(weight, _TAG_DIGITS) for name, weight in self.tags.items()},
        }
        return {kind: value for kind, value in values.items() if value is not False and value not in ([], {})}
