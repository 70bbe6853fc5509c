"""Records that raw files still hold traces of deleted turns, until they are overwritten.

The note is written in the very transaction that removes the turns, so neither a kill between the two nor an open
snapshot nor a full disk loses it. Whoever forgets next, and the worker of any process that has the space open, does it.
"""

import logging
import time
from collections.abc import Callable
from typing import Final

from clew.errors import StoreError, StoreLocked
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.selections import META_VALUE
from clew.store.tables import META

log = logging.getLogger("clew.scrub")

SPARED_US: Final = 5_000_000
"""How long other workers leave a scrub to whoever forgot the turns, and is about to do it."""

LASTING_US: Final = 60_000_000
"""How long others may be in the way of a scrub before that is trouble, however often other work succeeds meanwhile."""

_DUE: Final = "scrub"
"""Row of META while there is something to scrub: when turns went last, in microseconds since 1970 by the real clock."""


def real_now() -> int:
    """Microseconds since 1970, whatever the injected clock shows: other processes go by it."""
    return time.time_ns() // 1000


def note(tx: Transaction, space: str) -> str:
    """Records, in the transaction that deletes turns, that the raw files hold traces of them; returns the record."""
    said = str(real_now())
    META.put(tx, [MetaRow(space, _DUE, said)])
    return said


def noted(reader: Reader, space: str) -> str | None:
    """The record; None if the raw files hold no traces of deleted turns."""
    return META_VALUE.get(reader, (space, _DUE))


def scrub(store: Store, space: str, said: str) -> None:
    """Overwrites the traces of deleted turns in the raw files, and removes that record.

    Raises:
        StoreLocked: an open snapshot is in the way; StoreFull: the disk is. The note stays.
    """
    store.scrub()
    store.transaction(_taking_back(space, said))


def try_scrub(store: Store, space: str, said: str | None) -> str | None:
    """As `scrub`, if there is a record; returns why it could not be done, or None if no traces are left."""
    if said is None:
        return None
    try:
        scrub(store, space, said)
    except StoreError as error:
        # Others who hold the database for a while are no trouble: the report tells it, and workers try it again; if
        # that lasts, `scrub_left` tells it.
        level = logging.INFO if isinstance(error, StoreLocked) else logging.WARNING
        log.log(level, "turns are forgotten, and the files not yet scrubbed; it will be tried again: %s", error)
        return str(error)
    return None


def scrub_left(store: Store, space: str) -> bool:
    """Does what another one left undone; False when nothing is left, or it was left only just now.

    Raises:
        StoreLocked: others have been in the way for a while, but not for `LASTING_US`.
        StoreError: they have been for longer, or as `scrub`.
    """
    with store.snapshot() as reader:
        said = noted(reader, space)
    if said is None:
        return False
    age = real_now() - int(said)
    if 0 <= age < SPARED_US:
        return False
    try:
        scrub(store, space, said)
    except StoreLocked as error:
        if 0 <= age < LASTING_US:
            raise
        raise StoreError(f"the files still hold traces of turns that were forgotten a while ago: {error}") from error
    return True


def _taking_back(space: str, said: str) -> Callable[[Transaction], None]:
    def take_back(tx: Transaction) -> None:
        if noted(tx, space) == said:  # else more turns went meanwhile
            tx.delete("meta", (space, _DUE), (space, _DUE))

    return take_back
