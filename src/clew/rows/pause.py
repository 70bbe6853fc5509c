"""Stores pauses of a space or session; the transaction that would write a turn reads them."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Final

from clew.errors import InputError
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.rows import dumps, from_us, to_us
from clew.store.selections import META_VALUE
from clew.store.tables import META

_PAUSED: Final = "paused"
"""Row of META: since when each session is paused, and under `_SPACE` the space, in microseconds since 1970.

A number alone is the space's. There is no row while nothing is paused.
"""

_SPACE: Final = ""
"""No session has this name."""


def paused_since(reader: Reader, space: str, session: str | None = None) -> datetime | None:
    """When the space, or one session by itself, was paused; None if it is not."""
    at = _paused(reader, space).get(_name(session))
    return None if at is None else from_us(at)


def refuse_while_paused(reader: Reader, space: str) -> None:
    """Refuses to store anything while the space is paused.

    Raises:
        InputError: it is paused.
    """
    if paused_since(reader, space) is not None:
        raise InputError("the space is paused, so nothing is stored; `clew resume` ends that")


def is_session_paused(reader: Reader, space: str, session: str) -> bool:
    """Whether a session is paused, by itself or with its space."""
    return not _paused(reader, space).keys().isdisjoint((_SPACE, session))


def paused_sessions(reader: Reader, space: str) -> dict[str, datetime]:
    """The sessions that are paused by themselves, with the time since when."""
    return {name: from_us(at) for name, at in sorted(_paused(reader, space).items()) if name != _SPACE}


def paused_parts(reader: Reader, space: str) -> tuple[bool, frozenset[str]]:
    """Whether the space is paused, and the sessions that are paused by themselves, from one read."""
    paused = _paused(reader, space)
    return _SPACE in paused, frozenset(paused.keys() - {_SPACE})


def pause(store: Store, space: str, now: datetime, session: str | None = None) -> None:
    """Stores nothing more in the space, or in one session of it, until `resume`; an earlier pause keeps its time."""
    store.transaction(_changing(space, lambda paused: {_name(session): to_us(now), **paused}))


def resume(store: Store, space: str, session: str | None = None) -> None:
    """Ends the pause of the space or of one session; a session that was paused by itself outlasts that of its space."""
    gone = _name(session)
    store.transaction(_changing(space, lambda paused: {name: at for name, at in paused.items() if name != gone}))


def _paused(reader: Reader, space: str) -> dict[str, int]:
    text = META_VALUE.get(reader, (space, _PAUSED))
    if text is None:
        return {}
    paused: dict[str, int] | int = json.loads(text)
    return paused if isinstance(paused, dict) else {_SPACE: paused}


def _changing(space: str, change: Callable[[dict[str, int]], dict[str, int]]) -> Callable[[Transaction], None]:
    def write(tx: Transaction) -> None:
        before = _paused(tx, space)
        after = change(before)
        if after and after != before:
            META.put(tx, [MetaRow(space, _PAUSED, dumps(after))])
        elif before and not after:
            tx.delete("meta", (space, _PAUSED), (space, _PAUSED))

    return write


def _name(session: str | None) -> str:
    return _SPACE if session is None else session
