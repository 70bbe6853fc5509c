"""The items and omissions of a block, created only when somebody reads them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from clew.assemble.fit import Packed
from clew.assemble.overview import in_block_order
from clew.assemble.receipt import context_items, omissions
from clew.assemble.render import Evidence, chronological
from clew.rank.search import Candidate, CandidateRows
from clew.types.context import ContextItem, DeferredItems, Omission
from clew.types.ids import turn_id
from clew.types.record import DeferredValue


@dataclass(frozen=True, slots=True, eq=False)
class BlockDetails:
    """What the items and omissions of a block are made of.

    It refers neither to the index nor to the scores of all turns, so that it may be kept for long.

    Attributes:
        in_short: lines beside the turns, with their items.
        rows: the candidates that are shown, in the order of `packed`, and then those left out.
        must: places of candidates that go before all others, with the reason.
        replies: places of those that are shown for the sake of a short reply, with its id.
        sizes: characters of the turns that are left out.
        spare: tokens of the budget that were left.
        unshown: places of candidates that are left out whatever the room, with the reason.
    """

    packed: Packed
    in_short: Sequence[tuple[Evidence, ContextItem]]
    rows: CandidateRows
    must: Mapping[int, str]
    replies: Mapping[int, str]
    sizes: Sequence[int]
    spare: int
    unshown: Mapping[int, str]

    def deferred(self) -> tuple[tuple[ContextItem, ...], tuple[Omission, ...]]:
        """The items and the omissions of a context, as values that are computed when they are first read."""
        described = DeferredValue(lambda: (self.rows.candidates(), self.rows.ranks()))
        items = DeferredItems(lambda: self._items(*described.value()), self._turn_ids)
        omitted = DeferredValue(lambda: self._omitted(*described.value()))
        return cast("tuple[ContextItem, ...]", items), cast("tuple[Omission, ...]", omitted)  # to those who read them

    def lines(self) -> Sequence[Evidence]:
        """All lines of the block in its order."""
        if not self.in_short:
            return self.packed.items
        return chronological([*self.packed.items, *(line for line, _ in self.in_short)])

    def _items(self, candidates: Sequence[Candidate], ranks: Sequence[dict[str, int]]) -> tuple[ContextItem, ...]:
        shown = len(self.packed.items)
        items = context_items(self.packed, candidates[:shown], ranks[:shown], self.must, self.replies)
        return in_block_order(self.packed, items, self.in_short) if self.in_short else items

    def _omitted(self, candidates: Sequence[Candidate], ranks: Sequence[dict[str, int]]) -> tuple[Omission, ...]:
        shown = len(self.packed.items)
        return omissions(candidates[shown:], ranks[shown:], self.sizes, self.spare, self.must, self.unshown)

    def _turn_ids(self) -> list[str]:
        if not self.in_short:
            return [turn_id(line.session, line.seq) for line in self.packed.items]
        beside = {id(line): item.turn_ids for line, item in self.in_short}
        return [name for line in self.lines() for name in beside.get(id(line)) or (turn_id(line.session, line.seq),)]
