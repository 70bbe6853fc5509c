"""After scrubbing, the raw files hold nothing of what was deleted, replaced or taken back."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.errors import StoreLocked
from clew.store.protocol import Transaction
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.values import Row
from tests.support.store_rows import annotation, everything, put, session, turn

SEARCH = """
import sys
from pathlib import Path
data = b"".join(file.read_bytes() for file in Path(sys.argv[1]).iterdir())
print(*[word for word in sys.argv[2:] if word.encode() in data])
"""
WORDS = ("zqxdeleted", "zqxreplaced", "zqxundone", "zqxblob", "zqxtitle", "zqxkey")


def raw(home: Path, *words: str) -> set[str]:
    """Which of the words stand in a file of the home. Another process looks: reading here would drop SQLite's locks."""
    done = subprocess.run([sys.executable, "-c", SEARCH, str(home), *words], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.requirement("F-STORE-27")
@pytest.mark.parametrize("size", [1, 400, 6000])
def test_what_was_deleted_is_in_no_file(tmp_path: Path, size: int) -> None:
    store = SqliteStore.open(tmp_path)
    kept: list[Row] = [turn("kept", seq, seq, text=f"kept {seq} " * 10) for seq in range(300)]
    put(store, "turn", *kept)
    for seq in range(40):
        put(store, "turn", turn("s", seq, 1000 + seq, external_id=f"zqxkey {seq}", text=f"{seq} zqxdeleted " * size))
        put(store, "annotation", annotation(f"s:turn:{seq}", "quote", f"{seq} zqxreplaced " * size))
        put(store, "session", session(f"s{seq}", title="zqxtitle " * size))
    store.transaction(lambda tx: tx.put_blob("a", "sha", b"zqxblob" * size))
    with pytest.raises(LookupError):
        store.transaction(lambda tx: undo(tx, size))
    assert raw(tmp_path, *WORDS) >= {"zqxdeleted", "zqxreplaced", "zqxblob", "zqxtitle", "zqxkey"}

    put(store, "annotation", *(annotation(f"s:turn:{seq}", "quote", "harmless") for seq in range(40)))
    store.transaction(forget)
    assert raw(tmp_path, *WORDS) >= {"zqxdeleted", "zqxblob", "zqxtitle"}, "deleting alone leaves traces"
    store.scrub()
    assert raw(tmp_path, *WORDS, "kept") == {"kept"}
    assert everything(store, "turn") == kept
    assert store.check() == []
    put(store, "turn", turn("kept", 300, 300))
    store.close()
    assert raw(tmp_path, *WORDS, "kept") == {"kept"}


def undo(tx: Transaction, size: int) -> None:
    tx.put("turn", [turn("s", seq, text="zqxundone " * size) for seq in range(1000, 1200)])
    raise LookupError


def forget(tx: Transaction) -> None:
    tx.delete("turn", ("a", "s"), ("a", "s"))
    tx.delete("session", ("a", "s"), ("a", "t"))
    tx.delete_blob("a", "sha")


@pytest.mark.requirement("F-STORE-27")
def test_copies_that_migrations_made_are_removed(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    copy = tmp_path / f"{DATABASE}.schema-1.backup"
    store.backup(copy)
    store.backup(tmp_path / "my own copy")
    store.scrub()
    assert not copy.exists()
    assert (tmp_path / "my own copy").exists()
    store.close()


@pytest.mark.requirement("F-STORE-27")
def test_scrubbing_says_so_when_a_snapshot_is_in_its_way(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, busy_timeout=0.2)
    put(store, "session", session("s", title="zqxtitle"))
    opened, done = threading.Event(), threading.Event()

    def look() -> None:
        with store.snapshot():
            opened.set()
            done.wait(30)

    looking = threading.Thread(target=look)
    looking.start()
    opened.wait(30)
    store.transaction(lambda tx: tx.delete("session", ("a",), ("a",)))
    with pytest.raises(StoreLocked, match="try again"):
        store.scrub()
    done.set()
    looking.join()
    store.scrub()
    assert raw(tmp_path, "zqxtitle") == set()
    store.close()
