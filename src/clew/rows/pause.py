"""Whether a space takes anything in: one row, seen by every process in the transaction that would write."""

from datetime import datetime
from typing import Final, cast

from clew.store.protocol import Reader, Store
from clew.store.rows import from_us, to_us

_PAUSED: Final = "paused"
"""Row of META: since when, in microseconds since 1970. There is none while the space takes turns in."""


def paused_since(reader: Reader, space: str) -> datetime | None:
    """When the space was paused; None when it is not."""
    row = reader.get("meta", (space, _PAUSED))
    return None if row is None else from_us(int(cast(str, row[2])))


def pause(store: Store, space: str, now: datetime) -> None:
    """Lets nothing new in until `resume`; a space that is paused stays so since it was."""
    row = (space, _PAUSED, str(to_us(now)))
    store.transaction(lambda tx: None if paused_since(tx, space) else tx.put("meta", [row]))


def resume(store: Store, space: str) -> None:
    """Takes turns in again."""
    key = (space, _PAUSED)
    store.transaction(lambda tx: tx.delete("meta", key, key))
