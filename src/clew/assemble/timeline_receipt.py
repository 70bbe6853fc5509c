"""Makes the receipt of a `remember_when` from its entries and its block. Pure.

The receipt has the kind `when`, and is kept, shown, compared and forgotten like that of a recall.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clew.assemble.fit import Packed
from clew.assemble.receipt import OMISSIONS, fusion_of, read_as
from clew.assemble.timeline_block import TimelineEntry
from clew.rank.search import Candidate, Ranking
from clew.text.counters import CHARS_PER_TOKEN
from clew.types.context import Receipt
from clew.types.ids import session_prefix

KIND: Final = "when"
"""`Receipt.kind` of these receipts."""

LOOKED_FOR: Final = "looked_for"
"""Key in `Receipt.understood` of the question that ranked the turns; absent where none did."""


@dataclass(frozen=True, slots=True)
class TimelineResult:
    """The result of a `remember_when`.

    Attributes:
        query: the question as given; empty without one.
        looked_for: the question that ranked the turns, without the words for the time where these decided it.
        considered: number of turns in the space.
        offers: the entries that could be shown, most important first.
        packed: the block.
        ranking: the turns of the window ranked for the question; None without a question.
        weights: by position, the signals of turns that no question ranked.
    """

    query: str
    looked_for: str
    considered: int
    offers: Sequence[TimelineEntry]
    packed: Packed
    ranking: Ranking | None = None
    weights: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


def timeline_receipt(
    result: TimelineResult,
    name: str,
    *,
    settings: Mapping[str, Any],
    created_at: datetime,
    timings: Mapping[str, float],
) -> Receipt:
    """The receipt, under the given name.

    Every row has `rank`, its rank among the entries, from 1. A turn that the question ranked also has `fused`, its rank
    among the turns of the window, with score, signals and ranks before fusion as in a recall. A turn chosen without a
    question has the weights that chose it as signals; an outline has a `node_id` instead.
    """
    frame = None if result.ranking is None else result.ranking.frame
    shown = result.packed.places
    left = [place for place in range(len(result.offers)) if place not in result.packed.taken][:OMISSIONS]
    rows = _ReceiptRows(result, [*shown, *left])
    read: dict[str, Any] = {}
    if frame is not None:
        read = {LOOKED_FOR: result.looked_for, **read_as(frame)}
    return Receipt(
        id=name,
        kind=KIND,
        query=result.query,
        created_at=created_at,
        settings={**settings, **({} if frame is None else fusion_of(frame))},
        understood=read,
        considered=result.considered,
        tokens=result.packed.tokens,
        chosen=tuple(rows.chosen(at, cost) for at, cost in zip(shown, result.packed.costs, strict=True)),
        omitted=tuple(rows.omitted(at, max(0, settings["budget"] - result.packed.tokens)) for at in left),
        timings=dict(timings),
    )


class _ReceiptRows:
    """Makes the receipt's rows for some entries, given by index."""

    def __init__(self, result: TimelineResult, places: Sequence[int]) -> None:
        self._told = result
        self._found: dict[int, tuple[Candidate, dict[str, int]]] = {}
        ranking = result.ranking
        if ranking is not None:
            ranked = {position: place for place, position in enumerate(ranking.positions.tolist())}
            wanted = [at for at in places if result.offers[at].position in ranked]
            spots = [ranked[position] for at in wanted if (position := result.offers[at].position) is not None]
            rows = ranking.rows(spots)
            self._found = dict(zip(wanted, zip(rows.candidates(), rows.ranks(), strict=True), strict=True))

    def chosen(self, place: int, tokens: int) -> dict[str, Any]:
        """The row of an entry that is shown."""
        offer = self._told.offers[place]
        row = {**self._named(place), "rendering": offer.rendering, "tokens": tokens}
        return row if offer.rendering == "full" else {**row, "restore": offer.ends[0]}

    def omitted(self, place: int, spare: int) -> dict[str, Any]:
        """The row of an entry that was left out, with the reason and the id that restores it."""
        offer = self._told.offers[place]
        tokens = -(-len(offer.text) // CHARS_PER_TOKEN)
        reason = f"rank {place + 1}: takes about {tokens} tokens, {spare} were left"
        return {**self._named(place), "reason": reason, "tokens": tokens, "restore": offer.ends[0]}

    def _named(self, place: int) -> dict[str, Any]:
        offer = self._told.offers[place]
        row: dict[str, Any] = {"turn_ids": list(offer.ends), "kind": offer.kind, "rank": place + 1}
        if offer.kind != "turn":
            return {**row, "node_id": _node(offer), "turns": offer.turns, "signals": {}, "ranks": {}}
        if place not in self._found:
            weights = {} if offer.position is None else dict(self._told.weights.get(offer.position, {}))
            return {**row, "signals": weights, "ranks": {}}
        candidate, ranks = self._found[place]
        return {**row, "fused": candidate.rank, "score": candidate.score, "signals": candidate.shares, "ranks": ranks}


def _node(offer: TimelineEntry) -> str:
    """The name of an outline's node; the turns since the last closed beat get one made for the receipt."""
    return f"{session_prefix(offer.session)}:open" if offer.kind == "open" else offer.ref
