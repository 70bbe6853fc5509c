"""Writes prepared turns durably: each with its index entry, its annotations and its blobs, all or nothing.

A single turn is always appended, unless it carries an external id that is known. A sequence is planned against what the
session holds, so that a resent history adds nothing and an edit opens a branch (`clew.ingest.identity`), and written in
batches; if someone else wrote to the session meanwhile, it is planned again. Sequences of many short sessions share a
transaction, since each would wait for the disk by itself.
"""

import logging
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from clew.errors import ClosedError, InputError, StoreLocked
from clew.ingest.branches import PUT_IN
from clew.ingest.identity import Placement, TurnKey, align
from clew.rows.imported_files import note
from clew.rows.parameters import take_over
from clew.rows.quest_carrying import CarriedQuest, carry_quests
from clew.store.protocol import Committed, Reader, Store, Transaction
from clew.store.row_types import SessionRow, SpaceRow
from clew.store.rows import turn_from_row
from clew.store.tables import SESSION, TURN
from clew.store.turn_selections import TURN_HASH
from clew.types.turn import Turn
from clew.write.bounded_cache import forget_oldest
from clew.write.file_turns import FileTurns, KnownTurns, as_stored, turns_of
from clew.write.followed_imports import FollowedImports
from clew.write.grown_messages import grown
from clew.write.live_windows import LiveWindows
from clew.write.namesakes import Namesakes
from clew.write.prepare import Derived, Prepared, batches, derive
from clew.write.same_words import SOURCES, comes_twice, named_alike, stored_words
from clew.write.session_log import by_external_id, forgotten, next_seq, read_contents
from clew.write.session_writes import Fate, Item, PlacePlan, ground_of, write_planned
from clew.write.single_adds import SingleAdds
from clew.write.stream_alignment import StreamAlignment
from clew.write.unnamed_agents import UnnamedAgents

log = logging.getLogger("clew.write")

_SESSIONS_KEPT: Final = 64
"""Sessions whose contents are remembered as hashes, so that new sequences need no look back."""


class _Moved(Exception):
    """Raised if the session grew between planning and writing; handled inside this module."""


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

    Attributes:
        store, space: where they are appended.
    """

    def __init__(self, store: Store, space: str, batch: int) -> None:
        self.store = store
        self.space = space
        self._batch = batch
        self.followed = FollowedImports()
        self.agents = UnnamedAgents(store, space)
        self.namesakes = Namesakes(store, space)
        self._singles = SingleAdds(store, space)
        self._windows = LiveWindows(space)
        self._contents: dict[str, tuple[int, set[bytes]]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Clears the cached hashes."""
        with self._lock:
            self._contents.clear()
        self._windows.forget()

    def learn(self, values: Mapping[str, float], now: datetime) -> None:
        """Adopts the learned values of an export, see `take_over`."""
        take_over(self.store, self.space, values, now)

    def keep_quests(self, quests: Iterable[Mapping[str, Any]], *, mask_secrets: bool) -> None:
        """Stores the quests of an export, see `carry_quests`; damaged ones are left out."""
        read = []
        for quest in quests:
            try:
                read.append(CarriedQuest.from_dict(quest))
            except InputError as error:
                log.warning("what is said of a quest was left out: %s", error)
        carry_quests(read, self.store, self.space, mask_secrets=mask_secrets)

    def grown(self, items: Sequence[Prepared], prepared: Callable[[Turn], Prepared]) -> list[tuple[Prepared, ...]]:
        """For each turn of a session, the turns to store in its place, see `grown_messages.grown`."""
        return grown(self.store, self.space, items, prepared)

    def turns_of_file(self, path: str, stamp: str) -> KnownTurns | None:
        """The turns that a file yielded when it was imported in this state; None if it was not."""
        with self.store.snapshot() as reader:
            return turns_of(reader, self.space, path, stamp)

    def turns_of_session(self, session: str) -> Generator[Turn, None, None]:
        """The stored turns of a session, in the order in which they were stored."""
        with self.store.snapshot() as reader:
            yield from map(turn_from_row, TURN.scan(reader, (self.space, session), (self.space, session)))

    def note_files(self, files: Iterable[FileTurns]) -> None:
        """Remembers that all turns of some files are stored."""
        with self.store.snapshot() as reader:
            stored = as_stored(reader, self.space, files)
        note(self.store, self.space, stored)

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Sets the titles of stored sessions, given by name."""

        def write(tx: Transaction) -> None:
            rows = (
                (row, title) for session, title in titles.items() if (row := SESSION.get(tx, (self.space, session)))
            )
            SESSION.put(tx, [row._replace(title=title) for row, title in rows if row.title != title])

        if titles:
            self.store.transaction(write, durable=False)

    def forgotten(self) -> int:
        """How many turns of the space were forgotten."""
        with self.store.snapshot() as reader:
            return reader.count("tombstone", (self.space,), (self.space,))

    def add(self, item: Prepared, now: datetime) -> Fate:
        """Appends one turn; returns once it is durable."""
        return self._singles.add(item, now)

    def add_placed(
        self,
        session: str,
        now: datetime,
        decide: Callable[[Transaction, SpaceRow, SessionRow], Sequence[PlacedTurn]],
        settle: Callable[[Transaction, SpaceRow, Sequence[Fate]], None],
    ) -> Committed[list[Fate] | None]:
        """Appends turns of one session at places that the caller chose; returns None while the session is paused.

        Args:
            decide: returns the turns, from what is stored when they are written.
            settle: writes what belongs to them, in the same transaction.
        """

        def write(tx: Transaction) -> list[Fate] | None:
            ground = ground_of(tx, self.space, session, now)
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
            plan = PlacePlan(places, seqs, ground.session.next_seq)
            items = [(turn.item, turn.derived) for turn in turns]
            fates = [fate for fate, _ in write_planned(tx, ground, items, plan, now)] if items else []
            settle(tx, ground.space, fates)
            return fates

        return self.store.committed(write)

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
        chosen = [items[i] for i in in_line]
        return _in_place(len(items), in_line, self._add_line(chosen, now, progress, stream))

    def add_live(self, items: Sequence[Prepared], now: datetime, *, asked: int = 0) -> list[Fate]:
        """Appends what is new in a history whose last turn is being said now, see `align`; durable on return.

        New turns without a time were said since the stored ones, and get the present. They are lined up without it: the
        same history that somebody else brings meanwhile has a time of its own by then.

        Args:
            asked: index of the first turn that gets the present where nothing before it is stored.
        """
        stream = StreamAlignment()
        in_line = self._in_line(items, stream)
        chosen = [items[i] for i in in_line]
        begins = sum(i < asked for i in in_line)
        return _in_place(len(items), in_line, self._add_line(chosen, now, _untold, stream, asked=begins))

    def add_together(
        self,
        sequences: Sequence[tuple[Sequence[Prepared], StreamAlignment]],
        now: datetime,
        progress: Callable[[int], None],
    ) -> list[list[Fate]] | None:
        """Appends sequences of several sessions in one transaction, with the outcomes of `add_sequence` for each.

        None where nothing was written, because somebody else wrote to one of the sessions, or because one cannot be
        written: each is then to be added by itself, so that the fault of one is told of that one.
        """
        with self.store.snapshot():  # the reads of all sessions see one state, which is asked for once
            lines = [self._in_line(items, stream) for items, stream in sequences]
            chosen = [[items[i] for i in line] for (items, _), line in zip(sequences, lines, strict=True)]
            plans = [
                self._plan(some, stream) if some else None for some, (_, stream) in zip(chosen, sequences, strict=True)
            ]
        writes = [
            None if plan is None else _writing(self.space, _derived(plan, some), plan, now)
            for plan, some in zip(plans, chosen, strict=True)
        ]
        try:
            settled = self.store.transaction(lambda tx: [write(tx) if write else [] for write in writes])
        except (ClosedError, StoreLocked):
            raise  # no session's fault
        except Exception as error:  # noqa: BLE001  # whosever fault it is, it comes again where each is added by itself
            log.debug("%d sessions are written one by one, since together they were not: %r", len(writes), error)
            return None
        progress(sum(len(items) for items, _ in sequences))
        outcomes = []
        for (items, stream), line, some, plan, pairs in zip(sequences, lines, chosen, plans, settled, strict=True):
            fates = [fate for fate, _ in pairs]
            if plan is not None:
                _take(stream, fates, iter(plan.keys or map(sequence_key, some)))
            outcomes.append(_in_place(len(items), line, fates))
        return outcomes

    def _in_line(self, items: Sequence[Prepared], stream: StreamAlignment) -> Sequence[int]:
        """The indexes of the turns to be aligned: all but excluded ones that were never stored."""
        if all(item.excluded is None for item in items):
            return range(len(items))
        keys = [*stream.keys, *map(sequence_key, items)]
        with self.store.snapshot() as reader:
            line = read_contents(reader, self.space, items[0].turn.session, keys)
        hashes = {key.hash for key in line.keys}
        return [i for i, item in enumerate(items) if item.excluded is None or item.digest in hashes]

    def _add_line(
        self,
        items: Sequence[Prepared],
        now: datetime,
        progress: Callable[[int], None],
        stream: StreamAlignment,
        *,
        asked: int | None = None,
    ) -> list[Fate]:
        """Appends turns that were aligned.

        Args:
            asked: of a live history, as for `add_live`.
        """
        fates: list[Fate] = []
        present: int | None = None  # the first turn that gets the present; others may store the same before the end
        while len(fates) < len(items):
            remaining = items[len(fates) :]
            plan = self._plan(remaining, stream, is_live=asked is not None)
            keys = iter(plan.keys or map(sequence_key, remaining))
            if asked is not None:
                present = (asked if plan.places[0].is_new else 0) if present is None else present
                begins = present - len(fates)
                remaining = [_said_at(now, item) if i >= begins else item for i, item in enumerate(remaining)]
            try:
                for settled in self._apply(plan, remaining, now):
                    _take(stream, settled, keys)
                    fates += settled
                    progress(len(settled))
                    if settled[-1].paused:  # the rest with it: a sequence is not taken in by pieces
                        progress(len(items) - len(fates))
                        return fates + [Fate(paused=True)] * (len(items) - len(fates))
            except _Moved:
                continue  # someone else wrote to the session: what is left is planned again from what is stored now
        return fates

    def _apply(self, plan: PlacePlan, items: Sequence[Prepared], now: datetime) -> Iterator[list[Fate]]:
        for start, end in batches(items, self._batch):
            settled = self._settle(replace(plan, places=plan.places[start:end]), items[start:end], now)
            fates = [fate for fate, _ in settled]
            added = sum(fate.added is not None for fate in fates)
            plan = replace(plan, seqs=[*plan.seqs, *(seq for _, seq in settled)], next_seq=plan.next_seq + added)
            yield fates

    def _settle(self, plan: PlacePlan, items: Sequence[Prepared], now: datetime) -> list[tuple[Fate, int]]:
        """Writes one batch, and frees what was derived for it."""
        return self.store.transaction(_writing(self.space, _derived(plan, items), plan, now))

    def _plan(self, items: Sequence[Prepared], stream: StreamAlignment, *, is_live: bool = False) -> PlacePlan:
        session = items[0].turn.session
        keys = [sequence_key(item) for item in items]
        with self.store.snapshot() as reader:
            upcoming = next_seq(reader, self.space, session)
            if stream.is_begun and not forgotten(reader, self.space, session):
                aligned = stream.places(reader, self.space, session, keys, upcoming)
                if aligned is not None:
                    return PlacePlan(*aligned, upcoming)
            if is_live and not stream.is_begun:
                aligned = self._windows.places(reader, session, keys, upcoming)
                if aligned is not None:
                    return PlacePlan(*aligned, upcoming)
            if upcoming == 0 or not (stream.is_begun or self._may_line_up(reader, items, upcoming, is_live=is_live)):
                return PlacePlan(align((), keys), (), upcoming)
            line = read_contents(reader, self.space, session, [*stream.keys, *keys])
            if comes_twice([item.turn for item in items], line.keys):
                words = stored_words(reader, self.space, session, from_file=False)
                keys, named = named_alike(words, [item.turn for item in items], keys, line.seqs, line.keys)
                line = replace(line, keys=tuple(named))
        stream.restore(line)
        stream.look(line, upcoming)
        places = align(line.keys, [*stream.keys, *keys], is_live=is_live)
        seqs = list(line.seqs)
        for place in places[: len(stream.keys)]:
            seqs.append(-1 if place.known is None else seqs[place.known])
        return PlacePlan(places[len(stream.keys) :], seqs, upcoming, line.gone, keys)

    def _may_line_up(self, reader: Reader, items: Sequence[Prepared], upcoming: int, *, is_live: bool) -> bool:
        """False only if nothing can match: no known external id, a first turn that is not stored, no second way in.

        In a live history a few turns may have been put in before the first one that is stored.
        """
        session = items[0].turn.session
        if items[0].turn.source in SOURCES:
            return True
        names = (item.turn.external_id for item in items)
        if any(name is not None and by_external_id(reader, self.space, session, name) for name in names):
            return True
        hashes = self._hashes(reader, session, upcoming)
        firsts = {item.turn.branch: item.digest for item in reversed(items)}.values()
        begun = [*firsts, *(item.digest for item in items[: PUT_IN + 1] if is_live)]
        return any(digest in hashes for digest in begun) or bool(forgotten(reader, self.space, session))

    def _hashes(self, reader: Reader, session: str, upcoming: int) -> set[bytes]:
        """Hashes of the session's contents, brought up to date by reading only new rows."""
        with self._lock:
            upto, hashes = self._contents.pop(session, (0, set()))
            if upto < upcoming:
                low, high = (self.space, session, upto), (self.space, session)
                hashes.update(TURN_HASH.scan(reader, low, high))
            self._contents[session] = (upcoming, hashes)
            forget_oldest(self._contents, _SESSIONS_KEPT)
            return hashes


def _untold(_: int) -> None:
    """The `on_progress` of callers that do not watch the progress."""


def _said_at(now: datetime, item: Prepared) -> Prepared:
    """The turn with this time, if it has none of its own."""
    return item if item.turn.at is not None else replace(item, turn=replace(item.turn, at=now))


def _derived(plan: PlacePlan, items: Sequence[Prepared]) -> list[Item]:
    """The planned turns; those that will be written come with everything that is derived from them."""
    return [
        (item, derive(item.turn) if place.is_new and item.excluded is None else None)
        for item, place in zip(items, plan.places, strict=True)
    ]


def _take(stream: StreamAlignment, fates: Iterable[Fate], keys: Iterator[TurnKey]) -> None:
    """Adds settled turns to their sequence; consumes one of `keys` for each fate."""
    for fate, key in zip(fates, keys, strict=False):
        if not fate.out_of_line:
            stream.take(key, fate.added or fate.known, added=fate.added is not None)


def _in_place(count: int, in_line: Sequence[int], fates: Sequence[Fate]) -> list[Fate]:
    """The outcomes of all turns in their order; turns that were not aligned count as excluded."""
    by_place = dict(zip(in_line, fates, strict=True))
    return [by_place.get(i) or Fate(excluded=True) for i in range(count)]


def _writing(
    space: str, items: Sequence[Item], plan: PlacePlan, now: datetime
) -> Callable[[Transaction], list[tuple[Fate, int]]]:
    """A transaction that writes one batch, provided that the session is as long as when it was planned."""

    def write(tx: Transaction) -> list[tuple[Fate, int]]:
        ground = ground_of(tx, space, items[0][0].turn.session, now)
        if ground is None:
            return [(Fate(paused=True), -1)] * len(items)
        if ground.session.next_seq != plan.next_seq:
            raise _Moved
        return write_planned(tx, ground, items, plan, now)

    return write


def sequence_key(item: Prepared) -> TurnKey:
    """The key by which alignment compares a prepared turn."""
    turn = item.turn
    return TurnKey(hash=item.digest, at=turn.at, external_id=turn.external_id, branch=turn.branch)
