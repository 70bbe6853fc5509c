"""Whether a space takes anything in: one row, seen by every process in the transaction that would write."""

from datetime import datetime
from typing import Final

from clew.store.protocol import Reader, Store
from clew.store.row_types import MetaRow
from clew.store.rows import from_us, to_us
from clew.store.selections import META_VALUE
from clew.store.tables import META

_PAUSED: Final = "paused"
"""Row of META: since when, in microseconds since 1970. There is none while the space takes turns in."""


def paused_since(reader: Reader, space: str) -> datetime | None:
    """When the space was paused; None when it is not."""
    text = META_VALUE.get(reader, (space, _PAUSED))
    return None if text is None else from_us(int(text))


def pause(store: Store, space: str, now: datetime) -> None:
    """Lets nothing new in until `resume`; a space that is paused stays so since it was."""
    row = MetaRow(space, _PAUSED, str(to_us(now)))
    store.transaction(lambda tx: None if paused_since(tx, space) else META.put(tx, [row]))


def resume(store: Store, space: str) -> None:
    """Takes turns in again."""
    key = (space, _PAUSED)
    store.transaction(lambda tx: tx.delete("meta", key, key))
