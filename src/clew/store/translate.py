"""Foreign errors become ours here and nowhere else in the store."""

import errno
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final

import apsw

from clew.errors import ClosedError, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly

_DAMAGED: Final = (
    "the database file is damaged; `clew verify` and `clew doctor` say what is wrong, and "
    "`clew restore-backup FILE` puts a backup back"
)
_OURS: Final[tuple[tuple[type[BaseException], type[StoreError], str], ...]] = (
    (apsw.FullError, StoreFull, "the disk is full; nothing of this operation was written. Free space and try again"),
    (apsw.BusyError, StoreLocked, "others hold the database for longer than the waiting time; try again, or stop them"),
    (apsw.LockedError, StoreLocked, "another part of this process holds a table; try again"),
    (apsw.ReadOnlyError, StoreReadOnly, "the home cannot be written; check its owner and permissions"),
    (apsw.PermissionsError, StoreReadOnly, "the home cannot be read or written; check its owner and permissions"),
    (apsw.CorruptError, StoreCorrupt, _DAMAGED),
    (UnicodeDecodeError, StoreCorrupt, _DAMAGED),  # SQLite checks no text
    (apsw.NotADBError, StoreCorrupt, "clew.db is not a database, or it is encrypted; restore it from a backup"),
    (apsw.CantOpenError, StoreError, "the database file cannot be opened; check that it exists, and its permissions"),
    (apsw.IOError, StoreError, "the disk failed to read or write; nothing of this operation was kept. Check the disk"),
    (apsw.TooBigError, StoreError, "a value is larger than 1 GB, the most a row can hold; split it"),
    (apsw.ConstraintError, StoreError, "a row breaks a rule of its table"),
    (apsw.ConnectionClosedError, ClosedError, "the store was closed; open it again"),
    (apsw.ThreadingViolationError, StoreError, "a snapshot was used by two threads at once; open one in each thread"),
    (apsw.Error, StoreError, "the database could not do its work"),
    (OverflowError, StoreError, "a whole number has more than 64 bits"),
    (UnicodeEncodeError, StoreError, "text holds a lone surrogate; escape it first"),
    (PermissionError, StoreReadOnly, "the home cannot be read or written; check its owner and permissions"),
    (
        FileNotFoundError,
        StoreError,
        "a file or folder on the way there does not exist; make it, or name another place",
    ),
    (
        NotADirectoryError,
        StoreError,
        "a part of the path is a file, where a folder was expected; name another place",
    ),
    (OSError, StoreError, "the operating system refused; check the home directory and the disk"),
)
"""The first row that fits counts."""

_FULL: Final = (StoreFull, "the disk is full; nothing of this operation was kept. Free space and try again")
_BY_NUMBER: Final[dict[int, tuple[type[StoreError], str]]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: (StoreReadOnly, "the disk can only be read; name a place that can be written"),
}


def translated(error: BaseException) -> StoreError | None:
    """Our error for a foreign one, with the foreign message in it; None for an error that is not the database's."""
    for foreign, ours, sentence in _OURS:
        if isinstance(error, foreign):
            own = (ours, sentence)
            chosen, said = _BY_NUMBER.get(error.errno or 0, own) if isinstance(error, OSError) else own
            detail = _detail(error)
            return chosen(f"{said} ({detail})" if detail else said)
    return None


def _detail(error: BaseException) -> str:
    """What the system or SQLite says, without the words of Python around it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename!r}" if error.filename is not None else error.strerror
    said = str(error) if isinstance(error, apsw.Error) else ""
    return "" if said.endswith("not an error") else said  # SQLite's words where the connection itself did not fail


class _Translating:
    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (ours := translated(error)) is not None:
            raise ours from error


_TRANSLATING: Final = _Translating()


def translating() -> AbstractContextManager[None]:
    """Raises our error for a foreign one that leaves the block; the foreign one is its cause."""
    return _TRANSLATING
