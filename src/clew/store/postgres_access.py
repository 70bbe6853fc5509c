"""Reads and writes rows over one PostgreSQL connection whose transaction is already open.

Writers of one space take turns: the first request of a transaction that names a space locks the space's lane, a row
that stands for it, until the transaction ends. So what a transaction reads of that space stays as it is while it works,
and it needs no stricter isolation than READ COMMITTED: nobody has to go again because two worked at the same time.

Borders: begins nothing; see `postgres_pool` for snapshots and `postgres_writer` for what commits are made of.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, cast

from clew.errors import StoreError, StoreLocked
from clew.store.access import SqlReader, SqlTransaction
from clew.store.check import check_storable
from clew.store.postgres_driver import may_go_again, translated
from clew.store.statements import Statements
from clew.store.tables import Table
from clew.store.values import Key, Row

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

LANES: Final = 256
"""Spaces that share one wait for each other; 256 rows are still read at once to see whether anything changed."""
_AT_ONCE: Final = 1_000
"""Rows that wait on this side before they are sent."""


def lane_of(space: str) -> int:
    """The number of the advisory lock of a space, the same on every machine and in every version."""
    return zlib.crc32(space.encode()) % LANES


def _look_up(
    statements: Statements, table: Table, keys: Sequence[Key], columns: tuple[str, ...]
) -> tuple[str, list[Any]]:
    """The statement that gives the rows under some keys, and its values."""
    check_storable(chain.from_iterable(keys))
    sql = statements.made.get(sought := ("get_many", table.name, columns))
    if sql is None:
        sql = statements.made[sought] = statements.get_many(table, columns)
    return sql, [*map(list, zip(*keys, strict=True)), keys[0][0]]


def _scan_many(
    statements: Statements, table: Table, index: str | None, prefixes: Sequence[Key], columns: tuple[str, ...]
) -> tuple[str, list[Any]]:
    """The statement that gives the rows that begin with some prefixes, and its values."""
    check_storable(chain.from_iterable(prefixes))
    width = len(prefixes[0])
    sql = statements.made.get(sought := ("scan_many", table.name, index, width, columns))
    if sql is None:
        sql = statements.made[sought] = statements.scan_many(table, index, width, columns)
    return sql, [*map(list, zip(*prefixes, strict=True)), prefixes[0][0]]


def _there(rows: Iterable[Row]) -> list[Row]:
    """The rows of prefixes that have any, without the space before their columns."""
    return [row[1:] for row in rows if row[0] is not None]


class LaneTaken(StoreLocked):
    """Others kept writing to a space that this transaction needs, so it has to be tried again."""


class PostgresReader(SqlReader):
    """A `Reader` over an open snapshot."""

    def __init__(self, connection: "Connection[Any]", statements: Statements) -> None:
        super().__init__(statements, translated)
        self._connection = connection

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        check_storable(values)
        return self._connection.execute(sql, values, binary=True).fetchall()

    def _look_up(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Iterable[Row]:
        sql, values = _look_up(self._statements, table, keys, columns)
        return self._connection.execute(sql, values, binary=True).fetchall()

    def _scan_many(
        self, table: Table, index: str | None, prefixes: Sequence[Key], columns: tuple[str, ...]
    ) -> list[Row]:
        sql, values = _scan_many(self._statements, table, index, prefixes, columns)
        return _there(self._connection.execute(sql, values, binary=True).fetchall())


class Batch:
    """The state that transactions in one commit share: rows that were put wait here until a query needs them.

    Args:
        engine: the statements of `sql/postgres.sql`.
        writer: who commits.
        number: which of the writer's commits this will be.

    Attributes:
        lanes: those that are locked.
        changed: a lane in which something has changed; None while nothing has.
        waiting: statements, each with the rows to run it for.
    """

    __slots__ = ("_engine", "changed", "connection", "lanes", "number", "waiting", "writer")

    def __init__(self, connection: "Connection[Any]", engine: Mapping[str, str], writer: str, number: int) -> None:
        self.connection = connection
        self._engine = engine
        self.writer = writer
        self.number = number
        self.lanes: set[int] = set()
        self.changed: int | None = None
        self.waiting: list[tuple[str, list[Row]]] = []

    def lock(self, lane: int, *, waits: bool) -> bool:
        """Locks a lane and returns whether that succeeded; without waiting it fails if somebody else holds the lane."""
        sql = self._engine["wait_for_lane" if waits else "try_lane"]
        if not self.connection.execute(sql, (lane,)).fetchall():
            return False
        self.lanes.add(lane)
        return True

    def run(self, sql: str, values: Sequence[Any]) -> "Cursor[Any]":
        """Runs one statement, after sending the waiting rows, in one round trip."""
        if not self.waiting:
            return self.connection.execute(sql, values, binary=True)
        with self.connection.pipeline():
            self._send_waiting()
            return self.connection.execute(sql, values, binary=True)

    def send(self) -> None:
        """Sends the waiting rows."""
        with self.connection.pipeline():
            self._send_waiting()

    def check_connected(self) -> None:
        """Raises an error if the server has closed the connection, which is known without asking it."""
        for _ in range(2):  # its last words, if it had any, then its end
            self.connection.pgconn.consume_input()

    def commit(self) -> str | None:
        """Sends what waits and marks the change, for others and for the writer itself; returns the server's answer."""
        with self.connection.pipeline():
            self._send_waiting()
            self.connection.execute(self._engine["mark_lane"], (self.changed,))
            self.connection.execute(self._engine["mark_writer"], (self.writer, self.number))
            done = self.connection.execute("COMMIT")
        return done.statusmessage

    def _send_waiting(self) -> None:
        waiting, self.waiting = self.waiting, []
        for sql, rows in waiting:
            self.connection.cursor().executemany(sql, rows)


class PostgresTransaction(SqlTransaction):
    """A `Transaction` over an open write transaction, which it may share with others.

    Args:
        waits: whether it may wait for others who write to the same space; if not, they make it fail.

    Attributes:
        taken: the lane that it failed for, if it did.
        has_failed: whether the server refused something: its own, or a row that an earlier transaction put.
        is_again: whether it did so only because others were in the way.
        has_sent: whether rows of its own are on the server, so that it cannot be undone alone.
    """

    def __init__(self, statements: Statements, batch: Batch, *, waits: bool) -> None:
        super().__init__(statements, self._noted, dooms=True)
        self._batch = batch
        self._waits = waits
        self._earlier = (len(batch.waiting), batch.changed)
        self.taken: int | None = None
        self.has_failed = False
        self.is_again = False
        self.has_sent = False

    def undo(self) -> None:
        """Drops the rows that were not sent yet."""
        waiting, self._batch.changed = self._earlier
        del self._batch.waiting[waiting:]

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        check_storable(values)
        if values:
            self._enter(cast(str, values[0]))
        self._note_sending()
        return self._batch.run(sql, values).fetchall()

    def _look_up(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Iterable[Row]:
        sql, values = _look_up(self._statements, table, keys, columns)
        self._enter(cast(str, keys[0][0]))
        self._note_sending()
        return self._batch.run(sql, values).fetchall()

    def _scan_many(
        self, table: Table, index: str | None, prefixes: Sequence[Key], columns: tuple[str, ...]
    ) -> list[Row]:
        sql, values = _scan_many(self._statements, table, index, prefixes, columns)
        self._enter(cast(str, prefixes[0][0]))
        self._note_sending()
        return _there(self._batch.run(sql, values).fetchall())

    def _run(self, sql: str, rows: Iterator[Row]) -> None:
        while chunk := list(islice(rows, _AT_ONCE)):
            for row in chunk:
                check_storable(row)
            for space in dict.fromkeys(row[0] for row in chunk):
                self._batch.changed = self._enter(cast(str, space))
            self._batch.waiting.append((sql, chunk))
            if len(chunk) == _AT_ONCE:
                self._note_sending()
                self._batch.send()

    def _change(self, sql: str, space: str, values: Row) -> int:
        check_storable((space, *values))
        lane = self._enter(space)
        self._note_sending()
        count = self._batch.run(sql, values).rowcount
        if count:
            self.has_sent, self._batch.changed = True, lane
        return count

    def _note_sending(self) -> None:
        waiting, changed = self._earlier
        self.has_sent = self.has_sent or len(self._batch.waiting) > waiting
        self._earlier = (0, changed)

    def _enter(self, space: str) -> int:
        """Locks the lane of a space. Those who wait while they hold lanes wait for a higher one, so never in a ring."""
        lane = lane_of(space)
        if lane not in self._batch.lanes:
            in_order = self._waits and lane > max(self._batch.lanes, default=-1)
            if not self._batch.lock(lane, waits=in_order):
                self.taken = lane
                raise LaneTaken
        return lane

    def _noted(self, error: BaseException) -> StoreError | None:
        ours = translated(error)
        self.has_failed = self.has_failed or ours is not None
        self.is_again = self.is_again or may_go_again(error)
        return ours
