"""Turns are weighed behind their acknowledgement; nobody who asks before then sees less."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.analyze.weigh import ANALYZE_VERSION
from clew.derive.weighing import STRETCH, WORTH, WaitingWeights
from clew.memory import Memory
from clew.rows.analysis_progress import ANALYSIS_VERSION, PROGRESS, read_progress
from clew.rows.annotations import weighing_made
from clew.store.memory import MemoryStore
from clew.store.row_types import MetaRow, WeighingRow
from clew.store.tables import META, WEIGHING
from clew.testing import HashEmbedder
from clew.types import Part, Turn
from tests.support.memories import empty_store, quiet, rows, told

pytestmark = pytest.mark.requirement("W-DSK-03")

TEXTS = (
    "The reactor's coolant pump failed because its bearing was dry. We replaced it on Monday. It has run since.",
    "Why is the queen bee gone?",
    "I feel sad about the orchard.",
)


def unread(store: MemoryStore) -> Memory:
    """A memory whose turns nobody analyses."""
    memory = quiet(store)
    memory.parts.worker.stop()
    return memory


def stored(store: MemoryStore, table: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows(store, table)]


def added(store: MemoryStore) -> None:
    with unread(store) as memory:
        for text in TEXTS:
            memory.add(told(text))


def added_together(store: MemoryStore) -> None:
    with unread(store) as memory:
        memory.add_many([told(text) for text in TEXTS])


@pytest.mark.parametrize("add", [added, added_together])
def test_one_that_waits_has_the_annotations_of_its_words(add: Callable[[MemoryStore], None]) -> None:
    waiting, weighed = empty_store(), empty_store()
    add(waiting)
    add(weighed)
    assert stored(waiting, "weighing") == []
    made = [WeighingRow("default", place, weighing_made(text), ANALYZE_VERSION) for place, text in enumerate(TEXTS)]
    weighed.transaction(lambda tx: WEIGHING.put(tx, made))
    with unread(waiting) as one, unread(weighed) as other:
        for place in range(len(TEXTS)):
            assert one.annotations(f"s:turn:{place}") == other.annotations(f"s:turn:{place}") != {}
        for expression in ("layer1 > 0.1", "coherence > 0", "domain:technical_prose >= 0.1", "role = user"):
            found = [turn.id for turn in one.query(expression)]
            assert found == [turn.id for turn in other.query(expression)], expression
        assert one.query("layer1 > 0")
        assert one.verify().problems == ()


def test_the_analysis_writes_what_was_weighed() -> None:
    alone, together = empty_store(), empty_store()
    added(alone)
    with quiet(alone) as memory:
        assert memory.drain(None)
        assert memory.verify().problems == ()
    with quiet(together) as memory:
        memory.add_many([told(text) for text in TEXTS])
        assert memory.drain(None)
    assert stored(alone, "weighing") == stored(together, "weighing")
    assert stored(alone, "analysis") == stored(together, "analysis")


def test_what_the_analysis_passes_over_is_weighed_at_once() -> None:
    store = empty_store()
    one, other = (Turn(role="user", session="s", content=(Part(type="injected", text=text),)) for text in TEXTS[:2])
    with unread(store) as memory:
        memory.add(one)
        memory.add_many([other])
    assert len(stored(store, "weighing")) == 2


@pytest.mark.requirement("W-DSK-04")
def test_many_turns_that_wait_for_vectors_are_weighed_ahead_of_them() -> None:
    store, after = empty_store(), empty_store()
    texts = [f"{text} That was {number} days ago." for number in range(WORTH) for text in TEXTS]
    for each in (store, after):
        with unread(each) as memory:
            memory.add_many([told(text) for text in texts])
    ahead = WaitingWeights(store, "default")
    assert ahead.pending() == len(texts)
    assert ahead.step()
    with unread(store) as memory:
        memory.forget(turn_ids=["s:turn:400"])
    assert ahead.step()
    assert (ahead.pending(), ahead.step()) == (0, False)  # the rest is left to the analysis
    assert stored(store, "analysis") == []
    with quiet(after) as memory:
        memory.forget(turn_ids=["s:turn:400"])
        assert memory.drain(None)
    early = stored(store, "weighing")
    assert len(early) == 2 * STRETCH
    assert early == stored(after, "weighing")[: len(early)]


@pytest.mark.requirement("W-DSK-04")
def test_few_turns_are_left_to_the_analysis() -> None:
    store = empty_store()
    added(store)
    ahead = WaitingWeights(store, "default")
    assert (ahead.pending(), ahead.step()) == (0, False)
    assert stored(store, "weighing") == []


@pytest.mark.requirement("W-DSK-04")
def test_the_worker_weighs_while_the_embedder_is_at_work() -> None:
    class Watching(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            seen.append((len(stored(store, "weighing")), len(stored(store, "analysis"))))
            return super().embed(texts)

    seen: list[tuple[int, int]] = []
    store = empty_store()
    with quiet(store, embedder=Watching()) as memory:
        memory.add_many([told(f"{TEXTS[0]} {number}") for number in range(2 * WORTH)])
        assert memory.drain(None)
    assert (2 * WORTH, 0) in seen


def test_a_turn_that_was_analysed_and_lacks_its_weighing_is_still_named() -> None:
    store = empty_store()
    added(store)
    with quiet(store) as memory:
        assert memory.drain(None)
        store.transaction(lambda tx: tx.delete("weighing", ("default", 1), ("default", 1)))
        (problem,) = memory.verify().problems
    assert problem.where == "s:turn:1"
    assert problem.kind == "annotation"


def test_an_analysis_by_newer_rules_weighs_again() -> None:
    store = empty_store()
    with quiet(store) as memory:
        memory.add_many([told(text) for text in TEXTS])
        memory.add(told("[x] 2020-01-01\n0 user: quoted", origin="injected"))
        assert memory.drain(None)
    with store.snapshot() as reader:
        made = list(WEIGHING.scan(reader, ("default",), ("default",)))
    older = [row._replace(value=weighing_made("Older rules."), version=ANALYZE_VERSION - 1) for row in made]
    store.transaction(lambda tx: WEIGHING.put(tx, older))
    with quiet(store) as memory:
        assert len(memory.verify().problems) == 1
    with store.snapshot() as reader:
        progress = read_progress(reader, "default")[1]
    past = MetaRow("default", PROGRESS, replace(progress, version=ANALYSIS_VERSION - 1).to_json())
    store.transaction(lambda tx: META.put(tx, [past]))
    with unread(store) as memory:
        assert memory.verify().problems == ()  # it waits to be weighed again, as after an update
    with quiet(store) as memory:
        assert memory.drain(None)
        assert memory.verify().problems == ()
    with store.snapshot() as reader:
        assert list(WEIGHING.scan(reader, ("default",), ("default",))) == made
