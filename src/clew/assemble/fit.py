"""Fits ranked candidates into a budget for the greatest utility, and never exceeds it.

Borders: decides by rank and cost; knows no signals. Texts are read only for candidates that may still fit, several at
once, since every read is a query to the store; each rendering is counted once.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from itertools import starmap
from math import inf
from typing import Final

from clew.assemble.packing import CandidateRendering, PackingCandidate, pack, pack_singles
from clew.assemble.render import (
    CLOSING,
    OPENING,
    Evidence,
    chronological_order,
    heading,
    lines_of,
    names_left_out,
    render,
    saved_by_calls,
)
from clew.assemble.replies import SHORT
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.text.printable import is_printable

SPARE: Final = 4
"""Room in tokens below which no line fits: a number, a name, a word."""

SAVED: Final = 12
"""Room in tokens from which it is worth looking once more for candidates that fit: a short message."""

SLACK: Final = 2
"""How many times fewer tokens than estimated a text may have by a counter that is not the estimate."""

FEW: Final = 16
"""Candidates that are read at once where little room is left, so that many are tried."""

FEWER: Final = 4
"""The same where only the room is left that shorter lines save: one or two candidates take it."""

SAME: Final = 200
"""Characters at the beginning by which two candidates count as the same text: a command that fails four times alike."""

REPEATED: Final = 0.05
"""Share of its utility that a repeated text keeps, so that it comes after other evidence and not before it."""

REACH: Final = 1.25
"""Candidates are packed together down to the rank at which they would fill the room this many times."""


_CHOICE: Final = partial(tuple.__new__, PackingCandidate)
_OFFER: Final = partial(tuple.__new__, CandidateRendering)
"""`PackingCandidate(...)` and `CandidateRendering(...)` in a third of the time: a block needs a hundred of each."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The block that was packed, and the candidates in it.

    Attributes:
        items: in the block's order.
        places: index of each item's candidate, in the order of `items`.
        costs: tokens of each item's line, in the order of `items`.
        text: the block.
        tokens: exact count of `text`.
        taken: ranks, from 0, of the candidates that were taken.
        joined: ranks of those that are shown for another's sake -> the other's rank.
    """

    items: tuple[Evidence, ...]
    places: tuple[int, ...]
    costs: tuple[int, ...]
    text: str
    tokens: int
    taken: frozenset[int]
    joined: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Demands:
    """What a block must contain, beside the candidates that are worth most.

    Attributes:
        must: indexes of candidates that are packed before all others, most important first.
        needy: the candidates that may need another beside them.
        beside: maps a candidate to the one, with its rendering, without which it cannot be understood; the two are one
            unit, which makes room for itself at the cost of later candidates, or is left out.
    """

    must: Sequence[int] = ()
    needy: Collection[int] = frozenset()
    beside: Callable[[int], tuple[int, Evidence] | None] = lambda _: None


NO_DEMANDS: Final = Demands()


def fit(
    least: Sequence[int],
    fetch: Callable[[Sequence[int]], object],
    renderings: Callable[[int], Sequence[Evidence]],
    budget: int,
    counter: Counter,
    *,
    worth: Sequence[float] | None = None,
    demands: Demands = NO_DEMANDS,
) -> Packed:
    """Packs the best candidates for the greatest utility, then adds later ones in rank order while they fit.

    The counts of the parts steer the packing. The whole block is then counted exactly, and the lowest-ranked items are
    dropped while it exceeds the budget, those that must be there last. Cost: one count per rendering
    that may fit, and one of the block per dropped item.

    Args:
        least: characters of each candidate's shortest rendering, in rank order; an estimate.
        fetch: called with the indexes of candidates before their renderings are requested.
        renderings: renderings of the candidate at an index, the whole first.
        worth: utility per token of a candidate's whole rendering, above 0; None takes candidates in rank order, each in
            its first rendering that fits.
        demands: what must be there, and what needs another beside it.
    """
    table = _Table(least, fetch, renderings, counter)
    room = budget - table.weigh(OPENING) - table.weigh(CLOSING)
    room = table.fill(0, room) if worth is None else table.pack(worth, demands.must, room)
    room = table.fill_with_copies(room)
    room = table.join(demands, room)
    order = _in_order(table.taken)
    # What is saved only adds to a block: it is used after all else has its place.
    items, taken = list(order.values()), len(order)
    table.use_saved(room + (names_left_out(items) + saved_by_calls(items)) / CHARS_PER_TOKEN, demands)
    if len(table.taken) > taken:
        order = _in_order(table.taken)
    return _exact(table, order, demands.must, budget, counter)


def _in_order(taken: Mapping[int, Evidence]) -> dict[int, Evidence]:
    """The items that were taken, in the order of the block."""
    return dict(map(list(taken.items()).__getitem__, chronological_order(list(taken.values()))))


class _Table:
    """The candidates taken so far, and the costs of renderings and headings."""

    def __init__(
        self,
        least: Sequence[int],
        fetch: Callable[[Sequence[int]], object],
        renderings: Callable[[int], Sequence[Evidence]],
        counter: Counter,
    ) -> None:
        self._least = least
        self._fetch = fetch
        self._renderings = renderings
        self._known = counter.name == "estimate"
        self._slack = 1 if self._known else SLACK
        self._headings: set[object] = set()
        self._heading_costs: dict[tuple[str, date | None], float] = {}
        self._offered: dict[int, Sequence[Evidence]] = {}
        self._said: set[str] = set()
        self._copies: list[int] = []  # candidates with the words of a better one
        self.taken: dict[int, Evidence] = {}
        self.tied: dict[int, int] = {}  # what a candidate needs beside it -> the first such candidate
        self.joined: set[int] = set()  # those that were taken for that reason alone
        # A line is counted for packing and again as its item's cost; the estimate is cheaper than a cache.
        self.count: Callable[[str], int] = counter if self._known else cache(counter)
        # Parts are counted so that rounding does not add up: the estimate rounds only once, at the end.
        self.weigh: Callable[[str], float] = (lambda text: len(text) / CHARS_PER_TOKEN) if self._known else self.count

    def counts(self, lines: Sequence[str]) -> list[int]:
        """The tokens of each of these lines."""
        if self._known:  # without a call for each
            return [-(-len(line) // CHARS_PER_TOKEN) for line in lines]
        return list(map(self.count, lines))

    def _weights(self, lines: Sequence[str]) -> Sequence[float]:
        """The unrounded cost of each of these lines, in tokens."""
        if self._known:
            return [len(line) / CHARS_PER_TOKEN for line in lines]
        return list(map(self.count, lines))

    def pack(self, worth: Sequence[float], must: Sequence[int], room: float) -> float:
        """Packs the candidates within reach, fills the remaining room with later ones, and returns what is left."""
        reached, after = self._reach(must, room)
        if not reached:
            return room
        offered = list(map(self._offered.__getitem__, reached))
        worths = list(map(worth.__getitem__, reached))
        for number in _repeating(offered):
            worths[number] *= REPEATED
        left = None
        if not must and set(map(len, offered)) == {1}:
            left = self._pack_singles(reached, [shown[0] for shown in offered], worths, room)
        return self.fill(after, self._pack_all(reached, offered, worths, must, room) if left is None else left)

    def _pack_singles(
        self, reached: Sequence[int], lines: Sequence[Evidence], worths: Sequence[float], room: float
    ) -> float | None:
        """Takes the best of candidates with one rendering each, and returns the room that is left; see `pack_singles`.

        None if nothing was taken, because a longer search may find more.
        """
        costs = self._weights([line.packed for line in lines])
        utilities = [
            worth * max(cost, 1.0) * line.share for worth, cost, line in zip(worths, costs, lines, strict=True)
        ]
        keys = [line.heading for line in lines]
        headings = list(set(keys))
        self._heading_costs.update(zip(headings, self._weights(list(starmap(heading, headings))), strict=True))
        packed = pack_singles(utilities, costs, keys, self._heading_costs, room)
        if packed is None:
            return None
        taken, left = packed
        for number in taken:
            self.taken[reached[number]] = lines[number]
        self._headings.update(map(keys.__getitem__, taken))
        return left

    def _pack_all(
        self,
        reached: Sequence[int],
        offered: Sequence[Sequence[Evidence]],
        worths: Sequence[float],
        must: Sequence[int],
        room: float,
    ) -> float:
        """Takes the best of candidates with any number of renderings, and returns the room that is left."""
        choices = list(map(self._choice, worths, offered))
        numbers = {place: number for number, place in enumerate(reached)} if must else {}
        for number, offer in pack(choices, room, [numbers[place] for place in must]).items():
            evidence, choice = offered[number][offer], choices[number]
            room -= choice.offers[offer].cost
            if evidence.heading not in self._headings:
                room -= choice.heading_cost
                self._headings.add(evidence.heading)
            self.taken[reached[number]] = evidence
        return room

    def fill(self, start: int, room: float) -> float:
        """Takes candidates from index `start` on in rank order, each in its first rendering that fits.

        A candidate that does not fit is skipped. Returns the room that is left.
        """
        return self._fill(range(start, len(self._least)), room)

    def _fill(self, places: Sequence[int], room: float, few: int = FEW) -> float:
        """Takes some of these candidates, which are in rank order; see `fill`."""
        if room < SPARE:
            return room
        fetched: Sequence[int] = ()
        if self._known:  # room only shrinks: a loop over those that fit now takes a third of the time
            least, most = self._least, room * CHARS_PER_TOKEN
            places = [place for place in places if least[place] <= most]
        for number, place in enumerate(places):
            if room < SPARE:
                break
            if self._least[place] / CHARS_PER_TOKEN > room * self._slack:
                continue
            if not fetched or place > fetched[-1]:
                fetched = self._next(places[number:], room, few)
                self._fetch(fetched)
            self._offered[place] = self._renderings(place)
            if not self._copies_among((place,)):
                room = self._take_first(place, room)
        return room

    def fill_with_copies(self, room: float) -> float:
        """Takes candidates that repeat the words of better ones, and returns the room that is left."""
        for place in self._copies:
            if place in self.taken:
                continue
            if room < SPARE:
                break
            room = self._take_first(place, room)
        return room

    def _copies_among(self, places: Iterable[int]) -> list[int]:
        """Those of the candidates that repeat the words of a better one.

        Short replies are never copies, since they depend on what they answer.
        """
        said, copies = self._said, list[int]()
        texts = [shown[0].text for place in places if (shown := self._offered[place])]
        if len(set(texts)) == len(texts) and said.isdisjoint(texts):  # as nearly always
            said.update(texts)
            return copies
        for place in places:
            shown = self._offered[place]
            if shown and len(text := shown[0].text) > SHORT:
                if text in said:
                    copies.append(place)
                else:
                    said.add(text)
        self._copies += copies
        return copies

    def _take_first(self, place: int, room: float) -> float:
        """Takes the first rendering of a candidate that fits, if any, and returns the room that is left."""
        for evidence in self._offered[place]:
            key = evidence.heading
            cost = self.weigh(evidence.packed) + (0 if key in self._headings else self._heading_cost(key))
            if cost <= room:
                self._take(place, evidence)
                return room - cost
        return room

    def join(self, demands: Demands, room: float) -> float:
        """Adds the turns that taken candidates need beside them, for the best first; returns the room that is left."""
        for place in sorted(self.taken.keys() & demands.needy):
            answer = demands.beside(place) if place in self.taken else None
            if answer is not None and answer[0] in self.taken:
                self.tied.setdefault(answer[0], place)
            elif answer is not None:
                room = self._join(place, *answer, demands.must, room)
        return room

    def _join(self, place: int, other: int, evidence: Evidence, must: Sequence[int], room: float) -> float:
        """Adds one such turn; if dropping all later candidates would not make room, drops the one that needs it."""
        key = evidence.heading
        cost = self.weigh(evidence.packed) + (0 if key in self._headings else self._heading_cost(key))
        spared = {place, *must, *self.tied, *self.tied.values()}
        leaving: list[int] = []
        for later in sorted(
            (candidate for candidate in self.taken if candidate > place and candidate not in spared), reverse=True
        ):
            if cost <= room:
                break
            leaving.append(later)
            room += self.weigh(self.taken[later].packed)
        if cost > room:
            room -= sum(self.weigh(self.taken[later].packed) for later in leaving)
            leaving = [] if place in must or len(self.taken) == 1 else [place]
            room += sum(self.weigh(self.taken[later].packed) for later in leaving)
        else:
            self.tied[other] = place
            self.joined.add(other)
            room -= cost
            self._take(other, evidence)
        for each in leaving:
            del self.taken[each]
        return room

    def use_saved(self, room: float, demands: Demands) -> None:
        """Adds the best candidates that fit into the room that shorter lines leave."""
        lacking = sorted(self._offered.keys() - self.taken.keys() - set(self._copies)) if room >= SAVED else ()
        for place in lacking:
            if room < SPARE:
                break
            needed = demands.beside(place) if place in demands.needy else None
            if needed is None or needed[0] in self.taken:
                room = self._take_first(place, room)
        if room < SAVED:
            return
        most = room * CHARS_PER_TOKEN * self._slack
        rest = [place for place, chars in enumerate(self._least) if chars <= most]
        unread = [place for place in rest if place not in self._offered and place not in demands.needy]
        self._fill(unread, room, FEWER)

    def _take(self, place: int, evidence: Evidence) -> None:
        """Takes a rendering of a candidate, and pays for its heading."""
        self.taken[place] = evidence
        self._headings.add(evidence.heading)

    def _heading_cost(self, key: tuple[str, date | None]) -> float:
        cost = self._heading_costs.get(key)
        if cost is None:
            cost = self._heading_costs[key] = self.weigh(heading(*key))
        return cost

    def _choice(self, worth: float, shown: Sequence[Evidence]) -> PackingCandidate:
        if not shown:
            return PackingCandidate(())
        first = shown[0]
        key = first.heading
        heading_cost = self._heading_costs.get(key)
        if heading_cost is None:
            heading_cost = self._heading_cost(key)
        whole_cost = self.weigh(first.packed)
        whole = worth * max(whole_cost, 1.0)
        if len(shown) == 1:  # as most have
            return _CHOICE(((_OFFER((whole * first.share, whole_cost)),), key, heading_cost))
        costs = [whole_cost, *(self.weigh(evidence.packed) for evidence in shown[1:])]
        offers = [CandidateRendering(whole * evidence.share, cost) for evidence, cost in zip(shown, costs, strict=True)]
        return PackingCandidate(offers, key, heading_cost)

    def _reach(self, must: Sequence[int], room: float) -> tuple[list[int], int]:
        """The indexes that are packed together, without copies and what is never shown, and the one after them.

        They are taken in rank order, until they would fill the room `REACH` times.
        """
        reached, after = sorted(must), 0
        if room >= SPARE:
            after, beside = len(self._least), SPARE * CHARS_PER_TOKEN
            most, left = room * CHARS_PER_TOKEN if self._known else inf, REACH * room * CHARS_PER_TOKEN
            for place, chars in enumerate(self._least):
                if left <= 0:
                    after = place
                    break
                if chars <= most and place not in must:
                    reached.append(place)
                    left -= chars + beside
        if reached:
            self._fetch(sorted(reached))
        self._offered = dict(zip(reached, map(self._renderings, reached), strict=True))
        copies = self._copies_among(reached)
        if copies or not all(self._offered.values()):
            reached = [place for place in reached if place in must or (self._offered[place] and place not in copies)]
        return sorted(reached), after

    def _next(self, places: Sequence[int], room: float, few: int) -> list[int]:
        """The first of these indexes, with others that are likely to fit together with it, or that would fit alone."""
        wanted: list[int] = [places[0]]
        left = room - self._least[places[0]] / CHARS_PER_TOKEN - SPARE
        for later in places[1:]:
            if left <= 0 and len(wanted) >= few:
                break
            tokens = self._least[later] / CHARS_PER_TOKEN
            if not self._known or tokens <= room:
                wanted.append(later)
                left -= tokens + SPARE
        return wanted


def _repeating(offered: Sequence[Sequence[Evidence]]) -> list[int]:
    """The indexes of the candidates that begin with the same words as a better one."""
    heads = [shown[0].text[:SAME] if shown else "" for shown in offered]
    every = "|".join(heads)
    # Of what can be printed only the space separates words: where none is doubled, no beginning need be split.
    plain = is_printable(every) and "  " not in every
    beginnings = list(map(str.strip, heads)) if plain else [" ".join(head.split()) for head in heads]
    if len(set(beginnings)) == len(beginnings):
        return []
    first = {beginning: place for place, beginning in reversed(list(enumerate(beginnings)))}
    return [place for place, beginning in enumerate(beginnings) if first[beginning] != place]


def _exact(
    table: _Table, ordered: Mapping[int, Evidence], must: Sequence[int], budget: int, counter: Counter
) -> Packed:
    """The block of the taken items; the last of them are dropped until it is within the budget.

    Args:
        ordered: what was taken, in the block's order.
    """
    taken, tied = table.taken, table.tied

    def last(place: int) -> tuple[int, int, bool]:
        """A sort key: the greatest index leaves first, and what a candidate needs leaves after the candidate."""
        first = min(place, tied.get(place, place))
        first = tied[place] if tied.get(place) in must else first
        return (-1, must.index(first), place == first) if first in must else (0, first, place == first)

    items = tuple(ordered.values())
    lines, text, tokens = _block(items, counter)
    while tokens > budget:
        del taken[max(taken, key=last)]
        ordered = _in_order(taken)
        items = tuple(ordered.values())
        lines, text, tokens = _block(items, counter)
    return Packed(
        items,
        tuple(ordered),
        tuple(table.counts(lines)),
        text,
        tokens,
        frozenset(taken),
        {place: tied[place] for place in table.joined if place in taken},
    )


def _block(items: Sequence[Evidence], counter: Counter) -> tuple[list[str], str, int]:
    """The lines of some items, their block, and its tokens; an empty block has 0 tokens with any counter."""
    lines = lines_of(items)
    text = render(items, lines)
    return lines, text, counter(text) if items else 0
