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
class Offer:
    """One line that may stand in the block.

    Attributes:
        kind, ref: as `Moment` has them.
        low, high: the first and the last turn of the time that it stands for.
        turns: how many of the time they are.
        speaker: who says the text, for a turn.
        at: of the first turn.
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

    def moment(self) -> Moment:
        """The same for who asks."""
        ends = dict.fromkeys((turn_id(self.session, self.low), turn_id(self.session, self.high)))
        return Moment(
            kind=self.kind,
            ref=self.ref,
            session=self.session,
            turn_ids=tuple(ends),
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
            rendering="full" if self.kind == "turn" else "title",
        )


def lay_out(offers: Sequence[Offer], budget: int, counter: Counter) -> tuple[Packed, tuple[Moment, ...]]:
    """The block of the offers that fit, the first ones first, and what stands in it, in its order."""
    packed = fit(
        [len(offer.text) for offer in offers],
        lambda places: None,  # noqa: ARG005  # all words are here
        lambda place: [offers[place].evidence(place + 1)],
        budget,
        counter,
    )
    return packed, tuple(offers[item.rank - 1].moment() for item in packed.items)
