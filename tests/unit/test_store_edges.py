"""The edges of a home: who may read its files, what becomes of an emptied one, a full disk, names that cannot be."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.errors import InputError, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.memory.recalls import open_recalls
from clew.store.file_copy import copy_file
from clew.store.memory import MemoryStore
from clew.store.migrate import migrate, schema_number
from clew.store.new_file import UNFINISHED, folder_beside
from clew.store.protocol import Store, Transaction
from clew.store.read_only import ReadOnlyStore
from clew.store.rekey import rekey
from clew.store.restore_backup import restore_backup
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.statements import migrations
from clew.testing import FrozenClock
from tests.support.cli_runs import failure
from tests.support.memories import NOON, quiet, told

HUGE = 10**6000
NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """A directory that everybody may read, with the usual mask."""
    before = os.umask(0o022)
    tmp_path.chmod(0o755)
    yield tmp_path
    os.umask(before)


@pytest.mark.requirement("F-STORE-33")
def test_all_that_is_written_is_for_its_owner_alone_in_any_directory(shared: Path) -> None:
    home = shared / "home"
    home.mkdir(0o755)
    with quiet(home) as memory:
        memory.add(told("The hive is weak."))
        memory.export(shared / "log.jsonl")
        memory.backup(shared / "backup.db")
        written = [*home.iterdir(), shared / "log.jsonl", shared / "backup.db"]
        assert {path.name: oct(mode(path)) for path in written if mode(path) & 0o077} == {}
        assert {"clew.db", "clew.db-wal", "clew.db-shm"} <= {path.name for path in written}


@pytest.mark.requirement("F-STORE-33")
@pytest.mark.parametrize(("found", "left"), [(0o644, 0o600), (0o640, 0o600), (0o660, 0o660), (0o600, 0o600)])
def test_an_older_home_is_closed_to_readers_unless_it_is_shared_for_writing(
    shared: Path, found: int, left: int
) -> None:
    SqliteStore.open(shared).close()
    (shared / DATABASE).chmod(found)
    SqliteStore.open(shared).close()
    assert mode(shared / DATABASE) == left


@pytest.mark.requirement("F-STORE-34")
def test_an_emptied_database_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add(told("The hive is weak."))
    os.truncate(tmp_path / DATABASE, 0)
    with pytest.raises(StoreCorrupt, match="is empty, and it was not"):
        quiet(tmp_path)
    for command in ("verify", "doctor", "stats"):
        assert "is empty" in failure(1, command, "--home", tmp_path)
    assert (tmp_path / DATABASE).stat().st_size == 0
    (tmp_path / DATABASE).unlink()
    with quiet(tmp_path) as memory:
        assert memory.is_empty


@pytest.mark.requirement("F-STORE-34")
def test_a_database_whose_making_was_killed_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    with quiet(tmp_path) as memory:
        assert memory.is_empty


class FullStore:
    """A store whose disk is full for receipts."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
        def guarded(tx: Transaction) -> Any:
            result = work(tx)
            if tx.count("receipt", ("default",), ("default",)):
                raise StoreFull("the disk is full")
            return result

        return self._store.transaction(guarded, durable=durable)


@pytest.mark.requirement("F-STORE-35")
def test_closing_succeeds_when_only_a_receipt_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(SqliteStore.open(tmp_path)) as store:
        memory = Memory.open(FullStore(store), clock=FrozenClock(NOON), embedder="none")
        memory.add(told("The hive is weak."))
        memory.drain()
        assert "hive" in memory.recall("the hive").text
        memory.close()
        assert "receipts of the last recalls are lost" in caplog.text
        caplog.clear()
        with open_recalls(FullStore(store), embedder="none") as questions:  # as `clew recall` asks
            assert "hive" in questions.recall("the hive").text
        assert "receipts of the last recalls are lost" in caplog.text


@pytest.mark.requirement("F-STORE-36")
@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("protected", ["home", "file"])
def test_a_home_that_cannot_be_written_says_so(protected: str) -> None:
    home = Path(tempfile.mkdtemp(prefix="clew-edge-"))
    try:
        with quiet(home) as memory:
            memory.add(told("The hive is weak."))
        os.chown(home, NOBODY, NOBODY)
        for path in home.iterdir():
            os.chown(path, NOBODY, NOBODY)
        (home if protected == "home" else home / DATABASE).chmod(0o500 if protected == "home" else 0o400)
        os.seteuid(NOBODY)
        try:
            with pytest.raises(StoreReadOnly, match="copy the home and open the copy"):
                SqliteStore.open(home)
        finally:
            os.seteuid(0)
    finally:
        shutil.rmtree(home)


@pytest.mark.requirement("F-STORE-37")
def test_what_a_killed_backup_left_is_removed_by_the_next_one_and_a_living_one_is_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(SqliteStore.open(home)) as store:
        left = tmp_path / f"old.db{UNFINISHED}"
        for suffix in ("", "-journal", "-wal", "-shm"):
            left.with_name(left.name + suffix).write_bytes(b"pages")
        store.backup(tmp_path / "new.db")
        assert {path.name for path in tmp_path.iterdir()} == {"home", "new.db"}


@pytest.mark.requirement("F-STORE-37")
def test_the_folder_that_a_killed_backup_of_a_memory_left_is_removed_and_a_living_one_is_not(tmp_path: Path) -> None:
    store = MemoryStore()
    left = tmp_path / "tmpabcd.clew-unfinished-home"
    left.mkdir()
    for name in ("clew.unfinished", "clew.db"):
        (left / name).write_bytes(b"pages")
    with folder_beside(tmp_path / "old.db") as living:
        assert not left.exists()
        left.mkdir()
        (left / "clew.unfinished").touch()
        store.backup(tmp_path / "new.db")
        assert {path.name for path in tmp_path.iterdir()} == {living.name, "new.db"}
    assert {path.name for path in tmp_path.iterdir()} == {"new.db"}


@pytest.mark.requirement("F-STORE-37")
@pytest.mark.parametrize("rest", [b"", b"\0\0\0", b"{folder}/kept.db", b"{folder}/kept.db\0.clew-unfinished"])
def test_a_note_that_a_full_disk_cut_short_neither_stops_a_backup_nor_removes_a_file(
    rest: bytes, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.db"
    kept.write_bytes(b"mine")
    with closing(SqliteStore.open(tmp_path / "home")) as store:
        note = tmp_path / "home" / "clew.backup-cut_0_00"
        note.write_bytes(rest.replace(b"{folder}", os.fsencode(tmp_path)))
        store.backup(tmp_path / "new.db")
        assert not note.exists()
    assert kept.read_bytes() == b"mine"


@pytest.mark.requirement("F-STORE-37")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_backup_leaves_no_note_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tempfile.mkstemp

    def mkstemp_full(**places: Any) -> tuple[int, str]:
        handle, name = made(**places)
        os.close(handle)
        return os.open("/dev/full", os.O_WRONLY), name

    with closing(SqliteStore.open(tmp_path / "home")) as store:
        monkeypatch.setattr(tempfile, "mkstemp", mkstemp_full)
        with pytest.raises(StoreFull, match="the disk is full; nothing of this operation was kept"):
            store.backup(tmp_path / "new.db")
        monkeypatch.undo()
        assert not list((tmp_path / "home").glob("clew.backup-*"))
        store.backup(tmp_path / "new.db")


@pytest.mark.requirement("F-STORE-37")
def test_a_backup_under_way_is_left_alone_by_another_one(tmp_path: Path) -> None:
    source = apsw.Connection(str(tmp_path / "source"))
    source.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    seen: list[bool] = []

    def meanwhile(sql: str) -> bool:
        if not seen and "count(*)" in sql:
            seen.append(True)
            other = apsw.Connection(str(tmp_path / "source"))
            copy_file(other, tmp_path / "second.db", None)
            seen.append((tmp_path / f"first.db{UNFINISHED}").exists())
        return True

    source.exec_trace = lambda _cursor, sql, _bindings: meanwhile(str(sql))
    copy_file(source, tmp_path / "first.db", None)
    assert seen == [True, True]
    assert {path.name for path in tmp_path.iterdir()} == {"source", "first.db", "second.db"}


@pytest.mark.requirement("F-STORE-37")
def test_of_two_backups_to_one_file_the_second_is_refused_and_the_first_is_whole(tmp_path: Path) -> None:
    source = apsw.Connection(str(tmp_path / "source"))
    source.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    refused: list[str] = []

    def meanwhile(sql: str) -> bool:
        if not refused and "count(*)" in sql:
            with closing(apsw.Connection(str(tmp_path / "source"))) as other, pytest.raises(StoreLocked) as caught:
                copy_file(other, tmp_path / "copy.db", None)
            refused.append(str(caught.value))
        return True

    source.exec_trace = lambda _cursor, sql, _bindings: meanwhile(str(sql))
    copy_file(source, tmp_path / "copy.db", None)
    assert "somebody else is writing" in refused[0]
    with closing(apsw.Connection(str(tmp_path / "copy.db"))) as copy:
        assert copy.execute("SELECT x FROM t").fetchall() == [(1,)]
    assert {path.name for path in tmp_path.iterdir()} == {"source", "copy.db"}


@pytest.mark.requirement("F-STORE-37")
@pytest.mark.parametrize("name", ["clew.backup-monday.db", "clew.backup-20261129", "clew.backup-notes.txt"])
def test_a_persons_own_files_in_the_home_are_no_notes(name: str, tmp_path: Path) -> None:
    own = tmp_path / "home" / name
    with closing(SqliteStore.open(tmp_path / "home")) as store:
        if name.endswith(".txt"):
            own.write_bytes(b"the backup of Monday is on the other disk")
        else:
            store.backup(own)
        before = own.read_bytes()
        store.backup(tmp_path / "tuesday.db")
    assert own.read_bytes() == before


@pytest.mark.requirement("F-STORE-37")
def test_a_folder_with_a_name_like_a_note_stops_no_backup(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "home")) as store:
        folder = tmp_path / "home" / "clew.backup-20261129"
        folder.mkdir()
        store.backup(folder / "first.db")
        store.backup(folder / "second.db")
    assert {path.name for path in folder.iterdir()} == {"first.db", "second.db"}


@pytest.mark.requirement("F-STORE-39")
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_migration_that_is_killed_at_any_statement_is_finished_by_the_next(tmp_path: Path) -> None:
    steps = list(migrations("sqlite"))
    kills = 0
    for start in range(len(steps)):
        prepared = apsw.Connection(str(tmp_path / f"{start}.db"))
        prepared.execute("PRAGMA journal_mode = WAL").fetchall()
        migrate(prepared, steps[:start], lambda _: None)
        if start:
            prepared.execute("INSERT INTO meta VALUES ('a', 'kept', 'still here')")
        prepared.close()
        for last in range(10_000):
            file = tmp_path / f"{start}-{last}.db"
            shutil.copyfile(tmp_path / f"{start}.db", file)
            if not _killed(file, steps, last):
                break
            kills += 1
            after = apsw.Connection(str(file))
            reached = schema_number(after)
            assert start <= reached <= len(steps)
            assert migrate(after, steps, lambda _: None) == len(steps)
            assert after.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            kept = after.execute("SELECT value FROM meta WHERE name = 'kept'").fetchall()
            assert kept == ([("still here",)] if start else [])
            after.close()
            if start and reached > start:
                break  # the step after it is killed at each of its statements from its own start on
    assert kills > 3 * len(steps), "each step has its BEGIN, its own statements and its COMMIT"


def _killed(file: Path, steps: list[str], last: int) -> bool:
    """Migrates in a child that is killed before its statement of this number; False when it came to its end."""
    child = os.fork()
    if child == 0:
        left = [last]

        def count(*_: object) -> bool:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return True

        connection = apsw.Connection(str(file))
        connection.exec_trace = count
        migrate(connection, steps, lambda _: None)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.parametrize(
    "path", ["a\0b", "a\ud800b", Path("a\0b"), "~nobody-of-this-name/x", "x" * 300, 5, b"home", []]
)
def test_a_path_that_cannot_be_is_an_input_error(path: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Memory.open(path)
    with quiet(tmp_path) as memory:
        for use in (memory.backup, memory.export, memory.import_path):
            with pytest.raises(InputError):
                use(path)


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.skipif(not hasattr(os, "symlink") or sys.platform == "win32", reason="links need rights there")
def test_a_home_that_links_to_itself_is_an_input_error(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for home in (loop, loop / "home"):
        with pytest.raises(InputError, match=r"loop.* leads back to itself; remove the link"):
            Memory.open(home)
    for words in (("stats",), ("add", "x"), ("config", "check"), ("restore-backup", tmp_path, "--yes")):
        assert "leads back to itself" in failure(1, *words, "--home", loop)
    with quiet(tmp_path / "home") as memory, pytest.raises(InputError, match="leads back to itself"):
        memory.backup(loop)


def _socket(file: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listening, contextlib.chdir(file.parent):  # for the name's length
        listening.bind(file.name)


ODD: dict[str, Callable[[Path], None]] = {
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a symbolic link to 'nowhere', which does not exist": lambda file: file.symlink_to("nowhere"),
    "a symbolic link that leads back to itself": lambda file: file.symlink_to(file),
}


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("kind", ODD)
def test_what_stands_in_the_place_of_the_database_is_named(kind: str, tmp_path: Path) -> None:
    with quiet(tmp_path / "sound") as memory:
        memory.backup(tmp_path / "backup.db")
    home = tmp_path / "home"
    home.mkdir()
    ODD[kind](home / DATABASE)
    uses: tuple[Callable[[], object], ...] = (
        lambda: Memory.open(home),
        lambda: ReadOnlyStore(home),
        lambda: rekey(home, None, "secret"),
        lambda: restore_backup(tmp_path / "backup.db", home, None),
    )
    for use in uses:
        with pytest.raises(StoreError) as found:
            use()
        assert str(found.value).startswith(f"{str(home / DATABASE)!r} is {kind}; expected the database, a file.")
    assert kind in failure(1, "stats", "--home", home)


@pytest.mark.requirement("F-STORE-40")
def test_a_place_where_no_home_can_be_is_named_without_words_of_python() -> None:
    said = failure(1, "stats", "--home", "/proc/clew") + failure(1, "add", "x", "--home", "/dev/null/clew")
    assert "/proc/clew" in said
    assert not any(word in said for word in ("Error:", "Errno", "Traceback"))


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.parametrize("space", ["a\0b", "a\ud800b", "", 5, None])
def test_a_space_that_cannot_be_is_an_input_error(space: Any) -> None:
    with pytest.raises(InputError, match="space"):
        Memory.open(":memory:", space=space)


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.parametrize(
    "number",
    [HUGE, -HUGE, 2**63, 1.5, "5", None, True],
    ids=["huge", "minus-huge", "too-large", "real", "text", "none", "bool"],
)
def test_a_number_that_cannot_be_is_an_input_error_in_our_words(number: Any) -> None:
    with quiet() as memory:
        uses: tuple[Callable[[], object], ...] = (
            lambda: memory.recall("x", budget=number),
            lambda: memory.search("x", limit=number),
            lambda: memory.pin(where="importance > 1", most=number),
            lambda: memory.revert(number),
        )
        for place, use in enumerate(uses):
            if number is None and place == 0:
                continue  # takes the setting
            with pytest.raises(InputError) as raised:
                use()
            assert "sys.set_int_max_str_digits" not in str(raised.value)
            assert len(str(raised.value)) < 300


@pytest.mark.requirement("F-STORE-40")
@pytest.mark.parametrize("name", [5, b"s", ["s"]])
def test_a_name_that_is_no_text_is_an_input_error(name: Any) -> None:
    with quiet() as memory:
        uses: tuple[Callable[[], object], ...] = (
            lambda: memory.recall("x", session=name),
            lambda: memory.search("x", speaker=name),
            lambda: memory.forget(session=name),
            lambda: memory.restore(name),
            lambda: memory.annotations(name),
            lambda: memory.entity(name),
            lambda: memory.snapshots(name),
            lambda: memory.explain(name),
        )
        for use in uses:
            with pytest.raises(InputError):
                use()


@pytest.mark.requirement("F-STORE-37")
def test_a_copy_of_a_migration_that_another_process_removes_first_fails_no_scrub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / f"{DATABASE}.schema-1.backup"
    listed = Path.glob

    def glob_and_remove(folder: Path, pattern: str) -> list[Path]:
        found = list(listed(folder, pattern))
        for file in found:
            file.unlink()
        return found

    with closing(SqliteStore.open(tmp_path)) as store:
        saved.write_bytes(b"pages")
        monkeypatch.setattr(Path, "glob", glob_and_remove)
        store.scrub()
    assert not saved.exists()


@pytest.mark.requirement("F-STORE-36")
@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_one_may_not_enter_is_told_in_our_words() -> None:
    closed = Path(tempfile.mkdtemp(prefix="clew-edge-"))  # for its owner alone
    os.seteuid(NOBODY)
    try:
        with quiet() as memory:
            memory.add(told("The hive is weak."))
            for work in (
                lambda: memory.export(closed / "all.jsonl"),
                lambda: memory.export_pattern("s:quest:0", closed / "pattern.json"),
                lambda: memory.verify_quest("s:quest:0", root=closed / "project"),
                lambda: memory.backup(closed / "copy.db"),
                lambda: prove(memory.reads.store, "default", traces_of(memory.turns()), [closed / "copy.db"]),
                lambda: rekey(closed / "home", None, "secret"),
            ):
                with pytest.raises(StoreReadOnly, match="Permission denied"):
                    work()
    finally:
        os.seteuid(0)
        closed.rmdir()
