"""Level-of-detail packing: chooses at most one rendering of each candidate, for the greatest utility within the room.

A multiple-choice knapsack (Kellerer, Pferschy and Pisinger, Knapsack Problems, 2004, chapter 11): greedy on marginal
utility for each token along the convex hull of every candidate's renderings, then, where the upper bound says that more
than `CLOSE` may be missing, one pass of exchanges and a search over the few candidates near the border. Pure; knows
nothing of turns, words or counters.
"""

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate, islice
from operator import add
from typing import Final, NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)

CLOSE: Final = 0.015
"""Share of the upper bound that may be missing before candidates are exchanged; the documented limit is 2 %."""

NODES: Final = 400
"""Most nodes that the search opens: about a millisecond."""

CORE: Final = 12
"""Candidates that the search reconsiders; all others stay as the greedy choice left them."""

ENTER: Final = 24
"""Candidates that the exchange tries to add, and most candidates that may be dropped for one of them."""

TINY: Final = 1e-9


class CandidateRendering(NamedTuple):
    """One rendering of a candidate.

    Attributes:
        utility: above 0, on any scale.
        cost: above 0, in the unit of the room.
    """

    utility: float
    cost: float


class PackingCandidate(NamedTuple):
    """A candidate: its renderings, and the heading that it shares with others.

    Attributes:
        offers: its renderings in any order; at most one is taken.
        heading: key of the heading above it; None for none.
        heading_cost: cost of the heading, paid once for all taken candidates with that heading.
    """

    offers: Sequence[CandidateRendering]
    heading: Hashable = None
    heading_cost: float = 0.0


def pack(choices: Sequence[PackingCandidate], room: float, must: Sequence[int] = ()) -> dict[int, int]:
    """Chooses renderings; returns the index of each taken candidate with the index of its rendering.

    Args:
        choices: candidates; ties go to the earlier one.
        room: greatest total cost of renderings and headings.
        must: indexes of candidates that are taken before all others, most important first, by their cheapest rendering
            if no better one fits; a candidate whose cheapest rendering does not fit is left out.
    """
    packing = _Packing(choices, room)
    for place in must:
        packing.take_cheapest(place)
    packing.held = frozenset(packing.taken)
    packing.grow()
    bound = packing.bound()
    if packing.utility < bound * (1.0 - CLOSE):
        packing.exchange()
    if packing.utility < bound * (1.0 - CLOSE):
        packing.search(bound)
    return dict(sorted(packing.taken.items()))


def pack_singles(
    utilities: Sequence[float],
    costs: Sequence[float],
    headings: Sequence[K],
    heading_costs: Mapping[K, float],
    room: float,
) -> tuple[list[int], float] | None:
    """As `pack`, for candidates with one rendering each, in a third of the time.

    Args:
        headings: the key of each candidate's heading.
        heading_costs: the cost of each heading.

    Returns:
        The indexes of the taken candidates, ascending, and the room that is left. None if they may miss more than
        `CLOSE` of the greatest utility, so that `pack` would search further.
    """
    densities = [-utility / (cost or TINY) for utility, cost in zip(utilities, costs, strict=True)]
    prices = list(map(add, costs, map(heading_costs.__getitem__, headings)))
    most = room + TINY
    steps = [place for place, price in enumerate(prices) if price <= most and utilities[place] > 0]
    steps.sort(key=densities.__getitem__)
    gained = list(accumulate(map(utilities.__getitem__, steps), initial=0.0))
    # Those that fit even if each has a heading of its own are taken whatever is shared.
    certain = bisect_right(list(accumulate(map(prices.__getitem__, steps))), most)
    taken, waiting, worth = steps[:certain], steps[certain:], gained[certain]
    shown = set(map(headings.__getitem__, taken))
    left = room - sum(map(costs.__getitem__, taken)) - sum(map(heading_costs.__getitem__, shown))
    for _ in range(2):  # what did not fit may do when its heading is there for another
        places, waiting = waiting, []
        for place in places:
            heading = headings[place]
            price = costs[place] if heading in shown else prices[place]
            if price <= left + TINY:
                shown.add(heading)
                taken.append(place)
                left -= price
                worth += utilities[place]
            else:
                waiting.append(place)
    spent = list(accumulate(map(costs.__getitem__, steps), initial=0.0))
    within = bisect_right(spent, room, 1) - 1  # steps that fit together where no heading costs anything
    bound = gained[within]
    if within < len(steps):
        bound += utilities[steps[within]] * (room - spent[within]) / costs[steps[within]]
    return (sorted(taken), left) if worth >= bound * (1.0 - CLOSE) else None


class _Packing:
    """The renderings taken so far, and the room that is left."""

    def __init__(self, choices: Sequence[PackingCandidate], room: float) -> None:
        self.choices = choices
        self.total = room
        self.room = room
        self.utility = 0.0
        self.taken: dict[int, int] = {}
        self.held: frozenset[int] = frozenset()
        self._leaving: list[tuple[float, int]] | None = None
        self._headings: dict[Hashable, int] = {}
        self._steps = self._ordered(room)

    def _ordered(self, room: float) -> list[tuple[float, int, int]]:
        """The steps of all hulls as (-density, candidate, rendering), densest first."""
        steps: list[tuple[float, int, int]] = []
        for place, (offers, _, heading_cost) in enumerate(self.choices):
            if len(offers) == 1:  # most have one
                utility, cost = offers[0]
                if utility > 0 and cost + heading_cost <= room + TINY:
                    steps.append((-utility / max(cost, TINY), place, 0))
                continue
            last = _NOTHING
            for offer in _hull(offers, room - heading_cost):
                steps.append((-_density(last, offers[offer]), place, offer))
                last = offers[offer]
        steps.sort()
        return steps

    def price(self, place: int, offer: int) -> float:
        """The room that this rendering needs in addition to what the candidate takes already."""
        choice = self.choices[place]
        cost = choice.offers[offer].cost
        taken = self.taken.get(place)
        if taken is not None:
            return cost - choice.offers[taken].cost
        return cost if choice.heading in self._headings else cost + choice.heading_cost

    def gain(self, place: int, offer: int) -> float:
        """The utility that this rendering adds to that of the candidate's taken rendering."""
        offers, taken = self.choices[place].offers, self.taken.get(place)
        return offers[offer].utility - (0.0 if taken is None else offers[taken].utility)

    def take(self, place: int, offer: int) -> None:
        """Takes a rendering, which must fit, in place of the candidate's taken one."""
        choice, previous = self.choices[place], self.taken.get(place)
        utility, cost = choice.offers[offer]
        if previous is not None:
            utility, cost = utility - choice.offers[previous].utility, cost - choice.offers[previous].cost
        else:
            sharing = self._headings.get(choice.heading, 0)
            cost += 0.0 if sharing else choice.heading_cost
            if choice.heading is not None:
                self._headings[choice.heading] = sharing + 1
        self.room -= cost
        self.utility += utility
        self.taken[place] = offer

    def freed(self, place: int) -> float:
        """The room that dropping a taken candidate would free."""
        choice = self.choices[place]
        cost = choice.offers[self.taken[place]].cost
        return cost + (choice.heading_cost if self._headings.get(choice.heading) == 1 else 0.0)

    def drop(self, place: int) -> None:
        """Drops a taken candidate."""
        self.room += self.freed(place)
        offer = self.taken.pop(place)
        self.utility -= self.choices[place].offers[offer].utility
        heading = self.choices[place].heading
        if heading is not None:
            self._headings[heading] -= 1
            if not self._headings[heading]:
                del self._headings[heading]

    def take_cheapest(self, place: int) -> None:
        offers = self.choices[place].offers
        if offers:
            cheapest = min(range(len(offers)), key=lambda offer: (offers[offer].cost, -offers[offer].utility, offer))
            if self.price(place, cheapest) <= self.room + TINY:
                self.take(place, cheapest)

    def grow(self) -> None:
        """Takes steps along the hulls by density, greedily; if one does not fit, other renderings are queued."""
        others: list[tuple[float, int, int]] = []
        asked: set[int] = set()
        choices, taken, headings = self.choices, self.taken, self._headings
        for step in self._steps:
            while others and others[0] < step:
                self._step(heappop(others), others, asked)
            _, place, _ = step
            offers, heading, heading_cost = choices[place]
            if len(offers) > 1 or place in taken:
                self._step(step, others, asked)
                continue
            # What `_step` does, in half the time, for the only rendering of a candidate, as most have.
            utility, cost = offers[0]
            sharing = headings.get(heading, 0)
            price = cost if sharing else cost + heading_cost
            if price <= self.room + TINY:
                if heading is not None:
                    headings[heading] = sharing + 1
                self.room -= price
                self.utility += utility
                taken[place] = 0
        while others:
            self._step(heappop(others), others, asked)
        self.fill()

    def _step(self, step: tuple[float, int, int], others: list[tuple[float, int, int]], asked: set[int]) -> None:
        """Takes a rendering if it adds utility and fits; otherwise queues the candidate's renderings that fit, once."""
        _, place, offer = step
        if place in self.taken and self.gain(place, offer) <= 0:
            return
        if self.price(place, offer) <= self.room + TINY:
            self.take(place, offer)
        elif place not in asked:
            asked.add(place)
            self._offer_others(others, place)

    def _offer_others(self, heap: list[tuple[float, int, int]], place: int) -> None:
        """Adds the renderings of a candidate that would fit to the heap, by utility per cost."""
        for offer in range(len(self.choices[place].offers)) if len(self.choices[place].offers) > 1 else ():
            price, gain = self.price(place, offer), self.gain(place, offer)
            if gain > 0 and price <= self.room + TINY:
                heappush(heap, (-gain / max(price, TINY), place, offer))

    def fill(self) -> None:
        """For each candidate, in the order of its densest step, takes the most useful rendering that still fits."""
        taken, most = self.taken, self.room + TINY
        for _, place, offer in self._steps:
            if place in taken and taken[place] == offer:
                continue
            offers = self.choices[place].offers
            if self.room > 0 and (len(offers) > 1 or offers[0].cost <= most):
                self.take_best(place)

    def take_best(self, place: int) -> None:
        """Takes the most useful rendering of a candidate that fits, if it adds utility."""
        fitting = [
            offer
            for offer in range(len(self.choices[place].offers))
            if self.gain(place, offer) > 0 and self.price(place, offer) <= self.room + TINY
        ]
        if fitting:
            self.take(place, max(fitting, key=lambda offer: (self.gain(place, offer), -offer)))

    def bound(self) -> float:
        """An upper bound of the utility: the greedy choice, with a fraction of the first step that does not fit.

        Headings are not counted, which can only raise the bound.
        """
        return self._relaxed(self.total, self._steps)

    def exchange(self) -> None:
        """One pass in which each of the most useful renderings that are not taken may replace the least useful ones."""
        untaken = [
            (-self.gain(place, offer), place, offer)
            for place, choice in enumerate(self.choices)
            if place not in self.taken or len(choice.offers) > 1
            for offer in range(len(choice.offers))
            if self.gain(place, offer) > 0
        ]
        for _, place, offer in sorted(untaken)[:ENTER]:
            self._bring_in(place, offer)
        self.fill()

    def _bring_in(self, place: int, offer: int) -> None:
        gain = self.gain(place, offer)
        if gain <= 0:
            return
        leaving = self._make_way(place, offer, gain)
        if leaving is not None:
            for other in leaving:
                self.drop(other)
            self.take(place, offer)
            self._leaving = None

    def _make_way(self, place: int, offer: int, gain: float) -> list[int] | None:
        """The least useful candidates that make room for a rendering and are worth less than it; None if none do."""
        if self._leaving is None:
            self._leaving = sorted((self._worth(other), other) for other in self.taken if other not in self.held)
        choice, current = self.choices[place], self.taken.get(place)
        cost = choice.offers[offer].cost - (0.0 if current is None else choice.offers[current].cost)
        left = dict(self._headings)  # counts as if the leaving candidates were gone
        room, lost = self.room, 0.0
        leaving: list[int] = []
        for _, other in islice((each for each in self._leaving if each[1] != place), ENTER):
            if self._priced(choice, cost, current, left) <= room + TINY:
                return leaving
            going = self.choices[other]
            lost += going.offers[self.taken[other]].utility
            if lost >= gain:
                return None
            room += going.offers[self.taken[other]].cost
            if going.heading is not None:
                left[going.heading] -= 1
                room += 0.0 if left[going.heading] else going.heading_cost
            leaving.append(other)
        return leaving if self._priced(choice, cost, current, left) <= room + TINY else None

    @staticmethod
    def _priced(choice: PackingCandidate, cost: float, current: int | None, headings: Mapping[Hashable, int]) -> float:
        """A cost, with that of the heading unless a taken candidate has the heading already."""
        return cost if current is not None or headings.get(choice.heading) else cost + choice.heading_cost

    def _worth(self, place: int) -> float:
        """The utility that would be lost per unit of room if the candidate were dropped."""
        return self.choices[place].offers[self.taken[place]].utility / max(self.freed(place), TINY)

    def _restore(self, taken: Mapping[int, int]) -> None:
        for place in [place for place in self.taken if taken.get(place) != self.taken[place]]:
            self.drop(place)
        for place, offer in taken.items():
            if place not in self.taken:
                self.take(place, offer)

    def search(self, bound: float) -> None:
        """Reconsiders candidates at the border of what was taken, depth first, until within `CLOSE` of the bound."""
        core = self._core()
        best, best_utility = dict(self.taken), self.utility
        for place in core:
            if place in self.taken:
                self.drop(place)
        left = [NODES]
        goal = bound * (1.0 - CLOSE)
        rest = [[step for step in self._steps if step[1] in core[depth:]] for depth in range(len(core))]

        def visit(depth: int) -> None:
            nonlocal best, best_utility
            left[0] -= 1
            if self.utility > best_utility + TINY:
                best, best_utility = dict(self.taken), self.utility
            if depth == len(core) or left[0] <= 0 or best_utility >= goal:
                return
            if self.utility + self._relaxed(self.room, rest[depth]) <= best_utility * (1.0 + CLOSE):
                return
            place = core[depth]
            offers = self.choices[place].offers
            for offer in sorted(range(len(offers)), key=lambda index: -offers[index].utility):
                if self.price(place, offer) <= self.room + TINY:
                    self.take(place, offer)
                    visit(depth + 1)
                    self.drop(place)
            visit(depth + 1)

        visit(0)
        self._restore(best)

    def _core(self) -> list[int]:
        """The candidates whose density is nearest to that at which the room was full, densest first."""
        order = [place for place in dict.fromkeys(place for _, place, _ in self._steps) if place not in self.held]
        taken = sum(place in self.taken for place in order)
        first = min(max(0, taken - CORE // 2), max(0, len(order) - CORE))
        return order[first : first + CORE]

    def _relaxed(self, room: float, steps: Sequence[tuple[float, int, int]]) -> float:
        """Utility of the steps of the hulls, densest first, with a fraction of the first step that does not fit."""
        worth = 0.0
        reached: dict[int, CandidateRendering] = {}
        for _, place, offer in steps:
            now, before = self.choices[place].offers[offer], reached.get(place, _NOTHING)
            cost = now.cost - before.cost
            if cost > room:
                return worth + (now.utility - before.utility) * room / cost
            room -= cost
            worth += now.utility - before.utility
            reached[place] = now
        return worth


_NOTHING: Final = CandidateRendering(0.0, 0.0)


def _hull(offers: Sequence[CandidateRendering], room: float) -> list[int]:
    """The renderings that fit alone and lie on the upper convex hull of utility over cost, cheapest first."""
    fitting = [place for place, offer in enumerate(offers) if offer.cost <= room + TINY and offer.utility > 0]
    if len(fitting) <= 1:
        return fitting
    hull: list[int] = []
    for offer in sorted(fitting, key=lambda index: (offers[index].cost, -offers[index].utility, index)):
        last = offers[hull[-1]] if hull else _NOTHING
        if offers[offer].utility <= last.utility:
            continue
        while hull:
            before = offers[hull[-2]] if len(hull) > 1 else _NOTHING
            if _density(before, offers[hull[-1]]) > _density(offers[hull[-1]], offers[offer]):
                break
            hull.pop()
        hull.append(offer)
    return hull


def _density(less: CandidateRendering, more: CandidateRendering) -> float:
    return (more.utility - less.utility) / max(more.cost - less.cost, TINY)
