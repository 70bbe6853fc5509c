"""The sessions of a provider that make up one conversation, whose anchor is the session under which Clew stores it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from clew.store.protocol import Reader, Transaction
from clew.store.rows import dumps
from clew.store.tables import SESSION

Reason = Literal["initial", "compression", "expiration", "restart"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)

_MEMBER: Final = "provider_sessions"


@dataclass(frozen=True, slots=True)
class ProviderSession:
    """One of them, in the order in which they came.

    Attributes:
        started: microseconds since 1970, UTC.
        reason: why it was started; `initial` for the first one.
        tokens: of the conversation when it was started; None if nobody counted.
    """

    name: str
    started: int
    reason: Reason
    tokens: int | None = None


def provider_sessions(reader: Reader, space: str, session: str) -> list[ProviderSession]:
    """The provider sessions of a conversation, the first one first; none if nobody named any."""
    row = SESSION.get(reader, (space, session))
    return [] if row is None else _read(json.loads(row.details))


def anchor_of(reader: Reader, space: str, name: str) -> str | None:
    """The conversation to which a provider session belongs: the one that came to it last; None for an unknown one."""
    latest: tuple[int, str] | None = None
    for row in SESSION.scan(reader, (space,), (space,)):
        if _MEMBER in row.details:
            times = [session.started for session in _read(json.loads(row.details)) if session.name == name]
            latest = max([latest, *((at, row.session) for at in times)], key=lambda anchor: anchor or (-1, ""))
    return None if latest is None else latest[1]


def put_provider_sessions(tx: Transaction, space: str, session: str, sessions: Sequence[ProviderSession]) -> bool:
    """Replaces the provider sessions of a conversation; returns False if there is no such conversation."""
    row = SESSION.get(tx, (space, session))
    if row is None:
        return False
    written = [[part.name, part.started, part.reason, part.tokens] for part in sessions]
    SESSION.put(tx, [row._replace(details=dumps({**json.loads(row.details), _MEMBER: written}))])
    return True


def _read(details: dict[str, Any]) -> list[ProviderSession]:
    return [ProviderSession(*fields) for fields in details.get(_MEMBER, ())]
