"""An import needs no more memory for a longer file, and still aligns each session as a whole."""

import gc
import json
import tracemalloc
from pathlib import Path

import pytest

from clew.config import IngestConfig
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock
from clew.write.append import Appender
from clew.write.ingest import import_path
from tests.support.memories import NOON, quiet

SESSIONS = 30
SMALL = {"ingest": {"gather_turns": 20, "batch": 20}}


def write(path: Path, count: int, *, ids: bool, one_by_one: bool = False) -> Path:
    """A file of turns of many sessions, in turn or one by one."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            session = f"{path.stem}{number // 50}" if one_by_one else f"s{number % SESSIONS}"
            record = {"role": "user", "session": session, "content": f"word {number % 7} and so on"}
            file.write(json.dumps({**record, "external_id": f"e{number}"} if ids else record) + "\n")
    return path


@pytest.mark.requirement("F-INGEST-36", "F-INGEST-19")
@pytest.mark.parametrize("ids", [False, True])
def test_sessions_in_turn_are_known_again_and_grow(tmp_path: Path, ids: bool) -> None:
    with quiet(config=SMALL) as memory:
        assert memory.import_path(write(tmp_path / "a.jsonl", 240, ids=ids)).added == 240
        again = memory.import_path(write(tmp_path / "b.jsonl", 240, ids=ids))
        assert (again.added, again.known, again.rejected) == (0, 240, ())
        grown = memory.import_path(write(tmp_path / "c.jsonl", 330, ids=ids))
        assert (grown.added, grown.known, grown.rejected) == (90, 240, ())
        assert grown.turn_ids == tuple(f"s{number % SESSIONS}:turn:{number // SESSIONS}" for number in range(330))


def held(appender: Appender, path: Path) -> int:
    """The most bytes of Python that an import holds between two batches.

    CPython keeps up to 2,000 freed tuples of each length until a full collection, and tracemalloc counts them.
    How many are kept already, and when a full collection comes, depends on what the process did before. So every batch
    is followed by a full collection, and what was there before is set aside, which keeps these fast.
    """
    sizes: list[int] = []

    def look(_: int) -> None:
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])

    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        config = IngestConfig(gather_turns=20, batch=20)
        import_path(appender, path, config, FrozenClock(NOON), on_progress=look)
        return max(sizes)
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.mark.slow
@pytest.mark.requirement("F-INGEST-36")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    store.migrate()
    appender = Appender(store, "default", 20)
    held(appender, write(tmp_path / "warm.jsonl", 100, ids=True, one_by_one=True))
    first = held(appender, write(tmp_path / "a.jsonl", 400, ids=True, one_by_one=True))
    second = held(appender, write(tmp_path / "b.jsonl", 2400, ids=True, one_by_one=True))
    store.close()
    assert (second - first) / 2000 < 100  # most of it are the ids for the report
