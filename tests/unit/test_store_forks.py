"""Forks of a process that has memories and stores open: no child waits for ever, and none harms its parent's."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw
import pytest

from clew import forks
from clew.project.genesis import genesis
from clew.store.new_file import UNFINISHED
from clew.store.sqlite import DATABASE, SqliteStore
from tests.support.memories import NOON
from tests.support.store_rows import put, session

pytestmark = [
    pytest.mark.requirement("F-STORE-44"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
]

PROGRAM = """
import os, signal, sys, threading, time
from pathlib import Path
from clew.errors import ClosedError, StoreError
from clew.memory import Memory
from clew import forks
from clew.store.read_only import ReadOnlyStore
from clew.store.sqlite import SqliteStore
from clew.types import Turn

HOME = Path(sys.argv[1])
forks.PATIENCE = 60.0  # as long as a machine may stand still
row = lambda name: ("a", name, 0, None, "{}", 1)

def put(store, name, durable=True):
    store.transaction(lambda tx: tx.put("session", [row(name)]), durable=durable)

def names(store):
    with store.snapshot() as reader:
        return [name for (name,) in reader.scan("session", ("a",), ("a",), columns=("session",))]

def error(use):
    try:
        use()
    except StoreError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"

def in_child(use):
    child = os.fork()
    if child == 0:
        signal.alarm(100)  # no child may hang
        try:
            use()
        except BaseException as error:
            print("child:", repr(error), flush=True)
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def told(code: str, home: Path, cwd: Path | None = None) -> list[str]:
    """The lines that a program prints after the definitions above."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM + textwrap.dedent(code), str(home)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CLEW_EMBEDDER": "none"},
        cwd=cwd,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.slow
def test_children_of_busy_threads_open_the_home_and_write_into_it(tmp_path: Path) -> None:
    code = """
        store, busy = SqliteStore.open(HOME), [True]
        def write():
            for count in range(10**9):
                if not busy: return
                put(store, f"w{count % 100}", durable=bool(count % 2))
        def read():
            while busy:
                with store.snapshot() as reader:
                    reader.scan("session", ("a",), ("a",)), store.version()
        def open_others():
            while busy:
                SqliteStore.open(HOME).close()
        threads = [threading.Thread(target=work, daemon=True) for work in (write, read, read, open_others)]
        [thread.start() for thread in threads]
        def use(count):
            with_own = SqliteStore.open(HOME, busy_timeout=90)
            put(with_own, f"child{count}")
            assert f"child{count}" in names(with_own)
            with_own.close()
        print([in_child(lambda: use(count)) for count in range(15)])
        busy.clear()
        [thread.join() for thread in threads]
        print(len([name for name in names(store) if name.startswith("child")]), store.check())
        store.close()
    """
    assert told(code, tmp_path / "home") == [str([0] * 15), "15 []"]


def test_a_child_holds_locks_of_its_own(tmp_path: Path) -> None:
    """Whoever closes the last connection removes the log: the parent must see that the child has one, too."""
    code = """
        store = SqliteStore.open(HOME)
        put(store, "parent")
        (reading, writing), (told, tell) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            own = SqliteStore.open(HOME)
            put(own, "child")
            os.write(tell, b"!")
            os.read(reading, 1)
            os._exit(0)
        os.read(told, 1)
        store.close()
        print((HOME / "clew.db-wal").exists())
        os.write(writing, b"!")
        os.waitpid(child, 0)
        store = SqliteStore.open(HOME)
        print(names(store))
        store.close()
    """
    assert told(code, tmp_path / "home") == ["True", "['child', 'parent']"]


def test_a_memory_that_is_inherited_says_so_at_once_and_closes_quietly(tmp_path: Path) -> None:
    code = """
        memory = Memory.open(HOME)
        memory.add(Turn(role="user", content="The hive is weak."))
        def use():
            for call in (memory.stats, lambda: memory.recall("hive"), lambda: memory.drain(1)):
                print(error(call).partition("; ")[2])
            memory.close()
            with Memory.open(HOME) as own:
                own.add(Turn(role="user", content="The hive is strong."))
        with memory.parts.worker._receipts._writing:  # as a thread may hold it
            print(in_child(use))
        print(memory.stats().turns)
        memory.close()
    """
    again = "open it again in this process"
    assert told(code, tmp_path / "home") == [again, again, again, "0", "2"]


@pytest.mark.slow
def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(tmp_path: Path) -> None:
    code = """
        store = SqliteStore.open(HOME)
        def use(tx):
            print(error(lambda: tx.put("session", [row("child")])).split()[0])
            print("forked inside a transaction" in error(lambda: SqliteStore.open(HOME)))
            other = SqliteStore.open(HOME / "other")
            put(other, "child")
            other.close()
        def work(tx):
            tx.put("session", [row("one")])
            print(in_child(lambda: use(tx)))
            tx.put("session", [row("two")])
        store.transaction(work)
        def leave(tx):
            tx.put("session", [row("three")])
            if os.fork():
                print(os.waitstatus_to_exitcode(os.wait()[1]))
        store.transaction(leave)  # the child has the writer's thread alone, and comes out of the transaction
        print(names(store), store.check())
        store.close()
    """
    lines = told(code, tmp_path / "home")
    assert lines == ["ClosedError:", "True", "0", "0", "['one', 'three', 'two'] []"]


@pytest.mark.slow
def test_a_fork_does_not_wait_for_long_work_and_its_child_says_so(tmp_path: Path) -> None:
    code = """
        forks.PATIENCE = 0.05
        store = SqliteStore.open(HOME)
        started, ended = threading.Event(), threading.Event()
        def work():
            with forks.using_sqlite():
                started.set()
                ended.wait()
        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        print(in_child(lambda: print("multiprocessing's 'spawn'" in error(lambda: SqliteStore.open(HOME)))))
        ended.set()
        thread.join()
        print(in_child(lambda: SqliteStore.open(HOME).close()))
        put(store, "parent")
        store.close()
    """
    assert told(code, tmp_path / "home") == ["True", "0", "0"]


@pytest.mark.slow
def test_a_grandchild_and_a_reader_of_a_snapshot_do_no_harm(tmp_path: Path) -> None:
    code = """
        store = SqliteStore.open(HOME)
        put(store, "parent")
        def use():
            own = SqliteStore.open(HOME)
            put(own, "child")
            def use_more():
                print(error(lambda: put(own, "no")).partition("; ")[2])
                again = SqliteStore.open(HOME)
                put(again, "grandchild")
                again.close()
            print(in_child(use_more), own.check())
            own.close()
        with store.snapshot() as reader:
            def read_inherited():
                reader.scan("session", ("a",), ("a",))
            print(in_child(use), in_child(lambda: print(error(read_inherited).split()[0])))
        print(names(store), store.check())
        store.close()
    """
    assert told(code, tmp_path / "home") == [
        "open it again in this process",
        "0 []",
        "ClosedError:",
        "0 0",
        "['child', 'grandchild', 'parent'] []",
    ]


@pytest.mark.slow
def test_a_project_that_is_inherited_says_so_and_can_be_opened_anew(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "notes.md").write_text("# Bees\n\nThe hive is weak.\n")
    genesis(tmp_path / "shop", NOON)
    code = """
        from clew.project.project import Project
        project, busy = Project.open(HOME), [True]
        def read():
            while busy:
                assert project.files()
        threads = [threading.Thread(target=read, daemon=True) for _ in range(2)]
        [thread.start() for thread in threads]
        def use():
            print(error(project.files).partition("; ")[2])
            project.close()
            with Project.open(HOME) as own:
                print(len(own.files()))
        print([in_child(use) for _ in range(3)])
        busy.clear()
        [thread.join() for thread in threads]
        print(len(project.files()), project.index.is_sound())
        project.close()
        print(len(forks._OPEN))
    """
    child = ["open it again in this process", "1"]
    assert told(code, tmp_path / "shop") == [*child * 3, "[0, 0, 0]", "1 True", "0"]


@pytest.mark.slow
def test_a_database_of_cursor_is_left_to_the_parent_that_reads_it(tmp_path: Path) -> None:
    database = apsw.Connection(str(tmp_path / "state.vscdb"))
    database.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
    message = {"bubbleId": "m", "type": 1, "text": "The hive is weak."}
    for name in "abc":
        value = json.dumps({"composerId": name, "conversation": [message]})
        database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{name}", value))
    database.close()
    code = """
        from clew.ingest.importers import cursor
        from clew.ingest.importers.source import Source
        source = Source(HOME.name, HOME.stem, lambda: HOME.open("rb"), path=HOME)
        records = cursor.read(source)
        next(records)
        print(in_child(lambda: print([each.reason.partition(":")[0] for each in records])))
        print(len(list(records)), len(forks._OPEN))
    """
    assert told(code, tmp_path / "state.vscdb") == ["['the database cannot be read']", "0", "2 0"]


@pytest.mark.slow
def test_children_of_threads_that_embed_go_on_with_a_recording_of_their_own(tmp_path: Path) -> None:
    code = """
        import numpy as np
        from clew.models.recorded import RecordedEmbedder
        class Own:
            name, dim = "own@1", 2
            def embed(self, texts):
                return np.full((len(texts), 2), float(os.getpid()), np.float32)
        embedder, busy = RecordedEmbedder(Own(), HOME.name), [True]
        embedder.embed(["parent"])
        def embed():
            for count in range(10**9):
                if not busy: return
                embedder.embed([f"text {count % 50}"])
        threads = [threading.Thread(target=embed, daemon=True) for _ in range(2)]
        [thread.start() for thread in threads]
        def use(count):
            os.chdir("/")
            assert embedder.embed(["parent"])[0, 0] == os.getppid()
            assert embedder.embed([f"child {count}"])[0, 0] == os.getpid()
        print([in_child(lambda: use(count)) for count in range(2)])
        busy.clear()
        [thread.join() for thread in threads]
        print(sum(row != os.getpid() for row in embedder.embed([f"child {count}" for count in range(2)])[:, 0]))
        embedder.close()
        print(len(forks._OPEN))
    """
    assert told(code, tmp_path / "vectors.db", cwd=tmp_path) == [str([0] * 2), "2", "0"]


@pytest.mark.slow
def test_a_child_that_was_forked_while_a_recording_was_written_says_why_it_has_none(tmp_path: Path) -> None:
    code = """
        from clew.errors import ModelUnavailable
        from clew.models.recorded import RecordedEmbedder
        from clew.testing import HashEmbedder
        forks.PATIENCE = 0.05
        embedder, locked, ended = RecordedEmbedder(HashEmbedder(), HOME), threading.Event(), threading.Event()
        def write():
            with embedder._connection():
                locked.set()
                ended.wait()
        thread = threading.Thread(target=write)
        thread.start()
        locked.wait()
        def use():
            try:
                embedder.embed(["tea"])
            except ModelUnavailable as error:
                print("in the middle of a long work" in str(error))
        print(in_child(use))
        ended.set()
        thread.join()
    """
    assert told(code, tmp_path / "vectors.db") == ["True", "0"]


@pytest.mark.slow
def test_the_child_of_a_killed_backup_does_not_hold_its_copy(tmp_path: Path) -> None:
    code = """
        from clew.store import file_copy
        forks.PATIENCE = 0.05
        store = SqliteStore.open(HOME)
        put(store, "parent")
        def fork_and_end(*_):
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(1, 2)
                signal.alarm(60)
                signal.pause()
            print(child, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        file_copy.check_copy = fork_and_end
        store.backup(HOME / "copy.db")
    """
    home = tmp_path / "home"
    (child,) = map(int, told(code, home))
    try:
        assert list(home.glob(f"*{UNFINISHED}"))
        store = SqliteStore.open(home)
        store.backup(home / "next.db")
        store.close()
        assert not list(home.glob(f"*{UNFINISHED}"))
    finally:
        os.kill(child, signal.SIGKILL)


def test_nothing_of_a_closed_store_is_kept(tmp_path: Path) -> None:
    before = len(forks._OPEN)
    store = SqliteStore.open(tmp_path / "home")
    put(store, "session", session("s"))
    with store.snapshot(), store._readers.connection():
        assert len(forks._OPEN) > before
    store.close()
    assert len(forks._OPEN) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / DATABASE).write_bytes(b"no database, but long enough to be one" * 100)
    with pytest.raises(Exception, match="not a database"):
        SqliteStore.open(tmp_path / "other")
    assert len(forks._OPEN) == before
