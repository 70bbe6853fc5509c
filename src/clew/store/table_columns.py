"""Readers of some columns of a table, typed; `clew.store.selections` declares what is read."""

from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import TypeVar, cast

from clew.store.protocol import Reader
from clew.store.tables import Table
from clew.store.typed_reads import TypedReads
from clew.store.values import Key, Value

R = TypeVar("R", bound=tuple[Value, ...])
V = TypeVar("V", bound=Value)


class Columns(TypedReads[R]):
    """Several columns of a table.

    Args:
        row: a NamedTuple whose fields name the columns.
    """

    def __init__(self, table: Table, row: type[R]) -> None:
        self.table = table
        self.row = row
        self.names = tuple(row.__annotations__)
        self.source, self.selected, self.make = table.name, self.names, partial(tuple.__new__, row)


class Column(TypedReads[V]):
    """One column of a table; reading it gives its values and no rows."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name
        self.source, self.selected, self.make = table.name, (name,), itemgetter(0)
        self._is_rest = table.names[table.key :] == (name,)

    def first(
        self, reader: Reader, low: Key, high: Key, *, index: str | None = None, reverse: bool = False
    ) -> V | None:
        """The value in the first (with `reverse`, the last) row between two bounds; None where there is no row."""
        values = self.scan(reader, low, high, index=index, limit=1, reverse=reverse)
        return values[0] if values else None

    def one_by_one(self, reader: Reader, space: str) -> Iterator[V]:
        """Every value of a space with a look-up for each: of values that may have megabytes, one is held at a time."""
        for key in reader.scan(self.table.name, (space,), (space,), columns=self.table.key_names):
            yield from self.scan(reader, key, key)

    def get(self, reader: Reader, key: Key) -> V | None:
        """The value in the row under a full primary key; None where there is no row."""
        if not self._is_rest:
            return super().get(reader, key)
        row = reader.get(self.table.name, key)  # half the cost, where the row has nothing else
        return None if row is None else cast("V", row[-1])


class OwnedRows:
    """The rows of a table that belong to a turn or to a session.

    Args:
        column: names the turn or the session.
    """

    def __init__(self, table: Table, column: str) -> None:
        self.table = table
        self.column = column
        self._names = (*table.key_names, column)

    def scan(self, reader: Reader, space: str) -> Iterator[tuple[Key, str]]:
        """Each row's key, and the name of what it belongs to."""
        for row in reader.scan(self.table.name, (space,), (space,), columns=self._names):
            yield row[:-1], cast(str, row[-1])
