"""The store without a file: sorted lists in this process. Nothing outlives the process; all else is as on disk.

A snapshot shares the tables with the writer, who copies a table before the first change while a snapshot looks at it.
"""

import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TypeVar, cast

from clew.errors import ClosedError, StoreError
from clew.store.check import (
    check_bounds,
    check_columns,
    check_key,
    check_keys,
    check_prefixes,
    check_setting,
    check_storable,
    checked_rows,
    table_named,
)
from clew.store.claims import Claiming
from clew.store.guard import Guard
from clew.store.new_file import folder_beside
from clew.store.protocol import Reader, Transaction
from clew.store.sqlite import SqliteStore
from clew.store.tables import TABLES, Table
from clew.store.translate import translating
from clew.store.values import Key, Row, Value

T = TypeVar("T")


class _Rows:
    """The rows of one table: by key, and as sorted keys for the primary key (None) and each index.

    Attributes:
        watchers: snapshots that look at it; while there are any, it is copied instead of changed.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.watchers = 0
        self._rows: dict[Key, Row] = {}
        self._sorted: dict[str | None, list[Key]] = {name: [] for name in (None, *table.indexes)}
        positions = {name: position for position, name in enumerate(table.names)}
        self._positions = {name: tuple(positions[column] for column in table.order(name)) for name in self._sorted}
        self._keys_in = {
            name: itemgetter(*(table.order(name).index(column) for column in table.key_names)) for name in table.indexes
        }

    def copy(self) -> "_Rows":
        """An independent copy of the rows."""
        twin = _Rows(self.table)
        twin._rows = dict(self._rows)
        twin._sorted = {name: list(keys) for name, keys in self._sorted.items()}
        return twin

    def get(self, key: Key) -> Row | None:
        return self._rows.get(key)

    def exchange(self, key: Key, row: Row | None) -> Row | None:
        """Replaces the row under a key, or removes it; returns the old row, None if there was none."""
        before = self._rows.pop(key, None)
        for name, keys in self._sorted.items():
            if before is not None and (old := self._entry(name, before)) is not None:
                del keys[bisect_left(keys, old)]
            if row is not None and (new := self._entry(name, row)) is not None:
                insort(keys, new)
        if row is not None:
            self._rows[key] = row
        return before

    def between(self, index: str | None, low: Key, high: Key) -> list[Key]:
        """The primary keys of the rows between two bounds, in the index's order."""
        keys = self._sorted[index]
        start = bisect_left(keys, low)  # a prefix sorts before all that begins with it
        matching = keys[start : bisect_right(keys, high, lo=start, key=lambda key: key[: len(high)])]
        return matching if index is None else list(map(self._keys_in[index], matching))

    def spaces(self) -> set[str]:
        return {cast(str, key[0]) for key in self._rows}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def _entry(self, index: str | None, row: Row) -> Key | None:
        """The entry of a row in an index; None for a row that the index leaves out."""
        entry = tuple(row[position] for position in self._positions[index])
        return None if None in entry else entry


class _View:
    """A `Reader` over tables that nobody changes any more."""

    def __init__(self, tables: dict[str, _Rows], *, dooms: bool = False) -> None:
        self._tables = tables
        self._guard = Guard(dooms=dooms)

    def get(self, table: str, key: Key) -> Row | None:
        with self._guard:
            check_key(table_named(table), key)
            check_storable(key)
            return self._tables[table].get(key)

    def get_many(self, table: str, keys: Sequence[Key], *, columns: Sequence[str] | None = None) -> list[Row | None]:
        with self._guard:
            declared = table_named(table)
            check_keys(declared, keys)
            check_columns(declared, columns, None)
            check_storable(value for key in keys for value in key)
            rows = [self._tables[table].get(key) for key in keys]
            if columns is None:
                return list(rows)
            positions = [declared.names.index(column) for column in columns]
            return [None if row is None else tuple(row[position] for position in positions) for row in rows]

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
        with self._guard:
            keys = self._between(table, index, low, high)
            check_columns(TABLES[table], columns, limit)
            rows = (cast(Row, self._tables[table].get(key)) for key in (keys[::-1] if reverse else keys)[:limit])
            if columns is None:
                return list(rows)
            positions = [TABLES[table].names.index(column) for column in columns]
            return [tuple(row[position] for position in positions) for row in rows]

    def scan_many(
        self, table: str, prefixes: Sequence[Key], *, index: str | None = None, columns: Sequence[str] | None = None
    ) -> list[Row]:
        with self._guard:
            declared = table_named(table)
            check_prefixes(declared, index, prefixes)
            check_columns(declared, columns, None)
            positions = [declared.names.index(column) for column in columns or declared.names]
            keys = (key for prefix in prefixes for key in self._between(table, index, prefix, prefix))
            rows = (cast(Row, self._tables[table].get(key)) for key in keys)
            return [tuple(row[position] for position in positions) for row in rows]

    def count(self, table: str, low: Key, high: Key, *, index: str | None = None) -> int:
        with self._guard:
            return len(self._between(table, index, low, high))

    def get_blob(self, space: str, sha: str) -> bytes | None:
        row = self.get("blob", (space, sha))
        return None if row is None else cast(bytes, row[-1])

    def end(self) -> None:
        self._guard.end()

    def _between(self, table: str, index: str | None, low: Key, high: Key) -> list[Key]:
        check_bounds(table_named(table), index, low, high)
        check_storable((*low, *high))
        return self._tables[table].between(index, low, high)


class _Change(_View):
    """A `Transaction` that can undo what it did."""

    def __init__(self, tables: dict[str, _Rows]) -> None:
        super().__init__(tables, dooms=True)
        self._before: list[tuple[str, Key, Row | None]] = []

    def put(self, table: str, rows: Iterable[Row]) -> None:
        with self._guard:
            declared = table_named(table)
            for row in checked_rows(declared, rows):
                check_storable(row)
                self._exchange(table, row[: declared.key], tuple(row))

    def delete(self, table: str, low: Key, high: Key) -> int:
        with self._guard:
            keys = self._between(table, None, low, high)
            for key in keys:
                self._exchange(table, key, None)
            return len(keys)

    def compare_and_set(self, table: str, key: Key, column: str, expected: Value, value: Value) -> bool:
        with self._guard:
            declared = table_named(table)
            check_setting(declared, key, column, expected)
            check_setting(declared, key, column, value)
            check_storable((*key, expected, value))
            row, position = self._tables[table].get(key), declared.names.index(column)
            if row is None or row[position] != expected:
                return False
            self._exchange(table, key, (*row[:position], value, *row[position + 1 :]))
            return True

    def put_blob(self, space: str, sha: str, data: bytes, media_type: str | None = None) -> None:
        if self.get("blob", (space, sha)) is None:
            self.put("blob", [(space, sha, media_type, data)])

    def delete_blob(self, space: str, sha: str) -> bool:
        return self.delete("blob", (space, sha), (space, sha)) == 1

    @property
    def has_changed(self) -> bool:
        return bool(self._before)

    def take_back(self) -> None:
        for table, key, row in reversed(self._before):
            self._tables[table].exchange(key, row)

    def _exchange(self, table: str, key: Key, row: Row | None) -> None:
        if self._tables[table].watchers:
            self._tables[table] = self._tables[table].copy()
        self._before.append((table, key, self._tables[table].exchange(key, row)))


class MemoryStore(Claiming):
    """A `clew.store.protocol.Store` for tests, and for memories that need not last."""

    url = ":memory:"
    encryption: str | None = None
    writable = True

    def __init__(self, secret: str | None = None) -> None:
        """Makes an empty one; the secret encrypts its backups."""
        self._secret = secret
        self._tables = {name: _Rows(table) for name, table in TABLES.items()}
        self._commits = 0
        self._closed = False
        self._lock = threading.Lock()
        self._inside: int | None = None
        self._current = threading.local()

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:  # noqa: ARG002  # there is no disk
        """See `Store.transaction`."""
        with self._alone("transaction"):
            change = _Change(self._tables)
            self._inside = threading.get_ident()
            try:
                result = work(change)
                change.end()
            except BaseException:
                change.take_back()
                raise
            finally:
                self._inside = None
            self._commits += change.has_changed
            return result

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """See `Store.snapshot`. A snapshot inside another one of the same thread shows the same state."""
        self._check_not_nested("snapshot")
        outer: _View | None = getattr(self._current, "view", None)
        if outer is not None and not self._closed:
            yield outer
            return
        with self._alone("snapshot"):
            tables = dict(self._tables)
            for rows in tables.values():
                rows.watchers += 1
        view = self._current.view = _View(tables)
        try:
            yield view
        finally:
            self._current.view = None
            view.end()
            with self._lock:
                for rows in tables.values():
                    rows.watchers -= 1

    def version(self) -> int:
        """See `Store.version`: how many transactions have changed something."""
        self._check_open()
        return self._commits

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self._alone("spaces"):
            return sorted(set[str]().union(*(rows.spaces() for rows in self._tables.values())) - {""})

    def migrate(self) -> int:
        """See `Store.migrate`: there is no older schema."""
        self._check_open()
        return 0

    def backup(self, path: Path) -> None:
        """See `Store.backup`: the copy is a database as `SqliteStore.backup` writes it."""
        with self.snapshot() as reader, translating(), folder_beside(path) as folder:
            tables = cast(_View, reader)._tables  # noqa: SLF001  # a view of this very module
            copy = SqliteStore.open(folder, secret=self._secret)
            try:
                copy.transaction(lambda tx: _put_all(tx, tables))
                copy.backup(path)
            finally:
                copy.close()

    def scrub(self) -> None:
        """See `Store.scrub`: there is nothing to overwrite."""
        self._check_open()

    def check(self) -> list[str]:
        """See `Store.check`: there is no file that could be damaged."""
        self._check_open()
        return []

    def size(self) -> int:
        """See `Store.size`."""
        self._check_open()
        return 0

    def close(self) -> None:
        """See `Store.close`."""
        with self._lock:
            self._closed = True
            self._tables = {}

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError

    def _check_not_nested(self, what: str) -> None:
        if self._inside == threading.get_ident():
            raise StoreError(f"{what} inside a transaction; use the transaction that the function was given")

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        self._check_not_nested(what)
        with self._lock:
            self._check_open()
            yield


def _put_all(tx: Transaction, tables: dict[str, _Rows]) -> None:
    for name, rows in tables.items():
        tx.put(name, rows)
