"""A session as the write path sees it: stored and forgotten turns, in the order in which they were stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.ingest.identity import TurnKey
from clew.rows.tombstones import Ghost, Hashed, as_keys, ghosts, hashing_of, parent_seq
from clew.store.protocol import Reader
from clew.store.rows import from_us
from clew.store.tables import SESSION
from clew.store.turn_selections import TURN_DIGESTS, TURN_LINKS, TurnLink


@dataclass(frozen=True, slots=True)
class SessionContents:
    """The turns with which an incoming sequence is aligned.

    Attributes:
        seqs: seq of each turn, ascending.
        keys: alignment key of each turn; `TurnKey.follows` is an index into this tuple.
        gone: seqs of the forgotten turns among them.
    """

    seqs: tuple[int, ...] = ()
    keys: tuple[TurnKey, ...] = ()
    gone: frozenset[int] = frozenset()


def read_contents(reader: Reader, space: str, session: str, incoming: Sequence[TurnKey]) -> SessionContents:
    """All turns of a session, and all forgotten ones that an incoming turn may be recognised as."""
    rows = TURN_LINKS.scan(reader, (space, session), (space, session))
    contents = [(row.seq, _key(row), parent_seq(row.parent)) for row in rows]
    hashed = hashing_of(reader, space)
    buried = [] if hashed is None else ghosts(reader, space, session, hashed)
    if hashed is not None and buried:
        keys = as_keys(buried, [*incoming, *(key for _, key, _ in contents)], hashed)
        contents += [(ghost.seq, key, ghost.parent) for ghost, key in zip(buried, keys, strict=True)]
        contents.sort(key=lambda content: content[0])
    places = {seq: place for place, (seq, _, _) in enumerate(contents)}
    keys_in_order = (key if parent is None else replace(key, follows=places.get(parent)) for _, key, parent in contents)
    return SessionContents(tuple(places), tuple(keys_in_order), frozenset(ghost.seq for ghost in buried))


def next_seq(reader: Reader, space: str, session: str) -> int:
    """The next seq of the session. No seq is given twice, even if all turns of the session were forgotten."""
    row = SESSION.get(reader, (space, session))
    return row.next_seq if row is not None else after_forgotten(forgotten(reader, space, session))


def after_forgotten(buried: Sequence[Ghost]) -> int:
    """The next seq of a session that has only tombstones."""
    return buried[-1].seq + 1 if buried else 0


def forgotten(reader: Reader, space: str, session: str) -> list[Ghost]:
    """The tombstones of a session."""
    hashed = hashing_of(reader, space)
    return [] if hashed is None else ghosts(reader, space, session, hashed)


def has_forgotten_id(reader: Reader, space: str, session: str, external_id: str, hashed: Hashed) -> bool:
    """Whether a forgotten turn of the session had this external id."""
    name = hashed("id", external_id)
    return any(ghost.external_id == name for ghost in ghosts(reader, space, session, hashed))


def by_external_id(reader: Reader, space: str, session: str, external_id: str) -> tuple[int, bytes] | None:
    """Seq and content hash of the stored turn with an external id."""
    key = (space, session, external_id)
    rows = TURN_DIGESTS.scan(reader, key, key, index="external", limit=1)
    return (rows[0].seq, rows[0].hash) if rows else None


def _key(row: TurnLink) -> TurnKey:
    return TurnKey(hash=row.hash, at=from_us(row.at), external_id=row.external_id, branch=row.branch)
