"""Reads the raw bytes of files that this process may have open as databases.

The system's locks on a file belong to the process: to close any handle of the file drops all of them, also those of
SQLite's connections, and another process may then remove the log that is being written. So such a file is read through
SQLite, which closes its handle when the locks are gone, or not at all.

Source: https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
"""

import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Final

import apsw

from clew.errors import InputError
from clew.forks import using_sqlite

_DATABASE: Final = "clew.db"
_WITHOUT_TEXT: Final = (f"{_DATABASE}-shm", "clew.lock")
"""Files that are locked outside of SQLite's knowledge of files; they hold numbers only."""
_OWN: Final = re.compile(r"clew\.lock|clew\.db(?:-wal|-shm|-journal|\.rekeyed|\.restored|\.schema-.*)?")
"""Names of the files that a home makes itself (docs/storage.md)."""
_HELD: Final = frozenset((_DATABASE, f"{_DATABASE}-wal", *_WITHOUT_TEXT))


def is_held(file: Path) -> bool:
    """Whether a file is one of a home's that processes lock, and nobody may open besides."""
    if file.name not in _HELD and not file.is_symlink():
        return False
    real = file.resolve()
    return real.name in _HELD and real.with_name(_DATABASE).is_file()


def refuse_home_file(file: Path) -> None:
    """Refuses a name that a home has for its own files, in the folder of a home, also where a link leads there.

    Raises:
        InputError: it is one; what is written there would take the database's place, or go when the home is opened.
    """
    real = Path(os.path.realpath(file))
    if _OWN.fullmatch(real.name) and os.path.lexists(real.with_name(_DATABASE)):
        raise InputError(
            f"{str(file)!r} has the name of a file of the memory in {str(real.parent)!r}; name one in another folder"
        )


def is_without_text(file: Path) -> bool:
    """Whether a file of a home holds numbers only, and cannot be read without dropping locks."""
    return file.name in _WITHOUT_TEXT and is_held(file)


def raw_chunks(file: Path, length: int) -> Generator[bytes, None, None]:
    """A file's bytes as they are on the disk, in chunks of a length; the file is as long as when it was opened."""
    with using_sqlite():
        opened = apsw.VFSFile("", str(file), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
        try:
            size = opened.xFileSize()
            for start in range(0, size, length):
                yield opened.xRead(min(length, size - start), start)
        finally:
            opened.xClose()
