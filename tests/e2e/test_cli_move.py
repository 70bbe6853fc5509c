"""`clew backup`, `copy` and `merge`, as people use them; and a backup put back."""

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

from clew.aio import AsyncMemory
from clew.errors import StoreError
from clew.memory import Memory
from clew.testing import HashEmbedder
from clew.types import Turn
from tests.support.cli_runs import done, failure, record, records, run
from tests.support.memories import history, quiet, rows, told

pytestmark = pytest.mark.usefixtures("tmp_home")


def talk(home: Path, *more: str) -> None:
    """Two turns, and more of them."""
    for place, words in enumerate(("The launch is on Monday.", "Tuesday suits me better.", *more)):
        done("add", words, "--session", "plan", "--at", f"2025-04-{place + 1:02}", "--home", home)


@pytest.mark.requirement("S-COPY-09")
def test_a_home_is_copied(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    talk(first)
    done("add", "apart", "--space", "alice", "--home", first)
    report = record("copy", first, second)
    assert (report["space"], report["rows"]["turn"], report["removed"]) == ("default", 2, 0)
    assert record("stats", "--space", "alice", "--home", second)["turns"] == 0
    assert [each["space"] for each in records("copy", first, second, "--all")] == ["alice", "default"]
    assert records("search", "launch", "--home", second) == records("search", "launch", "--home", first)
    assert record("verify", "--home", second)["ok"]
    assert "2 turns) the same in both, 0 written, 0 removed" in done("copy", first, f"sqlite:///{second}")


@pytest.mark.requirement("S-COPY-09")
def test_a_copy_refuses_to_give_up_turns(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    talk(first)
    done("add", "mine alone", "--home", second)
    message = failure(1, "copy", first, second)
    assert "holds 1 turn" in message
    assert "clew merge" in message
    done("copy", first, second, "--overwrite")
    assert record("stats", "--home", second)["turns"] == 2


@pytest.mark.requirement("S-COPY-09")
def test_a_home_is_not_copied_into_itself(tmp_path: Path) -> None:
    home = tmp_path / "home"
    talk(home)
    (tmp_path / "link").symlink_to(home)
    for inside in (home / "old", home / "a" / "b", tmp_path / "link" / "old"):
        assert "lies in" in failure(1, "copy", home, inside)
        assert "Name a directory outside" in failure(1, "copy", f"sqlite:///{home}", inside, "--all")
    assert sorted(each.name for each in home.iterdir() if each.is_dir()) == []
    done("copy", home, tmp_path / "home-old")
    done("copy", tmp_path / "home-old", tmp_path)  # out of a directory within


@pytest.mark.requirement("S-COPY-09")
def test_two_homes_are_joined(tmp_path: Path) -> None:
    laptop, desktop = tmp_path / "laptop", tmp_path / "desktop"
    talk(laptop, "From the train.")
    talk(desktop)
    report = record("merge", laptop, desktop)
    assert (report["added"], report["known"], report["rejected"]) == (1, 2, [])
    assert "0 turns stored, 3 already stored" in done("merge", laptop, desktop)
    assert [each["id"] for each in records("quote", "from the train", "--home", desktop)] == ["plan:turn:2"]
    assert record("verify", "--home", desktop)["ok"]


@pytest.mark.requirement("S-COPY-05", "S-COPY-09")
@pytest.mark.parametrize("command", ["copy", "merge"])
def test_a_source_that_is_not_there_is_not_made(tmp_path: Path, command: str) -> None:
    missing, target = tmp_path / "missing", tmp_path / "target"
    assert "has no clew.db" in failure(1, command, missing, target)
    assert not missing.exists()
    talk(tmp_path / "there")
    assert "no space 'alice'" in failure(1, command, tmp_path / "there", target, "--space", "alice")
    assert not target.exists()
    assert "as source and as target" in failure(1, command, tmp_path / "there", tmp_path / "there")
    assert "leave out --home" in failure(2, command, missing, target, "--home", tmp_path)


@pytest.mark.requirement("S-BACKUP-01", "S-BACKUP-02")
def test_a_backup_put_back_is_the_same_home(tmp_path: Path) -> None:
    home, restored = tmp_path / "home", tmp_path / "restored"
    talk(home)
    done("add", "apart", "--space", "alice", "--home", home)
    file = tmp_path / "all.backup"
    assert record("backup", file, "--home", home) == {"path": str(file), "bytes": file.stat().st_size}
    restored.mkdir()
    shutil.copy(file, restored / "clew.db")
    assert record("verify", "--home", restored) == record("verify", "--home", home)
    assert records("search", "launch", "--home", restored) == records("search", "launch", "--home", home)
    assert record("stats", "--space", "alice", "--home", restored)["turns"] == 1
    assert "exists" in failure(1, "backup", file, "--home", home)


@pytest.mark.requirement("S-BACKUP-02")
def test_a_backup_of_nothing_is_an_error(tmp_path: Path) -> None:
    assert "has no clew.db" in failure(1, "backup", tmp_path / "file", "--home", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    talk(tmp_path / "home")
    result = run("backup", tmp_path / "no" / "folder", "--home", tmp_path / "home")
    assert (result.exit_code, "no/folder" in result.stderr.replace("\\", "/")) == (1, True)


@pytest.mark.requirement("S-BACKUP-01")
def test_a_backup_is_whole_while_others_write(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", embedder=HashEmbedder(), config={}) as memory:
        memory.add_many(Turn(role="user", content=f"launch number {n}") for n in range(300))
        memory.drain(None)
        stop = threading.Event()

        def write() -> None:
            while not stop.is_set():
                memory.add(Turn(role="user", content="one more"))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                place = tmp_path / str(number)
                place.mkdir()
                assert memory.backup(place / "clew.db") == (place / "clew.db").stat().st_size
        finally:
            stop.set()
            writer.join()
        expected = [(hit.turn.id, hit.signals) for hit in memory.search("number 7", limit=1)]
    for number in range(3):
        with Memory.open(tmp_path / str(number), embedder=HashEmbedder(), config={}) as copy:
            assert copy.verify().problems == ()
            assert copy.stats().turns >= 300
            assert [hit.turn.id for hit in copy.search("number 7", limit=1)] == [expected[0][0]]


@pytest.mark.requirement("S-BACKUP-02")
def test_the_asynchronous_memory_backs_up_as_well(tmp_path: Path) -> None:
    async def back_up() -> int:
        async with await AsyncMemory.open(tmp_path / "home", embedder="none") as memory:
            await memory.add(Turn(role="user", content="one"))
            size = await memory.backup(tmp_path / "copy")
            with pytest.raises(StoreError, match="exists"):
                await memory.backup(tmp_path / "copy")
            return size

    assert asyncio.run(back_up()) == (tmp_path / "copy").stat().st_size


@pytest.mark.requirement("F-HOLD-13")
@pytest.mark.parametrize("packed", [False, True])
def test_who_has_a_home_open_sees_what_a_copy_put_there(tmp_path: Path, packed: bool) -> None:
    """Nothing of what was there is mixed with it: the numbers of turns mean others now."""
    first, second = tmp_path / "first", tmp_path / "second"
    settings = {"index": {"pack_minimum": 4}} if packed else {}
    for home, word in ((first, "launch"), (second, "harbour")):
        with Memory.open(home, embedder=HashEmbedder(), config=settings) as memory:
            memory.add_many(history([f"{word} number {n}" for n in range(9)], session=word))
            assert memory.drain()
    with Memory.open(second, embedder=HashEmbedder(), config=settings) as reader:
        assert len(reader.search("harbour", limit=50)) == 9
        done("copy", first, second, "--overwrite")
        assert {hit.turn.session for hit in reader.search("launch number 7 harbour", limit=50)} == {"launch"}
        assert len(reader.search("launch", limit=50)) == 9
        assert reader.add(told("after it", session="launch")) == "launch:turn:9"
        assert reader.drain()
        assert reader.search("after it")[0].turn.text == "after it"
        assert reader.verify().ok


@pytest.mark.requirement("F-HOLD-13")
def test_half_a_copy_shows_nothing(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add_many(history(["a ferry", "a harbour"]))
        assert len(memory.search("ferry")) == 2
        held = rows(memory.reads.store, "space")
        memory.reads.store.transaction(lambda tx: tx.delete("space", ("default",), ("default",)))
        assert memory.search("ferry") == []
        memory.reads.store.transaction(lambda tx: tx.put("space", held))
        assert len(memory.search("ferry")) == 2
