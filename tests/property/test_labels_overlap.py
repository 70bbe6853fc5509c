"""The share of a question's labels, and how general labels are: as they are defined, and the same for any store."""

import tempfile
from collections.abc import Sequence
from math import log
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.rank.labels import TagColumns, generality, overlap
from clew.testing import HashEmbedder
from clew.types import Turn
from tests.support.effort import examples
from tests.support.memories import at, quiet

weight = st.floats(0.01, 1.0)
rows = st.lists(st.none() | st.dictionaries(st.integers(0, 5), weight, max_size=3), max_size=10)


def columns(turns: Sequence[dict[int, float] | None]) -> TagColumns:
    groups, weights = np.full((len(turns), 3), -1, dtype=np.int32), np.zeros((len(turns), 3))
    for row, tags in enumerate(turns):
        for nth, (number, each) in enumerate((tags or {}).items()):
            groups[row, nth], weights[row, nth] = number, each
    return TagColumns(groups, weights, np.array([tags is not None for tags in turns], dtype=np.bool_))


@pytest.mark.requirement("F-LABEL-01", "F-LABEL-02")
@settings(max_examples=examples(48, 400))
@given(rows, st.dictionaries(st.integers(0, 7), weight, max_size=4))
def test_the_overlap_is_the_weighted_share_of_the_labels(
    turns: list[dict[int, float] | None], asked: dict[int, float]
) -> None:
    values, parts = overlap(columns(turns), list(asked.items()))
    held = {number: sum(number in (tags or {}) for tags in turns) for number in asked}
    worth = {
        number: each * log(1 + (len(turns) - held[number] + 0.5) / (held[number] + 0.5))
        for number, each in asked.items()
        if held[number]
    }
    whole = sum(worth.values())
    if not worth:
        assert values is None
        return
    assert values is not None
    assert sum(parts) == pytest.approx(1)
    assert parts == pytest.approx([worth.get(number, 0.0) / whole for number in asked])
    expected = [
        np.nan if tags is None else sum(tags.get(number, 0.0) * each for number, each in worth.items()) / whole
        for tags in turns
    ]
    assert values == pytest.approx(expected, nan_ok=True)
    assert not np.nanmin(values) < 0
    assert np.nanmax(values) <= 1 + 1e-12


@pytest.mark.requirement("F-DAMP-02")
@settings(max_examples=examples(48, 400))
@given(rows)
def test_generality_is_the_chance_that_a_turn_shares_a_label(turns: list[dict[int, float] | None]) -> None:
    known = [tags for tags in turns if tags is not None]
    expected = [
        1 - np.prod([1 - each * sum(number in tags for tags in known) / len(known) for number, each in mine.items()])
        for mine in ((tags or {}) for tags in turns)
    ]
    values = generality(columns(turns))
    assert values == pytest.approx(expected)
    assert ((values >= -1e-12) & (values <= 1)).all()


LINES = ("We looked at the", "Please mend the", "They broke the", "I like the")
TOPICS = ("login page", "deployments", "harbour", "Deployment")
logs = st.lists(st.tuples(st.sampled_from(TOPICS), st.sampled_from("ab")), min_size=1, max_size=5).map(
    lambda log: sorted(log, key=lambda told: told[1])  # add_many stores a session at a time: so the newest is the same
)


@pytest.mark.requirement("F-LABEL-04", "F-DAMP-03")
@settings(max_examples=examples(4, 20))
@given(logs, st.sampled_from(("score", "rrf")), st.booleans(), st.integers(1, 9))
def test_every_store_and_packing_gives_the_same_labels(
    log_of: list[tuple[str, str]], fusion: str, with_vectors: bool, minimum: int
) -> None:
    model: Any = HashEmbedder() if with_vectors else "none"
    recall = {"label": 2.0, "gravity": 1.0, "hub": 1.0, "fusion": fusion}
    config = {"recall": recall, "index": {"pack_minimum": minimum, "fan_out": 2}}
    turns = [
        Turn(role="user", content=f"{line} {topic}.", session=session, at=at(90 * place + n))
        for place, (topic, session) in enumerate(sorted(log_of, key=itemgetter(1)))  # as many at once are numbered
        for n, line in enumerate(LINES)
    ]
    with (
        tempfile.TemporaryDirectory() as home,
        quiet(embedder=model, config={"recall": recall}) as loose,
        quiet(Path(home), embedder=model, config=config) as packed,
    ):
        loose.add_many(turns)
        for turn in turns:  # one by one, so that the analysis goes in other steps
            packed.add(turn)
        assert [packed.drain(None), loose.drain(None)] == [True, True]
        first = answers(loose)
        assert first == answers(packed)
        packed.rebuild()
        assert packed.drain(None)
        assert first == answers(packed) == answers(packed)


def answers(memory: Memory) -> list[Any]:
    """What a memory says, with every share."""
    asked = ("What of the deployment?", "And the harbour, or the login pages?", "the submarine")
    contexts = [memory.recall(question, budget=200, in_window=n) for n, question in enumerate(asked)]
    told = [memory.explain(each.receipt_id).understood for each in contexts]
    hits = [hit.to_dict() for question in asked for hit in memory.search(question, limit=30)]
    return [[each.to_dict() for each in contexts], told, hits]
