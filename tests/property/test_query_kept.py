"""Cached annotations equal the stored ones, whatever happened since they were read."""

import json
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.config import AnalyzeConfig
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import StoreError
from clew.index.live import LiveIndex
from clew.memory import Memory
from clew.rank.filter import Filter
from clew.recall.annotation_columns import PendingAnnotations, Table, read_into
from clew.recall.filters import TurnSelector
from clew.rows.llm_progress import RESPONSE
from clew.rows.vocabulary import untag
from clew.store.protocol import Reader, Store
from clew.testing import HashEmbedder
from tests.support.effort import examples
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, empty_store, history, quiet

TEXTS = (
    "The login page needs a password against the attack.",
    "The garden needs water, and the lawn as well.",
    "ok",
    "We decided on the architecture of the login page.",
    "Water the garden tomorrow, please.",
)
ASKED = ("importance >= 5", "O2 > 3", "routine", "tag:garden", "tag:login-page", "layer1 > 0", "nuance:instructional")
STEPS = ("add", "drain", "forget", "forget session", "rebuild", "tag", "untag")


def step(memory: Memory, kind: str, number: int) -> None:
    turns = [turn for turn in memory.query("role = user") if turn.id]
    match kind:
        case "add":
            memory.add_many(history([TEXTS[number % 5], TEXTS[(number + 2) % 5]], session="ab"[number % 2]))
        case "drain":
            assert memory.drain(None)
        case "forget" if turns:
            memory.forget(turn_ids=[str(turns[number % len(turns)].id)])
        case "forget session":
            memory.forget(session="ab"[number % 2])
        case "rebuild":
            memory.rebuild()
        case "tag" | "untag" if turns:
            question = next(each for each in QUESTIONS if each.kind == RESPONSE)
            turn = turns[number % len(turns)]
            tags = {"garden": 0.5} if kind == "tag" else {}
            memory.reads.store.transaction(lambda tx: question.commit(tx, memory.space, turn, tags, "model:x"))


def fresh(memory: Memory, expression: str) -> tuple[str, ...]:
    """The answers of a program that has just been started."""
    chooser = TurnSelector(memory.reads.store, memory.space, AnalyzeConfig())
    return chooser.names(memory.reads.live.view(), Filter(where=expression), NOON)


@pytest.mark.requirement("F-QUERY-09")
@settings(max_examples=examples(5, 20))
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9)), min_size=2, max_size=6), st.booleans())
def test_cached_annotations_equal_stored_ones(story: list[tuple[str, int]], on_disk: bool) -> None:
    with tempfile.TemporaryDirectory() as home, quiet(Path(home) if on_disk else ":memory:") as memory:
        for kind, number in [("add", 1), ("drain", 0), *story, ("drain", 0)]:
            step(memory, kind, number)
            memory.query("O1 > 3")  # while the analysis may be at work
            assert memory.drain(None)
            for expression in ASKED:
                kept = memory.reads.selector.names(memory.reads.live.view(), Filter(where=expression), NOON)
                assert kept == fresh(memory, expression), expression


@pytest.mark.requirement("F-QUERY-09")
def test_changes_by_another_model_or_a_lost_tag_are_noticed() -> None:
    store = empty_store()
    kept, live = TurnSelector(store, "default", AnalyzeConfig()), LiveIndex(store, "default")
    asked = ("tag:garden", *(f"novelty > {step / 40}" for step in range(40)))

    def agrees() -> list[tuple[str, ...]]:
        begun = TurnSelector(store, "default", AnalyzeConfig())
        found = [kept.names(live.view(), Filter(where=each), NOON) for each in asked]
        assert found == [begun.names(live.view(), Filter(where=each), NOON) for each in asked]
        return found

    with quiet(store, embedder=HashEmbedder()) as memory:
        memory.add_many(history(TEXTS * 2))
        assert memory.drain(None)
        by_one = agrees()
    with quiet(store) as memory:  # words alone: what the vectors said stays until there is another model
        assert memory.drain(None)
        store.transaction(lambda tx: untag(tx, memory.space, "s"))
        assert agrees()[0] != by_one[0]
    with quiet(store, embedder=HashEmbedder(revision=2)) as memory:
        assert memory.drain(None)
        assert agrees()[1:] != by_one[1:]


def rows_read(wrapped: Wrapped, memory: Memory, expression: str, **only: str) -> int:
    before = wrapped.rows_read
    memory.query(expression, limit=0, **only)  # names of sessions are all that is given here
    return wrapped.rows_read - before


@pytest.mark.requirement("F-QUERY-13")
def test_only_what_is_new_is_read_again() -> None:
    wrapped = Wrapped(empty_store())
    store: Store = as_store(wrapped)
    with quiet(store) as memory:
        memory.add_many(history([f"{TEXTS[n % 5]} {n}" for n in range(300)], session="long"))
        memory.add_many(history(TEXTS, session="short"))
        assert memory.drain(None)
        assert rows_read(wrapped, memory, "O2 > 3 OR importance > 8") > 300, "every turn, once"
        assert rows_read(wrapped, memory, "layer1 > 0.3") > 600, "and again, with what rules weigh of it"
        assert rows_read(wrapped, memory, "routine AND O4 <= 2") < 10, "nothing, when nothing came"
        memory.recall("garden")
        memory.add_many(history(["One more.", "And another."], session="long"))
        assert memory.drain(None)
        assert rows_read(wrapped, memory, "O2 > 3") < 60, "what is new, when something came"


@pytest.mark.requirement("F-QUERY-13")
def test_only_the_turns_concerned_are_read() -> None:
    wrapped = Wrapped(empty_store())
    store: Store = as_store(wrapped)
    with quiet(store) as memory:
        memory.add_many(history([f"{TEXTS[n % 5]} {n}" for n in range(300)], session="long"))
        memory.add_many(history(TEXTS, session="short"))
        assert memory.drain(None)
        memory.search("garden", limit=1)  # the first question reads the words of every turn
        assert rows_read(wrapped, memory, "O2 > 3", session="short") < 60
        assert rows_read(wrapped, memory, "O2 > 3 AND session = short") < 60, "the index is asked first"
        assert rows_read(wrapped, memory, 'tag:garden AND "garden needs water" AND session = short') < 200


@pytest.mark.requirement("F-QUERY-13")
def test_known_at_reads_each_turn_once() -> None:
    wrapped = Wrapped(empty_store())
    store: Store = as_store(wrapped)
    with quiet(store) as memory:
        memory.add_many(history(TEXTS * 20))
        assert memory.drain(None)
        memory.search("garden", limit=1)  # the first question reads the words of every turn
        before = wrapped.rows_read
        for days in (-1, 0, 1):
            memory.search("garden", limit=1, known_at=NOON + timedelta(days=days))
        assert wrapped.rows_read - before < 130


@pytest.mark.requirement("F-QUERY-13")
def test_a_pending_turn_is_read_once_and_again_after_its_analysis() -> None:
    store = Wrapped(empty_store())
    with quiet(as_store(store)) as memory:
        memory.parts.worker.stop()
        memory.add_many(history([TEXTS[number % 5] for number in range(600)]))
        never = "layer1 > 1 OR O2 > 10"
        assert memory.query(never) == []
        read = store.rows_read
        assert memory.query(never) == []
        assert store.rows_read - read < 10, "the state of the space, and no turn"
        memory.add_many(history(["One more turn on the garden."], session="b"))
        read = store.rows_read
        assert memory.query(never) == []
        assert store.rows_read - read < 20, "the new turn, which both tables may know"
        assert memory.query("importance >= 1") == []
        while memory.parts.worker.step() and len(memory.query("importance >= 1")) < 600:
            known = [turn.id for turn in memory.query("importance >= 1")]
            assert known == list(fresh(memory, "importance >= 1"))
        assert len(memory.query("importance >= 1")) == 601


@pytest.mark.requirement("F-QUERY-09")
def test_a_reader_behind_the_analysis_leaves_no_stale_values() -> None:
    with quiet() as memory:
        memory.parts.worker.stop()
        memory.add_many(history(["The garden needs water.", "The lawn as well."]))
        view, loose, places = memory.reads.live.view(), PendingAnnotations(0, weighed=False), np.arange(2)
        while memory.parts.worker.step():
            pass
        loose.passed(2)
        with memory.reads.store.snapshot() as reader:
            loose.rows(0, reader, memory.space, view, places)  # its state is from before
            assert loose._table.size == 0
            table, rows = loose.rows(2, reader, memory.space, view, places)
            assert not np.isnan(table.score("importance", rows)).any()


@pytest.mark.requirement("F-QUERY-09")
def test_what_could_not_be_read_leaves_no_values_of_other_turns() -> None:
    class Failing:
        def __getattr__(self, name: str) -> Any:
            raise StoreError(name)

    with quiet() as memory:
        memory.add_many(history(TEXTS))
        assert memory.drain(None)
        view, loose = memory.reads.live.view(), PendingAnnotations(0, weighed=False)
        with pytest.raises(StoreError):
            loose.rows(0, cast("Reader", Failing()), memory.space, view, np.arange(3, 5))
        with memory.reads.store.snapshot() as reader:
            found = [loose.rows(0, reader, memory.space, view, np.array([place])) for place in range(5)]
            told = [table.tags(int(rows[0])) for table, rows in found]
            table = Table(weighed=False)
            read_into(table, reader, memory.space, view, np.arange(5))
        assert told == [table.tags(row) for row in range(5)]
        assert any(told)


@pytest.mark.requirement("F-QUERY-09")
def test_tags_are_read_while_another_thread_makes_room_for_more() -> None:
    table = Table(weighed=False)
    analysed = ['{"tags": {"garden": 0.5}}', json.dumps({"tags": {f"tag{n}": 0.5 for n in range(9)}})]
    table.extend([(None, analysed[0])])
    weights = table._weights
    table.extend([(None, analysed[1])])
    table._weights = weights  # the other thread has only come to the tags
    assert table.tag(["garden"], np.array([0])).shape == (1,)
