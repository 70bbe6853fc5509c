"""How much of a space is read to list its sessions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, cast

import pytest

from clew.adapters.session_log import Stretches
from clew.memory import Memory
from clew.recall.sessions import list_sessions
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader
from clew.store.values import Key, Row
from clew.types import Turn
from tests.support.memories import quiet
from tests.support.ranking_spaces import NOON


class CountingReader:
    """A reader that counts the rows that are asked for by their keys."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.rows = 0

    def get_many(self, table: str, keys: Sequence[Key], **options: Any) -> list[Row | None]:
        self.rows += len(keys)
        return self._reader.get_many(table, keys, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


class CountingStore(MemoryStore):
    """Counts the rows that are asked for by their keys."""

    rows = 0

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        with super().snapshot() as reader:
            counting = CountingReader(reader)
            yield cast(Reader, counting)
            self.rows += counting.rows


def fill(memory: Memory, count: int) -> None:
    memory.add_many(
        Turn(role="user", content=f"Question {n}", session=f"s{n:03}", at=NOON + timedelta(hours=n))
        for n in range(count)
    )


@pytest.mark.requirement("A-LINE-04")
def test_of_many_sessions_only_those_that_are_listed_are_read() -> None:
    read = []
    for count in (20, 60):
        with quiet(MemoryStore()) as memory:
            fill(memory, count)
            with memory.reads.store.snapshot() as reader:
                counting = CountingReader(reader)
                found = list_sessions(cast(Reader, counting), "default", memory.reads.live.view(), limit=3)
            assert [each.name for each in found] == [f"s{n:03}" for n in range(count - 1, count - 4, -1)]
            assert found == memory.sessions()[:3]
            assert [each.name for each in memory.sessions(since=NOON + timedelta(hours=count - 2), limit=1)] == [
                f"s{count - 1:03}"
            ]
            read.append(counting.rows)
    assert read[0] == read[1]


@pytest.mark.requirement("P-ADP-03")
def test_a_conversation_is_opened_without_reading_the_others() -> None:
    taken = []
    for count in (5, 50):
        store = CountingStore()
        with quiet(store) as memory:
            fill(memory, count)
            memory.add(Turn(role="user", content="Go on", session="thread#3"))
            before = store.rows
            assert Stretches(memory, "thread").session() == "thread#3"
            taken.append(store.rows - before)
    assert taken[0] == taken[1]
