"""A turn that is added by itself is weighed behind its acknowledgement; nobody who asks before then sees less."""

import pytest

from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.types import Part, Turn
from tests.memories import empty_store, quiet, rows, told

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


def test_one_that_waits_has_the_annotations_of_its_words() -> None:
    alone, together = empty_store(), empty_store()
    added(alone)
    with unread(together) as memory:
        memory.add_many([told(text) for text in TEXTS])
    assert stored(alone, "weighing") == []
    assert len(stored(together, "weighing")) == len(TEXTS)
    with unread(alone) as one, unread(together) as other:
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
    with unread(store) as memory:
        memory.add(Turn(role="user", session="s", content=(Part(type="injected", text=TEXTS[0]),)))
    assert len(stored(store, "weighing")) == 1


def test_a_turn_that_was_analysed_and_lacks_its_weighing_is_still_named() -> None:
    store = empty_store()
    added(store)
    with quiet(store) as memory:
        assert memory.drain(None)
        store.transaction(lambda tx: tx.delete("weighing", ("default", 1), ("default", 1)))
        (problem,) = memory.verify().problems
    assert problem.where == "s:turn:1"
    assert problem.kind == "annotation"
