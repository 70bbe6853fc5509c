"""The block never exceeds its budget, by any counter, and is counted exactly."""

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.assemble.context import build_context
from clew.assemble.fit import fit
from clew.assemble.render import Evidence, chronological, heading, heading_key, line, render
from clew.config import RecallConfig
from clew.recall.search import rank
from clew.text.counters import Counter
from clew.text.counters import counter as counter_named
from clew.types import Turn
from tests.frames import frame_of
from tests.memories import at

words = st.sampled_from(
    ["tea", "tea\ntime", "Rome", "</clew-memory>", "喝茶", "🧶", "\ud800", "x" * 50, "a b c d e f", "\n3 Ann: no"]
)
long_texts = st.integers(1, 40).map(lambda n: "tea and cake. " * n * 10)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join) | long_texts
moments = st.none() | st.integers(-5000, 5000).map(at)
turns = st.builds(
    Turn,
    role=st.sampled_from(["user", "assistant"]),
    content=texts.map("tea {}".format),
    session=st.sampled_from(["a", "b", "a b\n[c]"]),
    speaker=st.sampled_from([None, "Ann", "Bob\n</clew-memory>"]),
    at=moments,
)


ODD: dict[str, Callable[[str], int]] = {
    "characters": len,
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "lines": lambda text: 3 * text.count("\n"),
    "more than its parts": lambda text: len(text) ** 2 // 500,
    "less than its parts": lambda text: int(len(text) ** 0.5),
    "one for anything": lambda text: int(bool(text)),
    "nothing": lambda _: 0,
}
names = st.sampled_from(sorted([*ODD, "estimate", "words", "openai"]))


@cache
def counter(name: str) -> Counter:
    if name == "openai":
        pytest.importorskip("bpe_openai", reason="the extra [tokens] is not installed")
    return counter_named(ODD.get(name, name))


@pytest.mark.requirement("F-RECALL-14")
@given(st.lists(turns, min_size=1, max_size=10), names, st.integers(0, 700))
def test_a_block_never_exceeds_its_budget(log: list[Turn], name: str, budget: int) -> None:
    count = counter(name)
    ranking = rank(frame_of(log, "tea", config=RecallConfig(floor=-1e9)), limit=400)
    stored = {(each.session, each.seq): log[each.position].text for each in ranking}
    context = build_context(
        ranking, lambda session, seq: stored[session, seq], budget=budget, counter=count, receipt_id="r"
    )
    assert count(context.text) == context.tokens <= budget
    assert (context.text == "") == (context.items == ())
    assert len(context.items) + len(context.omitted) == len(ranking)
    for item in context.items:
        assert item.tokens >= 0
        assert item.text.strip() == item.text


evidence = st.builds(
    Evidence,
    rank=st.integers(1, 9),
    session=st.sampled_from("ab"),
    seq=st.integers(0, 30),
    at=moments,
    speaker=st.sampled_from(["user", "Ann"]),
    text=texts,
    rendering=st.just("full"),
    piece=st.none() | st.integers(0, 3),
)


@pytest.mark.requirement("F-RECALL-14")
@given(
    st.lists(st.tuples(evidence, evidence), max_size=8),
    names,
    st.integers(0, 900),
)
def test_what_fits_is_taken_best_first_and_whole_before_shortened(
    offers: list[tuple[Evidence, Evidence]], name: str, budget: int
) -> None:
    count = counter(name)
    packed = fit([0] * len(offers), offers.__getitem__, budget, count)
    assert packed.tokens == count(packed.text) <= max(budget, count(""))
    assert packed.text == render(packed.items)
    assert len(packed.items) == len(packed.taken) == len(packed.costs)
    assert list(packed.costs) == [count(line(item)) for item in packed.items]
    shown = {id(item) for item in packed.items}
    for place, offer in enumerate(offers):
        assert (place in packed.taken) == any(id(each) in shown for each in offer)


@pytest.mark.requirement("F-RECALL-14")
@given(st.lists(evidence, max_size=8), st.integers(0, 900))
def test_nothing_is_left_out_that_could_have_been_added_as_it_was(offers: list[Evidence], budget: int) -> None:
    """With a count that adds up exactly; the few tokens under which no line fits do not count."""
    packed = fit([0] * len(offers), lambda place: [offers[place]], budget, counter("characters"))
    headings = {heading_key(item) for item in packed.items}
    for place, offer in enumerate(offers):
        if place not in packed.taken:
            more = len(line(offer)) + (0 if heading_key(offer) in headings else len(heading(*heading_key(offer))))
            assert packed.tokens + (more if packed.items else more + 110) > budget - 4


@pytest.mark.requirement("F-RECALL-15")
@given(st.lists(evidence, max_size=10))
def test_a_block_is_in_the_order_of_time_and_of_each_session(items: list[Evidence]) -> None:
    ordered = chronological(items)
    assert sorted(map(id, ordered)) == sorted(map(id, items))
    sessions = list(dict.fromkeys(item.session for item in ordered))
    starts = [min((item.at for item in items if item.session == name and item.at), default=None) for name in sessions]
    known = [start for start in starts if start is not None]
    assert starts == sorted(known) + [None] * (len(starts) - len(known))
    for name in sessions:
        places = [item.place for item in ordered if item.session == name]
        assert places == sorted(places)
    assert [item.session for item in ordered] == [name for name in sessions for item in items if item.session == name]


@pytest.mark.requirement("F-RECALL-15", "F-RECALL-16")
@given(st.lists(evidence, min_size=1, max_size=10))
def test_the_lines_of_a_block_are_its_headings_and_items_and_nothing_else(items: list[Evidence]) -> None:
    block = render(chronological(items))
    own = [heading(*heading_key(item)) for item in items] + [line(item) for item in items]
    marked = [each for each in block.split("\n") if each.startswith("[") or each.split(" ", 1)[0].isdigit()]
    assert set(marked) <= {each.split("\n")[0] for each in own}
    assert block.count("<clew-memory>") == block.count("</clew-memory>") == 1
    assert block.startswith("<clew-memory>\n")
    assert block.endswith("\n</clew-memory>")
