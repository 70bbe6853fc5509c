"""The log, read from end to end in the order of arrival, a stretch at a time."""

from collections.abc import Iterator
from typing import Final

from clew.store.protocol import Store
from clew.store.rows import TURN_COLUMNS
from clew.store.tables import Row

STRETCH: Final = 500
"""Rows held in memory at a time."""


def stored_rows(store: Store, space: str, low: int = 0, high: int | None = None) -> Iterator[list[Row]]:
    """Rows of TURN by ordinal. Turns added while it runs may or may not come; forgotten ones may be missing.

    Args:
        low, high: the first and the last ordinal, both included; None has no last.
    """
    after, end = low, (space,) if high is None else (space, high)
    while high is None or after <= high:
        with store.snapshot() as reader:
            rows = reader.scan("turn", (space, after), end, index="ordinal", limit=STRETCH)
        if not rows:
            return
        yield rows
        after = int(rows[-1][TURN_COLUMNS["ordinal"]] or 0) + 1
