"""A disk that is full, fails, writes half, or cannot be written: told as such, nothing lost, and survived."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from clew.errors import StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly
from clew.store.protocol import Transaction
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.translate import translated
from clew.store.values import Row
from tests.support.disk_faults import FaultyDisk
from tests.support.store_rows import everything, put, session, turn


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    made = FaultyDisk()
    yield made
    made.unregister()


@pytest.fixture
def store(disk: FaultyDisk, tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "home", vfs=disk.name, busy_timeout=0.2)
    put(opened, "session", session("before"))
    yield opened
    disk.fault = lambda _operation, _name: None
    opened.close()


def failing(operation: str, suffix: str, error: Exception | int) -> Callable[[str, str], int | None]:
    def fault(asked: str, name: str) -> int | None:
        if asked == operation and name.endswith(suffix):
            if isinstance(error, int):
                return error
            raise error
        return None

    return fault


FAULTS: list[tuple[str, Exception | int, type[StoreError], str]] = [
    ("write", apsw.FullError("no space left"), StoreFull, "Free space"),
    ("write", 100, StoreFull, "Free space"),
    ("write", apsw.IOError("bad sector"), StoreError, "Check the disk"),
    ("sync", apsw.IOError("lost power"), StoreError, "Check the disk"),
    ("write", apsw.ReadOnlyError("mounted read-only"), StoreReadOnly, "permissions"),
]


@pytest.mark.requirement("F-STORE-22")
@pytest.mark.parametrize(("operation", "error", "ours", "advice"), FAULTS)
def test_a_commit_that_fails_is_told_and_takes_nothing_with_it(
    disk: FaultyDisk, store: SqliteStore, operation: str, error: Exception | int, ours: type[StoreError], advice: str
) -> None:
    disk.fault = failing(operation, "-wal", error)
    for _ in range(3):
        with pytest.raises(ours, match=advice) as caught:
            put(store, "session", session("during"))
        assert isinstance(caught.value.__cause__, apsw.Error)
    assert everything(store, "session") == [session("before")]
    disk.fault = lambda _operation, _name: None
    put(store, "session", session("after"))
    assert everything(store, "session") == [session("after"), session("before")]
    assert store.check() == []


@pytest.mark.requirement("F-STORE-22", "F-STORE-08")
@pytest.mark.parametrize("size", [10, 20_000_000])
def test_all_who_share_a_failing_commit_are_told(disk: FaultyDisk, store: SqliteStore, size: int) -> None:
    """The large one outgrows the cache, so that the disk fails while the work runs and not at the commit."""
    disk.fault = failing("write", "-wal", apsw.FullError("no space left"))
    gate = threading.Event()
    told: list[str] = []

    def hold(tx: Transaction) -> None:
        gate.wait(60)
        tx.put_blob("a", "held", b"x")

    def add(number: int) -> None:
        work: Callable[[Transaction], None] = hold
        if number:
            work = lambda tx: tx.put_blob("a", str(number), bytes(size))  # noqa: E731  # one of two works
        try:
            store.transaction(work)
        except StoreFull as error:
            told.append(str(error))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert len(told) == 3
    disk.fault = lambda _operation, _name: None
    assert everything(store, "blob") == []
    put(store, "session", session("after"))


@pytest.mark.requirement("F-STORE-22")
def test_reading_from_a_failing_disk_is_told(disk: FaultyDisk, store: SqliteStore, tmp_path: Path) -> None:
    rows = [turn("s", seq, seq, text="long " * 1000) for seq in range(2000)]
    put(store, "turn", *rows)
    disk.fault = failing("read", "", apsw.IOError("bad sector"))
    with pytest.raises(StoreError, match="Check the disk"):
        everything(store, "turn")
    with pytest.raises(StoreError):
        store.backup(tmp_path / "copy")
    assert not list(tmp_path.glob("copy*")), "half a backup is left behind"
    disk.fault = lambda _operation, _name: None
    assert everything(store, "turn") == rows


@pytest.mark.requirement("F-STORE-22")
def test_a_log_that_cannot_be_copied_loses_nothing(disk: FaultyDisk, store: SqliteStore) -> None:
    disk.fault = failing("write", DATABASE, apsw.FullError("no space left"))
    for number in range(30):
        put(store, "blob", ("a", f"{number:02}", None, bytes(1_000_000)))
    assert len(everything(store, "blob")) == 30
    assert disk.done["write", "db"] > 0, "a checkpoint was tried"
    store.close()
    again = SqliteStore.open(Path(store.url.removeprefix("sqlite:///")))
    assert len(everything(again, "blob")) == 30
    again.close()


@pytest.mark.requirement("F-STORE-22")
def test_a_home_that_cannot_be_opened_is_told(disk: FaultyDisk, tmp_path: Path) -> None:
    disk.fault = failing("open", "", apsw.CantOpenError("no"))
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore.open(tmp_path / "home", vfs=disk.name)
    disk.fault = failing("write", "", apsw.FullError("no space left"))
    with pytest.raises(StoreFull):
        SqliteStore.open(tmp_path / "home", vfs=disk.name)
    disk.fault = lambda _operation, _name: None
    store = SqliteStore.open(tmp_path / "home", vfs=disk.name)
    put(store, "session", session("s"))
    store.close()


@pytest.mark.requirement("F-STORE-22")
def test_a_database_that_others_hold_is_told(store: SqliteStore) -> None:
    """Someone who takes no ticket, such as a database browser."""
    other = apsw.Connection(str(Path(store.url.removeprefix("sqlite:///")) / DATABASE))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match="try again"):
        put(store, "session", session("during"))
    other.execute("COMMIT")
    other.close()
    put(store, "session", session("after"))
    assert everything(store, "session") == [session("after"), session("before")]


@pytest.mark.requirement("F-STORE-15")
def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    rows: list[Row] = [turn("s", seq, seq, text=f"text {seq} " * 20) for seq in range(500)]
    put(store, "turn", *rows)
    store.close()
    file = tmp_path / "home" / DATABASE
    data = bytearray(file.read_bytes())
    page = data.index(b"text 250 ") // 4096 * 4096
    data[page : page + 8192] = b"\xa5" * 8192
    file.write_bytes(data)
    damaged = SqliteStore.open(tmp_path / "home")
    assert damaged.check() != []
    with pytest.raises(StoreCorrupt, match="clew verify"):
        everything(damaged, "turn")
    damaged.close()


@pytest.mark.requirement("F-STORE-15")
def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / DATABASE
    file.write_bytes(b"shopping list: wool, thread\n" * 100)
    with pytest.raises(StoreCorrupt, match="not a database"):
        SqliteStore.open(tmp_path)
    assert file.read_bytes() == b"shopping list: wool, thread\n" * 100


@pytest.mark.requirement("F-STORE-15")
def test_text_that_is_no_text_is_damage(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    put(store, "turn", *(turn("s", seq, seq, text=f"text {seq} " * 20) for seq in range(20)))
    store.close()
    file = tmp_path / "home" / DATABASE
    file.write_bytes(file.read_bytes().replace(b"text 7 ", b"\xff" * 7))
    damaged = SqliteStore.open(tmp_path / "home")
    with pytest.raises(StoreCorrupt, match=r"clew doctor.*restore-backup"):
        everything(damaged, "turn")
    damaged.close()


@pytest.mark.requirement("F-STORE-22")
def test_what_sqlite_says_of_no_error_is_left_out() -> None:
    ours = translated(apsw.FullError("FullError: not an error"))
    assert isinstance(ours, StoreFull)
    assert "not an error" not in str(ours)
