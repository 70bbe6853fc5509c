"""Connections to one PostgreSQL server, each lent to one thread at a time, and snapshots over them.

A connection that breaks is dropped when it comes back. One that broke while it lay idle (the server was restarted)
shows it with the first statement, before anything was done, and that statement is tried on another.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from clew.errors import ClosedError
from clew.store.postgres_access import PostgresReader
from clew.store.postgres_driver import driver, is_lost, translating
from clew.store.statements import Statements

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

KEPT: Final = 8
"""Idle connections that are kept; more threads may work at once, each with a connection of its own."""


class Pool:
    """Lends connections that `connect` makes.

    Attributes:
        losses: how many connections broke; what a client remembers of the server may be wrong after each.
    """

    def __init__(self, connect: "Callable[[], Connection[Any]]", statements: Statements, look: str) -> None:
        self._connect = connect
        self._statements = statements
        self._look = look
        self._idle: list[Connection[Any]] = []
        self._lock = threading.Lock()
        self._closed = False
        self._current = threading.local()
        self.losses = 0

    @contextmanager
    def snapshot(self) -> Iterator[PostgresReader]:
        """One state of the database for the whole block; a block inside it, in the same thread, sees the same."""
        outer: PostgresReader | None = getattr(self._current, "reader", None)
        if outer is not None:
            yield outer
            return
        with self.begun(self._look) as cursor:
            reader = self._current.reader = PostgresReader(cursor.connection, self._statements)
            try:
                yield reader
            finally:
                self._current.reader = None
                reader.end()

    @contextmanager
    def begun(self, first: str) -> "Iterator[Cursor[Any]]":
        """A connection for this block only, after its first statement; a transaction left open is rolled back."""
        with translating():
            cursor = self._begin(first)
        try:
            yield cursor
        finally:
            self._give_back(cursor.connection)

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs one statement outside a transaction and returns its rows; empty if it has none."""
        with self.begun(statement) as cursor, translating():
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        """Closes idle connections now, and lent ones when they are returned."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _begin(self, first: str) -> "Cursor[Any]":
        while True:
            with self._lock:
                if self._closed:
                    raise ClosedError
                idle = self._idle.pop() if self._idle else None
            connection = idle or self._connect()
            try:
                return connection.execute(first, prepare=False)
            except driver().Error as error:
                lost = is_lost(error)
                if lost:
                    connection.close()
                self._give_back(connection)
                if idle is None or not lost:
                    raise

    def _give_back(self, connection: "Connection[Any]") -> None:
        if not connection.closed and connection.info.transaction_status != driver().pq.TransactionStatus.IDLE:
            with suppress(driver().Error):  # it is closed below then, which ends its transaction as well
                connection.execute("ROLLBACK", prepare=False)
        sound = not connection.closed and connection.info.transaction_status == driver().pq.TransactionStatus.IDLE
        with self._lock:
            self.losses += not sound
            keep = sound and not self._closed and len(self._idle) < KEPT
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
