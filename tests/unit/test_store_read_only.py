"""A home that can be read and not written."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew import Memory
from clew.errors import ClosedError, StoreCorrupt, StoreError, StoreLocked, StoreReadOnly
from clew.memory.recalls import open_recalls
from clew.store.open import open_store
from clew.store.read_only import ReadOnlyStore, is_read_only
from clew.store.sqlite import DATABASE, SqliteStore
from clew.testing import FrozenClock
from tests.support.memories import NOON, quiet, told

pytestmark = pytest.mark.requirement("F-MENDED-01")

NOBODY = 65_534


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two turns that nobody has open."""
    place = tmp_path / "home"
    with quiet(place) as memory:
        memory.add(told("The hive is weak, and the queen is gone."))
        memory.add(told("The ferry to Skye leaves at nine."))
        memory.drain()
    return place


def as_others_see_it(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.fixture
def reading(home: Path) -> Iterator[Memory]:
    """The memory of `home`, opened for reading."""
    with closing(ReadOnlyStore(home)) as store, Memory.open(store, clock=FrozenClock(NOON), embedder="none") as memory:
        yield memory


def test_it_is_recalled_searched_queried_and_exported_and_nothing_is_written(
    home: Path, reading: Memory, tmp_path: Path
) -> None:
    before = as_others_see_it(home)
    context = reading.recall("the hive")
    assert "queen" in context.text
    assert reading.explain(context.receipt_id).id == context.receipt_id == reading.explain().id
    assert [hit.turn.text[:8] for hit in reading.search("ferry")][:1] == ["The ferr"]
    assert len(reading.query('"hive"')) == 1
    assert reading.restore(context.items[0].turn_ids[0]).text.startswith("The hive")
    assert reading.export(tmp_path / "out.jsonl") == 2
    assert reading.backup(tmp_path / "copy.db") > 0
    assert reading.verify().ok
    assert reading.drain()
    assert reading.stats().details["worker_failure"] == "the home cannot be written by this user"
    reading.close()
    assert as_others_see_it(home) == before


def test_a_write_says_that_it_is_read_only_and_what_to_do(reading: Memory) -> None:
    for write in (
        lambda: reading.add(told("A new turn.")),
        reading.pause,
        lambda: reading.forget(match="hive"),
        reading.rebuild,
        reading.reads.store.scrub,
    ):
        with pytest.raises(StoreReadOnly, match="copy the home and open the copy, or ask its owner"):
            write()


def test_only_the_newest_receipts_are_held(home: Path) -> None:
    settings = {"receipts": 2}
    with (
        closing(ReadOnlyStore(home)) as store,
        Memory.open(store, clock=FrozenClock(NOON), embedder="none", config=settings) as memory,
    ):
        for question in ("the hive", "the ferry", "the queen"):
            memory.recall(question)
        assert len(memory.reads.receipts.recent(9)) == 2
        assert memory.stats().pending == {}


def test_what_the_owner_commits_meanwhile_is_seen(home: Path, reading: Memory) -> None:
    assert not reading.find_quote("violin")
    with quiet(home) as owner:
        owner.add(told("The violin is at the luthier."))
        owner.drain()
        assert len(reading.find_quote("violin")) == 1  # from the log
        owner.add(told("The violin is back."))
        assert len(reading.find_quote("violin")) == 2
    assert len(reading.find_quote("violin")) == 2  # from the database, into which closing copied the log


def test_a_snapshot_during_which_the_owner_copied_his_log_says_so(home: Path) -> None:
    with closing(ReadOnlyStore(home)) as store:
        with pytest.raises(StoreLocked, match="try again"), store.snapshot(), quiet(home) as owner:
            owner.add(told("One more."))
        with store.snapshot() as reader, store.snapshot() as inner:
            assert inner is reader
            assert reader.count("turn", ("default",), ("default",)) == 3


def test_what_a_killed_writer_left_is_read_with_its_log(home: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    with quiet(home) as owner:
        owner.add(told("The violin is at the luthier."))
        shutil.copytree(home, killed)
    with closing(ReadOnlyStore(killed)) as store, open_recalls(store, embedder="none") as memory:
        assert len(memory.find_quote("violin")) == 1
    (killed / f"{DATABASE}-shm").unlink()
    with pytest.raises(StoreReadOnly, match=r"index .* is gone"):
        ReadOnlyStore(killed)


def test_a_schema_that_is_old_new_or_foreign_is_refused(home: Path) -> None:
    def number(value: int) -> None:
        with closing(SqliteStore.open(home)) as store:
            store._writer._connection.execute(f"PRAGMA user_version = {value}")

    number(1)
    with pytest.raises(StoreReadOnly, match="has schema 1 and must be brought to"):
        ReadOnlyStore(home)


def test_a_closed_one_is_closed(home: Path) -> None:
    store = ReadOnlyStore(home)
    assert store.spaces() == ["default"]
    assert store.size() > 0
    store.close()
    for work in (store.spaces, store.size, store.version):
        with pytest.raises(ClosedError):
            work()


def test_a_thread_that_is_about_to_read_while_another_notices_a_new_file_still_reads(home: Path) -> None:
    with closing(ReadOnlyStore(home)) as store:
        about_to_read, _ = store._fresh()
        with quiet(home) as owner:
            owner.add(told("One more."))
        store.version()
        assert store._fresh()[0] is not about_to_read
        with about_to_read.snapshot() as reader:
            assert reader.count("turn", ("default",), ("default",)) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="needs a list of the process's open files")
def test_one_that_is_refused_leaves_no_file_open(home: Path) -> None:
    with closing(SqliteStore.open(home)) as store:
        store._writer._connection.execute("PRAGMA user_version = 1")
    before = len(list(Path("/proc/self/fd").iterdir()))
    refused = []
    for _ in range(3):
        with pytest.raises(StoreReadOnly) as caught:
            ReadOnlyStore(home)
        refused.append(caught.value)
    (home / DATABASE).write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreCorrupt) as corrupt:
        ReadOnlyStore(home)
    assert len(list(Path("/proc/self/fd").iterdir())) == before, (refused, corrupt)


def test_a_home_that_is_no_folder_any_more_is_told_in_our_words(home: Path) -> None:
    with closing(ReadOnlyStore(home)) as store:
        shutil.rmtree(home)
        home.write_text("a file")
        for work in (store.spaces, store.version, store.size):
            with pytest.raises(StoreError):
                work()


@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("protected", ["home", "file"])
def test_a_home_without_the_right_to_write_is_opened_for_reading(protected: str) -> None:
    place = Path(tempfile.mkdtemp(prefix="clew-edge-"))
    try:
        with quiet(place) as memory:
            memory.add(told("The hive is weak."))
        os.chown(place, NOBODY, NOBODY)
        for path in place.iterdir():
            os.chown(path, NOBODY, NOBODY)
        (place if protected == "home" else place / DATABASE).chmod(0o500 if protected == "home" else 0o400)
        assert not is_read_only(place)  # for root, whom no right stops
        os.seteuid(NOBODY)
        try:
            with closing(open_store(place)) as store:
                assert not store.writable
                with store.snapshot() as reader:
                    assert reader.count("turn", ("default",), ("default",)) == 1
        finally:
            os.seteuid(0)
    finally:
        shutil.rmtree(place)


@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_home_without_the_right_to_read_says_so_and_not_that_it_could_be_copied() -> None:
    place = Path(tempfile.mkdtemp(prefix="clew-edge-"))
    try:
        with quiet(place) as memory:
            memory.add(told("The hive is weak."))
        place.chmod(0o755)  # its files are for their owner alone
        os.seteuid(NOBODY)
        try:
            with pytest.raises(StoreReadOnly, match=r"clew\.db' cannot be read by this user; ask its owner"):
                open_store(place)
        finally:
            os.seteuid(0)
    finally:
        shutil.rmtree(place)
