"""What a memory says to a question: the same for any store, any packing, and each time it is asked."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.testing import HashEmbedder
from clew.types import Turn
from tests.support.effort import examples
from tests.support.memories import at, quiet

WORDS = (
    "tea",
    "green",
    "Rome",
    "we",
    "I",
    "the",
    "went?",
    "Ann",
    "喝茶",
    "5 March 2024",
    "teas.",
    "you said",
    '"green tea"',
)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
turns = st.builds(
    Turn,
    role=st.sampled_from(["user", "user", "assistant", "tool"]),
    content=sentences,
    session=st.sampled_from(["a", "b", "第三"]),
    speaker=st.sampled_from([None, "Ann", "Bob"]),
    at=st.none() | st.integers(-3000, 3000).map(lambda hours: at(hours * 60)),
)
logs = st.lists(turns, min_size=1, max_size=12)
questions = sentences | st.sampled_from(
    [
        'What did Ann say of "green tea" on 5 March?',
        "what did you recommend last month?",
        "What tea before we went to Rome?",
        "green tea two turns ago, in the last two sessions",
    ]
)


def answers(memory: Memory, asked: Sequence[str]) -> list[dict[str, Any]]:
    """The answers of a memory to questions, without generated names and times."""
    contexts = [memory.recall(question, budget=120).to_dict() for question in asked]
    hits = [hit.to_dict() for question in asked for hit in memory.search(question, limit=5)]
    return [*contexts, *hits]


@pytest.mark.requirement("F-RECALL-10", "F-RECALL-13")
@settings(max_examples=examples(5, 25))
@given(logs, st.lists(questions, min_size=1, max_size=2), st.integers(1, 4), st.booleans())
def test_every_store_and_packing_gives_the_same_answers(
    log: list[Turn], asked: list[str], minimum: int, with_vectors: bool
) -> None:
    model: Any = HashEmbedder() if with_vectors else "none"
    index = {"index": {"pack_minimum": minimum, "fan_out": 2}}
    with (
        tempfile.TemporaryDirectory() as home,
        quiet(embedder=model) as loose,
        quiet(Path(home), embedder=model, config=index) as packed,
    ):
        for memory in (loose, packed):
            memory.add_many(log)
        packed_again = [packed.rebuild(), packed.drain(None), loose.drain(None)]
        assert packed_again == [len(log), True, True]
        assert answers(loose, asked) == answers(packed, asked)
        assert answers(loose, asked) == answers(loose, asked)
