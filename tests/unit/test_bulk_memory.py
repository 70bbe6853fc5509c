"""A huge record is not held many times: not by the reader, not by the writer, not by what comes behind."""

import gc
import json
import tracemalloc
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from clew.derive.compaction_trigger import TaskWatch
from clew.index.entry import PieceSizes, PieceTerms, TurnEntry, decode, decode_sizes, encode, piece_sizes
from clew.ingest.importers import ImportedTurn, read_path
from clew.ingest.importers.message_turns import PIECE_CHARS
from clew.rows.turn_log import rows_by_ordinal, rows_by_seq
from clew.store.protocol import Reader, Transaction
from clew.store.sqlite import SqliteStore
from clew.store.values import Key, Row
from clew.types import MAX_TURN_CHARS, Part, Turn
from tests.support.memories import quiet

LONG = 3 * MAX_TURN_CHARS


@pytest.mark.requirement("F-BULK-01")
def test_a_record_is_held_once_while_its_turns_are_stored(tmp_path: Path) -> None:
    file = tmp_path / "big.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "a word and more \n" * (LONG // 17)}), encoding="utf-8")
    tracemalloc.start()
    try:
        held = []
        for record in read_path(file):
            assert isinstance(record, ImportedTurn)
            held.append(tracemalloc.get_traced_memory()[0])
            del record
    finally:
        tracemalloc.stop()
    assert len(held) == LONG // PIECE_CHARS + 1
    assert max(held) < LONG + 3 * PIECE_CHARS  # the record, one turn, and the parts of the next one


@pytest.mark.requirement("F-BULK-01")
def test_the_writer_lets_go_of_what_it_wrote(tmp_path: Path) -> None:
    class Much:
        """What a transaction writes."""

    store = SqliteStore.open(tmp_path / "home")
    store.migrate()
    much = Much()
    gone = weakref.ref(much)

    def write(_tx: Transaction, much: Much = much) -> None:
        assert isinstance(much, Much)

    store.transaction(write)
    del much, write
    gc.collect()
    assert gone() is None
    store.close()


@pytest.mark.slow
@pytest.mark.requirement("F-BULK-02")
def test_long_turns_are_written_in_batches_of_their_own(tmp_path: Path) -> None:
    with quiet() as memory:
        turns = [Turn(role="user", content=f"word {n}" + " " * 1_500_000 + "end", session="s") for n in range(4)]
        settled: list[int] = []
        memory.add_many(turns, on_progress=settled.append)
    assert settled == [3, 4]


@pytest.mark.requirement("F-BULK-02")
def test_what_becomes_a_blob_counts_like_text(tmp_path: Path) -> None:
    file = tmp_path / "tools.jsonl"
    results = ({"role": "tool", "content": f"{n} " + "result " * 200_000, "session": "s"} for n in range(4))
    file.write_text("\n".join(map(json.dumps, results)), encoding="utf-8")
    with quiet() as memory:
        settled: list[int] = []
        memory.import_path(file, on_progress=settled.append)
    assert settled == [3, 4]


@pytest.mark.requirement("F-BULK-02")
def test_long_turns_are_read_a_few_at_a_time() -> None:
    with quiet() as memory:
        memory.add_many([Turn(role="user", content=f"{n} " + "word " * 20, session="s") for n in range(9)])
        with memory.parts.reads.store.snapshot() as reader:
            low, high = (memory.space, 0), (memory.space,)

            def read(limit: int, chars: int) -> list[int]:
                return [row.ordinal for row in rows_by_ordinal(reader, low, high, limit, chars)]

            assert read(100, 1_000_000) == list(range(9))
            assert read(7, 1_000_000) == list(range(7))
            assert read(100, 10) == [0], "one that is too long comes alone"
            assert read(100, 150) == [0, 1, 2, 3]
            for limit, chars in ((100, 1_000_000), (7, 1_000_000), (100, 10), (100, 150)):
                rows = rows_by_seq(reader, (memory.space, "s", 2), (memory.space, "s", 7), limit, chars)
                assert [row.seq for row in rows] == [n + 2 for n in read(limit, chars) if n < 6], (limit, chars)


class Watching:
    """A reader that notes how many turns each scan gives."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.sizes: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def scan(self, table: str, low: Key, high: Key, **more: Any) -> list[Row]:
        rows = self._reader.scan(table, low, high, **more)
        if table == "turn":
            self.sizes.append(len(rows))
        return rows


@pytest.mark.slow
@pytest.mark.requirement("F-BULK-02")
def test_the_watch_of_tasks_reads_a_long_session_a_few_turns_at_a_time() -> None:
    call = Part(type="tool_call", name="TodoWrite", call_id="t", text='{"todos": [{"content": "a", "status": "%s"}]}')
    turns = [Turn(role="user", content=f"{n} " + "word " * 300_000, session="s") for n in range(6)]
    for place, status in ((1, "pending"), (4, "completed")):
        turns[place] = Turn(role="assistant", content=(replace(call, text=call.text % status),), session="s")
    with quiet() as memory:
        memory.add_many(turns)
        with memory.parts.reads.store.snapshot() as reader:
            watching = Watching(reader)
            assert TaskWatch(memory.space).is_completed(cast(Reader, watching), "s", -1)
    assert max(watching.sizes) == 3
    assert sum(watching.sizes) == len(turns)


@pytest.mark.requirement("F-BULK-02")
@pytest.mark.parametrize("speaker", [None, "Ann"])
def test_sizes_are_read_without_the_terms(speaker: str | None) -> None:
    pieces = (PieceTerms({"tea": 300, "cup": 2}, {"may": 1}, 470), PieceTerms({}, {}, 3), PieceTerms({"é": 1}, {}, 9))
    entry = TurnEntry(7, "s", 2, "b", speaker, "user", 12, 482, pieces, first_person=True, asks=True, stated=5)
    whole, (bare, sizes) = decode(encode(entry)), decode_sizes(encode(entry))
    assert sizes == piece_sizes(whole) == [PieceSizes(470, 257, 1), PieceSizes(3, 0, 0), PieceSizes(9, 1, 0)]
    names = ("ordinal", "session", "seq", "branch", "speaker", "role", "at", "chars", "first_person", "asks", "stated")
    assert all(getattr(bare, name) == getattr(entry, name) for name in names)
