"""A pool of SQLite connections for snapshots, each lent to one thread at a time.

A pool needs no watch over threads: one that dies inside a snapshot leaves the block like any other, and an idle
connection belongs to nobody.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from clew.errors import ClosedError
from clew.forks import Shared, using_sqlite
from clew.store.access import SqliteReader
from clew.store.translate import translating

KEPT: Final = 8
"""Idle connections that are kept; more threads may read at once, each with a connection of its own."""


class Readers:
    """Lends connections that `connect` makes."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._idle: list[Shared] = []
        self._lock = threading.Lock()
        self._closed = self._retired = False
        self._current = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[SqliteReader]:
        """One state of the database for the whole block; a block inside it, in the same thread, sees the same."""
        outer: SqliteReader | None = getattr(self._current, "reader", None)
        if outer is not None:
            yield outer
            return
        with self._lent() as shared:
            with translating(), shared.lock:
                # BEGIN alone chooses no state yet.
                shared.connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
            reader = self._current.reader = SqliteReader(shared)
            try:
                yield reader
            finally:
                self._current.reader = None
                reader.end()
                with translating(), shared.lock:
                    shared.connection.execute("COMMIT")

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        """A connection outside any transaction, for this block only; a fork waits until the block ends."""
        with self._lent() as shared, shared.lock:
            yield shared.connection

    @contextmanager
    def _lent(self) -> Iterator[Shared]:
        shared = self._take()
        try:
            yield shared
        finally:
            self._give_back(shared)

    def close(self) -> None:
        """Closes idle connections now, and lent ones when they are returned."""
        self._closed = True
        self.retire()

    def retire(self) -> None:
        """As `close`, but a thread that is about to borrow a connection still gets one."""
        with self._lock:
            self._retired = True
            idle, self._idle = self._idle, []
        for shared in idle:
            shared.close()

    def _take(self) -> Shared:
        with self._lock:
            if self._closed:
                raise ClosedError
            if self._idle:
                return self._idle.pop()
        with using_sqlite(), translating():
            return Shared(self._connect())

    def _give_back(self, shared: Shared) -> None:
        if shared.is_inherited:  # it was closed, or is its parent's
            return
        with self._lock:
            keep = not self._retired and len(self._idle) < KEPT and not shared.connection.in_transaction
            if keep:
                self._idle.append(shared)
        if not keep:
            shared.close()
