"""Copies a database to one file while others write to it, checks the copy, then gives it its name."""

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, cast

import apsw

from clew.errors import StoreError
from clew.forks import using_sqlite
from clew.store.cipher import Key
from clew.store.home import LONGEST_PATH
from clew.store.new_file import UNFINISHED, new_file, remove_abandoned, unfinished_path
from clew.store.translate import translating
from clew.text.counted import counted

_NOTE: Final = "clew.backup-"
"""How the names of files in a home begin that say where a backup is being written."""
_NOTE_NAME: Final = re.compile(rf"{re.escape(_NOTE)}[a-z0-9_]{{8}}")
"""The whole name of such a file, as `tempfile` makes it; a person's own backup may begin alike."""


def copy_file(source: apsw.Connection, path: Path, key: Key | None) -> None:
    """Copies one consistent state of the source to a new file, encrypted as the source is.

    Args:
        key: of the source.

    Raises:
        StoreLocked: somebody else is writing a file of this name.
        StoreError: something is there already, or the copy is not sound.
    """
    with using_sqlite(), translating(), new_file(path) as unfinished:
        _copy_pages(source, unfinished, key)


@contextmanager
def noted(home: Path, path: Path) -> Iterator[None]:
    """Records in the home where a copy is being written, and removes unfinished copies of writers that were killed."""
    with translating():
        for note in home.glob(f"{_NOTE}*"):
            if _NOTE_NAME.fullmatch(note.name):
                _follow(note)
        handle, name = tempfile.mkstemp(prefix=_NOTE, dir=home)
        own = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(os.fsencode(unfinished_path(path.absolute())))
        except BaseException:
            own.unlink(missing_ok=True)
            raise
    try:
        yield
    finally:
        own.unlink(missing_ok=True)


def _follow(note: Path) -> None:
    """Removes the copy that a note names, if it was abandoned, and then the note.

    A disk that was full, or lost its power, may have left a part of a name or none: then nothing is removed by it. What
    is not a small file is not a note, and the note of another user, who shares the home, may not be readable.
    """
    with suppress(FileNotFoundError, PermissionError):  # the first when its backup is done by now
        status = note.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LONGEST_PATH:
            return
        named = note.read_bytes()
        is_whole = named.endswith(os.fsencode(UNFINISHED)) and b"\0" not in named
        if is_whole:
            remove_abandoned(Path(os.fsdecode(named)))
        if not is_whole or not Path(os.fsdecode(named)).exists():
            note.unlink()


def _copy_pages(source: apsw.Connection, path: Path, key: Key | None) -> None:
    own = not source.in_transaction
    if own:
        source.execute("BEGIN")  # one state for copying and counting
    try:
        expected = row_counts(source)
        with closing(apsw.Connection(str(path))) as target:
            if key is not None:
                key.open(target)
            with target.backup("main", source, "main") as backup:
                backup.step(-1)
            target.execute("PRAGMA journal_mode = DELETE").fetchall()  # one file, with no log beside it
    finally:
        if own:
            source.execute("COMMIT")
    check_copy(path, key, expected)


def check_copy(path: Path, key: Key | None, expected: Mapping[str, int]) -> None:
    """Checks that a copy is a sound database with the expected number of rows, by reading it from the file.

    Args:
        expected: rows by table.

    Raises:
        StoreError: it is not, or does not.
    """
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as copy:
        if key is not None:
            key.open(copy)
        wrong = damage(copy)
        if not wrong and (copied := row_counts(copy)) != expected:
            wrong = [f"it holds {counted(sum(copied.values()), 'row')} instead of {sum(expected.values())}"]
    if wrong:
        raise StoreError(f"the copy {str(path)!r} is not sound and was removed: {wrong[0]}; run `clew verify`")


def row_counts(connection: apsw.Connection) -> dict[str, int]:
    """The number of rows of each table."""
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    counts = ((name, connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]) for name in names)  # noqa: S608  # names of the schema itself
    return {name: int(cast(int, count)) for name, count in counts}


def damage(connection: apsw.Connection) -> list[str]:
    """SQLite's integrity check: one line for each problem, empty if the database is sound."""
    with translating():
        try:
            problems = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
        except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
            return [str(error)]
    return [] if problems == ["ok"] else problems
