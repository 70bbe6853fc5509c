"""Prepared turns -> durable rows: the turn, its index entry, its annotations and its blobs, all or nothing.

A single turn is always appended, unless it carries an external id that is known. A sequence is planned against what the
session holds, so that a resent history adds nothing and an edit opens a branch (`clew.ingest.identity`), and written in
batches; if someone else wrote to the session meanwhile, it is planned anew.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.errors import InputError
from clew.index.entry import encode
from clew.ingest.identity import Placement, TurnKey, align
from clew.rows.imported_files import note
from clew.rows.parameters import take_over
from clew.rows.pause import is_session_paused
from clew.rows.quest_carrying import CarriedQuest, carry_quests
from clew.rows.tombstones import Hashed, ghosts, hashing, is_copy
from clew.store.protocol import Committed, Reader, Store, Transaction
from clew.store.row_types import SessionRow, SpaceRow, TailRow, WeighingRow
from clew.store.rows import dumps, placed_row, to_us, turn_from_row
from clew.store.selections import TOMBSTONE_SEQ, TURN_HASH, TURN_SEQ
from clew.store.tables import SESSION, SPACE, TAIL, TURN, WEIGHING
from clew.types.ids import turn_id
from clew.types.turn import Turn
from clew.write.file_turns import FileTurns, KnownTurns, as_stored, turns_of
from clew.write.followed import FollowedImports
from clew.write.prepare import Derived, Prepared, batches, derive
from clew.write.same_words import SOURCES, comes_twice, named_alike, stored_words
from clew.write.session_log import after_forgotten, by_external_id, forgotten, has_forgotten_id, next_seq, read_contents
from clew.write.stream_alignment import StreamAlignment
from clew.write.unnamed_agents import UnnamedAgents

log = logging.getLogger("clew.write")

_SESSIONS_KEPT: Final = 64
"""Sessions whose contents are remembered as hashes, so that new sequences need no look back."""


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
        """True for a turn that no later one is lined up with: it is as if it had not come."""
        return self.excluded or self.paused


class _Moved(Exception):
    """Raised when the session grew between planning and writing. It never leaves this module."""


@dataclass(frozen=True, slots=True)
class _Plan:
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


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn whose place in its session the caller knows.

    Attributes:
        derived: None for a turn that an exclusion pattern keeps out.
        follows: seq of the turn that it answers, when that is not the one before it in its branch.
        opens: whether it begins its branch.
    """

    item: Prepared
    derived: Derived | None
    branch: str = ""
    follows: int | None = None
    opens: bool = False


class Appender:
    """Appends turns to one space. Threads may share it.

    It caches hashes of the stored contents of recent sessions, which saves reading. Every decision is made from rows.
    The cost of an append does not depend on how much is stored, unless a sequence begins with a turn that the session
    already has.
    """

    def __init__(self, store: Store, space: str, batch: int) -> None:
        self._store = store
        self._space = space
        self._batch = batch
        self.followed = FollowedImports()
        self.agents = UnnamedAgents(store, space)
        self._contents: dict[str, tuple[int, set[bytes]]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Clears the cached hashes."""
        with self._lock:
            self._contents.clear()

    def learn(self, values: Mapping[str, float], now: datetime) -> None:
        """Adopts the learned values of an export, see `take_over`."""
        take_over(self._store, self._space, values, now)

    def keep_quests(self, quests: Iterable[Mapping[str, Any]], *, mask_secrets: bool) -> None:
        """Keeps what an export says of quests, see `carry_quests`; what is damaged is left out."""
        read = []
        for each in quests:
            try:
                read.append(CarriedQuest.from_dict(each))
            except InputError as error:
                log.warning("what is said of a quest was left out: %s", error)
        carry_quests(read, self._store, self._space, mask_secrets=mask_secrets)

    def turns_of_file(self, path: str, stamp: str) -> KnownTurns | None:
        """The turns that a file gave when it was imported in this state; None when it was not."""
        with self._store.snapshot() as reader:
            return turns_of(reader, self._space, path, stamp)

    def turns_of_session(self, session: str) -> Generator[Turn, None, None]:
        """The stored turns of a session, in the order of arrival."""
        with self._store.snapshot() as reader:
            yield from map(turn_from_row, TURN.scan(reader, (self._space, session), (self._space, session)))

    def note_files(self, files: Iterable[FileTurns]) -> None:
        """Remembers files whose turns are stored."""
        with self._store.snapshot() as reader:
            stored = as_stored(reader, self._space, files)
        note(self._store, self._space, stored)

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Gives titles to sessions that are stored; `titles` maps their names."""

        def write(tx: Transaction) -> None:
            rows = (
                (row, title) for session, title in titles.items() if (row := SESSION.get(tx, (self._space, session)))
            )
            SESSION.put(tx, [row._replace(title=title) for row, title in rows if row.title != title])

        if titles:
            self._store.transaction(write, durable=False)

    def forgotten(self) -> int:
        """How many turns of the space were forgotten."""
        with self._store.snapshot() as reader:
            return reader.count("tombstone", (self._space,), (self._space,))

    def add(self, item: Prepared, now: datetime) -> Fate:
        """Appends one turn; returns once it is durable. It is weighed behind that, with the analysis."""
        turn = item.turn
        derived = derive(turn)

        def write(tx: Transaction) -> Fate:
            ground = _ground(tx, self._space, turn.session, now)
            if ground is None:
                return Fate(paused=True)
            if item.excluded is not None:
                return Fate(excluded=True)
            if turn.external_id is not None:
                known = by_external_id(tx, self._space, turn.session, turn.external_id)
                if known is not None:
                    name = turn_id(turn.session, known[0])
                    return Fate(known=name) if known[1] == item.digest else Fate(conflict=name)
                if ground.hashed and has_forgotten_id(tx, self._space, turn.session, turn.external_id, ground.hashed):
                    return Fate(forgotten=True)
            plan = _Plan([Placement(branch=turn.branch)], (), ground.session.next_seq)
            return _write(tx, ground, [(item, derived)], plan, now)[0][0]

        return self._store.transaction(write)

    def add_placed(
        self,
        session: str,
        now: datetime,
        decide: Callable[[Transaction, SpaceRow, SessionRow], Sequence[PlacedTurn]],
        settle: Callable[[Transaction, SpaceRow, Sequence[Fate]], None],
    ) -> Committed[list[Fate] | None]:
        """Appends turns of one session where the caller says; the result is None while the session is paused.

        Args:
            decide: gives the turns, from what is stored when they are written.
            settle: writes what belongs to them, in the same transaction.
        """

        def write(tx: Transaction) -> list[Fate] | None:
            ground = _ground(tx, self._space, session, now)
            if ground is None:
                return None
            turns = decide(tx, ground.space, ground.session)
            named = [turn.follows for turn in turns if turn.follows is not None]
            seqs = list(dict.fromkeys(named))
            places = [
                Placement(
                    branch=turn.branch,
                    follows=None if turn.follows is None else seqs.index(turn.follows),
                    opens=turn.opens,
                )
                for turn in turns
            ]
            plan = _Plan(places, seqs, ground.session.next_seq)
            items = [(turn.item, turn.derived) for turn in turns]
            fates = [fate for fate, _ in _write(tx, ground, items, plan, now)] if items else []
            settle(tx, ground.space, fates)
            return fates

        return self._store.committed(write)

    def add_sequence(
        self,
        items: Sequence[Prepared],
        now: datetime,
        progress: Callable[[int], None],
        stream: StreamAlignment | None = None,
    ) -> list[Fate]:
        """Appends turns of one session in order and returns the outcome of each. All of them are durable on return.

        Args:
            progress: called with the number of turns settled since the last call, after each durable batch.
            stream: state of the same sequence from earlier calls, so that it is aligned as a whole; it is updated.
        """
        stream = stream or StreamAlignment()
        in_line = self._in_line(items, stream)
        if len(in_line) < len(items):
            progress(len(items) - len(in_line))
        fates = iter(self._add_line([items[i] for i in in_line], now, progress, stream))
        chosen = frozenset(in_line)
        return [next(fates) if i in chosen else Fate(excluded=True) for i in range(len(items))]

    def known_start(self, items: Sequence[Prepared]) -> int:
        """How many turns at the start of a sequence of one session are stored already, or are to be kept out."""
        places = self._plan(items, StreamAlignment()).places
        return next((at for at, place in enumerate(places) if place.is_new), len(items))

    def _in_line(self, items: Sequence[Prepared], stream: StreamAlignment) -> Sequence[int]:
        """Places of the turns to be lined up: all but excluded ones, unless they came in before they were excluded."""
        if all(item.excluded is None for item in items):
            return range(len(items))
        keys = [*stream.keys, *map(sequence_key, items)]
        with self._store.snapshot() as reader:
            line = read_contents(reader, self._space, items[0].turn.session, keys)
        held = {key.hash for key in line.keys}
        return [i for i, item in enumerate(items) if item.excluded is None or item.digest in held]

    def _add_line(
        self, items: Sequence[Prepared], now: datetime, progress: Callable[[int], None], stream: StreamAlignment
    ) -> list[Fate]:
        fates: list[Fate] = []
        while len(fates) < len(items):
            rest = items[len(fates) :]
            plan = self._plan(rest, stream)
            keys = iter(plan.keys or map(sequence_key, rest))
            try:
                for settled in self._apply(plan, rest, now):
                    for fate, key in zip(settled, keys, strict=False):
                        if not fate.out_of_line:
                            stream.take(key, fate.added or fate.known, added=fate.added is not None)
                    fates += settled
                    progress(len(settled))
                    if settled[-1].paused:  # the rest with it: a sequence is not taken in by pieces
                        progress(len(items) - len(fates))
                        return fates + [Fate(paused=True)] * (len(items) - len(fates))
            except _Moved:
                continue  # someone else wrote to the session: what is left is planned anew from what is stored now
        return fates

    def _apply(self, plan: _Plan, items: Sequence[Prepared], now: datetime) -> Iterator[list[Fate]]:
        for start, end in batches(items, self._batch):
            settled = self._settle(replace(plan, places=plan.places[start:end]), items[start:end], now)
            fates = [fate for fate, _ in settled]
            added = sum(fate.added is not None for fate in fates)
            plan = replace(plan, seqs=[*plan.seqs, *(seq for _, seq in settled)], next_seq=plan.next_seq + added)
            yield fates

    def _settle(self, plan: _Plan, items: Sequence[Prepared], now: datetime) -> list[tuple[Fate, int]]:
        """Writes one batch; what is derived for it is not held any longer."""
        batch = [
            (item, derive(item.turn) if place.is_new and item.excluded is None else None)
            for item, place in zip(items, plan.places, strict=True)
        ]
        return self._store.transaction(_writing(self._space, batch, plan, now))

    def _plan(self, items: Sequence[Prepared], stream: StreamAlignment) -> _Plan:
        session = items[0].turn.session
        keys = [sequence_key(item) for item in items]
        with self._store.snapshot() as reader:
            upcoming = next_seq(reader, self._space, session)
            if stream.is_begun and not forgotten(reader, self._space, session):
                found = stream.places(reader, self._space, session, keys, upcoming)
                if found is not None:
                    return _Plan(*found, upcoming)
            if upcoming == 0 or not (stream.is_begun or self._may_line_up(reader, items, upcoming)):
                return _Plan(align((), keys), (), upcoming)
            line = read_contents(reader, self._space, session, [*stream.keys, *keys])
            if comes_twice([item.turn for item in items], line.keys):
                words = stored_words(reader, self._space, session, from_file=False)
                keys, named = named_alike(words, [item.turn for item in items], keys, line.seqs, line.keys)
                line = replace(line, keys=tuple(named))
        stream.restore(line)
        stream.look(line, upcoming)
        places = align(line.keys, [*stream.keys, *keys])
        seqs = list(line.seqs)
        for place in places[: len(stream.keys)]:
            seqs.append(-1 if place.known is None else seqs[place.known])
        return _Plan(places[len(stream.keys) :], seqs, upcoming, line.gone, keys)

    def _may_line_up(self, reader: Reader, items: Sequence[Prepared], upcoming: int) -> bool:
        """False only if nothing can match: no known external id, a first turn that is not stored, no second way in."""
        session = items[0].turn.session
        if items[0].turn.source in SOURCES:
            return True
        names = (item.turn.external_id for item in items)
        if any(name is not None and by_external_id(reader, self._space, session, name) for name in names):
            return True
        hashes = self._hashes(reader, session, upcoming)
        firsts = {item.turn.branch: item.digest for item in reversed(items)}
        return any(digest in hashes for digest in firsts.values()) or bool(forgotten(reader, self._space, session))

    def _hashes(self, reader: Reader, session: str, upcoming: int) -> set[bytes]:
        """Hashes of the session's contents, brought up to date by reading only new rows."""
        with self._lock:
            upto, hashes = self._contents.pop(session, (0, set()))
            if upto < upcoming:
                low, high = (self._space, session, upto), (self._space, session)
                hashes.update(TURN_HASH.scan(reader, low, high))
            while len(self._contents) >= _SESSIONS_KEPT:
                self._contents.pop(next(iter(self._contents)))
            self._contents[session] = (upcoming, hashes)
            return hashes


_Item = tuple[Prepared, Derived | None]
"""A turn and what is derived from it, which a turn that will not be written lacks."""


def _writing(
    space: str, items: Sequence[_Item], plan: _Plan, now: datetime
) -> Callable[[Transaction], list[tuple[Fate, int]]]:
    """`_write` for one batch, provided that the session is as long as planned."""

    def write(tx: Transaction) -> list[tuple[Fate, int]]:
        ground = _ground(tx, space, items[0][0].turn.session, now)
        if ground is None:
            return [(Fate(paused=True), -1)] * len(items)
        if ground.session.next_seq != plan.next_seq:
            raise _Moved
        return _write(tx, ground, items, plan, now)

    return write


@dataclass(frozen=True, slots=True)
class _Ground:
    """The rows about the space and the session that a transaction reads once before it appends.

    Attributes:
        space: the row of the space; a new one if the space has no turn yet.
        session: the row of the session; a new one likewise.
        hashed: None unless turns of the space were forgotten.
    """

    space: SpaceRow
    session: SessionRow
    hashed: Hashed | None


def _ground(tx: Reader, space: str, session: str, now: datetime) -> _Ground | None:
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
    return _Ground(space_row, session_row, hashed)


def _write(
    tx: Transaction, ground: _Ground, items: Sequence[_Item], plan: _Plan, now: datetime
) -> list[tuple[Fate, int]]:
    """Writes the new turns among the planned ones of a session; returns each one's outcome and seq, -1 for none."""
    space, session, hashed = ground.space.space, items[0][0].turn.session, ground.hashed
    seqs = list(plan.seqs)
    settled: list[tuple[Fate, int]] = []
    new: list[tuple[Prepared, Derived]] = []
    named: dict[str, int] = {}
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
                parent = _parent(tx, space, item.turn, named)
            if item.turn.external_id is not None:
                named[item.turn.external_id] = seq
            moved = (item.turn.branch, item.turn.parent) != (place.branch, parent)
            placed = replace(item.turn, branch=place.branch, parent=parent) if moved else item.turn
            new.append((item, replace(derived, turn=placed) if moved else derived))
            settled.append((Fate(added=turn_id(session, seq)), seq))
        seqs.append(settled[-1][1])
    if new:
        _put(tx, ground, new, now)
    return settled


def _parent(tx: Reader, space: str, turn: Turn, named: Mapping[str, int]) -> str | None:
    """The id of the turn that this one answers; sources name it by their own ids, which may name no stored turn.

    Args:
        named: places by external id of the turns that this transaction writes.
    """
    if turn.parent is None or turn.parent in named:
        return turn.parent and turn_id(turn.session, named[turn.parent])
    key = (space, turn.session, turn.parent)
    seq = TURN_SEQ.first(tx, key, key, index="external")
    return turn.parent if seq is None else turn_id(turn.session, seq)


def _met(session: str, seq: int, gone: frozenset[int], *, known: bool) -> Fate:
    """The outcome for a turn that matches a stored or forgotten one."""
    if seq < 0 or seq in gone:
        return Fate(forgotten=True)
    name = turn_id(session, seq)
    return Fate(known=name) if known else Fate(conflict=name)


def _put(tx: Transaction, ground: _Ground, new: Sequence[tuple[Prepared, Derived]], now: datetime) -> None:
    """Writes new turns of one session, with their index entries, annotations and blobs, at its next seqs."""
    space_row, session_row = ground.space, ground.session
    space, first, ordinal, ingested_at = space_row.space, session_row.next_seq, space_row.next_ordinal, to_us(now)
    title = session_row.title or title_of(derived.turn.metadata for _, derived in new)
    SESSION.put(tx, [session_row._replace(next_seq=first + len(new), title=title)])
    SPACE.put(tx, [space_row._replace(next_ordinal=ordinal + len(new))])
    placed = [(item, derived, first + n, ordinal + n) for n, (item, derived) in enumerate(new)]
    TURN.put(tx, (placed_row(space, made.turn, item.digest, seq, at, ingested_at) for item, made, seq, at in placed))
    TAIL.put(tx, (TailRow(space, at, encode(made.entry(seq=seq, ordinal=at))) for _, made, seq, at in placed))
    WEIGHING.put(tx, weighing_rows(space, ((at, made) for _, made, _, at in placed)))
    for item, _ in new:
        types = {part.blob: part.media_type for part in item.turn.parts if part.blob}
        for sha, data in item.blobs.items():
            tx.put_blob(space, sha, data, types.get(sha))


def title_of(metadata: Iterable[Mapping[str, object]]) -> str | None:
    """The session's title: the first one that a turn's metadata carries."""
    titles = (each.get("title") for each in metadata)
    return next((title for title in titles if isinstance(title, str) and title.strip()), None)


def sequence_key(item: Prepared) -> TurnKey:
    """The key by which alignment compares a prepared turn."""
    turn = item.turn
    return TurnKey(hash=item.digest, at=turn.at, external_id=turn.external_id, branch=turn.branch)


def weighing_rows(space: str, items: Iterable[tuple[int, Derived]]) -> list[WeighingRow]:
    """The rows of layers 1 to 3 that are written together with the turns, given by ordinal."""
    made = ((ordinal, item.annotations.get(WEIGHING.name)) for ordinal, item in items)
    return [WeighingRow(space, ordinal, value, ANALYZE_VERSION) for ordinal, value in made if value is not None]
