"""Reading and writing rows over one PostgreSQL connection whose transaction is already open.

Writers of one space take turns: the first request of a transaction that names a space locks the space's lane, a row
that stands for it, until the transaction ends. So what a transaction reads of that space stays as it is while it works,
and it needs no stricter isolation than READ COMMITTED: nobody has to go again because two worked at the same time.

Borders: begins and ends nothing; see `postgres_pool` for snapshots and `postgres_writer` for commits.
"""

import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from clew.errors import StoreError, StoreLocked
from clew.store.access import SqlReader, SqlTransaction
from clew.store.check import check_storable
from clew.store.postgres_driver import may_go_again, translated
from clew.store.statements import Statements
from clew.store.tables import Row

if TYPE_CHECKING:
    from psycopg import Connection

LANES: Final = 256
"""Spaces that share one wait for each other; 256 rows are still read at once to see whether anything changed."""
_AT_ONCE: Final = 1_000
"""Rows that wait on this side before they are sent."""


def lane_of(space: str) -> int:
    """The lane of a space, the same for ever and everywhere."""
    return zlib.crc32(space.encode()) % LANES


class LaneTaken(StoreLocked):
    """Someone else writes to a space that this transaction came to late; never seen outside of the writer."""


class PostgresReader(SqlReader):
    """A `Reader` over an open snapshot."""

    def __init__(self, connection: "Connection[Any]", statements: Statements) -> None:
        super().__init__(statements, translated)
        self._connection = connection

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        check_storable(values)
        return self._connection.execute(sql, values, binary=True).fetchall()


class Batch:
    """What the transactions that share one commit share.

    Attributes:
        engine: the statements of `sql/postgres.sql`.
        lanes: those that are locked.
        transaction: the server's name for what is committed; None while nothing has changed.
    """

    __slots__ = ("engine", "lanes", "transaction")

    def __init__(self, engine: Mapping[str, str]) -> None:
        self.engine = engine
        self.lanes: set[int] = set()
        self.transaction: str | None = None


class PostgresTransaction(SqlTransaction):
    """A `Transaction` over an open write transaction. Rows that are put wait here until something is asked.

    Args:
        waits: whether it may wait for others who write to the same space; if not, they make it fail.

    Attributes:
        taken: the lane that it failed for, if it did.
        is_again: whether it failed only because others were in its way.
    """

    def __init__(self, connection: "Connection[Any]", statements: Statements, batch: Batch, *, waits: bool) -> None:
        super().__init__(statements, self._noted, dooms=True)
        self._connection = connection
        self._batch = batch
        self._waits = waits
        self._waiting: list[tuple[str, list[Row]]] = []
        self._changed: int | None = None
        self.taken: int | None = None
        self.is_again = False

    def finish(self, release: str | None) -> None:
        """Sends what waits, and lets no further call through.

        Args:
            release: a statement to end the savepoint that it stands in.

        Raises:
            BaseException: a call failed before, and the work had swallowed its error.
        """
        if self._guard.failure is None:
            with self._guard:
                self._send(release, last=True)
        self.end()

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        check_storable(values)
        if values:
            self._enter(cast(str, values[0]))
        self._send()
        return self._connection.execute(sql, values, binary=True).fetchall()

    def _run(self, sql: str, rows: Iterator[Row]) -> None:
        while chunk := list(islice(rows, _AT_ONCE)):
            for row in chunk:
                check_storable(row)
            for space in dict.fromkeys(row[0] for row in chunk):
                self._changed = self._enter(cast(str, space))
            self._waiting.append((sql, chunk))
            if len(chunk) == _AT_ONCE:
                self._send()

    def _change(self, sql: str, space: str, values: Row) -> int:
        check_storable((space, *values))
        lane = self._enter(space)
        self._send()
        count = self._connection.execute(sql, values).rowcount
        if count:
            self._changed = lane
        return count

    def _enter(self, space: str) -> int:
        """Locks the lane of a space. Those who wait while they hold lanes wait for a higher one, so never in a ring."""
        lane = lane_of(space)
        if lane not in self._batch.lanes:
            in_order = self._waits and lane > max(self._batch.lanes, default=-1)
            sql = self._batch.engine["wait_for_lane" if in_order else "try_lane"]
            if not self._connection.execute(sql, (lane,)).fetchall():
                self.taken = lane
                raise LaneTaken
            self._batch.lanes.add(lane)
        return lane

    def _send(self, release: str | None = None, *, last: bool = False) -> None:
        """Sends the rows that wait, in one go; at the end also the mark that says that there was a change."""
        marks = last and self._changed is not None and self._batch.transaction is None
        if not (self._waiting or marks or release):
            return
        waiting, self._waiting = self._waiting, []
        with self._connection.pipeline():
            for sql, rows in waiting:
                self._connection.cursor().executemany(sql, rows)
            if marks:
                marked = self._connection.execute(self._batch.engine["mark_lane"], (self._changed,))
            if release:
                self._connection.execute(release)
        if marks:
            self._batch.transaction = cast(str, marked.fetchall()[0][0])

    def _noted(self, error: BaseException) -> StoreError | None:
        self.is_again = self.is_again or may_go_again(error)
        return translated(error)
