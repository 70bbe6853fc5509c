"""Fits the entries of a timeline into a block. An outline's line names its range of turns in place of a speaker."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clew.assemble.fit import Packed, fit
from clew.assemble.render import Evidence
from clew.assemble.unranked import named_range
from clew.text.counters import Counter
from clew.types.ids import turn_id
from clew.types.moments import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One turn or outline that may be shown.

    Attributes:
        kind: as in `Moment`.
        ref: as in `Moment`.
        low: seq of the first turn that it covers.
        high: seq of the last turn that it covers.
        turns: number of turns of the window that it covers.
        speaker: speaker of a turn; empty for an outline.
        at: time of the first turn.
        rendering: `full`, `pieces` or `snippet` for a turn; `title` for an outline.
        position: position of a turn in the view; None for an outline.
    """

    kind: str
    ref: str
    session: str
    low: int
    high: int
    turns: int
    text: str
    speaker: str = ""
    at: datetime | None = None
    rendering: str = "title"
    position: int | None = None

    @property
    def ends(self) -> tuple[str, ...]:
        """Ids of the first and the last turn; a single id where they are the same."""
        return tuple(dict.fromkeys((turn_id(self.session, self.low), turn_id(self.session, self.high))))

    def moment(self) -> Moment:
        """The entry as it is returned to the caller."""
        return Moment(
            kind=self.kind,
            ref=self.ref,
            session=self.session,
            turn_ids=self.ends,
            turns=self.turns,
            text=self.text,
            at=self.at,
        )

    def evidence(self) -> Evidence:
        """The entry as a line of the block: `3 Ann: words`, or `3 to 12 (10 turns): title`."""
        return Evidence(
            session=self.session,
            seq=self.low,
            at=self.at,
            speaker=self.speaker if self.kind == "turn" else named_range(self.low, self.high, self.turns),
            text=self.text,
            rendering=self.rendering,
        )


def lay_out(offers: Sequence[TimelineEntry], budget: int, counter: Counter) -> tuple[Packed, tuple[Moment, ...]]:
    """The block of the entries that fit, first entries first, and the moments in it in their order."""
    packed = fit(
        [len(offer.text) for offer in offers],
        lambda places: None,  # noqa: ARG005  # the texts are here already
        lambda place: [offers[place].evidence()],
        budget,
        counter,
    )
    return packed, tuple(offers[place].moment() for place in packed.places)
