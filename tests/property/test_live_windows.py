"""The end of a session that a program sends again: aligned from its last turns as the whole session is."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.ingest.branches import TurnKey
from clew.ingest.identity import align
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader
from clew.types import Turn
from clew.write.live_windows import LiveWindows
from clew.write.session_log import next_seq, read_contents
from tests.support.effort import examples
from tests.support.memories import at, quiet, told

LETTERS = st.text("abcd", min_size=1, max_size=12)


def key(memory_key: dict[str, bytes], letter: str) -> TurnKey:
    return TurnKey(memory_key.get(letter, letter.encode()))


@pytest.mark.requirement("F-INGEST-96")
@settings(max_examples=examples(150, 2_000), deadline=None)
@given(LETTERS, LETTERS, st.integers(0, 8), st.booleans(), st.booleans())
def test_what_is_decided_from_the_end_is_what_the_whole_session_says(
    said: str, further: str, window: int, has_branch: bool, is_timed: bool
) -> None:
    with quiet() as memory:
        memory.add_many(told(letter, at=at(n) if is_timed else None) for n, letter in enumerate(said))
        if has_branch:
            memory.add_many([told(said[0], at=at(0) if is_timed else None), told("an edit")])
        with memory.reads.store.snapshot() as reader:
            contents = read_contents(reader, memory.space, "s", ())
            hashes = {letter: each.hash for letter, each in zip(said, contents.keys, strict=False)}
            keys = [key(hashes, letter) for letter in said[max(0, len(said) - window) :] + further]
            found = LiveWindows(memory.space).places(reader, "s", keys, next_seq(reader, memory.space, "s"))
            whole = align(contents.keys, keys, is_live=True)
    if found is None:
        return
    places, seqs = found
    known = [None if place.known is None else seqs[place.known] for place in places]
    assert known == [None if place.known is None else contents.seqs[place.known] for place in whole]
    assert [(place.branch, place.opens) for place in places if place.is_new] == [
        (place.branch, place.opens) for place in whole if place.is_new
    ]


class Counting(MemoryStore):
    """A store that counts the turns that its own thread reads by ranges."""

    def __init__(self) -> None:
        super().__init__()
        self.migrate()
        self.read = 0
        self.thread = threading.get_ident()

    def snapshot(self) -> Any:
        inner = super().snapshot()
        store = self

        class Counted:
            def __enter__(self) -> Reader:
                reader = inner.__enter__()
                scan = reader.scan

                def counted(table: str, *args: Any, **more: Any) -> Sequence[Any]:
                    rows = scan(table, *args, **more)
                    store.read += len(rows) if table == "turn" and threading.get_ident() == store.thread else 0
                    return rows

                setattr(reader, "scan", counted)  # noqa: B010  # a method of an instance
                return reader

            def __exit__(self, *error: Any) -> None:
                inner.__exit__(*error)

        return Counted()


@pytest.mark.requirement("F-INGEST-96")
@pytest.mark.parametrize("count", [100, 1_000])
def test_the_cost_of_a_window_does_not_grow_with_the_session(count: int) -> None:
    store = Counting()
    with quiet(store) as memory:
        memory.add_many(Turn(role="user", content=f"turn {n}", session="s") for n in range(count))
        history = [{"role": "user", "content": f"turn {n}"} for n in range(count)][-10:]
        reads = []
        for n in range(4):
            history = [*history[1:], {"role": "user", "content": f"question {n}"}]
            before = store.read
            memory.update(history, session="s")
            reads.append(store.read - before)
        assert max(reads[1:]) <= 60
