"""Stores the blocks that the proxy put into clients' messages."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Final

from clew.rows.pause import is_session_paused
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import InjectionRow
from clew.store.rows import dumps, from_us, to_us
from clew.store.selections import INJECTION_ENDS
from clew.store.tables import INJECTION

_AGE: Final = attrgetter("at", "injection")
"""Orders rows, the oldest first."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A block put into a message of a conversation.

    Attributes:
        id: short, and part of the block.
        chain: hash of the history up to and including the message, under the space's salt.
        digest: hash of the message alone, under the same salt.
        block: as it was put there, frame included.
        receipt: of the recall that made it; None for a block that no recall made.
        turns: ids of the turns that it quotes.
        retired: when it stopped being put back; None while it is.
    """

    session: str
    id: str
    chain: bytes
    digest: bytes
    block: str
    turns: tuple[str, ...]
    at: datetime
    receipt: str | None = None
    retired: datetime | None = None


def keep_injection(store: Store, space: str, injection: Injection) -> None:
    """Stores a block durably."""
    store.transaction(lambda tx: INJECTION.put(tx, [_row(space, injection)]))


def keep_unless_paused(store: Store, space: str, injection: Injection) -> bool:
    """Keeps a block, durable with the next durable write; False, and nothing is kept, while its session is paused."""
    row = _row(space, injection)

    def write(tx: Transaction) -> bool:
        if is_session_paused(tx, space, injection.session):
            return False
        INJECTION.put(tx, [row])
        return True

    return store.transaction(write, durable=False)


def injections_of(reader: Reader, space: str, session: str) -> list[Injection]:
    """The blocks of a session, oldest first, including those that are no longer put back."""
    rows = INJECTION.scan(reader, (space, session), (space, session))
    return sorted(map(_injection, rows), key=lambda injection: (injection.at, injection.id))


def blocks_of(reader: Reader, space: str, session: str) -> dict[str, str]:
    """The blocks of a session by their ids, the oldest first, those that are retired included."""
    rows = INJECTION.scan(reader, (space, session), (space, session))
    return {row.injection: row.block for row in sorted(rows, key=_AGE)}


def injection_rows(reader: Reader, space: str, session: str) -> list[InjectionRow]:
    """All rows of a session, in the order of their ids."""
    return INJECTION.scan(reader, (space, session), (space, session))


def in_use(rows: Iterable[InjectionRow]) -> list[InjectionRow]:
    """The rows of blocks that are still put back, oldest first."""
    return sorted((row for row in rows if row.retired is None), key=_AGE)


def retire(store: Store, space: str, blocks: Iterable[InjectionRow], now: datetime) -> None:
    """Stops putting blocks back; blocks that were retired or deleted before stay so."""
    chosen = [(space, row.session, row.injection) for row in blocks]
    if chosen:
        store.transaction(
            lambda tx: INJECTION.put(
                tx,
                [
                    row._replace(retired=to_us(now))
                    for row in INJECTION.get_many(tx, chosen)
                    if row is not None and row.retired is None
                ],
            )
        )


def drop_retired(tx: Transaction, space: str, before: int, most: int) -> int:
    """Deletes blocks that were retired before a moment (microseconds since 1970); returns how many."""
    rows = INJECTION_ENDS.scan(tx, (space,), (space,))
    old = [(space, row.session, row.injection) for row in rows if row.retired is not None and row.retired < before]
    return sum(tx.delete(INJECTION.name, key, key) for key in old[:most])


def quoted_turns(row: InjectionRow) -> tuple[str, ...]:
    """The ids of the turns that a block quotes."""
    return _names(row.turns)


@lru_cache(maxsize=512)  # every request of a conversation asks for all of its blocks again
def _names(turns: str) -> tuple[str, ...]:
    return tuple(json.loads(turns))


def _row(space: str, injection: Injection) -> InjectionRow:
    turns, at, retired = dumps(list(injection.turns)), to_us(injection.at), to_us(injection.retired)
    return InjectionRow(
        space,
        injection.session,
        injection.id,
        injection.chain,
        injection.digest,
        injection.block,
        injection.receipt,
        turns,
        at,
        retired,
    )


def _injection(row: InjectionRow) -> Injection:
    return Injection(
        session=row.session,
        id=row.injection,
        chain=row.chain,
        digest=row.digest,
        block=row.block,
        turns=quoted_turns(row),
        at=from_us(row.at),
        receipt=row.receipt,
        retired=from_us(row.retired),
    )
