"""Reading and writing rows in SQL, over a connection whose transaction is already open.

What a request means is said once, in `SqlReader` and `SqlTransaction`; an engine adds how a statement is run.

Borders: begins and ends nothing; see `readers` for snapshots and `writer` for commits.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, cast

import apsw

from clew.errors import StoreError
from clew.forks import Shared
from clew.store.check import (
    check_bounds,
    check_columns,
    check_key,
    check_keys,
    check_prefixes,
    check_setting,
    checked_rows,
    table_named,
)
from clew.store.guard import Guard
from clew.store.statements import Statements
from clew.store.tables import BLOB, TABLES, Table
from clew.store.translate import translated
from clew.store.values import Key, Row, Value


class SqlReader(ABC):
    """A `Reader` over an open read transaction.

    Args:
        statements: in the engine's dialect.
        translate, dooms, lock: as `Guard` takes them.
    """

    def __init__(
        self,
        statements: Statements,
        translate: Callable[[BaseException], StoreError | None],
        *,
        dooms: bool = False,
        lock: "threading.RLock | None" = None,
    ) -> None:
        self._statements = statements
        self._guard = Guard(dooms=dooms, translate=translate, lock=lock)

    @abstractmethod
    def _fetch(self, sql: str, values: Row) -> list[Row]:
        """The rows of one statement; its first value, if it has any, is the space."""

    @abstractmethod
    def _look_up(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Iterable[Row]:
        """Columns of the rows under keys of one space, at least one; a row of nulls or none where there is none."""

    @abstractmethod
    def _scan_many(
        self, table: Table, index: str | None, prefixes: Sequence[Key], columns: tuple[str, ...]
    ) -> list[Row]:
        """Columns of the rows that begin with prefixes of one length and one space, at least one."""

    def _all_of(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Sequence[Row | None] | None:  # noqa: ARG002  # an engine's own
        """The rows under keys, in their order, where that is cheaper than looking up the keys too; None otherwise."""
        return None

    def get(self, table: str, key: Key) -> Row | None:
        """See `Reader.get`."""
        with self._guard:
            declared = table_named(table)
            check_key(declared, key)
            sql = self._statements.made.get(sought := ("get", table))
            if sql is None:
                sql = self._statements.made[sought] = self._statements.get(declared)
            rows = self._fetch(sql, key)
        return rows[0] if rows else None

    def get_many(self, table: str, keys: Sequence[Key], *, columns: Sequence[str] | None = None) -> list[Row | None]:
        """See `Reader.get_many`."""
        with self._guard:
            declared = table_named(table)
            check_keys(declared, keys)
            check_columns(declared, columns, None)
            whole = self._all_of(declared, keys, tuple(columns or declared.names)) if keys else None
            if whole is not None:
                return list(whole)
            width, columns_read = declared.key, (*declared.key_names, *(columns or declared.names[declared.key :]))
            cut = 0 if columns is None else width
            rows = {row[:width]: row[cut:] for row in (self._look_up(declared, keys, columns_read) if keys else ())}
        return [rows.get(key) for key in keys]

    def scan(
        self,
        table: str,
        low: Key,
        high: Key,
        *,
        index: str | None = None,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> list[Row]:
        """See `Reader.scan`."""
        with self._guard:
            declared = table_named(table)
            check_bounds(declared, index, low, high)
            shape = _shape(low, high)
            sought = ("scan", table, index, shape, columns and tuple(columns), limit is None, reverse)
            sql = self._statements.made.get(sought)
            check_columns(declared, columns if sql is None else None, limit)
            if sql is None:
                ends = (limit is not None, reverse)
                sql = self._statements.made[sought] = self._statements.scan(declared, index, shape, columns, ends)
            return self._fetch(sql, low + high[shape[0] :] + (() if limit is None else (limit,)))

    def scan_many(
        self, table: str, prefixes: Sequence[Key], *, index: str | None = None, columns: Sequence[str] | None = None
    ) -> list[Row]:
        """See `Reader.scan_many`."""
        with self._guard:
            declared = table_named(table)
            check_prefixes(declared, index, prefixes)
            check_columns(declared, columns, None)
            chosen = declared.names if columns is None else tuple(columns)
            return self._scan_many(declared, index, prefixes, chosen) if prefixes else []

    def count(self, table: str, low: Key, high: Key, *, index: str | None = None) -> int:
        """See `Reader.count`."""
        with self._guard:
            declared = table_named(table)
            check_bounds(declared, index, low, high)
            shape = _shape(low, high)
            sql = self._statements.made.get(sought := ("count", table, index, shape))
            if sql is None:
                sql = self._statements.made[sought] = self._statements.count(declared, index, shape)
            return cast(int, self._fetch(sql, low + high[shape[0] :])[0][0])

    def get_blob(self, space: str, sha: str) -> bytes | None:
        """See `Reader.get_blob`."""
        rows = self.scan("blob", (space, sha), (space, sha), columns=("data",))
        return cast(bytes, rows[0][0]) if rows else None

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self._guard:
            sql = self._statements.made.get(sought := ("spaces",))
            if sql is None:
                sql = self._statements.made[sought] = self._statements.spaces(TABLES.values())
            return sorted(cast(str, name) for (name,) in self._fetch(sql, ()) if name)

    def end(self) -> None:
        """Refuses all further calls; raises the error of a call that failed inside the transaction."""
        self._guard.end()


class SqlTransaction(SqlReader):
    """A `Transaction` over an open write transaction."""

    @abstractmethod
    def _run(self, sql: str, rows: Iterator[Row]) -> None:
        """Runs a statement without result rows once for each row of values, each of which begins with the space."""

    @abstractmethod
    def _change(self, sql: str, space: str, values: Row) -> int:
        """Runs a statement that changes rows of one space; returns how many it changed."""

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """See `Transaction.put`."""
        with self._guard:
            declared = table_named(table)
            sql = self._statements.made.get(sought := ("put", table))
            if sql is None:
                sql = self._statements.made[sought] = self._statements.put(declared)
            self._run(sql, checked_rows(declared, rows))

    def delete(self, table: str, low: Key, high: Key) -> int:
        """See `Transaction.delete`."""
        with self._guard:
            declared = table_named(table)
            check_bounds(declared, None, low, high)
            shape = _shape(low, high)
            sql = self._statements.made.get(sought := ("delete", table, shape))
            if sql is None:
                sql = self._statements.made[sought] = self._statements.delete(declared, shape)
            return self._change(sql, cast(str, low[0]), low + high[shape[0] :])

    def compare_and_set(self, table: str, key: Key, column: str, expected: Value, value: Value) -> bool:
        """See `Transaction.compare_and_set`."""
        with self._guard:
            declared = table_named(table)
            check_setting(declared, key, column, expected)
            check_setting(declared, key, column, value)
            sql = self._statements.set(declared, column)
            return self._change(sql, cast(str, key[0]), (value, *key, expected)) == 1

    def put_blob(self, space: str, sha: str, data: bytes, media_type: str | None = None) -> None:
        """See `Transaction.put_blob`."""
        with self._guard:
            self._run(self._statements.keep(BLOB), checked_rows(BLOB, [(space, sha, media_type, data)]))

    def delete_blob(self, space: str, sha: str) -> bool:
        """See `Transaction.delete_blob`."""
        return self.delete("blob", (space, sha), (space, sha)) == 1


_STATEMENTS: Final = Statements()


class _OverConnection:
    """How rows are read over one SQLite connection."""

    _connection: apsw.Connection

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _look_up(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Iterable[Row]:
        return _look_up(self._connection, table, keys, columns)

    def _scan_many(
        self, table: Table, index: str | None, prefixes: Sequence[Key], columns: tuple[str, ...]
    ) -> list[Row]:
        """As with keys, one statement is run for each."""
        width = len(prefixes[0])
        sql = _STATEMENTS.made.get(sought := ("scan_many", table.name, index, width, columns))
        if sql is None:
            shape = (width, width, width)
            sql = _STATEMENTS.made[sought] = _STATEMENTS.scan(table, index, shape, columns, (False, False))
        return self._connection.executemany(sql, prefixes).fetchall()

    def _all_of(self, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> Sequence[Row | None] | None:
        return _all_of(self._connection, table, keys, columns)


class SqliteReader(_OverConnection, SqlReader):
    """A `Reader` over one SQLite connection."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(_STATEMENTS, translated, lock=shared.lock)
        self._connection = shared.connection


class SqliteTransaction(_OverConnection, SqlTransaction):
    """A `Transaction` over one SQLite connection, which the caller protects against forks."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(_STATEMENTS, translated, dooms=True)
        self._connection = connection

    def _run(self, sql: str, rows: Iterator[Row]) -> None:
        self._connection.executemany(sql, rows)

    def _change(self, sql: str, space: str, values: Row) -> int:  # noqa: ARG002  # SQLite keeps all spaces together
        self._connection.execute(sql, values)
        return self._connection.changes()


def _look_up(connection: apsw.Connection, table: Table, keys: Sequence[Key], columns: tuple[str, ...]) -> apsw.Cursor:
    """One statement run for each key: within the process that costs half of what a join over the keys does."""
    sql = _STATEMENTS.made.get(sought := ("get", table.name, columns))
    if sql is None:
        sql = _STATEMENTS.made[sought] = _STATEMENTS.get(table, columns)
    return connection.executemany(sql, keys)


def _all_of(
    connection: apsw.Connection, table: Table, keys: Sequence[Key], columns: tuple[str, ...]
) -> Sequence[Row | None] | None:
    """The rows, unless some of several are missing: a whole key has one row at most, so they are in the keys' order."""
    rows = _look_up(connection, table, keys, columns).fetchall()
    if len(keys) == 1:
        return rows or (None,)
    return rows if len(rows) == len(keys) else None


def _shape(low: Key, high: Key) -> tuple[int, int, int]:
    """How many values the bounds share at their beginning, and their lengths."""
    if low == high:
        return len(low), len(low), len(low)
    shared = 0
    for ours, theirs in zip(low, high, strict=False):
        if ours != theirs:
            break
        shared += 1
    return shared, len(low), len(high)
