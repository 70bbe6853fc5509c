"""Recognises databases, Clew's own among them, whose bytes are not conversation, and says which command takes them."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clew.ingest.importers.record import BACKUP, DATABASE, HOME
from clew.ingest.importers.source import Source
from clew.store.migrate import APPLICATION
from clew.store.raw_file import is_held
from clew.store.sqlite import DATABASE as HOME_FILE

log = logging.getLogger("clew.ingest")

MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite database that is not encrypted."""

SUFFIXES: Final = frozenset(("", ".db", ".sqlite", ".sqlite3", ".backup", ".bak", ".clew"))
"""What the names of databases end with, besides the suffixes of conversations."""

_APPLICATION: Final = slice(68, 72)  # of the file: SQLite's application_id
_MERGE: Final = "`clew merge SRC DST` adds what one home holds to another, `clew copy SRC DST` copies it"
_ADVICE: Final = {
    HOME: f"is a home of Clew, no conversation; {_MERGE}",
    BACKUP: (
        "is a backup or a database of Clew, no conversation; `clew restore-backup FILE --home DIR` makes a home of it, "
        f"and {_MERGE}"
    ),
    DATABASE: (
        "is an SQLite database, which is not a conversation unless it is Cursor's state.vscdb, outside of a zip; "
        "export its contents as JSON or text"
    ),
}


@dataclass(frozen=True, slots=True)
class Database:
    """What kind of database a file or folder is, as reports count it, and what to do with it."""

    kind: str
    advice: str

    def warn(self, label: str) -> None:
        """Says in the log that it was left out, and why."""
        log.warning("%s was skipped: it %s", label, self.advice)


def database_of(source: Source) -> Database | None:
    """The database that a file is; None for any other file. A file of a home is not even opened: it may be in use."""
    if source.path is not None and is_held(source.path):
        return _database(HOME)
    with source.opener() as stream:
        head = stream.read(_APPLICATION.stop)
    if not head.startswith(MAGIC):
        return None
    is_own = int.from_bytes(head[_APPLICATION]) == APPLICATION
    return _database(BACKUP if is_own else DATABASE)


def home_at(folder: str | os.PathLike[str]) -> Database | None:
    """The home that a folder is, encrypted or not; None for any other folder."""
    return _database(HOME) if (Path(folder) / HOME_FILE).is_file() else None


def _database(kind: str) -> Database:
    return Database(kind, _ADVICE[kind])
