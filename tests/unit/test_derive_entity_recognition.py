"""A named-entity model behind the acknowledgement: recorded, counted from the record, taken back, and missed."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.config import Config
from clew.derive.entity_counts import EntityCounting
from clew.derive.entity_recognition import STRETCH, WORTH, Recognition
from clew.errors import ConfigError, ConflictError, MissingExtra, ModelError, ModelUnavailable
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.memory.opening import Models, OpenHome
from clew.memory.wiring import wire
from clew.models.choose import NoRecogniser, choose_recogniser
from clew.models.protocol import Recogniser
from clew.rows.name_spans import KIND, RECOGNISER
from clew.store.memory import MemoryStore
from clew.store.open import open_store
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock
from clew.types import Turn
from clew.types.compact import NODE_TYPES
from clew.types.entity import Entity, NameSpan, NodeType
from tests.support.effort import examples
from tests.support.memories import NOON, graph_rows, quiet, rows

SAID = [
    ("Melanie", "i met bob in oslo yesterday, and Zoltan came along."),
    ("Emilia", "Zoltan has a sailing boat, bob told me."),
    ("Melanie", "It rains."),
    ("Emilia", "Did Zoltan bring bob home?"),
]


class Lister:
    """Sees words of a list as people, and counts what it is asked."""

    def __init__(self, *words: str, name: str = "lister:a@1") -> None:
        self.name, self.texts = name, list[str]()
        self._words = re.compile(rf"\b(?:{'|'.join(words)})\b")

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        self.texts += texts
        return [
            tuple(NameSpan(*found.span(), NodeType.PERSON) for found in self._words.finditer(text)) for text in texts
        ]


class Failing(Lister):
    """Fails on texts that hold a word; on all while it is down."""

    down = False

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        if self.down or any("oslo" in text for text in texts):
            raise ModelError("it fell over")
        return super().recognise(texts)


def said() -> list[Turn]:
    return [Turn(role="user", content=text, speaker=speaker, session="s") for speaker, text in SAID]


def open_with(recogniser: Recogniser | None, store: Store | str | Path = ":memory:") -> Memory:
    """A memory whose worker asks a model of ours."""
    opened = open_store(store) if isinstance(store, str | Path) else store
    opened.migrate()
    models = Models(find_recogniser=lambda: (recogniser, "as the test has it"))
    home = OpenHome(opened, "default", Config(), models, FrozenClock(NOON), owns_store=opened is not store)
    memory = Memory(wire(home))
    memory.parts.worker.start()
    return memory


def asking(store: Store, recogniser: Recogniser) -> Recognition:
    """What a worker does with a model, without one, and without waiting for more turns."""
    recognition = Recognition(store, "default", lambda: (recogniser, ""))
    recognition.release()
    return recognition


def recorded(memory: Memory) -> list[tuple[object, ...]]:
    return [(row[1], row[3], row[4]) for row in rows(memory.reads.store, "annotation") if row[2] == KIND]


def listed(memory: Memory) -> dict[str, Entity]:
    return {each.name: each for each in memory.entities()}


def people(memory: Memory) -> dict[str, int]:
    """How many turns name somebody; what is a mere phrase of a turn does not count."""
    letter = NODE_TYPES.letter("person")
    return {str(row[1]): int(str(row[4])) for row in rows(memory.reads.store, "entity") if row[2] == letter}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with open_with(Lister("bob", "Zoltan")) as opened:
        opened.add_many(said())
        assert opened.drain(None)
        yield opened


@pytest.mark.requirement("F-NER-01", "F-NER-02")
def test_what_a_model_saw_is_recorded_and_counted(memory: Memory) -> None:
    found = listed(memory)
    assert (found["bob"].type, found["Zoltan"].type) == (NodeType.PERSON, NodeType.PERSON)
    assert people(memory) == {"bob": 3, "zoltan": 3, "melani": 2, "emilia": 2}
    assert recorded(memory)[0] == ("s:turn:0", '[[6,9,"p"],[33,39,"p"]]', "model:lister:a@1")
    assert [row[0] for row in recorded(memory)] == ["s:turn:0", "s:turn:1", "s:turn:3"]
    assert {each.name for each in memory.entity("bob").neighbours} >= {"Zoltan", "Melanie", "Emilia"}
    stats = memory.stats()
    assert (stats.pending, stats.details["ner"], stats.details["ner_recorded"]) == ({}, "lister:a@1", "lister:a@1")
    assert memory.verify().ok


@pytest.mark.requirement("F-NER-02")
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_without_the_model_the_record_counts_the_same(where: str, tmp_path: Path) -> None:
    place = MemoryStore() if where == "memory" else tmp_path
    with open_with(Lister("bob", "Zoltan"), place) as memory:
        memory.add_many(said())
        memory.drain(None)
        before = graph_rows(memory)
    with open_with(None, place) as memory:
        assert memory.verify().ok
        memory.rebuild()
        memory.drain(None)
        assert graph_rows(memory) == before
        memory.forget(turn_ids=["s:turn:1"])
        assert memory.verify().ok
        assert people(memory)["bob"] == 2
        memory.add(Turn(role="user", content="and then bob met Kazimir.", speaker="Melanie", session="s"))
        memory.drain(None)
        assert people(memory)["bob"] == 2  # by rules alone
        assert memory.stats().details["ner_recorded"] == "lister:a@1"
    asked = Lister("bob", "Zoltan")
    with open_with(asked, place) as memory:
        memory.drain(None)
        assert asked.texts == ["and then bob met Kazimir."]  # what was asked once is not asked again
        assert people(memory)["bob"] == 3
        assert memory.verify().ok


@pytest.mark.requirement("F-NER-02")
@settings(max_examples=examples(6, 30))
@given(st.sets(st.integers(0, 3)), st.integers(0, 4))
def test_forgetting_leaves_what_the_others_would_have_given(gone: set[int], late: int) -> None:
    with open_with(Lister("bob", "Zoltan")) as memory, open_with(Lister("bob", "Zoltan")) as other:
        for place, turn in enumerate(said()):
            memory.add(turn)
            if place == late:
                memory.drain(None)
        memory.forget(turn_ids=[f"s:turn:{seq}" for seq in gone])
        memory.drain(None)
        other.add_many([turn for seq, turn in enumerate(said()) if seq not in gone])
        other.drain(None)
        assert graph_rows(memory) == graph_rows(other)
        assert len(recorded(memory)) == len(recorded(other))
        assert memory.verify().ok


@pytest.mark.requirement("F-NER-02", "F-HOLD-08")
def test_nothing_is_left_of_a_name_that_only_a_model_saw(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with open_with(Lister("xylophonia", "bob"), store) as memory:
        memory.add_many([*said(), Turn(role="user", content="ask xylophonia, a person of the place.", session="gone")])
        memory.drain(None)
        assert "xylophonia" in listed(memory)
        traces = traces_of([memory.restore("gone:turn:0")])
        memory.forget(session="gone")
    proof = prove(store, "default", traces)
    store.close()
    assert proof.ok, proof.found


@pytest.mark.requirement("F-NER-02")
def test_a_record_that_was_altered_is_found_and_its_counts_mended(memory: Memory) -> None:
    from clew.maintain.doctor import diagnose, repair  # beside what they mend

    row = ("default", "s:turn:0", KIND, "[[0", "model:lister:a@1", 1)
    memory.reads.store.transaction(lambda tx: tx.put("annotation", [row]))
    problems = memory.verify().problems
    assert {problem.kind for problem in problems} == {"entity"}
    repair(memory.reads.store, memory.space, diagnose(problems), memory.config.index)
    assert memory.verify().ok
    assert people(memory)["bob"] == 2


@pytest.mark.requirement("F-NER-03")
def test_another_model_goes_through_all_turns_anew_and_none_takes_all_back(tmp_path: Path) -> None:
    with quiet(tmp_path / "rules") as plain:
        plain.add_many(said())
        plain.drain(None)
        by_rules = graph_rows(plain)
    with open_with(Lister("bob"), tmp_path / "home") as memory:
        memory.add_many(said())
        memory.drain(None)
    with open_with(Lister("oslo", name="lister:b@1"), tmp_path / "home") as memory:
        memory.drain(None)
        assert {row[2] for row in recorded(memory)} == {"model:lister:b@1"}
        assert listed(memory)["oslo"].type is NodeType.PERSON
        assert "bob" not in {each.name for each in memory.entities() if each.type is not NodeType.CONCEPT}
        assert memory.verify().ok
    with quiet(tmp_path / "home", config={"entities": {"ner": "none"}}) as memory:
        assert memory.drain(None)
        assert graph_rows(memory) == by_rules
        assert recorded(memory) == []
        assert RECOGNISER not in {row[1] for row in rows(memory.reads.store, "meta")}
        assert memory.stats().pending == {}
        assert memory.stats().details["ner"] is None


@pytest.mark.requirement("F-NER-03", "F-GRAPH-06")
def test_newer_rules_count_again_with_what_was_recorded(memory: Memory) -> None:
    before = graph_rows(memory)
    memory.reads.store.transaction(lambda tx: tx.put("meta", [(memory.space, "entities", '{"next":4,"version":0}')]))
    memory.drain(None)
    assert graph_rows(memory) == before


@pytest.mark.requirement("F-NER-04")
def test_a_model_that_is_not_there_is_told() -> None:
    for setting in ("spacy:", "crf:names", "auto:en"):
        with pytest.raises(ConfigError, match="expected one of auto, none, spacy:"):
            choose_recogniser(setting)
    with pytest.raises(MissingExtra, match=r"pip install 'clew\[ner\]'|python -m spacy download no_such_pipeline"):
        quiet(config={"entities": {"ner": "spacy:no_such_pipeline"}})
    found, note = choose_recogniser("none")
    assert isinstance(found, NoRecogniser)
    assert note == "names by rules only: the setting is none"
    with open_with(None) as memory:
        memory.add_many(said())
        assert memory.drain(None)
        details = memory.stats().details
        assert (details["ner"], details["ner_note"]) == (None, "as the test has it")
        assert RECOGNISER not in {row[1] for row in rows(memory.reads.store, "meta")}


@pytest.mark.requirement("F-NER-05")
def test_a_turn_that_a_model_cannot_do_costs_only_itself() -> None:
    with open_with(Failing("bob", "Zoltan")) as memory:
        memory.add_many(said())
        assert memory.drain(None)
        assert [row[0] for row in recorded(memory)] == ["s:turn:1", "s:turn:3"]
        assert memory.stats().details["ner_failed"] == 1
        assert memory.stats().pending == {}
        assert memory.verify().ok


@pytest.mark.requirement("F-NER-05")
@pytest.mark.parametrize("error", [ModelError("it fell over"), ModelUnavailable("it cannot be loaded")])
def test_a_model_that_fails_is_told_and_asked_again(error: ModelError) -> None:
    class Broken(Lister):
        def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
            if self.broken:
                raise error
            return super().recognise(texts)

        broken = True

    model = Broken("bob")
    with open_with(model) as memory:
        memory.add_many(said())
        assert memory.drain(None)  # it does not wait for what rests
        stats = memory.stats()
        assert (stats.pending, stats.details["ner_failure"]) == ({"recognise": 4}, str(error))
        assert stats.details["worker_failure"] is None
        assert "Zoltan" in listed(memory)
        model.broken = False
        assert memory.parts.worker._recognition is not None
        memory.parts.worker._recognition._rests_until = 0.0  # it has rested
        memory.drain(None)
        assert memory.stats().pending == {}
        assert memory.stats().details["ner_failure"] is None
        assert people(memory)["bob"] == 3


@pytest.mark.requirement("F-NER-08")
def test_of_two_programs_the_one_that_came_last_goes_on() -> None:
    store = MemoryStore()
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add_many(said())
        EntityCounting(memory.reads.store, memory.space).step()
        first = asking(store, Lister("bob"))
        later = asking(store, Lister("oslo", name="lister:b@1"))
        gone = asking(store, NoRecogniser())
        assert (first.step(), first.step()) == (True, False)
        assert (later.pending(), later.step()) == (4, True)
        assert (first.pending(), first.step()) == (0, False)
        assert {row[2] for row in recorded(memory)} == {"model:lister:b@1"}
        assert (gone.step(), gone.step(), gone.step()) == (True, True, False)
        assert (later.pending(), later.step()) == (0, False)
        assert recorded(memory) == []
        memory.add_many(said())
        EntityCounting(memory.reads.store, memory.space).step()
        assert (gone.pending(), gone.step()) == (0, False)
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-NER-02")
def test_two_that_ask_at_once_do_not_count_twice() -> None:
    class Interfering(MemoryStore):
        """Lets another one record in the middle of a step."""

        def transaction(self, work, *, durable=True):  # type: ignore[no-untyped-def]  # as the store has it
            if not durable and self.armed:
                self.armed = False
                asking(self, Lister("bob")).step()
            return super().transaction(work, durable=durable)

        armed = False

    store = Interfering()
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add_many(said())
        EntityCounting(memory.reads.store, memory.space).step()
        store.armed = True
        with pytest.raises(ConflictError):
            asking(store, Lister("bob")).step()
        assert people(memory)["bob"] == 3
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-NER-02", "F-GRAPH-04")
def test_turns_are_asked_in_stretches_and_tools_never() -> None:
    model = Lister("bob")
    with open_with(model) as memory:
        memory.add(Turn(role="tool", content="bob"))
        memory.add(Turn(role="user", content="bob", origin="injected"))
        memory.add_many([Turn(role="user", content="word " * 20_000, session="long") for _ in range(2)])
        memory.add_many([Turn(role="user", content="bob", session="many") for _ in range(STRETCH + 1)])
        memory.drain(None)
        assert len(model.texts) == STRETCH + 3
        assert max(map(len, model.texts)) == 20_000
        assert people(memory)["bob"] == STRETCH + 1


@pytest.mark.requirement("F-NER-06")
def test_for_a_few_turns_of_a_short_program_no_model_is_loaded() -> None:
    model = Lister("bob")
    with open_with(model) as memory:
        recognition = memory.parts.worker._recognition
        assert recognition is not None
        recognition._hold_until = float("inf")
        memory.add_many(said())
        assert memory.drain(200)
        assert (model.texts, memory.stats().pending) == ([], {"recognise": 4})
        assert not recognition.is_retry_due()
        recognition._hold_until = 0.0  # the program lives on
        assert recognition.is_retry_due()
        assert memory.drain(200)
        assert people(memory)["bob"] == 3
    with open_with(model) as memory:
        memory.add_many([Turn(role="user", content="bob", session="many") for _ in range(WORTH)])
        assert memory.drain(200)
        assert people(memory)["bob"] == WORTH
