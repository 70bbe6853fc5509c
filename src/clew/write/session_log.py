"""One session as appending sees it: its stored turns and the places of its forgotten ones, in the order of arrival."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.ingest.identity import TurnKey
from clew.rows.tombstones import Ghost, Hashed, as_keys, ghosts, hashing_of, parent_seq
from clew.store.protocol import Reader
from clew.store.rows import from_us
from clew.store.selections import TURN_DIGESTS, TURN_LINKS, TurnLink
from clew.store.tables import SESSION


@dataclass(frozen=True, slots=True)
class Line:
    """The turns that an incoming sequence is lined up with.

    Attributes:
        seqs: the place of each in the session, ascending.
        keys: likewise; `TurnKey.follows` counts in this list.
        gone: places of those that were forgotten.
    """

    seqs: tuple[int, ...] = ()
    keys: tuple[TurnKey, ...] = ()
    gone: frozenset[int] = frozenset()


def read_line(reader: Reader, space: str, session: str, incoming: Sequence[TurnKey]) -> Line:
    """Every turn of a session, forgotten ones too; those are told as far as an incoming turn is the same."""
    rows = TURN_LINKS.scan(reader, (space, session), (space, session))
    found = [(row.seq, _key(row), parent_seq(row.parent)) for row in rows]
    hashed = hashing_of(reader, space)
    buried = [] if hashed is None else ghosts(reader, space, session, hashed)
    if hashed is not None and buried:
        keys = as_keys(buried, [*incoming, *(key for _, key, _ in found)], hashed)
        found += [(ghost.seq, key, ghost.parent) for ghost, key in zip(buried, keys, strict=True)]
        found.sort(key=lambda each: each[0])
    places = {seq: place for place, (seq, _, _) in enumerate(found)}
    keys_in_order = (key if parent is None else replace(key, follows=places.get(parent)) for _, key, parent in found)
    return Line(tuple(places), tuple(keys_in_order), frozenset(ghost.seq for ghost in buried))


def next_seq(reader: Reader, space: str, session: str) -> int:
    """The place of the session's next turn. No place is given twice, although all of a session's turns may be gone."""
    row = SESSION.get(reader, (space, session))
    return row.next_seq if row is not None else after_forgotten(forgotten(reader, space, session))


def after_forgotten(buried: Sequence[Ghost]) -> int:
    """The place of the next turn of a session that has none any more."""
    return buried[-1].seq + 1 if buried else 0


def forgotten(reader: Reader, space: str, session: str) -> list[Ghost]:
    """What tombstones tell of a session."""
    hashed = hashing_of(reader, space)
    return [] if hashed is None else ghosts(reader, space, session, hashed)


def has_forgotten_id(reader: Reader, space: str, session: str, external_id: str, hashed: Hashed) -> bool:
    """Whether a forgotten turn of the session had this external id."""
    name = hashed("id", external_id)
    return any(ghost.external_id == name for ghost in ghosts(reader, space, session, hashed))


def by_external_id(reader: Reader, space: str, session: str, external_id: str) -> tuple[int, bytes] | None:
    """Place and content hash of the stored turn with an external id."""
    key = (space, session, external_id)
    rows = TURN_DIGESTS.scan(reader, key, key, index="external", limit=1)
    return (rows[0].seq, rows[0].hash) if rows else None


def _key(row: TurnLink) -> TurnKey:
    return TurnKey(hash=row.hash, at=from_us(row.at), external_id=row.external_id, branch=row.branch)
