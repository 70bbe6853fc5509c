"""Loads the PostgreSQL driver when a store on a server is first opened, and translates its errors to Clew's.

Borders: knows errors by their SQLSTATE, which no server translates; only a refused connection has to be told by its
words. No message holds a password: the driver's have none, except when it cannot read an address, and those are not
passed on.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from clew.errors import MissingExtra, SchemaError, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly

_LOST: Final = "the connection to the server was lost; nothing of an unfinished transaction was kept. Try again"
POOLED: Final = (
    "a pooler gives each transaction another connection of the server; let it pool sessions, or name the server itself "
    "in the address"
)
_OURS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    (
        "53100",
        StoreFull,
        "the server's disk is full; nothing of this operation was written. Free space there, try again",
    ),
    ("53300", StoreError, "the server has no connection left; stop some clients, or raise its max_connections"),
    ("53", StoreError, "the server ran out of memory or another resource; nothing of this operation was written"),
    ("25006", StoreReadOnly, "the server takes no writes: it is a standby, or set to read-only"),
    ("42501", StoreReadOnly, "the role lacks a privilege; grant it the schema of Clew and all tables in it"),
    ("55P03", StoreLocked, "others hold what is needed for longer than the waiting time; try again, or stop them"),
    (
        "57014",
        StoreLocked,
        "the server cancelled the statement, by a timeout of its own or because someone asked for it",
    ),
    (
        "25P03",
        StoreError,
        "the transaction stood still for too long and the server ended it; nothing of it was written",
    ),
    ("25P04", StoreError, "the transaction took longer than the server allows; nothing of it was written"),
    ("26", StoreError, POOLED),
    ("42P05", StoreError, POOLED),
    ("40", StoreLocked, "others wrote the same rows at the same moment; try again"),
    ("57P", StoreError, "the server is stopping or starting; nothing of an unfinished transaction was kept. Try again"),
    ("08", StoreError, _LOST),
    ("28", StoreError, "the server refused the role or its password; check the address"),
    ("3D000", StoreError, "the server has no such database; create it, or check the address"),
    ("58", StoreError, "the server's disk failed to read or write; nothing of this operation was kept. Check the disk"),
    ("XX001", StoreCorrupt, "a page of the server's files is damaged; run `clew verify` and restore from a backup"),
    ("XX002", StoreCorrupt, "an index of the server's is damaged; REINDEX it, then run `clew verify`"),
    ("54", StoreError, "a value is too long: a name may take about 2,700 bytes, other text 1 GB"),
    ("3F000", SchemaError, "the schema of Clew is gone; restore it from a backup"),
    ("42", SchemaError, "the tables are not as this Clew made them; restore them from a backup"),
    ("22", StoreError, "a value does not fit its column"),
    ("23", StoreError, "a row breaks a rule of its table"),
)
"""By the beginning of the SQLSTATE; the first row that fits counts."""

_REFUSALS: Final[tuple[tuple[str, str], ...]] = (
    (
        r"(?i:authentication)|no password supplied|role \S+ (does not exist|is not permitted)|pg_hba",
        "the server refused the role or its password; check both in the address",
    ),
    (r"database \S+ does not exist", "the server has no such database; create it, or check the address"),
    (
        r"too many clients|too many connections|remaining connection slots",
        "the server has no connection left; stop some clients, or raise its max_connections",
    ),
    (
        r"starting up|shutting down|recovery mode|not yet accepting",
        "the server is starting or stopping; try again soon",
    ),
    (
        r"Connection refused|No such file|timeout expired|timed out|unreachable|resolve host|translate host|idna",
        "the server cannot be reached; check that it runs, and its host and port",
    ),
)
"""Words of a refused connection, which come without a SQLSTATE; in another language only the last sentence is lost."""

_AGAIN: Final = ("40001", "40P01")


@cache
def driver() -> Any:
    """The module psycopg.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        # an extra: only a store on a server needs it
        import psycopg
    except ImportError as error:
        raise MissingExtra(f"a store on PostgreSQL needs `pip install 'clew[postgres]'` ({error})") from error
    return psycopg


def translated(error: BaseException) -> StoreError | None:
    """Clew's error for one of the driver's, with its message; None for an error that is not the driver's."""
    if not isinstance(error, driver().Error):
        return None
    state = getattr(error, "sqlstate", None)
    if state is None and isinstance(error, driver().OperationalError):
        return StoreError(f"{_LOST} ({_said(error)})")
    for beginning, ours, sentence in _OURS:
        if state is not None and state.startswith(beginning):
            return ours(f"{sentence} ({state}: {_said(error)})")
    return StoreError(f"the server could not do its work ({type(error).__name__} {state}: {_said(error)})")


@contextmanager
def translating() -> Iterator[None]:
    """Raises Clew's error in place of one of the driver's that leaves the block, with the driver's as its cause."""
    try:
        yield
    except driver().Error as error:
        raise translated(error) or error from error


def refused(error: BaseException, address: str) -> StoreError:
    """The error for a connection that could not be opened.

    Args:
        address: as it may be shown.
    """
    words = _said(error)
    for pattern, sentence in _REFUSALS:
        if re.search(pattern, words):
            return StoreError(f"{address}: {sentence} ({words})")
    return StoreError(f"{address}: the server refused the connection ({words})")


def is_lost(error: BaseException) -> bool:
    """Whether an error of the driver means that the connection is gone."""
    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, driver().OperationalError)
    return str(state).startswith(("08", "57P"))


def may_go_again(error: BaseException) -> bool:
    """Whether the server rolled the transaction back only because of concurrent ones, so that it can be retried."""
    return isinstance(error, driver().Error) and getattr(error, "sqlstate", None) in _AGAIN


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())
