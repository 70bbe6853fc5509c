"""Checks of requests, shared by all backends, so that each of them rejects the same requests with the same errors.

A value is exactly of its column's kind (`bool` is not `int`, an enum's member is not `str`) or None; text holds no NUL,
which PostgreSQL cannot keep; key columns and bounds are never None; no request reaches into two spaces.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final, cast

from clew.errors import StoreError
from clew.store.tables import TABLES, Table
from clew.store.values import Key, Row, Value

_TYPES: Final[dict[str, type]] = {"text": str, "int": int, "real": float, "bytes": bytes}
_NONE: Final = type(None)
_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_NUL: Final = "its text holds NUL, which not every database can keep; escape it first"


def table_named(name: str) -> Table:
    """The declaration of a table.

    Raises:
        StoreError: there is none of this name.
    """
    table = TABLES.get(name)
    if table is None:
        raise StoreError(f"there is no table {name!r}; expected one of {', '.join(TABLES)}")
    return table


def checked_rows(table: Table, rows: Iterable[Row]) -> Iterator[Row]:
    """Yields the rows unchanged, after checking each of them.

    Raises:
        StoreError: a row has another length, or a value of another kind than its column, or None in its key, or text
            with NUL, or not-a-number (which databases keep as unknown).
    """
    name, reals = table.name, table.reals
    for row in rows:
        fault = _row_fault(name, tuple(map(type, row)))
        if fault is not None or _has_nul(row) or (reals and any(row[position] != row[position] for position in reals)):
            why = fault or (_NUL if _has_nul(row) else "it holds not-a-number")
            raise StoreError(f"a row for {name} cannot be kept: {why}; the row begins {row[:4]!r}")
        yield row


def check_bounds(table: Table, index: str | None, low: Key, high: Key) -> None:
    """Checks that two bounds fit the columns of an index and lie in one space.

    Raises:
        StoreError: they do not.
    """
    fault = _bounds_fault(table.name, index, tuple(map(type, low)), tuple(map(type, high)))
    if fault is None and low[0] != high[0]:
        fault = "they lie in two spaces, and no request reaches into two"
    if fault is None and (_has_nul(low) or _has_nul(high)):
        fault = _NUL
    if fault is not None:
        raise StoreError(f"the bounds {low!r} and {high!r} do not fit {table.name}: {fault}")


def check_key(table: Table, key: Key) -> None:
    """Checks that a key is a whole primary key.

    Raises:
        StoreError: it is not.
    """
    if len(key) != table.key:
        raise StoreError(f"{key!r} is not a key of {table.name}; expected ({', '.join(table.key_names)})")
    check_bounds(table, None, key, key)


def check_keys(table: Table, keys: Sequence[Key]) -> None:
    """Checks that the keys are whole primary keys of one space.

    Raises:
        StoreError: they are not.
    """
    if set(map(len, keys)) == {table.key} and _are_sound(table, None, keys):
        return
    for key in keys:
        check_key(table, key)
        check_bounds(table, None, keys[0], key)


def check_prefixes(table: Table, index: str | None, prefixes: Sequence[Key]) -> None:
    """Checks that prefixes fit the columns of an index, and share one length and one space.

    Raises:
        StoreError: they do not.
    """
    if index is not None and not prefixes:
        check_bounds(table, index, ("",), ("",))
    lengths = set(map(len, prefixes))
    if len(lengths) > 1:
        raise StoreError(f"the prefixes for {table.name} have {sorted(lengths)} values; expected one length for all")
    if prefixes and not _are_sound(table, index, prefixes):
        for prefix in prefixes:
            check_bounds(table, index, prefixes[0], prefix)


def _are_sound(table: Table, index: str | None, keys: Sequence[Key]) -> bool:
    """Whether keys or prefixes of one length are certainly valid, judged by the types in each column."""
    columns = list(zip(*keys, strict=True))
    kinds = product(*(set(map(type, column)) for column in columns))
    if not columns or any(_bounds_fault(table.name, index, kind, kind) is not None for kind in kinds):
        return False
    texts = (cast("Iterable[str]", column) for column in columns if type(column[0]) is str)
    return columns[0].count(columns[0][0]) == len(keys) and not any("\0" in "".join(text) for text in texts)


def check_columns(table: Table, columns: Sequence[str] | None, limit: int | None) -> None:
    """Checks that the columns exist and that the limit is valid.

    Raises:
        StoreError: they do not, or it cannot.
    """
    if columns is not None and (not columns or not table.columns.keys() >= set(columns)):
        raise StoreError(f"{list(columns)!r} are not columns of {table.name}; it has {', '.join(table.names)}")
    if limit is not None and limit < 0:
        raise StoreError(f"a limit of {limit} makes no sense; expected 0 or more, or None for all rows")


def check_setting(table: Table, key: Key, column: str, value: Value) -> None:
    """Checks that `compare_and_set` names a column outside the key, and a value that the column can hold.

    Raises:
        StoreError: it does not.
    """
    check_key(table, key)
    if column not in table.names[table.key :]:
        raise StoreError(f"{column!r} cannot be set in {table.name}; expected {', '.join(table.names[table.key :])}")
    if type(value) not in {_TYPES[table.columns[column]], _NONE} or value != value:  # noqa: PLR0124  # not-a-number
        raise StoreError(f"{table.name}.{column} cannot hold {value!r}; it takes {table.columns[column]} or None")
    if _has_nul((value,)):
        raise StoreError(f"{table.name}.{column} cannot hold {value!r}: {_NUL}")


def check_storable(values: Iterable[Value]) -> None:
    """Checks what only the database would reject otherwise: integers beyond 64 bits, and text that is not valid UTF-8.

    Raises:
        StoreError: a value cannot be kept.
    """
    for value in values:
        if isinstance(value, int) and not _LOWEST <= value <= _HIGHEST:
            raise StoreError(f"{value} cannot be kept; expected a whole number of 64 bits")
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise StoreError(f"text with a lone surrogate cannot be kept ({error}); escape it first") from error


def _has_nul(values: Iterable[Value]) -> bool:
    for value in values:  # noqa: SIM110  # half of what any() costs, and every row passes here
        if type(value) is str and "\0" in value:
            return True
    return False


@cache
def _row_fault(name: str, kinds: tuple[type, ...]) -> str | None:
    """What is wrong with every row whose values have these types; None if nothing is."""
    table = TABLES[name]
    if len(kinds) != len(table.names):
        return f"it has {len(kinds)} values; expected {len(table.names)}: {', '.join(table.names)}"
    for position, (column, kind) in enumerate(zip(table.names, kinds, strict=True)):
        wanted = _TYPES[table.columns[column]]
        if kind is not wanted and (kind is not _NONE or position < table.key):
            return f"{column} is {kind.__name__}; expected {wanted.__name__}" + " or None" * (position >= table.key)
    return None


@cache
def _bounds_fault(name: str, index: str | None, low: tuple[type, ...], high: tuple[type, ...]) -> str | None:
    """What is wrong with every pair of bounds whose values have these types; None if nothing is."""
    table = TABLES[name]
    if index is not None and index not in table.indexes:
        return f"it has no index {index!r}; expected {', '.join(table.indexes) or 'none'}"
    order = table.order(index)
    for kinds in (low, high):
        if not 0 < len(kinds) <= len(order):
            return f"a bound has {len(kinds)} values; expected 1 to {len(order)}: {', '.join(order)}"
        for column, kind in zip(order, kinds, strict=False):
            if kind is not (wanted := _TYPES[table.columns[column]]):
                return f"{column} is {kind.__name__}; expected {wanted.__name__}"
    return None
