"""The entity graph as it is stored: counted behind the acknowledgement, taken off again, the same however it came."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.derive.entity_counts import STRETCH, EntityCounting, counted, entities_of, entity_page
from clew.errors import ConflictError
from clew.memory import Memory
from clew.rows.entity_progress import ENTITY_PROGRESS
from clew.store.memory import MemoryStore
from clew.structure.graph import spreading_activation
from clew.structure.stored_graph import MOST_LINKED, StoredGraph, read_name, written_name
from clew.types import Turn
from clew.types.entity import Entity, EntityPage, NodeType
from clew.types.ids import turn_id
from tests.support.calls import calls_of
from tests.support.effort import examples
from tests.support.memories import graph_rows, quiet, rows

SAID = [
    ("Melanie", "Hey Kate! I met Bob in Oslo."),
    ("Emilia", "Hi Melanie! Bob has a sailing boat, I think."),
    ("Melanie", "Thanks, Kate! The sailing boat is in Oslo."),
    ("Emilia", "Emma bought a kayak."),
]


def said(session: str = "s") -> list[Turn]:
    return [Turn(role="user", content=text, speaker=speaker, session=session) for speaker, text in SAID]


def page(memory: Memory, name: str) -> EntityPage | None:
    view = memory.reads.live.view()
    with memory.reads.store.snapshot() as reader:
        return entity_page(reader, memory.space, view, name)


def listed(memory: Memory) -> dict[str, Entity]:
    with memory.reads.store.snapshot() as reader:
        return {each.name: each for each in entities_of(reader, memory.space, memory.reads.live.view())}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(said())
        opened.drain(None)
        yield opened


@pytest.mark.requirement("F-GRAPH-04")
def test_what_turns_name_is_counted_behind_the_acknowledgement(memory: Memory) -> None:
    found = listed(memory)
    assert (found["Bob"].type, found["Bob"].turns) == (NodeType.PERSON, 2)
    assert (found["Oslo"].type, found["Oslo"].turns) == (NodeType.PLACE, 2)
    assert (found["sailing boat"].type, found["sailing boat"].turns) == (NodeType.CONCEPT, 2)
    assert found["Melanie"].turns == 3  # she speaks twice and is greeted once
    bob = page(memory, "bob")
    assert bob is not None
    assert {each.name for each in bob.neighbours} == {"Emilia", "Melanie", "Oslo", "sailing boat"}
    assert bob.turn_ids == ("s:turn:1", "s:turn:0")
    assert page(memory, "nobody") is None
    assert memory.stats().pending == {}


@pytest.mark.requirement("F-GRAPH-05")
def test_a_nickname_that_was_seen_twice_leads_to_who_has_it(memory: Memory) -> None:
    kate = page(memory, "Kate")
    assert kate is not None
    assert (kate.entity.name, kate.entity.aliases) == ("Emilia", ("Kate",))
    assert "Kate" not in listed(memory)
    assert kate.turn_ids == ("s:turn:2", "s:turn:0")
    memory.forget(turn_ids=["s:turn:2"])
    assert page(memory, "Kate") != kate
    assert listed(memory)["Kate"].turns == 1


@pytest.mark.requirement("F-GRAPH-05")
def test_a_greeting_in_company_and_an_ordinary_word_are_no_nicknames() -> None:
    with quiet() as memory:
        crowd = [("Ann", "Hey Max!"), ("Ben", "Hello."), ("Cid", "Hello."), ("Ann", "Hey Max!")]
        pet = [("Dora", "Hey Biscuit!"), ("Eli", "Hey Dora, the biscuit is asleep."), ("Dora", "Hey Biscuit!")]
        own = [("Fay", "My name is Fairy."), ("Gil", "Hi."), ("Fay", "Just call me Fairy.")]
        for name, turns in (("c", crowd), ("p", pet), ("o", own)):
            memory.add_many([Turn(role="user", content=text, speaker=who, session=name) for who, text in turns])
        memory.drain(None)
        with memory.reads.store.snapshot() as reader:
            graph = StoredGraph(reader, memory.space, memory.reads.live.view())
            assert graph.called("Max") is None
            assert graph.called("Biscuit") is None
            assert graph.called("Fairy") == graph.find("Fay")


@pytest.mark.requirement("F-GRAPH-10")
def test_a_question_and_the_graph_know_the_same_nicknames() -> None:
    lines = [("Elise", "Hey Kate!"), ("Emi", "Hi Emily."), ("Elise", "Thanks Kate!"), ("Emi", "Hello Emily!")]
    names = ("Kate", "kate", "Emily", "Emi", "Elise", "Max", "")
    with quiet() as memory:
        for who, text in lines:
            memory.add(Turn(role="user", content=text, speaker=who, session="s"))
        memory.drain(None)
        with memory.reads.store.snapshot() as reader:
            view = memory.reads.live.view()
            led = {name: StoredGraph(reader, memory.space, view).called(name) for name in names}
        asked = {name: memory.explain(memory.recall(f"What of {name}?").receipt_id).understood for name in names}
    assert led == {"Kate": "emi", "kate": "emi", "Emily": "elis", "Emi": None, "Elise": None, "Max": None, "": None}
    meant = {name: each.get("speakers", [""])[0] for name, each in asked.items()}
    assert meant == dict(zip(names, ("Emi", "Emi", "Elise", "Emi", "Elise", "", ""), strict=True))


@pytest.mark.requirement("F-GRAPH-06")
@settings(max_examples=examples(6, 30))
@given(st.sets(st.integers(0, 3)), st.integers(1, 3))
def test_forgetting_leaves_what_the_others_would_have_given(gone: set[int], stretch: int) -> None:
    with quiet() as memory, quiet() as other:
        for turn in said():
            memory.add(turn)
            if turn.content[0].text == SAID[stretch][1]:  # type: ignore[union-attr]  # content is always parts by then
                memory.drain(None)
        memory.drain(None)
        memory.forget(turn_ids=[f"s:turn:{seq}" for seq in gone])
        other.add_many([turn for seq, turn in enumerate(said()) if seq not in gone])
        other.drain(None)
        assert graph_rows(memory) == graph_rows(other)
        assert memory.verify().ok


@pytest.mark.requirement("F-GRAPH-06")
def test_a_turn_that_goes_before_it_was_counted_changes_nothing() -> None:
    store = MemoryStore()
    with Memory.open(store, embedder="none") as memory:
        memory.parts.worker.stop()
        memory.add_many(said())
        memory.forget(turn_ids=["s:turn:0"])
        assert not any(graph_rows(memory).values())
        naming = EntityCounting(store, memory.space)
        assert naming.pending() == 3
        assert naming.step()
        assert not naming.step()
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-GRAPH-06")
def test_rebuild_and_a_newer_rule_give_the_same_again(memory: Memory) -> None:
    before = graph_rows(memory)
    memory.rebuild()
    memory.drain(None)
    assert graph_rows(memory) == before
    old = json.dumps({"next": 4, "version": 0})
    memory.reads.store.transaction(lambda tx: tx.put("meta", [(memory.space, ENTITY_PROGRESS, old)]))
    memory.drain(None)
    assert graph_rows(memory) == before
    memory.reads.store.transaction(lambda tx: tx.put("meta", [(memory.space, ENTITY_PROGRESS, old)]))
    memory.forget(turn_ids=["s:turn:0"])
    memory.drain(None)
    assert memory.verify().ok
    assert graph_rows(memory) != before


@pytest.mark.requirement("F-GRAPH-06")
def test_verify_names_a_wrong_count_and_doctor_mends_it(memory: Memory) -> None:
    from clew.maintain.doctor import diagnose, repair  # beside what they mend

    before = graph_rows(memory)
    memory.reads.store.transaction(lambda tx: tx.put("entity", [(memory.space, "ghost", "person", "Ghost", 1, 1)]))
    memory.reads.store.transaction(lambda tx: tx.delete("edge", (memory.space,), (memory.space,)))
    problems = memory.verify().problems
    assert [problem.kind for problem in problems] == ["entity", "entity"]
    assert "ghost/person/Ghost" in problems[0].where
    findings = diagnose(problems)
    assert repair(memory.reads.store, memory.space, findings, memory.config.index) == ["entity"]
    assert graph_rows(memory) == before
    assert memory.verify().ok


@pytest.mark.requirement("F-FORM-05")
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("boat", ""),
        ("sailing boats", "~ing s"),
        ("Sailing Boat", "Sailing Boat"),
        ("sail boats", "~ s"),
        ("sailing  boat", "sailing  boat"),
        ("~boat", "~~boat"),
        ("boat~", "boat~"),
    ],
)
def test_a_spelling_is_kept_as_what_it_has_more_than_its_key(name: str, kept: str) -> None:
    key = "boat" if "sail" not in name.casefold() else "sail-boat"
    assert written_name(key, name) == kept
    assert read_name(key, kept) == name


@pytest.mark.requirement("F-FORM-05")
@given(st.text("ab-", min_size=1), st.text("ab~ -", min_size=1))
def test_any_spelling_comes_back(key: str, name: str) -> None:
    assert read_name(key, written_name(key, name)) == name


@pytest.mark.requirement("F-GRAPH-06")
def test_two_that_count_at_once_do_not_count_twice() -> None:
    class Interfering(MemoryStore):
        """Lets another one count in the middle of a step."""

        def transaction(self, work, *, durable=True):  # type: ignore[no-untyped-def]  # as the store has it
            if not durable and self.armed:
                self.armed = False
                EntityCounting(self, "default").step()
            return super().transaction(work, durable=durable)

        armed = False

    store = Interfering()
    with Memory.open(store, embedder="none") as memory:
        memory.parts.worker.stop()
        memory.add_many(said())
        store.armed = True
        with pytest.raises(ConflictError):
            EntityCounting(store, memory.space).step()
        assert listed(memory)["Bob"].turns == 2
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-GRAPH-06")
def test_what_goes_between_looking_and_writing_is_left_out() -> None:
    class Forgetting(MemoryStore):
        """Forgets a turn in the middle of a step."""

        def transaction(self, work, *, durable=True):  # type: ignore[no-untyped-def]  # as the store has it
            if not durable and self.victims:
                self.victims.pop().forget(turn_ids=["s:turn:3"])
            return super().transaction(work, durable=durable)

        victims: ClassVar[list[Memory]] = []

    store = Forgetting()
    with Memory.open(store, embedder="none") as memory:
        memory.parts.worker.stop()
        memory.add_many(said())
        store.victims.append(memory)
        assert EntityCounting(store, memory.space).step()
        assert "Emma" not in listed(memory)
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-GRAPH-06")
def test_copies_and_merges_have_the_same_graph(memory: Memory, tmp_path: Path) -> None:
    from clew.maintain.copy_space import copy_space  # what the test is about

    other = MemoryStore()
    copy_space(memory.reads.store, other, memory.space)
    with Memory.open(other, embedder="none", space=memory.space) as copied:
        assert graph_rows(copied) == graph_rows(memory)


@pytest.mark.requirement("F-GRAPH-07")
def test_the_cost_of_a_turn_does_not_grow() -> None:
    class Counting(MemoryStore):
        """Counts the rows that are read and written."""

        moved = 0

        def transaction(self, work, *, durable=True):  # type: ignore[no-untyped-def]  # as the store has it
            def counted(tx):  # type: ignore[no-untyped-def]  # a transaction
                outer, real = self, tx.get_many

                class Seen:
                    def __getattr__(self, name: str) -> object:
                        return getattr(tx, name)

                    def get_many(self, table, keys, **rest):  # type: ignore[no-untyped-def]  # as the store has it
                        outer.moved += len(keys)
                        return real(table, keys, **rest)

                return work(Seen())

            return super().transaction(counted, durable=durable)

    store = Counting()
    costs = []
    with Memory.open(store, embedder="none") as memory:
        memory.parts.worker.stop()
        naming = EntityCounting(store, memory.space)
        for round_ in range(4):
            memory.add_many([Turn(role="user", content=SAID[1][1], session=f"r{round_}") for _ in range(STRETCH)])
            store.moved = 0
            assert naming.step()
            costs.append(store.moved)
    assert len(set(costs)) == 1


@pytest.mark.requirement("F-GRAPH-07")
def test_energy_spreads_through_the_stored_graph_and_stops_at_hubs(memory: Memory) -> None:
    with memory.reads.store.snapshot() as reader:
        graph = StoredGraph(reader, memory.space, memory.reads.live.view())
        found = spreading_activation(graph, ["Oslo"])
        assert {"oslo", "bob"} <= found.keys()
        assert found == spreading_activation(graph, ["Oslo"])
        key = str(graph.find("Oslo"))
    edges = [(memory.space, key, f"n{n:03}", "related_to", 1, 1) for n in range(MOST_LINKED + 1)]
    memory.reads.store.transaction(lambda tx: tx.put("edge", edges))
    with memory.reads.store.snapshot() as reader:
        assert spreading_activation(StoredGraph(reader, memory.space, memory.reads.live.view()), ["Oslo"]) == {key: 1.0}


@pytest.mark.requirement("F-GRAPH-04")
def test_roles_tools_and_injected_text_name_nothing() -> None:
    with quiet() as memory:
        memory.add(Turn(role="tool", content="Paris and Bob"))
        memory.add(Turn(role="user", content="We met Zoltan in Rome.", origin="injected"))
        memory.add(Turn(role="assistant", content="They met Ann in Rome.", speaker="assistant"))
        memory.drain(None)
        assert set(listed(memory)) == {"Ann", "Rome"}
        assert rows(memory.reads.store, "speaker") == []


@pytest.mark.requirement("F-SPEED-44")
def test_a_stretch_is_counted_at_once_and_without_the_turns_that_are_gone() -> None:
    class Forgetful(MemoryStore):
        """Forgets a turn before the next transaction that `forget` is set for."""

        forget: Callable[[], object] | None = None

        def transaction(self, work, *, durable=True):  # type: ignore[no-untyped-def]  # as the store has it
            forget, self.forget = self.forget, None
            if forget is not None:
                forget()
            return super().transaction(work, durable=durable)

    store = Forgetful()
    with Memory.open(store, embedder="none") as memory, Memory.open(MemoryStore(), embedder="none") as other:
        for each, turns in ((memory, said()), (other, said()[:-1])):
            each.parts.worker.stop()
            each.add_many(turns)
        with calls_of(counted) as done:
            assert EntityCounting(other.reads.store, other.space).step()
        assert len(done) == 1
        store.forget = lambda: memory.forget(turn_ids=[turn_id("s", len(SAID) - 1)])
        assert EntityCounting(store, memory.space).step()
        assert graph_rows(memory) == graph_rows(other)
