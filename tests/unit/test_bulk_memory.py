"""A huge record is not held many times: not by the reader, not by the writer, not by what comes behind."""

import gc
import json
import tracemalloc
import weakref
from pathlib import Path

import pytest

from clew.index.entry import PieceSizes, PieceTerms, TurnEntry, decode, decode_sizes, encode, piece_sizes
from clew.ingest.importers import ImportedTurn, read_path
from clew.ingest.importers.message_turns import PIECE_CHARS
from clew.rows.turn_log import rows_by_ordinal
from clew.store.protocol import Transaction
from clew.store.sqlite import SqliteStore
from clew.types import MAX_TURN_CHARS, Turn
from tests.memories import quiet

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


@pytest.mark.requirement("F-BULK-02")
@pytest.mark.parametrize("speaker", [None, "Ann"])
def test_sizes_are_read_without_the_terms(speaker: str | None) -> None:
    pieces = (PieceTerms({"tea": 300, "cup": 2}, {"may": 1}, 470), PieceTerms({}, {}, 3), PieceTerms({"é": 1}, {}, 9))
    entry = TurnEntry(7, "s", 2, "b", speaker, "user", 12, 482, pieces, first_person=True, asks=True, stated=5)
    whole, (bare, sizes) = decode(encode(entry)), decode_sizes(encode(entry))
    assert sizes == piece_sizes(whole) == [PieceSizes(470, 257, 1), PieceSizes(3, 0, 0), PieceSizes(9, 1, 0)]
    names = ("ordinal", "session", "seq", "branch", "speaker", "role", "at", "chars", "first_person", "asks", "stated")
    assert all(getattr(bare, name) == getattr(entry, name) for name in names)
