"""Turns the new turns of one session into rows, inside a transaction."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.index.entry import encode
from clew.ingest.identity import Placement, TurnKey
from clew.rows.pause import is_session_paused
from clew.rows.tombstones import Hashed, ghosts, hashing, is_copy
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import SessionRow, SpaceRow, TailRow, WeighingRow
from clew.store.rows import dumps, placed_row, to_us
from clew.store.selections import TOMBSTONE_SEQ
from clew.store.tables import SESSION, SPACE, TAIL, TURN, WEIGHING
from clew.store.turn_selections import TURN_SEQ
from clew.types.ids import turn_id
from clew.types.turn import Turn
from clew.write.prepare import Derived, Prepared
from clew.write.session_log import after_forgotten


@dataclass(frozen=True, slots=True)
class Fate:
    """The outcome for one prepared turn: exactly one field is set.

    Attributes:
        added: id of the new turn.
        known: id of the stored turn that equals this one.
        conflict: id of the stored turn that has the same external id and other content.
        forgotten: the turn was forgotten before and is not stored again.
        excluded: an exclusion pattern matches the turn.
        paused: the space, or the session, is paused.
    """

    added: str | None = None
    known: str | None = None
    conflict: str | None = None
    forgotten: bool = False
    excluded: bool = False
    paused: bool = False

    @property
    def out_of_line(self) -> bool:
        """Whether later turns are aligned as if this turn had not come."""
        return self.excluded or self.paused


@dataclass(frozen=True, slots=True)
class PlacePlan:
    """Where each turn of a sequence goes.

    Attributes:
        seqs: place in the session of each turn that `Placement` numbers may name, in that order; -1 for none.
        next_seq: the session's next place at planning time.
        gone: places of forgotten turns.
        keys: by which the turns were compared; empty where no comparison changed them.
    """

    places: Sequence[Placement]
    seqs: Sequence[int]
    next_seq: int
    gone: frozenset[int] = frozenset()
    keys: Sequence[TurnKey] = ()


Item = tuple[Prepared, Derived | None]
"""A turn and what is derived from it, which a turn that will not be written lacks."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The rows about the space and the session that a transaction reads once before it appends.

    Attributes:
        space: the row of the space; a new one if the space has no turn yet.
        session: the row of the session; a new one if the session has no turn yet.
        hashed: None unless turns of the space were forgotten.
    """

    space: SpaceRow
    session: SessionRow
    hashed: Hashed | None


def ground_of(tx: Reader, space: str, session: str, now: datetime) -> Ground | None:
    """The rows; None while the space or the session is paused."""
    if is_session_paused(tx, space, session):
        return None
    space_row = SPACE.get(tx, (space,)) or SpaceRow(space, 0, 0, secrets.token_bytes(32), to_us(now))
    has_forgotten = TOMBSTONE_SEQ.first(tx, (space,), (space,)) is not None
    hashed = hashing(space_row.salt) if has_forgotten else None
    session_row = SESSION.get(tx, (space, session))
    if session_row is None:
        first = after_forgotten(ghosts(tx, space, session, hashed) if hashed else ())
        session_row = SessionRow(space, session, first, None, dumps({}), to_us(now))
    return Ground(space_row, session_row, hashed)


def write_planned(
    tx: Transaction, ground: Ground, items: Sequence[Item], plan: PlacePlan, now: datetime
) -> list[tuple[Fate, int]]:
    """Writes the new turns among the planned ones of a session; returns each one's outcome and seq, -1 for none."""
    space, session, hashed = ground.space.space, items[0][0].turn.session, ground.hashed
    seqs = list(plan.seqs)
    settled: list[tuple[Fate, int]] = []
    new: list[tuple[Prepared, Derived]] = []
    new_seqs: dict[str, int] = {}
    for (item, derived), place in zip(items, plan.places, strict=True):
        if not place.is_new:
            seq = seqs[place.known if place.known is not None else cast(int, place.conflict)]
            settled.append((_met(session, seq, plan.gone, known=place.known is not None), seq))
        elif hashed is not None and is_copy(tx, space, item.turn, item.digest, hashed):
            settled.append((Fate(forgotten=True), -1))
        elif derived is None:
            settled.append((Fate(excluded=True), -1))
        else:
            seq = plan.next_seq + len(new)
            if place.follows is not None and seqs[place.follows] >= 0:
                parent: str | None = turn_id(session, seqs[place.follows])
            else:
                parent = _parent(tx, space, item.turn, new_seqs)
            if item.turn.external_id is not None:
                new_seqs[item.turn.external_id] = seq
            moved = (item.turn.branch, item.turn.parent) != (place.branch, parent)
            placed = replace(item.turn, branch=place.branch, parent=parent) if moved else item.turn
            new.append((item, replace(derived, turn=placed) if moved else derived))
            settled.append((Fate(added=turn_id(session, seq)), seq))
        seqs.append(settled[-1][1])
    if new:
        _put(tx, ground, new, now)
    return settled


def _parent(tx: Reader, space: str, turn: Turn, new_seqs: Mapping[str, int]) -> str | None:
    """The id of the turn that this one answers; sources name it by their own ids, which may name no stored turn.

    Args:
        new_seqs: places of the turns that this transaction writes, by external id.
    """
    if turn.parent is None or turn.parent in new_seqs:
        return turn.parent and turn_id(turn.session, new_seqs[turn.parent])
    key = (space, turn.session, turn.parent)
    seq = TURN_SEQ.first(tx, key, key, index="external")
    return turn.parent if seq is None else turn_id(turn.session, seq)


def _met(session: str, seq: int, gone: frozenset[int], *, known: bool) -> Fate:
    """The outcome for a turn that equals a stored or forgotten one."""
    if seq < 0 or seq in gone:
        return Fate(forgotten=True)
    name = turn_id(session, seq)
    return Fate(known=name) if known else Fate(conflict=name)


def _put(tx: Transaction, ground: Ground, new: Sequence[tuple[Prepared, Derived]], now: datetime) -> None:
    """Writes new turns of one session, with their index entries, annotations and blobs, at its next seqs."""
    space_row, session_row = ground.space, ground.session
    space, first, ordinal, ingested_at = space_row.space, session_row.next_seq, space_row.next_ordinal, to_us(now)
    title = session_row.title or title_of(derived.turn.metadata for _, derived in new)
    SESSION.put(tx, [session_row._replace(next_seq=first + len(new), title=title)])
    SPACE.put(tx, [space_row._replace(next_ordinal=ordinal + len(new))])
    placed = [(item, derived, first + n, ordinal + n) for n, (item, derived) in enumerate(new)]
    TURN.put(
        tx, (placed_row(space, derived.turn, item.digest, seq, at, ingested_at) for item, derived, seq, at in placed)
    )
    TAIL.put(tx, (TailRow(space, at, encode(derived.entry(seq=seq, ordinal=at))) for _, derived, seq, at in placed))
    if weighed := weighing_rows(space, ((at, derived) for _, derived, _, at in placed)):
        WEIGHING.put(tx, weighed)
    for item, _ in new:
        types = {part.blob: part.media_type for part in item.turn.parts if part.blob}
        for sha, data in item.blobs.items():
            tx.put_blob(space, sha, data, types.get(sha))


def title_of(metadata: Iterable[Mapping[str, object]]) -> str | None:
    """The first title in the metadata of some turns."""
    titles = (entry.get("title") for entry in metadata)
    return next((title for title in titles if isinstance(title, str) and title.strip()), None)


def weighing_rows(space: str, items: Iterable[tuple[int, Derived]]) -> list[WeighingRow]:
    """The rows of layers 1 to 3 that are written together with the turns, given by ordinal."""
    weighings = ((ordinal, item.annotations.get(WEIGHING.name)) for ordinal, item in items)
    return [WeighingRow(space, ordinal, value, ANALYZE_VERSION) for ordinal, value in weighings if value is not None]
