"""The novelty, overlays and importance of one turn, relative to the turns before it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clew.types.record import Record

_DIGITS: Final = 4
_TAG_DIGITS: Final = 2
_MEET_DIGITS: Final = 2


@dataclass(frozen=True, slots=True)
class TurnAnalysis(Record):
    """Novelty, overlays and importance of a turn (SIGMA, TurnAnalysis).

    Attributes:
        turn: its id.
        novelty: 0 to 1; 0.5 for the first turn.
        overlays: score by name, 0 to 10; overlays without any evidence are absent.
        importance: 1 to 10.
        paradigm_shift: both novel and important.
        preserved: important enough to be kept in full when a session is compacted.
        routine: of low importance.
        references: ids of earlier turns that it refers to.
        tags: topics of the turn; weight by name, 0 to 1.
        meet: the meet with the projects of the space, by overlay, 0 to 10; empty without one.
        unmet: what the overlays that the meet raised would score without it.
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
    meet: Mapping[str, float] = field(default_factory=dict)
    unmet: Mapping[str, float] = field(default_factory=dict)

    def annotations(self) -> dict[str, Any]:
        """The values to store, by annotation kind: scores to 4 digits, tags and meet to 2; nothing empty or false."""
        values: dict[str, Any] = {
            "importance": round(self.importance, _DIGITS),
            "novelty": round(self.novelty, _DIGITS),
            "overlays": {name: round(score, _DIGITS) for name, score in self.overlays.items()},
            "paradigm_shift": self.paradigm_shift,
            "routine": self.routine,
            "references": list(self.references),
            "tags": {name: round(weight, _TAG_DIGITS) for name, weight in self.tags.items()},
            "meet": {name: round(score, _MEET_DIGITS) for name, score in self.meet.items()},
            "unmet": {name: round(score, _DIGITS) for name, score in self.unmet.items()},
        }
        return {kind: value for kind, value in values.items() if value is not False and value not in ([], {})}
