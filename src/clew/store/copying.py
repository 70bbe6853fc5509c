"""Copies rows unchanged from one store to another, page by page.

Borders: knows no engine; says nothing about what is in the rows.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from clew.store.protocol import Reader, Store, Transaction
from clew.store.tables import TABLES, Table
from clew.store.values import Row

_PAGE: Final = 500
_FEW: Final = 8
"""Rows of a page where each may hold megabytes."""
_LARGE: Final = ("blob", "segment")


def copy_rows(source: Reader, spaces: Iterable[str], target: Store) -> int:
    """Copies all rows of some spaces to another store, replacing rows with the same keys; returns their number.

    Args:
        spaces: names; the installation's own rows are under the empty one.
    """
    copied = 0
    for space in spaces:
        for table in TABLES.values():
            for rows in _pages(source, table, space):
                target.transaction(partial(_put, table.name, rows), durable=False)
                copied += len(rows)
    return copied


def _put(table: str, rows: list[Row], tx: Transaction) -> None:
    tx.put(table, rows)


def _pages(source: Reader, table: Table, space: str) -> Iterator[list[Row]]:
    """The rows of a space; each page begins after the last row of the one before."""
    size = _FEW if table.name in _LARGE else _PAGE
    rows = source.scan(table.name, (space,), (space,), limit=size)
    while rows:
        yield rows
        last = rows[-1][: table.key]
        rows = source.scan(table.name, last, (space,), limit=size + 1)[1:]
