"""A database as one file: copied while others go on, checked as whoever restores it will read it, then named."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, cast

import apsw

from clew.errors import StoreError
from clew.store.cipher import Key
from clew.store.forks import let_go, lockable, using_sqlite
from clew.store.home import sync_directory
from clew.store.translate import translating

if sys.platform != "win32":
    import fcntl

UNFINISHED: Final = ".clew-unfinished"
"""What the name of a copy ends with until it is whole."""
_NOTE: Final = "clew.backup-"
"""How the names of files in a home begin that say where a backup is being written."""
_BESIDE: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite may leave beside a database when it is killed."""


def copy_file(source: apsw.Connection, path: Path, key: Key | None) -> None:
    """Copies one consistent state of the source to a new file, encrypted as the source is.

    Args:
        key: of the source.

    Raises:
        StoreError: something is there already, or the copy is not sound.
    """
    with using_sqlite(), translating():
        if path.exists():
            raise StoreError(f"{str(path)!r} exists; expected the name of a new file for the backup")
        unfinished = _unfinished(path)
        for left in path.parent.glob(f"*{UNFINISHED}"):
            _remove_abandoned(left)
        _remove(unfinished)
        unfinished.touch(mode=0o600)
        try:
            with _held(unfinished):
                _copy_pages(source, unfinished, key)
                unfinished.replace(path)
        finally:
            _remove(unfinished)
        sync_directory(path.parent)


@contextmanager
def noted(home: Path, path: Path) -> Iterator[None]:
    """Notes in the home where a copy is being written, and removes the copies of others whose writers were killed."""
    with translating():
        for note in home.glob(f"{_NOTE}*"):
            _follow(note)
        handle, name = tempfile.mkstemp(prefix=_NOTE, dir=home)
        own = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(os.fsencode(_unfinished(path.absolute())))
        except BaseException:
            own.unlink(missing_ok=True)
            raise
    try:
        yield
    finally:
        own.unlink(missing_ok=True)


def _follow(note: Path) -> None:
    """Removes the copy that a note names, if it was abandoned, and then the note.

    A disk that was full, or lost its power, may have left a part of a name or none: then nothing is removed by it.
    """
    try:
        named = note.read_bytes()
    except FileNotFoundError:  # its backup is done by now
        return
    is_whole = named.endswith(os.fsencode(UNFINISHED)) and b"\0" not in named
    if is_whole:
        _remove_abandoned(Path(os.fsdecode(named)))
    if not is_whole or not Path(os.fsdecode(named)).exists():
        note.unlink(missing_ok=True)


def _unfinished(path: Path) -> Path:
    return path.with_name(path.name + UNFINISHED)


def _remove(copy: Path) -> None:
    for suffix in _BESIDE:
        copy.with_name(copy.name + suffix).unlink(missing_ok=True)


@contextmanager
def _held(copy: Path) -> Iterator[bool]:
    """Holds a copy inside the block; False when somebody else does, who is still at work on it.

    The lock is `flock`'s, which the system frees when a process is killed, and which does not touch SQLite's own. The
    handle is closed after SQLite's, since closing one drops those. Windows has no such lock, and deletes no open file.
    """
    if sys.platform == "win32":
        yield True
        return
    handle = lockable(copy)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        let_go(handle)


def _remove_abandoned(copy: Path) -> None:
    """Removes a copy that was broken off by a kill."""
    with suppress(OSError), _held(copy) as abandoned:  # somebody else may just be removing it
        if abandoned:
            _remove(copy)


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
    """Reads a copy as whoever restores it will: from the file, which must be sound and hold all rows.

    Args:
        expected: rows by table.

    Raises:
        StoreError: it is not, or does not.
    """
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as copy:
        if key is not None:
            key.open(copy)
        wrong = damage(copy)
        if not wrong and (found := row_counts(copy)) != expected:
            wrong = [f"it holds {sum(found.values())} rows instead of {sum(expected.values())}"]
    if wrong:
        raise StoreError(f"the copy {str(path)!r} is not sound and was removed: {wrong[0]}; run `clew verify`")


def row_counts(connection: apsw.Connection) -> dict[str, int]:
    """Rows by table."""
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    counts = ((name, connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]) for name in names)  # noqa: S608  # names of the schema itself
    return {name: int(cast(int, count)) for name, count in counts}


def damage(connection: apsw.Connection) -> list[str]:
    """SQLite's own check: one line for each damage, empty when the database is sound."""
    with translating():
        try:
            found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
        except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
            return [str(error)]
    return [] if found == ["ok"] else found
