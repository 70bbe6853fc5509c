"""One subject with very many statements of one slot: bounded work for each turn, and the same facts whichever way."""

from typing import Any, cast

import pytest

from clew.knowledge.groups import group_of
from clew.memory import Memory
from clew.rows.fact_codec import statement_row
from clew.rows.fact_writes import TurnStatements, proposed
from clew.rows.facts import FIRST_STATING, MOST_STATING, StoredStatements, TurnMarks
from clew.store.protocol import Reader
from clew.types.facts import Statement
from tests.support.fact_talk import idle, read, seen, stored
from tests.support.memories import timed

MORE = MOST_STATING + 40


def homes(count: int, first: int = 0) -> list[str]:
    return [f"Ann: lives in | Town {n}" for n in range(first, first + count)]


class _Rows:
    """A reader that counts the rows that it gives."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self.count = reader, 0

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            found = getattr(self._reader, name)(*args, **more)
            self.count += len(found) if isinstance(found, list) else 1
            return found

        return call


def effort(memory: Memory) -> int:
    """Rows that are read for one more statement of the slot, in the latest turn."""
    with memory.reads.store.snapshot() as reader:
        counting = _Rows(reader)
        last = memory.stats().turns - 1
        mark = TurnMarks(reader, memory.space)(last)
        said = Statement(turn=mark.name, ordinal=0, subject="Ann", verb="lives in", object="Faro", said_at=mark.at)
        assert statement_row(memory.space, last, "rule", [said])
        assert proposed(cast(Reader, counting), memory.space, [TurnStatements(last, "rule", [said])])
    return counting.count


@pytest.mark.slow
@pytest.mark.requirement("K-KEEP-11")
def test_the_work_for_a_turn_does_not_grow_with_what_was_said_of_one_slot() -> None:
    efforts = []
    with idle() as memory:
        for count in (MORE, MORE):
            first = memory.stats().turns
            memory.add_many(timed(homes(count, first)))
            read(memory, 256)
            efforts.append(effort(memory))
    assert efforts[1] <= efforts[0]


@pytest.mark.slow
@pytest.mark.requirement("K-KEEP-11")
def test_facts_of_a_hot_slot_depend_on_no_batches_and_have_a_beginning_and_the_latest() -> None:
    turns = timed([*homes(MORE), "Bob: visits | ?Town (Town 3)"])
    with idle() as memory, idle() as other:
        memory.add_many(turns)
        read(memory, 200)
        for start in (0, 300, 500, 540):
            other.add_many(turns[start : {0: 300, 300: 500, 500: 540}.get(start)])
            read(other)
        assert stored(memory) == stored(other)
        every = [fact.object for fact in memory.history("Ann", "home")]
        kept = [n for n in range(MORE) if n < FIRST_STATING or n >= MORE - (MOST_STATING - FIRST_STATING)]
        assert every == [f"Town {n}" for n in kept]
        assert memory.verify().ok
        memory.forget(turn_ids=["s:turn:5", f"s:turn:{MORE - 2}"])
        read(memory)
        assert len(memory.history("Ann", "home")) == MOST_STATING
        assert memory.verify().ok
        assert "Town 5" not in [fact.object for fact in memory.history("Ann", "home")]
        before = seen(memory)
        memory.rebuild()
        read(memory)
        assert seen(memory) == before


@pytest.mark.requirement("K-KEEP-11")
def test_what_is_said_again_and_again_holds_since_it_was_first_said() -> None:
    with idle() as memory:
        memory.add_many(timed(["Ann: lives in | Porto"] * MORE))
        read(memory, 256)
        (home,) = memory.facts("Ann", "home")
        assert home.sources[0] == "s:turn:0"
        assert len(home.sources) == MOST_STATING
        with memory.reads.store.snapshot() as reader:
            state = StoredStatements(reader, memory.space, TurnMarks(reader, memory.space))
            said = Statement(turn="", ordinal=0, subject="Ann", verb="lives in", object="x")
            assert len(state.stating(group_of(said))) == MOST_STATING
