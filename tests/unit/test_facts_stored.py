"""Facts in the store: made of statements in any order, forgotten, rebuilt, read again, by several at once."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.background.tasks import FactFinding
from clew.cli.opening import work_through
from clew.config import IndexConfig
from clew.derive.facts import FACTS_VERSION, HOLD_SECONDS, WORTH, FactReading
from clew.errors import ConflictError, InputError, NotFoundError
from clew.knowledge.groups import group_key, subject_key
from clew.maintain.doctor import diagnose, repair
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.rows.fact_codec import (
    TurnMark,
    fact_id,
    fact_of,
    fact_row,
    fact_text,
    facts_data,
    place_of,
    statement_data,
    statement_row,
    statements_of,
)
from clew.rows.fact_progress import read_fact_progress
from clew.rows.facts import TurnMarks, stated
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.turn_selections import TURN_ORDINAL
from clew.types.facts import Effect, Fact, FactStatus, FactType, Mood, Statement
from clew.types.turn import Part, Turn
from tests.support.fact_talk import TABLES, TALK, Lines, all_facts, idle, read, seen, stored
from tests.support.memories import at, everything, rows, timed, told


@pytest.fixture
def memory() -> Iterator[Memory]:
    with idle() as opened:
        yield opened


# --------------------------------------------------------------------------------------------------- made of statements


@pytest.mark.requirement("K-FCT-01")
@pytest.mark.parametrize("stretch", [1, 2, 3, 5, 100])
def test_batches_make_no_difference(memory: Memory, stretch: int) -> None:
    memory.add_many(timed(TALK))
    read(memory, stretch)
    with idle() as other:
        other.add_many(timed(TALK))
        read(other)
        assert stored(memory) == stored(other)
    assert seen(memory) == [
        "Ann lives in Lisbon: active",
        "Ann lives in Porto: ceased replaced",
        "Ann visits office: planned stale",
        "Ann works at Acme: ceased replaced",
        "Ann works at Initech: active",
        "Bob likes tea: ceased",
        "Bob lives in Porto: active",
    ]


@pytest.mark.requirement("K-FCT-01")
def test_turns_that_are_read_as_they_come_give_the_same(memory: Memory) -> None:
    with idle() as other:
        other.add_many(timed(TALK))
        read(other)
        for turn in timed(TALK):
            memory.add(turn)
            read(memory)
        assert stored(memory) == stored(other)


@pytest.mark.requirement("K-FCT-01")
def test_the_order_of_arrival_decides_nothing_where_times_are_known(memory: Memory) -> None:
    texts = [text for text in TALK if "She" not in text]
    turns = [replace(turn, session=f"s{n}") for n, turn in enumerate(timed(texts))]
    memory.add_many(turns)
    read(memory)
    with idle() as other:
        for turn in reversed(turns):
            other.add(turn)
            read(other)
        assert seen(other) == seen(memory)


# ----------------------------------------------------------------------------------------------------------- forgotten


@pytest.mark.requirement("K-FCT-03")
@pytest.mark.parametrize("gone", range(len(TALK)))
def test_what_is_left_is_what_the_other_turns_state(memory: Memory, gone: int) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    memory.forget(turn_ids=[f"s:turn:{gone}"])
    with idle() as other:
        other.add_many(turn for n, turn in enumerate(timed(TALK)) if n != gone)
        read(other)
        read(memory)
        assert seen(memory) == seen(other)
    assert memory.verify().ok


@pytest.mark.requirement("K-FCT-03")
@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_a_name_that_a_later_turn_took_from_it_goes_at_once(memory: Memory, *, is_rebuilt: bool) -> None:
    memory.add_many(timed(["Quetzalcoatl: works at | Acme", "She: lives in | Lisbon"]))
    read(memory)
    assert seen(memory) == ["Quetzalcoatl lives in Lisbon: active", "Quetzalcoatl works at Acme: active"]
    if is_rebuilt:
        memory.rebuild()
    memory.forget(turn_ids=["s:turn:0"])
    assert seen(memory) == []
    assert not any(stored(memory).values())  # they are compressed, so a search for the name would find nothing anyhow
    assert b"uetzalcoatl" not in everything(memory.reads.store)
    read(memory)
    assert seen(memory) == ["Nobody lives in Lisbon: active"]


@pytest.mark.requirement("P-REV-33")
@pytest.mark.parametrize("said", ["Ann: visits | ~Quetzalcoatl", "Bob: likes | tea\nAnn: visits | ~Quetzalcoatl (tea)"])
def test_what_a_turn_took_back_that_nobody_had_said_is_forgotten_with_it(memory: Memory, said: str) -> None:
    memory.add_many(timed(["Bob: likes | tea", "nothing at all", said]))
    read(memory)
    before = [fact.id for fact in all_facts(memory) if fact.object == "Quetzalcoatl"]
    assert before, "it is hidden from answers, and stored"
    memory.forget(turn_ids=["s:turn:2"])
    assert seen(memory) == ["Bob likes tea: active"]
    assert all(row[2] != 2 for row in stored(memory)["fact_key"])


@pytest.mark.requirement("K-FCT-03")
@pytest.mark.parametrize("table", ["statement", "fact"])
def test_the_proof_looks_into_statements_and_facts(memory: Memory, table: str) -> None:
    memory.add_many(timed([*TALK, "Ann: owns | a theremin"]))
    read(memory)
    store, traces = memory.reads.store, traces_of([memory.restore("s:turn:8")])
    whole = fact_row("default", (7, 0), all_facts(memory)[-1], None, {f"s:turn:{n}": n for n in range(9)}.__getitem__)
    kept = whole if table == "fact" else next(row for row in rows(store, "statement") if row[1] == 8)
    memory.forget(turn_ids=["s:turn:8"])
    read(memory)
    assert prove(store, "default", copy.deepcopy(traces)).found == {}
    store.transaction(lambda tx: tx.put(table, [kept]))
    assert prove(store, "default", traces).found.keys() == {table}


@pytest.mark.requirement("K-FCT-03")
def test_nothing_is_left_of_a_space_whose_turns_are_all_forgotten(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    memory.forget(session="s")
    assert stored(memory) == {table: [] for table in TABLES}


# ----------------------------------------------------------------------------------------------------- what is not read


@pytest.mark.requirement("K-FCT-04")
@pytest.mark.parametrize("stretch", [1, 64])
def test_what_was_edited_away_states_nothing(memory: Memory, stretch: int) -> None:
    lines = ["hello", "Ann: lives in | Porto", "Bob: likes | tea"]
    memory.add_many(timed(lines))
    read(memory, stretch)
    assert seen(memory) == ["Ann lives in Porto: active", "Bob likes tea: active"]
    memory.add_many([*timed(lines[:1]), told("Ann: lives in | Lisbon", at=at(5)), told("Bob: owns | a dog", at=at(6))])
    read(memory, stretch)
    assert seen(memory) == ["Ann lives in Lisbon: active", "Bob owns a dog: active"]
    assert len({row[7] for row in rows(memory.reads.store, "turn")}) == 2
    memory.forget(turn_ids=["s:turn:3", "s:turn:4"])
    read(memory, stretch)
    assert seen(memory) == ["Ann lives in Porto: active", "Bob likes tea: active"]


@pytest.mark.requirement("K-FCT-04")
def test_what_clew_injected_and_what_a_subagent_was_told_states_nothing(memory: Memory) -> None:
    injected = Part(type="injected", text="Ann: lives in | Rome")
    memory.add(Turn(role="user", content=(injected,), session="s", at=at(0)))
    memory.add(told("Ann: works at | Acme", at=at(1), branch="sidechain:1"))
    memory.add(told("Bob: likes | tea", at=at(2)))
    read(memory)
    assert seen(memory) == ["Bob likes tea: active"]


# ------------------------------------------------------------------------------------------------------ several at once


class Interrupted(Lines):
    """Has something happen between reading turns and writing what they state."""

    def __init__(self, meanwhile: Any) -> None:
        self._meanwhile = meanwhile

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn]) -> list[Statement]:
        """See `Lines`."""
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().__call__(turns, before)


@pytest.mark.requirement("K-FCT-08")
def test_two_who_read_the_same_turns_double_nothing(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    slow = FactReading(memory.reads.store, "default", Interrupted(lambda: read(memory)))
    with pytest.raises(ConflictError, match="by somebody else"):
        slow.step()
    assert slow.step() is False
    with idle() as other:
        other.add_many(timed(TALK))
        read(other)
        assert stored(memory) == stored(other)


@pytest.mark.requirement("K-FCT-08")
def test_a_turn_that_is_forgotten_while_it_is_read_leaves_nothing(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    memory.add(told("Ann: lives in | Quito", at=at(20)))
    slow = FactReading(memory.reads.store, "default", Interrupted(lambda: memory.forget(turn_ids=["s:turn:8"])))
    with pytest.raises(ConflictError):
        slow.step()
    read(memory)
    assert not any("Quito" in each for each in seen(memory))


@pytest.mark.requirement("K-FCT-08")
def test_one_who_is_killed_between_two_stretches_loses_nothing(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with idle(tmp_path) as memory:
        memory.add_many(timed(TALK))
        reading = FactReading(memory.reads.store, "default", Lines(), 3)
        assert reading.step()
        with pytest.raises(KeyboardInterrupt):
            FactReading(memory.reads.store, "default", Interrupted(stop), 3).step()
    with idle(tmp_path) as again, idle() as other:
        read(again, 2)
        other.add_many(timed(TALK))
        read(other)
        assert stored(again) == stored(other)


# ------------------------------------------------------------------------------------------------------------ old turns


@pytest.mark.requirement("K-FCT-09")
def test_old_turns_wait_for_a_program_that_runs_longer() -> None:
    store = MemoryStore()
    store.migrate()
    with idle(store) as memory:
        memory.add_many(timed(["Ann: lives in | Porto", *["nothing"] * WORTH]))
    task = FactFinding(reading := FactReading(store, "default", Lines()))
    assert (task.is_due(), task.pending(now=False)) == (False, {"facts": WORTH + 1})
    assert not task.step()
    assert not reading.is_retry_due()
    reading.release()
    assert task.is_due()
    assert reading.is_retry_due()  # also after others have counted what is left
    assert task.step()
    assert not reading.is_retry_due()
    assert HOLD_SECONDS < 10


@pytest.mark.slow
@pytest.mark.requirement("K-FCT-09")
def test_whoever_works_through_a_home_reads_its_old_turns_as_well(tmp_path: Path) -> None:
    with idle(tmp_path) as memory:
        memory.add_many(timed(["I live in Porto.", *["nothing"] * WORTH], speaker="Ann"))
    with Memory.open(tmp_path, embedder="none") as memory:
        work_through(memory, "jobs")
        assert memory.stats().pending == {}
        assert [fact.told for fact in memory.facts()] == ["Ann lives in Porto"]


@pytest.mark.requirement("K-FCT-09")
def test_new_turns_are_read_at_once(memory: Memory) -> None:
    reading = FactReading(memory.reads.store, "default", Lines())
    memory.add_many(timed(["Ann: lives in | Porto", *["nothing"] * WORTH]))
    assert reading.step()
    assert seen(memory) == ["Ann lives in Porto: active"]


@pytest.mark.requirement("K-FCT-01")
def test_other_rules_read_everything_again(memory: Memory) -> None:
    class Newer(Lines):
        version = 2

        def __call__(self, turns: Sequence[Turn], before: Sequence[Turn]) -> list[Statement]:
            return [each for each in super().__call__(turns, before) if each.subject != "Bob"]

    memory.add_many(timed(TALK))
    read(memory)
    reading = FactReading(memory.reads.store, "default", Newer())
    reading.release()
    assert reading.pending() == len(TALK)
    while reading.step():
        pass
    assert [each for each in seen(memory) if each.startswith("Bob")] == []
    with memory.reads.store.snapshot() as reader:
        assert read_fact_progress(reader, "default").version == f"{FACTS_VERSION}.2"


# ----------------------------------------------------------------------------------------------------------------- rows

WHOLE = Statement(
    turn="s:turn:3",
    ordinal=2,
    subject="Añn",
    verb="prefers",
    object='tea "green"',
    said_at=at(3),
    status=FactStatus.PLANNED,
    type=FactType.PERSONAL,
    mood=Mood.NEGATED,
    effect=Effect.CORRECTS,
    scope="breakfast",
    instead_of="coffee",
    when="next week",
    where="Porto",
    valid_from=at(90),
    valid_to=at(95) + timedelta(microseconds=7),
    reason="because",
    because=(0, 1),
    rests_on=("wedding",),
    support=0.37,
)


@pytest.mark.requirement("K-FCT-12")
@pytest.mark.parametrize("provenance", ["rule", "user", "model:m", "extract:m"])
def test_statements_come_back_as_they_were(provenance: str) -> None:
    bare = Statement(turn="s:turn:3", ordinal=0, subject="Bob", verb="likes", object="tea", said_at=at(3))
    said = [replace(each, provenance=provenance) for each in (bare, WHOLE)]
    row = statement_row("default", 7, provenance, said)
    assert statements_of(row, TurnMark("s:turn:3", at(3))) == said


@pytest.mark.requirement("K-FCT-12")
@pytest.mark.parametrize("base", [WHOLE, None])
def test_a_fact_comes_back_as_it_was(base: Statement | None) -> None:
    ordinals = {f"s:turn:{n}": 100 + n for n in range(9)}
    fact = Fact(
        id="s:turn:3:fact:2",
        subject="Añn",
        verb="prefers",
        object="tea",
        status=FactStatus.CEASED,
        type=FactType.PERSONAL,
        slot="preference",
        valid_to=at(99),
        sources=("s:turn:3", "s:turn:5"),
        support=0.5,
        superseded_by="s:turn:5:fact:m1",
        stale_because="s:turn:1:fact:u0",
        retracted=True,
    )
    row = fact_row("default", place_of(fact.id, ordinals.__getitem__), fact, base, ordinals.__getitem__)
    turns = {number: TurnMark(name, at(3)) for name, number in ordinals.items()}
    group = group_key(subject_key(fact.subject), fact.verb, fact.object, fact.scope)
    data = None if base is None else statement_data(base)
    (stored,) = facts_data([fact_text((row.ordinal, row.place), row.data)])
    found = fact_of(stored, data, turns.__getitem__)
    assert found == replace(fact, group=group, confirmed_at=at(3))


@pytest.mark.requirement("K-FCT-12")
@pytest.mark.parametrize("name", ["0", "m0", "u12", "e3", "7x", "m1x"])
def test_an_id_is_a_place_and_back(name: str) -> None:
    ordinal, place = place_of(f"a%3A:turn:4:fact:{name}", {"a%3A:turn:4": 9}.__getitem__)
    assert (ordinal, fact_id("a%3A:turn:4", place)) == (9, f"a%3A:turn:4:fact:{name}")


@pytest.mark.requirement("K-FCT-12")
@pytest.mark.parametrize("name", ["", "s:turn:0", "s:turn:0:fact:", "s:turn:0:fact:q1", "fact:1"])
def test_what_is_no_id_of_a_fact_is_refused(memory: Memory, name: str) -> None:
    with pytest.raises(InputError, match=r"not the id of a fact|is empty"):
        memory.correct(name, "elsewhere")


@pytest.mark.requirement("K-FCT-06")
@pytest.mark.parametrize("name", ["s:turn:9:fact:0", "s:turn:0:fact:5"])
def test_a_fact_that_is_not_there_cannot_be_corrected(memory: Memory, name: str) -> None:
    memory.add(told("Ann: lives in | Porto"))
    with pytest.raises(NotFoundError, match="there is no fact"):
        memory.correct(name, "elsewhere")


def _statements(store: Store) -> list[Statement]:
    with store.snapshot() as reader:
        marks = TurnMarks(reader, "default")
        ordinals = TURN_ORDINAL.scan(reader, ("default",), ("default",))
        return [each for ordinal in ordinals for each in stated(reader, "default", ordinal, marks)]


@pytest.mark.requirement("K-FCT-12")
def test_a_statement_has_the_weight_of_its_turn(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    found = _statements(memory.reads.store)
    weights = {each.turn: memory.annotations(each.turn)["layer1"].value for each in found}
    assert [each.support for each in found] == [round(weights[each.turn], 2) for each in found]


# -------------------------------------------------------------------------------------------------------------- checked


@pytest.mark.requirement("K-FCT-11")
@pytest.mark.parametrize("table", ["fact", "statement"])
def test_a_missing_row_is_found_and_mended(memory: Memory, table: str) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    store = memory.reads.store
    sound = stored(memory)
    assert memory.verify().ok
    store.transaction(lambda tx: tx.delete(table, ("default", 3), ("default", 3)))
    problems = memory.verify().problems
    assert {problem.kind for problem in problems} == {"fact"}
    repair(store, "default", diagnose(problems), IndexConfig())
    read(memory)
    assert memory.verify().ok
    assert stored(memory) == sound


@pytest.mark.requirement("K-FCT-11")
@pytest.mark.parametrize("table", TABLES[:3])
def test_rows_of_a_turn_that_is_not_there_are_found_and_mended(memory: Memory, table: str) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    store = memory.reads.store
    row = next(row for row in rows(store, table) if row[1] == 3 or table == "fact_key")
    lost = tuple(99 if n == (2 if table == "fact_key" else 1) else value for n, value in enumerate(row))
    store.transaction(lambda tx: tx.put(table, [lost]))
    problems = memory.verify().problems
    assert {problem.kind for problem in problems} == {"fact"}
    repair(store, "default", diagnose(problems), IndexConfig())
    read(memory)
    assert memory.verify().ok


@pytest.mark.requirement("K-KEEP-17")
def test_what_ended_with_a_subscription_is_told_as_before_when_the_end_is_forgotten() -> None:
    with idle() as memory, idle() as other:
        for each, lines in (
            (memory, ["Ann: has | !Hulu", "Ann: cancels | Hulu subscription"]),
            (other, ["Ann: has | !Hulu"]),
        ):
            each.add_many(timed(lines))
            read(each)
        assert [fact.told for fact in all_facts(memory)] == ["Ann has Hulu", "Ann cancels Hulu subscription"]
        memory.forget(turn_ids=["s:turn:1"])
        read(memory)
        assert stored(memory) == stored(other)
