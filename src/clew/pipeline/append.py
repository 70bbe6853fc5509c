"""Prepared turns -> durable rows: the turn, its index entry, its annotations and its blobs, all or nothing.

A single turn is always appended, unless it carries an external id that is known. A sequence is planned against what the
session holds, so that a resent history adds nothing and an edit opens a branch (`clew.ingest.identity`), and written in
batches; if someone else wrote to the session meanwhile, it is planned anew.
"""

import hmac
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, cast

from clew.index.entry import encode
from clew.ingest.identity import Key, Place, align
from clew.pipeline.annotate import annotation_rows
from clew.pipeline.prepare import Prepared
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import dumps, from_us, to_us, turn_row
from clew.store.tables import Row
from clew.types.ids import parse_turn_id, turn_id

_SESSIONS_KEPT: Final = 64
"""Sessions whose contents are remembered as hashes, so that new sequences need no look back."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one prepared turn: exactly one of the fields is set.

    Attributes:
        added: id of the new turn.
        known: id of the stored turn that this one is.
        conflict: id of the turn that holds its external id with other content.
        forgotten: it was forgotten before, and stays out.
    """

    added: str | None = None
    known: str | None = None
    conflict: str | None = None
    forgotten: bool = False


class _Moved(Exception):
    """The session grew between planning and writing; a signal inside this module, never seen outside."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where each turn of a sequence goes.

    Attributes:
        seqs: place in the session of each stored turn that `Place` numbers may name, in that order.
        next_seq: the session's length at planning time.
    """

    places: Sequence[Place]
    seqs: Sequence[int]
    next_seq: int


class Appender:
    """Appends to one space.

    It remembers, per session, hashes of stored contents: a hint that saves reading. Every decision is made from rows.
    Cost of an append: independent of how much is stored, unless a sequence begins with a turn that the session holds.
    """

    def __init__(self, store: Store, space: str, batch: int) -> None:
        self._store = store
        self._space = space
        self._batch = batch
        self._contents: dict[str, tuple[int, set[bytes]]] = {}

    def forget(self) -> None:
        """Drops the remembered hashes."""
        self._contents.clear()

    def add(self, item: Prepared, now: datetime) -> Fate:
        """Appends one turn; returns once it is durable."""

        def write(tx: Transaction) -> Fate:
            known = _by_external_id(tx, self._space, item)
            if known is not None:
                seq, digest = known
                name = turn_id(item.turn.session, seq)
                return Fate(known=name) if digest == item.digest else Fate(conflict=name)
            return _write(tx, self._space, [(item, Place(branch=item.turn.branch))], (), now)[0]

        return self._store.transaction(write)

    def add_sequence(
        self,
        items: Sequence[Prepared],
        now: datetime,
        progress: Callable[[int], None],
        *,
        earlier: Sequence[Key] = (),
    ) -> list[Fate]:
        """Appends turns of one session in order and says what became of each; all are durable on return.

        Args:
            progress: called with the number of turns just settled, after each durable batch.
            earlier: keys of turns of the same sequence that were appended before, so that it is lined up as a whole.
        """
        fates: list[Fate | None] = [None] * len(items)
        while True:
            plan = self._plan(items, earlier)
            try:
                for start, batch_fates in self._apply(plan, items, now):
                    fresh = [i for i, fate in enumerate(batch_fates, start) if fates[i] is None]
                    for i in fresh:
                        fates[i] = batch_fates[i - start]
                    progress(len(fresh))
                return [fate for fate in fates if fate is not None]
            except _Moved:
                continue  # someone else wrote to the session: plan anew from what is stored now

    def _apply(self, plan: _Plan, items: Sequence[Prepared], now: datetime) -> Iterator[tuple[int, list[Fate]]]:
        expected = plan.next_seq
        seqs = list(plan.seqs)
        pairs = list(zip(items, plan.places, strict=True))
        for start in range(0, len(pairs), self._batch):
            chunk = pairs[start : start + self._batch]
            fates = self._store.transaction(_writing(self._space, chunk, tuple(seqs), expected, now))
            for fate in fates:
                name = fate.added or fate.known or fate.conflict
                seqs.append(-1 if name is None else parse_turn_id(name)[1])
            expected += sum(fate.added is not None for fate in fates)
            yield start, fates

    def _plan(self, items: Sequence[Prepared], earlier: Sequence[Key]) -> _Plan:
        session = items[0].turn.session
        keys = [sequence_key(item) for item in items]
        with self._store.snapshot() as reader:
            next_seq = _next_seq(reader, self._space, session)
            if next_seq == 0 or not (earlier or self._may_line_up(reader, items, next_seq)):
                return _Plan(align((), keys), (), next_seq)
            stored = _stored(reader, self._space, session)
        places = align([key for _, key in stored], [*earlier, *keys])
        seqs = [seq for seq, _ in stored]
        for place in places[: len(earlier)]:
            seqs.append(-1 if place.known is None else seqs[place.known])
        return _Plan(places[len(earlier) :], seqs, next_seq)

    def _may_line_up(self, reader: Reader, items: Sequence[Prepared], next_seq: int) -> bool:
        """False only when no rule of alignment can find anything: no known id, and no first turn that is stored."""
        if any(_by_external_id(reader, self._space, item) is not None for item in items):
            return True
        hashes = self._hashes(reader, items[0].turn.session, next_seq)
        firsts = {item.turn.branch: item.digest for item in reversed(items)}
        return any(digest in hashes for digest in firsts.values())

    def _hashes(self, reader: Reader, session: str, next_seq: int) -> set[bytes]:
        """Hashes of the session's contents, brought up to date by reading only what is new."""
        upto, hashes = self._contents.pop(session, (0, set()))
        if upto < next_seq:
            low, high = (self._space, session, upto), (self._space, session)
            hashes |= {cast(bytes, row[0]) for row in reader.scan("turn", low, high, columns=("hash",))}
        while len(self._contents) >= _SESSIONS_KEPT:
            self._contents.pop(next(iter(self._contents)))
        self._contents[session] = (next_seq, hashes)
        return hashes


def _writing(
    space: str, chunk: Sequence[tuple[Prepared, Place]], settled: Sequence[int], expected: int, now: datetime
) -> Callable[[Transaction], list[Fate]]:
    """`_write` for one batch, provided that the session is as long as planned."""

    def write(tx: Transaction) -> list[Fate]:
        if _next_seq(tx, space, chunk[0][0].turn.session) != expected:
            raise _Moved
        return _write(tx, space, chunk, settled, now)

    return write


def _write(
    tx: Transaction,
    space: str,
    pairs: Sequence[tuple[Prepared, Place]],
    settled: Sequence[int],
    now: datetime,
) -> list[Fate]:
    """Writes the new ones of some placed turns of one session.

    Args:
        settled: seqs that `Place` numbers name: the stored turns', then those of earlier turns of the sequence.
    """
    session = pairs[0][0].turn.session
    space_row = tx.get("space", (space,)) or (space, 0, 0, secrets.token_bytes(32), to_us(now))
    session_row = tx.get("session", (space, session)) or (space, session, 0, None, dumps({}), to_us(now))
    next_seq, ordinal = cast(int, session_row[2]), cast(int, space_row[1])
    forgotten = _forgotten(tx, space, cast(bytes, space_row[3]), pairs)
    seqs = list(settled)
    fates, new = [], []
    for item, place in pairs:
        if item.digest in forgotten:
            seqs.append(-1)
            fates.append(Fate(forgotten=True))
            continue
        if not place.is_new:
            at = place.known if place.known is not None else cast(int, place.conflict)
            seqs.append(seqs[at])
            name = turn_id(session, seqs[at])
            fates.append(Fate(known=name) if place.known is not None else Fate(conflict=name))
            continue
        parent = item.turn.parent
        if place.follows is not None and seqs[place.follows] >= 0:
            parent = turn_id(session, seqs[place.follows])
        placed = replace(item, turn=replace(item.turn, branch=place.branch, parent=parent))
        new.append((placed, next_seq, ordinal))
        seqs.append(next_seq)
        fates.append(Fate(added=turn_id(session, next_seq)))
        next_seq, ordinal = next_seq + 1, ordinal + 1
    if new:
        _put_turns(tx, space, new, now)
        title = session_row[3] or next(filter(None, (item.turn.metadata.get("title") for item, _, _ in new)), None)
        tx.put("session", [(space, session, next_seq, title, *session_row[4:])])
        tx.put("space", [(space, ordinal, *space_row[2:])])
    return fates


def _put_turns(tx: Transaction, space: str, new: Sequence[tuple[Prepared, int, int]], now: datetime) -> None:
    turns = [item.turn.stored(seq=seq, ordinal=ordinal, ingested_at=now) for item, seq, ordinal in new]
    tx.put("turn", [turn_row(space, turn, item.digest) for turn, (item, _, _) in zip(turns, new, strict=True)])
    tx.put("tail", [(space, ordinal, encode(item.entry(seq=seq, ordinal=ordinal))) for item, seq, ordinal in new])
    owners = ((turn_id(turn.session, cast(int, turn.seq)), item) for turn, (item, _, _) in zip(turns, new, strict=True))
    tx.put("annotation", annotation_rows(space, owners))
    for item, _, _ in new:
        types = {part.blob: part.media_type for part in item.turn.parts if part.blob}
        for sha, data in item.blobs.items():
            tx.put_blob(space, sha, data, types.get(sha))


def _forgotten(tx: Reader, space: str, salt: bytes, pairs: Sequence[tuple[Prepared, Place]]) -> set[bytes]:
    """Hashes of those turns that have a tombstone."""
    if tx.count("tombstone", (space,), (space,)) == 0:
        return set()
    hashes = {item.digest for item, _ in pairs}
    return {digest for digest in hashes if tx.get("tombstone", (space, tombstone(salt, digest))) is not None}


def tombstone(salt: bytes, digest: bytes) -> bytes:
    """What is kept of a forgotten turn: a keyed hash, which says nothing without the salt and the turn itself."""
    return hmac.digest(salt, digest, "sha256")


def _next_seq(reader: Reader, space: str, session: str) -> int:
    row = reader.get("session", (space, session))
    return 0 if row is None else cast(int, row[2])


def _by_external_id(reader: Reader, space: str, item: Prepared) -> tuple[int, bytes] | None:
    """Place and hash of the stored turn with the same external id."""
    if item.turn.external_id is None:
        return None
    key = (space, item.turn.session, item.turn.external_id)
    rows = reader.scan("turn", key, key, index="external", columns=("seq", "hash"), limit=1)
    return (cast(int, rows[0][0]), cast(bytes, rows[0][1])) if rows else None


def sequence_key(item: Prepared) -> Key:
    """What alignment needs to know of a prepared turn."""
    turn = item.turn
    return Key(hash=item.digest, at=turn.at, external_id=turn.external_id, branch=turn.branch)


def _stored(reader: Reader, space: str, session: str) -> list[tuple[int, Key]]:
    """Every turn of a session as alignment sees it, in order of arrival."""
    columns = ("seq", "hash", "at", "external_id", "branch", "parent")
    rows = reader.scan("turn", (space, session), (space, session), columns=columns)
    places = {cast(int, row[0]): place for place, row in enumerate(rows)}
    return [(cast(int, row[0]), _stored_key(row, places)) for row in rows]


def _stored_key(row: Row, places: dict[int, int]) -> Key:
    _, digest, at, external_id, branch, parent = row
    return Key(
        hash=cast(bytes, digest),
        at=from_us(cast("int | None", at)),
        external_id=cast("str | None", external_id),
        branch=cast(str, branch),
        follows=None if parent is None else places.get(_parent_seq(cast(str, parent))),
    )


def _parent_seq(parent: str) -> int:
    """The place a parent's id names; -1 for an id of the source's own that was never resolved."""
    _, mark, tail = parent.rpartition(":turn:")
    return int(tail) if mark and tail.isdigit() else -1
