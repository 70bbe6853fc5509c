"""The log, read from end to end in the order of arrival, a stretch at a time."""

from collections.abc import Iterator
from typing import Final

from clew.store.protocol import Reader, Store
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types.turn import Turn

STRETCH: Final = 500
"""Rows held in memory at a time."""


def stored_rows(store: Store, space: str, low: int = 0, high: int | None = None) -> Iterator[list[TurnRow]]:
    """Rows of TURN by ordinal. Turns added while it runs may or may not come; forgotten ones may be missing.

    Args:
        low, high: the first and the last ordinal, both included; None has no last.
    """
    after, end = low, (space,) if high is None else (space, high)
    while high is None or after <= high:
        with store.snapshot() as reader:
            rows = TURN.scan(reader, (space, after), end, index="ordinal", limit=STRETCH)
        if not rows:
            return
        yield rows
        after = rows[-1].ordinal + 1


def turn_page(reader: Reader, space: str, session: str | None, after: int, limit: int) -> list[Turn]:
    """The turns of a session after a seq, or else of the space after an ordinal; at most so many."""
    if session is None:
        rows = TURN.scan(reader, (space, after + 1), (space,), index="ordinal", limit=limit)
    else:
        rows = TURN.scan(reader, (space, session, after + 1), (space, session), limit=limit)
    return [turn_from_row(row) for row in rows]


def stored_turns(store: Store, space: str, session: str | None = None, after: int = -1) -> list[Turn]:
    """The turns of a session by seq, from the one after `after` on; without a session those of the space by ordinal."""
    if session is None:
        return [turn_from_row(row) for rows in stored_rows(store, space) for row in rows]
    with store.snapshot() as reader:
        return [turn_from_row(row) for row in TURN.scan(reader, (space, session, after + 1), (space, session))]
