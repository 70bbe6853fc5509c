"""The thread that brings SQLite's log to the disk behind the writer."""

from pathlib import Path

import pytest

from clew.errors import ClosedError, StoreError
from clew.store.log_sync import LogSync
from clew.store.sqlite import DATABASE, SqliteStore
from tests.contract.faults import FaultyDisk
from tests.contract.rows import session


@pytest.mark.requirement("P-BYTE-02")
def test_a_log_is_synced_for_all_who_asked_before(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"frames")
    sync = LogSync(log)
    with sync._arrival:  # the thread begins nothing meanwhile
        first, second = sync.begin(), sync.begin()
    assert first == second
    first()
    assert sync.begin() != first
    sync.close()


@pytest.mark.requirement("P-BYTE-02")
def test_everybody_who_waits_is_told_that_the_disk_failed(tmp_path: Path) -> None:
    sync = LogSync(tmp_path)  # a directory cannot be opened for writing
    with sync._arrival:
        waits = [sync.begin(), sync.begin()]
    for wait in waits:
        with pytest.raises(StoreError, match="operating system refused"):
            wait()
    sync.close()


@pytest.mark.requirement("P-BYTE-02")
def test_a_log_that_was_copied_and_removed_needs_no_sync(tmp_path: Path) -> None:
    sync = LogSync(tmp_path / "gone")
    sync.begin()()
    sync.close()


@pytest.mark.requirement("P-BYTE-02")
def test_closing_ends_what_was_begun_and_begins_nothing_more(tmp_path: Path) -> None:
    sync = LogSync(tmp_path / "gone")
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
