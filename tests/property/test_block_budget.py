"""A block is never over its budget: any conversation, any budget, any counter."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.assemble.context import build_context
from clew.assemble.fit import fit
from clew.assemble.render import CLOSING, OPENING, Evidence, heading
from clew.assemble.stored_words import StoredWords
from clew.memory import Memory
from clew.rank.search import rank
from clew.testing import FrozenClock
from clew.text.counters import counter
from clew.text.printable import printable
from clew.types import Turn
from tests.support.ranking_spaces import NOON, asked, said, space


def characters(text: str) -> int:
    return len(text)


def letters_and_breaks(text: str) -> int:
    """A counter for which a whole costs more than its parts."""
    return len(text) // 4 + text.count("\n") ** 2


def squared(text: str) -> int:
    return len(text) ** 2 // 4_000


def estimate(text: str) -> int:
    """A caller's own function with the name of Clew's."""
    return len(text) // 2


def nothing(_: str) -> int:
    return 0


COUNTERS: tuple[str | Callable[[str], int], ...] = (
    "estimate",
    "words",
    characters,
    letters_and_breaks,
    squared,
    estimate,
    nothing,
)

names = st.sampled_from(("s", "t", "a long name of a session", "</clew-memory>", "第三"))
words = st.sampled_from(
    ("wine", "red", "the", "喝茶", "🦊", "\n", "\n3 Ann: ", "</clew-memory>", "cellar.", "\x1b[31m\u202e", "?")
)
texts = st.builds(
    lambda some, times: " ".join(some) * times + " wine", st.lists(words, min_size=1, max_size=12), st.integers(1, 40)
)
turns = st.builds(
    said,
    texts,
    session=names,
    speaker=st.sampled_from((None, "Ann", "Bob: the </clew-memory>")),
    at=st.none() | st.integers(0, 9).map(lambda days: NOON.replace(day=days + 1)),
)


@pytest.mark.requirement("F-RANKING-11", "F-RANKING-12", "F-TDY-06")
@given(st.lists(turns, max_size=12), st.integers(0, 400), st.sampled_from(COUNTERS))
def test_never_over_the_budget(log: list[Turn], budget: int, counted_by: str | Callable[[str], int]) -> None:
    count = counter(counted_by)
    view = space(*log)
    ranking = rank(asked(view, "Where is the red wine?"), limit=400)
    stored = {}
    for position, turn in enumerate(log):
        stored[turn.session, int(view.turns.seq[position])] = turn.text
    context = build_context(
        ranking,
        lambda names, _: [StoredWords(stored[name]) for name in names],
        budget=budget,
        counter=count,
        receipt_id="r",
    )
    assert context.tokens <= budget
    assert context.tokens == (count(context.text) if context.items else 0)
    assert printable(context.text) == context.text
    assert bool(context.text) == bool(context.items)
    assert len(re.findall(r"<\s*/?\s*clew-memory", context.text)) == (2 if context.items else 0)
    for item in context.items:
        (name,) = item.turn_ids
        assert name not in [each.restore for each in context.omitted]
    if len(ranking) <= 20:
        assert len(context.items) + len(context.omitted) == len(ranking)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(said("red wine " * (1 + n * n % 90), session=f"s{n % 4}") for n in range(60))
        yield memory


@pytest.mark.requirement("F-RANKING-11")
@given(budget=st.integers(0, 400), counted_by=st.sampled_from(COUNTERS))
def test_a_memory_keeps_the_budget(memory: Memory, budget: int, counted_by: str | Callable[[str], int]) -> None:
    context = memory.recall("red wine", budget=budget, counter=counted_by)
    count = counter(counted_by)
    assert context.tokens == (count(context.text) if context.items else 0)
    assert context.tokens <= context.budget == budget


@pytest.mark.requirement("F-RANKING-11")
@given(st.lists(st.integers(1, 900), max_size=30), st.integers(0, 400))
def test_a_candidate_that_does_not_fit_is_passed_over_and_later_ones_are_tried(sizes: list[int], budget: int) -> None:
    def offered(place: int) -> list[Evidence]:
        text = "x" * sizes[place]
        return [Evidence(session="s", seq=place, at=None, speaker="A", text=text, rendering="full")]

    packed = fit(sizes, lambda _: None, offered, budget, counter("estimate"))
    spare = budget * 4 - len(packed.text or f"<clew-memory>{CLOSING}")
    for place, size in enumerate(sizes):
        if place not in packed.taken and packed.taken:
            assert size + len(f"{place} A: \n") > spare - 16  # where nothing short enough is tried any more
    assert packed.tokens <= budget
    assert [item.seq for item in packed.items] == sorted(packed.taken)
    assert len(packed.costs) == len(packed.items)


def _offered(place: int, size: int) -> list[Evidence]:
    text = f"{place:x<{size}}"[:size]  # no two alike, but for short ones
    # No two speakers alike: where a name is left out, a second look adds candidates, which the model does not.
    speaker = f"A{place}"
    whole = Evidence(session=f"s{place % 3}", seq=place, at=None, speaker=speaker, text=text, rendering="full")
    return [whole, replace(whole, text=text[:600], pieces=(0,))] if size > 600 else [whole]


@pytest.mark.requirement("F-RANKING-11")
@given(
    st.lists(st.integers(1, 90) | st.integers(1, 2_000), max_size=200),
    st.integers(0, 3_000),
    st.sampled_from(("estimate", characters)),
)
def test_the_block_does_not_depend_on_the_size_of_a_fetch(
    sizes: list[int], budget: int, counted_by: str | Callable[[str], int]
) -> None:
    fetched: list[int] = []

    def offered(place: int) -> list[Evidence]:
        assert place in fetched
        return _offered(place, sizes[place])

    packed = fit([min(size, 600) for size in sizes], fetched.extend, offered, budget, counter(counted_by))
    assert packed.taken == _taken_one_by_one(sizes, budget, 4 if counted_by == "estimate" else 1)
    assert len(fetched) == len(set(fetched))


def _taken_one_by_one(sizes: list[int], budget: int, characters_per_token: int) -> set[int]:
    """What the first of all candidates takes, then the second, and so on, as long as there is room for one more."""
    room = budget * characters_per_token - len(OPENING) - len(CLOSING)
    taken: set[int] = set()
    headings: set[object] = set()
    for place, size in enumerate(sizes):
        for evidence in _offered(place, size) if room >= 4 * characters_per_token else ():
            key = evidence.heading
            cost = len(evidence.packed) + (0 if key in headings else len(heading(*key)))
            if cost <= room:
                room -= cost
                taken.add(place)
                headings.add(key)
                break
    return taken
