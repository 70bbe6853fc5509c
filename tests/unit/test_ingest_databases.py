"""Databases among the files to import: Cursor's is read, any other is named for what it is and left alone."""

import logging
import zipfile
from pathlib import Path

import apsw
import pytest

from clew.errors import FormatError
from tests.support.ingest_reading import lines, put, read, said, skipped
from tests.support.memories import quiet, told

ONE = {"role": "user", "content": "one"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one turn."""
    with quiet(tmp_path / "home") as memory:
        memory.add(told("The words of a home."))
    return tmp_path / "home"


@pytest.fixture
def backup(tmp_path: Path, home: Path) -> Path:
    """A backup of it, under the name of a conversation."""
    with quiet(home) as memory:
        memory.backup(tmp_path / "backup.txt")
    return tmp_path / "backup.txt"


def foreign(path: Path) -> Path:
    """Another program's database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = apsw.Connection(str(path))
    database.execute("CREATE TABLE said (words)")
    database.execute("INSERT INTO said VALUES (?)", ("Ann: hello. " * 400,))
    database.close()
    return path


@pytest.mark.requirement("F-EDGE-01")
@pytest.mark.parametrize("form", [None, "text", "cursor"])
def test_a_backup_a_home_and_its_database_are_refused_with_the_command_that_takes_them(
    home: Path, backup: Path, form: str | None
) -> None:
    with pytest.raises(FormatError, match=r"backup.txt is a backup .* `clew restore-backup FILE"):
        read(backup, form)
    for path in (home, home / "clew.db"):
        with pytest.raises(FormatError, match="is a home of Clew, no conversation; `clew merge SRC DST`"):
            read(path, form)


@pytest.mark.requirement("F-EDGE-01")
def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    for form in (None, "text"):
        with pytest.raises(FormatError, match="is an SQLite database, which is not a conversation unless"):
            read(foreign(tmp_path / f"notes-{form}.txt"), form)


@pytest.mark.requirement("F-EDGE-01")
def test_databases_in_a_folder_or_zip_are_skipped_and_named_in_the_log(
    tmp_path: Path, home: Path, backup: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "all"
    put(root, "chat.jsonl", lines(ONE))
    put(root, "old.clew", backup.read_bytes())
    put(root, "home/clew.db", (home / "clew.db").read_bytes())
    foreign(root / "data.db")
    foreign(root / "data.json")
    with caplog.at_level(logging.WARNING, "clew.ingest"):
        records = read(root)
    assert said(records) == [("user", "one")]
    assert sorted(skipped(records)) == ["SQLite database", "SQLite database", "backup of Clew", "home of Clew"]
    assert len([record for record in caplog.records if "was skipped: it is" in record.message]) == 4
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(root.rglob("*.*")):
            archive.write(path, path.relative_to(root))
    assert sorted(skipped(read(tmp_path / "all.zip"))) == ["SQLite database"] * 2 + ["backup of Clew"] * 2


@pytest.mark.requirement("F-EDGE-01")
def test_a_conversation_beside_a_homes_database_is_read(home: Path) -> None:
    put(home, "chat.jsonl", lines(ONE))
    assert said(read(home)) == [("user", "one")]
