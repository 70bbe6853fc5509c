"""Slots of which more is said than counts: the same facts and links, however turns are divided into batches."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.rows.fact_writes import TurnStatements, proposed
from tests.support.effort import examples
from tests.support.fact_talk import Lines, idle, stored
from tests.support.memories import timed

FEW = (6, 2)

LINE = st.builds(
    "{}: {} | {}{}{}".format,
    st.sampled_from(("Ann", "Bob")),
    st.sampled_from(("lives in", "works at", "likes", "visits", "quits", "leaves", "has", "ditches", "moves from")),
    st.sampled_from(("", "", "", "!", "?", "~")),
    st.sampled_from(("Porto", "Acme", "tea", "Faro", "Lisbon")),
    st.sampled_from(("", "", " (Acme)", " (Porto)")),
)


def read(memory: Memory, batches: Sequence[int]) -> None:
    """Reads turns for facts of which very few count, in batches of these sizes, the last as often as is needed."""
    turns = list(memory.turns())
    made = {turn.id: Lines()([turn], ()) for turn in turns}
    start = 0
    for number in range(len(turns)):
        size = batches[min(number, len(batches) - 1)]
        said = [TurnStatements(n, "rule", made[turns[n].id]) for n in range(start, min(start + size, len(turns)))]
        with memory.reads.store.snapshot() as reader:
            writes = proposed(reader, memory.space, said, bounds=FEW)
        memory.reads.store.transaction(writes.apply)
        start += size
        if start >= len(turns):
            return


@pytest.mark.requirement("K-KEEP-24")
@settings(max_examples=examples(5, 50))
@given(st.lists(LINE, min_size=12, max_size=30), st.lists(st.integers(1, 7), min_size=1, max_size=8))
def test_facts_and_links_of_a_hot_slot_depend_on_no_batches(lines: list[str], batches: list[int]) -> None:
    with idle() as one, idle() as other:
        for memory, sizes in ((one, [len(lines)]), (other, batches)):
            memory.add_many(timed(lines))
            read(memory, sizes)
        assert stored(one) == stored(other)
