"""Packing is near the optimum on any small case, never over its room, and the same each time."""

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.assemble.packing import CLOSE, CandidateRendering, PackingCandidate, pack, pack_singles

PROMISED: Final = 0.98

worths = st.floats(0.01, 20) | st.integers(1, 20).map(float)
offers = st.lists(st.builds(CandidateRendering, worths, st.integers(1, 60).map(float)), min_size=1, max_size=4)
headings = st.sampled_from((("a", 0.0), ("b", 3.0), ("c", 8.0)))
choices = st.lists(
    st.builds(lambda some, heading: PackingCandidate(some, heading[0], heading[1]), offers, headings),
    min_size=1,
    max_size=6,
)


def spent(some: Sequence[PackingCandidate], taken: dict[int, int]) -> float:
    shared = {some[place].heading: some[place].heading_cost for place in taken}
    return sum(some[place].offers[offer].cost for place, offer in taken.items()) + sum(shared.values())


def gained(some: Sequence[PackingCandidate], taken: dict[int, int]) -> float:
    return sum(some[place].offers[offer].utility for place, offer in taken.items())


def optimum(some: Sequence[PackingCandidate], room: float) -> float:
    """Every choice of every offer is tried."""
    best = 0.0
    ways: list[tuple[float, float, frozenset[object]]] = [(0.0, 0.0, frozenset())]
    for choice in some:
        for cost, worth, known in list(ways):
            for offer in choice.offers:
                more = cost + offer.cost + (0 if choice.heading in known else choice.heading_cost)
                if more <= room + 1e-9:
                    ways.append((more, worth + offer.utility, known | {choice.heading}))
                    best = max(best, worth + offer.utility)
    return best


@pytest.mark.requirement("F-PACK-01")
@given(choices, st.integers(1, 200))
def test_within_two_percent_of_the_exact_optimum(some: list[PackingCandidate], room: int) -> None:
    taken = pack(some, room)
    assert spent(some, taken) <= room + 1e-6
    assert gained(some, taken) >= PROMISED * optimum(some, room) - 1e-9
    assert pack(some, room) == taken


@pytest.mark.requirement("F-PACK-02")
@given(choices, st.integers(0, 200), st.sets(st.integers(0, 5)))
def test_required_items_come_before_all_others(some: list[PackingCandidate], room: int, wanted: set[int]) -> None:
    must = sorted(place for place in wanted if place < len(some))
    taken = pack(some, room, must)
    assert spent(some, taken) <= room + 1e-6
    left, known = float(room), set[object]()
    for place in must:
        choice = some[place]
        cost = min(offer.cost for offer in choice.offers) + (0 if choice.heading in known else choice.heading_cost)
        assert (place in taken) or cost > left
        if cost <= left:
            left -= cost
            known.add(choice.heading)


@pytest.mark.requirement("F-PACK-01")
def test_many_candidates_are_packed_by_utility_per_cost() -> None:
    some = [PackingCandidate([CandidateRendering(100.0 / (place + 1), 1.0 + place % 7)]) for place in range(400)]
    taken = pack(some, 300.0)
    assert spent(some, taken) <= 300.0
    densities = [choice.offers[0].utility / choice.offers[0].cost for choice in some]
    least = min(densities[place] for place in taken)
    assert sum(density > least * 1.2 and place not in taken for place, density in enumerate(densities)) == 0


@pytest.mark.requirement("F-PACK-01")
def test_no_candidate_no_offer_and_no_room_take_nothing() -> None:
    assert pack([], 10.0) == {}
    assert pack([PackingCandidate(())], 10.0) == {}
    assert pack([PackingCandidate([CandidateRendering(1.0, 5.0)])], 0.0) == {}
    assert pack([PackingCandidate([CandidateRendering(1.0, 5.0)])], -3.0) == {}
    assert pack([PackingCandidate([CandidateRendering(0.0, 5.0)])], 10.0) == {}


@pytest.mark.requirement("F-READING-03")
@given(
    st.lists(st.tuples(worths, st.integers(1, 60).map(float), headings), min_size=1, max_size=40), st.integers(1, 600)
)
def test_candidates_with_one_rendering_are_packed_as_any_others(
    some: list[tuple[float, float, tuple[str, float]]], room: int
) -> None:
    utilities, costs, shown = zip(*some, strict=True)
    names, prices = zip(*shown, strict=True)
    quick = pack_singles(utilities, costs, names, dict(zip(names, prices, strict=True)), room)
    offers = [
        PackingCandidate([CandidateRendering(utility, cost)], *heading)
        for utility, cost, heading in zip(utilities, costs, shown, strict=True)
    ]
    if quick is not None:
        taken, left = quick
        assert pack(offers, room) == dict.fromkeys(taken, 0)
        assert left == room - spent(offers, dict.fromkeys(taken, 0))
    elif len(some) <= 8:
        greedy = pack(offers, room)
        assert gained(offers, greedy) >= PROMISED * optimum(offers, room) - 1e-9


@pytest.mark.requirement("F-READING-03")
def test_where_more_may_be_missing_the_search_decides() -> None:
    assert CLOSE < 0.5
    assert pack_singles([6.0, 10.0], [5.0, 10.0], ["a", "a"], {"a": 0.0}, 10.0) is None
    offers = [PackingCandidate([CandidateRendering(6.0, 5.0)]), PackingCandidate([CandidateRendering(10.0, 10.0)])]
    assert pack(offers, 10.0) == {1: 0}
    assert pack_singles([6.0, 5.0], [5.0, 5.0], ["a", "a"], {"a": 0.0}, 10.0) == ([0, 1], 0.0)
