"""Lines about a time -> a block within a budget. An outline stands where a speaker would, by the turns it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clew.assemble.fit import Packed, fit
from clew.assemble.render import Evidence
from clew.text.counters import Counter
from clew.types.ids import turn_id
from clew.types.moments import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One line that may stand in the block.

    Attributes:
        kind, ref: as `Moment` has them.
        low, high: the first and the last turn of the time that it stands for.
        turns: how many of the time they are.
        speaker: who says the text, for a turn.
        at: of the first turn.
        rendering: how the words are shown: a turn `full`, by its `pieces` or by a `snippet`; an outline by its `title`.
        position: of a turn in the view; None for an outline.
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
        """The ids of the first and the last turn, once where they are one."""
        return tuple(dict.fromkeys((turn_id(self.session, self.low), turn_id(self.session, self.high))))

    def moment(self) -> Moment:
        """The same for who asks."""
        return Moment(
            kind=self.kind,
            ref=self.ref,
            session=self.session,
            turn_ids=self.ends,
            turns=self.turns,
            text=self.text,
            at=self.at,
        )

    def evidence(self, rank: int) -> Evidence:
        """The same as a line of the block: `3 Ann: words`, or `3 to 12 (10 turns): title`."""
        count = f"({self.turns} turn{'s' * (self.turns != 1)})"
        over = f"to {self.high} {count}" if self.high != self.low else count
        return Evidence(
            rank=rank,
            session=self.session,
            seq=self.low,
            at=self.at,
            speaker=self.speaker if self.kind == "turn" else over,
            text=self.text,
            rendering=self.rendering,
        )


def lay_out(offers: Sequence[TimelineEntry], budget: int, counter: Counter) -> tuple[Packed, tuple[Moment, ...]]:
    """The block of the offers that fit, the first ones first, and what stands in it, in its order."""
    packed = fit(
        [len(offer.text) for offer in offers],
        lambda places: None,  # noqa: ARG005  # all words are here
        lambda place: [offers[place].evidence(place + 1)],
        budget,
        counter,
    )
    return packed, tuple(offers[item.rank - 1].moment() for item in packed.items)
