"""Reading and writing rows over one SQLite connection whose transaction is already open.

Borders: begins and ends nothing; see `readers` for snapshots and `writer` for commits.
"""

from collections.abc import Iterable, Sequence
from typing import Final, cast

import apsw

from clew.store.check import check_bounds, check_columns, check_key, check_setting, checked_rows, table_named
from clew.store.guard import Guard
from clew.store.statements import Statements
from clew.store.tables import BLOB, TABLES, Key, Row, Table, Value
from clew.store.translate import translated

_STATEMENTS: Final = Statements()
_GETS: Final = {name: _STATEMENTS.get(table) for name, table in TABLES.items()}
_PUTS: Final = {name: _STATEMENTS.put(table) for name, table in TABLES.items()}
_SPACES: Final = _STATEMENTS.spaces(TABLES.values())
_scans: Final[dict[tuple[object, ...], str]] = {}
"""Scans and counts by everything that shapes their text; a handful for each place in the program that asks."""


class SqliteReader:
    """A `Reader` over an open read transaction."""

    def __init__(self, connection: apsw.Connection, *, dooms: bool = False) -> None:
        self._connection = connection
        self._guard = Guard(dooms=dooms, translate=translated)

    def get(self, table: str, key: Key) -> Row | None:
        """See `Reader.get`."""
        with self._guard:
            check_key(table_named(table), key)
            rows = self._connection.execute(_GETS[table], key).fetchall()
        return rows[0] if rows else None

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
            sql = _scans.get(sought)
            check_columns(declared, columns if sql is None else None, limit)
            if sql is None:
                sql = _scans[sought] = _STATEMENTS.scan(declared, index, shape, columns, (limit is not None, reverse))
            values = low + high[shape[0] :] + (() if limit is None else (limit,))
            return self._connection.execute(sql, values).fetchall()

    def count(self, table: str, low: Key, high: Key, *, index: str | None = None) -> int:
        """See `Reader.count`."""
        with self._guard:
            declared = table_named(table)
            check_bounds(declared, index, low, high)
            shape = _shape(low, high)
            sql = _scans.get(sought := ("count", table, index, shape))
            if sql is None:
                sql = _scans[sought] = _STATEMENTS.count(declared, index, shape)
            return cast(int, self._connection.execute(sql, low + high[shape[0] :]).fetchall()[0][0])

    def get_blob(self, space: str, sha: str) -> bytes | None:
        """See `Reader.get_blob`."""
        found = self.scan("blob", (space, sha), (space, sha), columns=("data",))
        return cast(bytes, found[0][0]) if found else None

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self._guard:
            return sorted(cast(str, name) for (name,) in self._connection.execute(_SPACES) if name)

    def end(self) -> None:
        """Lets no further call through; raises the error of a failed call of a transaction."""
        self._guard.end()


class SqliteTransaction(SqliteReader):
    """A `Transaction` over an open write transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection, dooms=True)

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """See `Transaction.put`."""
        with self._guard:
            self._connection.executemany(_PUTS[table_named(table).name], checked_rows(TABLES[table], rows))

    def delete(self, table: str, low: Key, high: Key) -> int:
        """See `Transaction.delete`."""
        with self._guard:
            declared = table_named(table)
            check_bounds(declared, None, low, high)
            return self._change(_deletion(declared, shape := _shape(low, high)), low + high[shape[0] :])

    def compare_and_set(self, table: str, key: Key, column: str, expected: Value, value: Value) -> bool:
        """See `Transaction.compare_and_set`."""
        with self._guard:
            declared = table_named(table)
            check_setting(declared, key, column, expected)
            check_setting(declared, key, column, value)
            return self._change(_STATEMENTS.set(declared, column), (value, *key, expected)) == 1

    def put_blob(self, space: str, sha: str, data: bytes, media_type: str | None = None) -> None:
        """See `Transaction.put_blob`."""
        with self._guard:
            self._connection.executemany(_KEEP_BLOB, checked_rows(BLOB, [(space, sha, media_type, data)]))

    def delete_blob(self, space: str, sha: str) -> bool:
        """See `Transaction.delete_blob`."""
        return self.delete("blob", (space, sha), (space, sha)) == 1

    def _change(self, sql: str, values: Row) -> int:
        self._connection.execute(sql, values)
        return self._connection.changes()


_KEEP_BLOB: Final = _STATEMENTS.keep(BLOB)


def _deletion(table: Table, shape: tuple[int, int, int]) -> str:
    sql = _scans.get(sought := ("delete", table.name, shape))
    if sql is None:
        sql = _scans[sought] = _STATEMENTS.delete(table, shape)
    return sql


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
