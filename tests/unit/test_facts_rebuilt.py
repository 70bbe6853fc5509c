"""Facts that are made again: after a rebuild, by other rules, by another model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from clew.derive.facts import FactReading, take_in
from clew.memory import Memory
from clew.rows.fact_writes import TurnStatements
from clew.store.protocol import Transaction
from clew.types.facts import Statement
from clew.types.turn import Turn
from tests.support.fact_talk import TALK, Lines, idle, read, seen, stored
from tests.support.memories import at, timed


@pytest.fixture
def memory() -> Iterator[Memory]:
    with idle() as opened:
        yield opened


@pytest.mark.requirement("K-FCT-02")
def test_a_rebuild_makes_the_same_again_and_keeps_what_models_found(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    found = Statement(turn="s:turn:2", ordinal=0, subject="Bob", verb="owns", object="a boat", said_at=at(2))
    found = replace(found, provenance="model:m")
    memory.reads.store.transaction(lambda tx: take_in(tx, memory.space, [TurnStatements(2, "model:m", [found])]))
    before = stored(memory)
    assert "Bob owns a boat: active" in seen(memory)
    memory.rebuild()
    assert seen(memory) == []
    read(memory, 3)
    assert stored(memory) == before


@pytest.mark.requirement("K-FCT-02")
def test_a_rebuild_keeps_what_models_found_before_rules_read_the_turn(memory: Memory) -> None:
    memory.add_many(timed(["nothing", "nothing at all"]))
    found = Statement(turn="s:turn:1", ordinal=0, subject="Bob", verb="owns", object="a boat", provenance="model:m")
    memory.reads.store.transaction(partial(_take_in, [TurnStatements(1, "model:m", [found])]))
    memory.rebuild()
    read(memory)
    assert seen(memory) == ["Bob owns a boat: active"]


@pytest.mark.requirement("K-FCT-02")
@pytest.mark.parametrize("stretches", [0, 1])
def test_other_rules_go_on_with_a_rebuild_that_was_not_ended(memory: Memory, stretches: int) -> None:
    class Newer(Lines):
        version = 2

        def __call__(self, turns: Sequence[Turn], before: Sequence[Turn]) -> list[Statement]:
            return [each for each in super().__call__(turns, before) if each.object != "Initech"]

    memory.add_many(timed(TALK))
    read(memory)
    memory.rebuild()
    older, newer = (FactReading(memory.reads.store, "default", lines, 7) for lines in (Lines(), Newer()))
    for reading, steps in ((older, stretches), (newer, 2)):
        reading.release()
        assert [reading.step() for _ in range(steps)] == [True] * steps
    with idle() as other:
        other.add_many(timed(TALK))
        reading = FactReading(other.reads.store, "default", Newer())
        assert reading.step()
        assert stored(memory) == stored(other)


@pytest.mark.requirement("K-FCT-02")
def test_a_rebuild_whose_last_turns_went_is_verified(memory: Memory) -> None:
    memory.add_many(timed(TALK))
    read(memory)
    memory.forget(turn_ids=["s:turn:7"])
    memory.rebuild()
    assert memory.verify().ok
    read(memory)
    memory.reads.store.transaction(lambda tx: tx.delete("fact", ("default",), ("default",)))
    assert [problem.kind for problem in memory.verify().problems] == ["fact"]


def _take_in(given: Sequence[TurnStatements], tx: Transaction) -> None:
    take_in(tx, "default", given)


@pytest.mark.requirement("K-FCT-02")
def test_another_model_replaces_what_one_found_and_leaves_what_rules_did(memory: Memory) -> None:
    memory.add_many(timed(TALK[:2]))
    read(memory)
    for name, thing in (("model:a", "a boat"), ("model:b", "a car")):
        said = Statement(turn="s:turn:1", ordinal=0, subject="Bob", verb="owns", object=thing, provenance=name)
        given = [TurnStatements(1, name, [said])]
        memory.reads.store.transaction(partial(_take_in, given))
    assert seen(memory) == [
        "Ann lives in Porto: active",
        "Ann works at Acme: active",
        "Bob likes tea: active",
        "Bob owns a car: active",
    ]
