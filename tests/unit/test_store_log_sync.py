"""The thread that brings SQLite's log to the disk behind the writer."""

import os
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw
import pytest

from clew.errors import ClosedError, StoreError
from clew.store.log_sync import LogSync
from clew.store.protocol import Transaction
from clew.store.sqlite import DATABASE, SqliteStore
from tests.support.disk_faults import FaultyDisk
from tests.support.store_rows import everything, session

T = TypeVar("T")


def _unexpected() -> None:
    raise AssertionError("the log is on the disk")


@pytest.mark.requirement("P-BYTE-02")
def test_a_log_is_synced_for_all_who_asked_before(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"frames")
    sync = LogSync(log, _unexpected)
    with sync._arrival:  # the thread begins nothing meanwhile
        first, second = sync.begin(), sync.begin()
    assert first == second
    first()
    assert sync.begin() != first
    sync.close()


@pytest.mark.requirement("P-BYTE-02")
def test_everybody_who_waits_is_told_that_the_disk_failed(tmp_path: Path) -> None:
    doubts: list[None] = []
    sync = LogSync(tmp_path, lambda: doubts.append(None))  # a directory cannot be opened for writing
    with sync._arrival:
        waits = [sync.begin(), sync.begin()]
    for wait in waits:
        with pytest.raises(StoreError, match="operating system refused"):
            wait()
    assert len(doubts) == 1
    sync.close()


@pytest.mark.requirement("P-BYTE-02")
def test_closing_ends_what_was_begun_and_begins_nothing_more(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    sync = LogSync(log, _unexpected)
    wait = sync.begin()
    sync.close()
    wait()
    with pytest.raises(ClosedError):
        sync.begin()


@pytest.mark.requirement("P-BYTE-02")
def test_a_commit_that_is_not_waited_for_makes_the_writer_wait_for_no_disk(tmp_path: Path) -> None:
    disk = FaultyDisk()
    store = SqliteStore.open(tmp_path / "home", vfs=disk.name)
    store.transaction(lambda tx: tx.put("session", [session("first")]))
    before = dict(disk.done)
    done = store.committed(lambda tx: tx.put("session", [session("second")]))
    assert disk.done["write", "wal"] > before["write", "wal"]
    assert disk.done["sync", "wal"] == before["sync", "wal"]
    done.wait_for_disk()
    store.close()
    disk.unregister()
    assert not (tmp_path / "home" / f"{DATABASE}-wal").exists()


@pytest.mark.requirement("S-LINE-08")
def test_who_writes_nothing_waits_until_what_was_read_is_on_the_disk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(SqliteStore.open(home)) as store:
        store.transaction(lambda tx: tx.put("session", [session("first")]))
        log, moved = home / f"{DATABASE}-wal", home / "moved"
        log.rename(moved)
        store.committed(lambda tx: tx.put("session", [session("second")]))  # nobody waits for it
        with pytest.raises(StoreError, match="does not exist"):
            store.transaction(lambda _: None)
        store.transaction(lambda _: None, durable=False)
        moved.rename(log)
        store.transaction(lambda _: None)
        assert [row[1] for row in everything(store, "session")] == ["first", "second"]


@pytest.mark.requirement("S-LINE-08")
@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_log_that_is_moved_after_it_was_synced_once_is_not_acknowledged(is_replaced: bool, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(SqliteStore.open(home)) as store:
        store.committed(lambda tx: tx.put("session", [session("first")])).wait_for_disk()
        log, moved = home / f"{DATABASE}-wal", home / "moved"
        log.rename(moved)
        if is_replaced:
            shutil.copyfile(moved, log)
        done = store.committed(lambda tx: tx.put("session", [session("second")]))
        for _ in range(2):
            with pytest.raises(StoreError, match="does not exist"):
                done.wait_for_disk()
        moved.rename(log)
        store.committed(lambda tx: tx.put("session", [session("third")])).wait_for_disk()
        assert [row[1] for row in everything(store, "session")] == ["first", "second", "third"]


@pytest.mark.skipif(sys.platform != "linux", reason="counts the process's open files in /proc")
@pytest.mark.requirement("P-BYTE-02")
def test_the_log_is_opened_once_and_closed_with_the_store(tmp_path: Path) -> None:
    log = tmp_path / f"{DATABASE}-wal"

    def handles() -> int:
        return sum(os.path.realpath(each) == str(log) for each in Path("/proc/self/fd").iterdir())

    with closing(SqliteStore.open(tmp_path)) as store:
        store.transaction(lambda tx: tx.put("session", [session("first")]))
        before = handles()
        for name in ("second", "third"):
            store.committed(partial(_put, name)).wait_for_disk()
            assert handles() == before + 1
    assert handles() == 0


@pytest.mark.requirement("P-REV-31")
def test_after_a_failed_sync_all_that_was_committed_is_brought_into_the_database(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(SqliteStore.open(home)) as store:
        log, moved = home / f"{DATABASE}-wal", home / "moved"
        store.transaction(lambda tx: tx.put("session", [session("first")]))
        log.rename(moved)  # the writer has it open still
        done = store.committed(lambda tx: tx.put("session", [session("second")]))
        with pytest.raises(StoreError, match="does not exist"):
            done.wait_for_disk()
        moved.rename(log)
        store.transaction(lambda tx: tx.put("session", [session("third")]))
        assert _names(home, tmp_path / "without the log") == ["first", "second"]
        assert log.stat().st_size < 10 * 4096, "only the last commit is in the log"
        store.committed(lambda tx: tx.put("session", [session("fourth")])).wait_for_disk()


@pytest.mark.requirement("P-REV-31")
def test_nothing_is_written_after_a_failed_sync_before_the_log_is_copied(tmp_path: Path) -> None:
    disk = FaultyDisk()
    home = tmp_path / "home"
    with closing(SqliteStore.open(home, vfs=disk.name)) as store:
        log, moved = home / f"{DATABASE}-wal", home / "moved"
        store.transaction(lambda tx: tx.put("session", [session("first")]))
        disk.fault = _refuse_sync
        log.rename(moved)
        with pytest.raises(StoreError):
            store.committed(lambda tx: tx.put("session", [session("second")])).wait_for_disk()
        moved.rename(log)
        for durable in (True, False):
            with pytest.raises(StoreError, match="disk failed"):
                store.transaction(lambda tx: tx.put("session", [session("lost")]), durable=durable)
        disk.fault = lambda _operation, _name: None
        store.transaction(lambda tx: tx.put("session", [session("third")]))
        assert _names(home, tmp_path / "without the log") == ["first", "second"]
    disk.unregister()


def _put(name: str, tx: Transaction) -> None:
    tx.put("session", [session(name)])


def _refuse_sync(operation: str, _name: str) -> None:
    if operation == "sync":
        raise apsw.IOError("the disk failed")


def _names(home: Path, copy: Path) -> list[str]:
    """The sessions in the database without its log, as they are after a loss of power."""
    copy.mkdir()
    shutil.copyfile(home / DATABASE, copy / DATABASE)
    with closing(SqliteStore.open(copy)) as store:
        return [str(row[1]) for row in everything(store, "session")]


class ClosedMeanwhile(SqliteStore):
    """A store that another thread closes right after a commit."""

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Commits, then closes."""
        result = super().transaction(work, durable=durable)
        closing = threading.Thread(target=self.close)
        closing.start()
        closing.join()
        return result


@pytest.mark.requirement("P-BYTE-02")
@pytest.mark.parametrize("is_last", [True, False])
def test_what_is_committed_before_another_thread_closes_the_store_is_acknowledged(
    is_last: bool, tmp_path: Path
) -> None:
    """Else its caller would write it again after opening the store anew."""
    with nullcontext() if is_last else closing(SqliteStore.open(tmp_path)):
        done = ClosedMeanwhile.open(tmp_path).committed(lambda tx: tx.put("session", [session("kept")]))
        done.wait_for_disk()
        assert ClosedMeanwhile.open(tmp_path).transaction(lambda tx: tx.count("session", ("a",), ("a",))) == 1
