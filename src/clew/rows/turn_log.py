"""Reads the turns of a space in order of arrival, a batch at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from clew.store.protocol import Reader, Store
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.store.values import Key
from clew.types.turn import Turn

STRETCH: Final = 500
"""Rows held in memory at a time."""

STRETCH_CHARS: Final = 4_000_000
"""Characters of text of which they have about so many: some turns have millions."""

_GROWTH: Final = 3
"""A page has so many times the rows before it."""


def stored_rows(store: Store, space: str, low: int = 0, high: int | None = None) -> Iterator[list[TurnRow]]:
    """Rows of TURN by ordinal. Turns added while it runs may or may not come; forgotten ones may be missing.

    Args:
        low, high: the first and the last ordinal, both included; None has no last.
    """
    after, end = low, (space,) if high is None else (space, high)
    while high is None or after <= high:
        with store.snapshot() as reader:
            rows = rows_by_ordinal(reader, (space, after), end, STRETCH)
        if not rows:
            return
        yield rows
        after = rows[-1].ordinal + 1


def rows_by_ordinal(reader: Reader, low: Key, high: Key, limit: int, chars: int = STRETCH_CHARS) -> list[TurnRow]:
    """The first rows of TURN between two bounds of ordinals; fewer than `limit` once their texts have `chars`.

    They are read in pages that grow, so that the rows of a few huge turns are not all held before they are counted.
    """
    space, start = low

    def page(after: TurnRow | None, size: int) -> list[TurnRow]:
        first = start if after is None else after.ordinal + 1
        return TURN.scan(reader, (space, first), high, index="ordinal", limit=size)

    return _gathered(page, limit, chars)


def rows_of_ordinals(reader: Reader, space: str, ordinals: Sequence[int]) -> list[TurnRow]:
    """The rows of TURN with these ordinals, in their order; those that were forgotten are missing."""
    bounds = ((space, ordinal) for ordinal in ordinals)
    return [row for bound in bounds for row in TURN.scan(reader, bound, bound, index="ordinal")]


def rows_by_seq(reader: Reader, low: Key, high: Key, limit: int, chars: int = STRETCH_CHARS) -> list[TurnRow]:
    """`rows_by_ordinal` of one session, between two bounds of seqs."""
    space, session, start = low

    def page(after: TurnRow | None, size: int) -> list[TurnRow]:
        return TURN.scan(reader, (space, session, start if after is None else after.seq + 1), high, limit=size)

    return _gathered(page, limit, chars)


def _gathered(page: Callable[[TurnRow | None, int], list[TurnRow]], limit: int, chars: int) -> list[TurnRow]:
    """The rows of pages that follow each other; `page` gives the one after a row, of a size."""
    rows: list[TurnRow] = []
    while len(rows) < limit and chars > 0:
        size = min(limit - len(rows), _GROWTH * len(rows) or 1)
        more = page(rows[-1] if rows else None, size)
        rows += more
        if len(more) < size:
            break
        chars -= sum(len(row.text) for row in more)
    return rows


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
