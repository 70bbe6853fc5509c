"""A backup put in the place of a home's database: what is restored, and what is left where that fails."""

import stat
from pathlib import Path

import apsw
import pytest

from clew.errors import InputError, NotFoundError, SchemaError, StoreCorrupt, StoreError, StoreFull, StoreLocked
from clew.store.restore_backup import restore_backup
from clew.store.sqlite import DATABASE, RESTORED
from tests.support.cli_runs import done, failure, record
from tests.support.disk_faults import SYSTEM, FaultyDisk
from tests.support.memories import quiet, texts, told


@pytest.fixture
def backed_up(tmp_path: Path) -> tuple[Path, Path]:
    """A home with two turns, and a backup of it when it had one."""
    home, file = tmp_path / "home", tmp_path / "backup.db"
    with quiet(home) as memory:
        memory.add(told("The hive is weak."))
        memory.backup(file)
        memory.add(told("The queen is gone."))
    return home, file


@pytest.mark.requirement("F-STORE-38")
def test_a_backup_is_put_back_by_a_command(backed_up: tuple[Path, Path]) -> None:
    home, file = backed_up
    assert "--yes" in failure(2, "restore-backup", file, "--home", home, given="y\n")
    with quiet(home) as memory:
        assert len(texts(memory)) == 2
    assert record("restore-backup", file, "--home", home, "--yes", "--json")["turns"] == 1
    with quiet(home) as memory:
        assert texts(memory) == ["The hive is weak."]
        assert memory.verify().ok
        assert stat.S_IMODE((home / DATABASE).stat().st_mode) == 0o600
    new = home.with_name("new")
    assert "1 turn" in done("restore-backup", file, "--home", new)
    with quiet(new) as memory:
        assert texts(memory) == ["The hive is weak."]


@pytest.mark.requirement("F-STORE-38")
def test_a_damaged_or_emptied_home_is_restored(backed_up: tuple[Path, Path]) -> None:
    home, file = backed_up
    for damage in (b"", b"no database " * 1000):
        (home / DATABASE).write_bytes(damage)
        (home / "clew.db-wal").write_bytes(b"left")
        restore_backup(file, home, None)
        with quiet(home) as memory:
            assert texts(memory) == ["The hive is weak."]


@pytest.mark.requirement("F-STORE-38")
def test_a_backup_that_is_none_replaces_nothing(backed_up: tuple[Path, Path], tmp_path: Path) -> None:
    home, file = backed_up
    before = (home / DATABASE).read_bytes()
    torn = tmp_path / "torn.db"
    torn.write_bytes(file.read_bytes()[:-8192])
    foreign = tmp_path / "foreign.db"
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    (tmp_path / "note.txt").write_text("no database " * 1000)
    (tmp_path / "empty").touch()
    for name, error in (
        ("torn.db", StoreCorrupt),
        ("foreign.db", SchemaError),
        ("note.txt", StoreCorrupt),
        ("empty", StoreError),
        ("absent", NotFoundError),
    ):
        with pytest.raises(error):
            restore_backup(tmp_path / name, home, None)
    with pytest.raises(StoreCorrupt, match=r"^the backup '.*torn\.db' is damaged: .*; nothing was replaced"):
        restore_backup(torn, home, None)
    with pytest.raises(StoreCorrupt, match=r"note\.txt' is not a backup, or is encrypted"):
        restore_backup(tmp_path / "note.txt", home, None)
    with pytest.raises(InputError, match="the home's own database"):
        restore_backup(home / DATABASE, home, None)
    assert (home / DATABASE).read_bytes() == before
    assert not (home / RESTORED).exists()


@pytest.mark.requirement("F-STORE-38")
def test_a_backup_with_a_broken_page_is_named_on_one_line(backed_up: tuple[Path, Path]) -> None:
    home, file = backed_up
    pages = bytearray(file.read_bytes())
    pages[-4096:] = b"\xff" * 4096
    file.write_bytes(pages)
    with pytest.raises(StoreCorrupt, match=r"^the backup '[^\n]*' is damaged: [^\n]*; nothing was replaced") as told_as:
        restore_backup(file, home, None)
    assert "\n" not in str(told_as.value)


@pytest.mark.requirement("F-STORE-38")
def test_a_home_that_is_open_is_not_replaced(backed_up: tuple[Path, Path]) -> None:
    home, file = backed_up
    with quiet(home) as memory:
        memory.add(told("The drones are here."))
        with pytest.raises(StoreLocked):
            restore_backup(file, home, None, busy_timeout=0.2)
        assert len(texts(memory)) == 3


@pytest.mark.requirement("F-STORE-38")
def test_a_disk_that_is_full_for_the_copy_leaves_the_home(backed_up: tuple[Path, Path]) -> None:
    home, file = backed_up
    (home / RESTORED).mkdir()  # which nothing can be written over
    with pytest.raises(StoreError, match=r"operating system refused|cannot"):
        restore_backup(file, home, None)
    (home / RESTORED).rmdir()
    with quiet(home) as memory:
        assert len(texts(memory)) == 2


@pytest.mark.requirement("F-STORE-38")
@pytest.mark.parametrize("made", [None, "new", "new/home"])
def test_a_disk_that_is_full_for_the_copy_leaves_no_new_folder(
    backed_up: tuple[Path, Path], tmp_path: Path, made: str | None
) -> None:
    def is_full(_operation: str, name: str) -> None:
        if name == RESTORED:
            raise apsw.FullError("no space left")

    if made is not None:
        (tmp_path / made).mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    disk = FaultyDisk()
    disk.fault = is_full
    apsw.set_default_vfs(disk.name)
    try:
        with pytest.raises(StoreFull):
            restore_backup(backed_up[1], tmp_path / "new" / "home", None)
    finally:
        apsw.set_default_vfs(SYSTEM)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.requirement("F-STORE-38")
def test_a_place_that_does_not_exist_is_told_as_such(backed_up: tuple[Path, Path], tmp_path: Path) -> None:
    home, _ = backed_up
    assert "does not exist; make it, or name another place" in failure(
        1, "backup", tmp_path / "none" / "x.db", "--home", home
    )
