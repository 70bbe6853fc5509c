"""Reads of one table that give typed values instead of plain rows. Start at `TypedReads`."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from clew.store.protocol import Reader
from clew.store.values import Key, Row

T = TypeVar("T")


class TypedReads(Generic[T]):
    """What whole tables, several columns and one column have in common.

    Attributes:
        source: the table's name.
        selected: the columns that are read; None for all.
        make: makes a plain row of these columns a typed value.
    """

    source: str
    selected: Sequence[str] | None
    make: Callable[[Row], T]

    def scan(
        self,
        reader: Reader,
        low: Key,
        high: Key,
        *,
        index: str | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> list[T]:
        """The values between two bounds, see `Reader.scan`."""
        rows = reader.scan(self.source, low, high, index=index, columns=self.selected, limit=limit, reverse=reverse)
        return list(map(self.make, rows))

    def scan_many(self, reader: Reader, prefixes: Sequence[Key], *, index: str | None = None) -> list[T]:
        """The values that begin with one of several prefixes, see `Reader.scan_many`."""
        return list(map(self.make, reader.scan_many(self.source, prefixes, index=index, columns=self.selected)))

    def get(self, reader: Reader, key: Key) -> T | None:
        """The value under a full primary key, or None."""
        return self.get_many(reader, [key])[0]

    def get_many(self, reader: Reader, keys: Sequence[Key]) -> list[T | None]:
        """The values under full primary keys, see `Reader.get_many`; None where there is no row."""
        make: Any = self.make  # a function, and no method, to mypy
        rows = reader.get_many(self.source, keys, columns=self.selected)
        return [None if row is None else make(row) for row in rows]
