"""What is kept of forgotten turns: keyed hashes, and the position of each in its session.

A client that sends its history again sends forgotten turns with it. They are lined up there like stored ones, so that
they stay out and what comes after them is known. The same words said again are a new turn: nobody loses a word for
having taken it back once. A copy of a turn whose time is known stays out of every session.
"""

import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from clew.ingest.identity import TurnKey
from clew.store.protocol import Reader
from clew.store.row_types import TombstoneRow
from clew.store.rows import to_us
from clew.store.tables import SPACE, TOMBSTONE
from clew.types.turn import Turn

Hashed = Callable[[str, str | bytes], bytes]
"""From what a value is (`session`, `content`, ...) and the value to its hash under the space's salt."""


def hashing(salt: bytes) -> Hashed:
    """The keyed hash of one space: it says nothing to whoever has not both the salt and the value."""

    def hashed(kind: str, value: str | bytes) -> bytes:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        return hmac.digest(salt, kind.encode() + b"\0" + data, "sha256")

    return hashed


def hashing_of(reader: Reader, space: str) -> Hashed | None:
    """The keyed hash of a stored space; None when there is no such space."""
    row = SPACE.get(reader, (space,))
    return None if row is None else hashing(row.salt)


@dataclass(frozen=True, slots=True)
class Ghost:
    """A forgotten turn as its tombstone knows it.

    Attributes:
        seq: its place in the session, which no other turn gets.
        digest, external_id, branch: hashed.
        parent: place of the turn that it answered, when that was not simply the one before.
    """

    seq: int
    digest: bytes
    external_id: bytes | None
    branch: bytes
    parent: int | None


def tombstone(space: str, turn: Turn, digest: bytes, hashed: Hashed, now: datetime) -> TombstoneRow:
    """The row that stays of a stored turn, given its content hash."""
    return TombstoneRow(
        space=space,
        session=hashed("session", turn.session),
        seq=cast(int, turn.seq),
        digest=hashed("content", digest),
        moment=None if turn.at is None else moment_of(turn.at, digest, hashed),
        external_id=None if turn.external_id is None else hashed("id", turn.external_id),
        branch=hashed("branch", turn.branch),
        parent=parent_seq(turn.parent),
        forgotten_at=to_us(now),
    )


def ghosts(reader: Reader, space: str, session: str, hashed: Hashed) -> list[Ghost]:
    """The forgotten turns of a session, in order."""
    key = (space, hashed("session", session))
    return [
        Ghost(row.seq, row.digest, row.external_id, row.branch, row.parent) for row in TOMBSTONE.scan(reader, key, key)
    ]


def is_copy(reader: Reader, space: str, turn: Turn, digest: bytes, hashed: Hashed) -> bool:
    """Whether a new turn was forgotten in another session: the same words by the same speaker at the same time."""
    if turn.at is None:
        return False
    key = (space, moment_of(turn.at, digest, hashed))
    own = hashed("session", turn.session)
    return any(row.session != own for row in TOMBSTONE.scan(reader, key, key, index="moment"))


def as_keys(gone: Sequence[Ghost], others: Iterable[TurnKey], hashed: Hashed) -> list[TurnKey]:
    """Forgotten turns as alignment takes them; what they were is told where one of the other keys says the same.

    What no other key says stands as its hash, which agrees with nothing. `follows` is left to the caller.
    """
    contents, names, branches = {}, {}, {}
    for key in others:
        contents[hashed("content", key.hash)] = key.hash
        branches[hashed("branch", key.branch)] = key.branch
        if key.external_id is not None:
            names[hashed("id", key.external_id)] = key.external_id
    return [
        TurnKey(
            hash=contents.get(ghost.digest, ghost.digest),
            external_id=None if ghost.external_id is None else names.get(ghost.external_id, ghost.external_id.hex()),
            branch=branches.get(ghost.branch, ghost.branch.hex()),
        )
        for ghost in gone
    ]


def parent_seq(parent: str | None) -> int | None:
    """The place that a parent's id names; None for no parent, or an id of the source's own that was never resolved."""
    _, mark, tail = (parent or "").rpartition(":turn:")
    return int(tail) if mark and tail.isascii() and tail.isdigit() else None


def moment_of(at: datetime, digest: bytes, hashed: Hashed) -> bytes:
    """The hash of a content at a time: what tells a copy of a forgotten turn in any session."""
    return hashed("moment", f"{to_us(at)} {digest.hex()}")
