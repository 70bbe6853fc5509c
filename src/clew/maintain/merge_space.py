"""Merges two spaces: turns of the source that the target does not have are appended to the target.

A turn is recognised by its external id; otherwise, if its time is known, by session, content and time, as often as it
occurs on both sides; otherwise by its position among the other turns. So a second merge adds nothing, whichever side
has grown in between. Turns that the target has forgotten stay out. Pins, what is kept of quests, and vectors of a
shared model are carried over; other derived rows are made again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Final, cast

from clew.config import IngestConfig
from clew.errors import InputError, NotFoundError, StoreCorrupt, TurnRejected
from clew.ingest.identity import TurnKey
from clew.ingest.importers.record import AT_RAW
from clew.ingest.media import inline
from clew.maintain.merge_vectors import carry_vectors
from clew.rows.pins import carry_pins, read_pins
from clew.rows.quest_carrying import carry_quests, quests_to_carry
from clew.rows.tombstones import ghosts, hashing_of, moment_of, parent_seq
from clew.store.protocol import Reader, Store
from clew.store.row_types import TurnRow
from clew.store.rows import from_us, turn_from_row
from clew.store.tables import SPACE, TURN
from clew.store.turn_selections import TURN_DIGESTS, TURN_LINKS, TURN_SESSION_ORDINALS
from clew.store.values import Value
from clew.types import Turn
from clew.types.ids import turn_id
from clew.types.reports import IngestReport, Rejection
from clew.write.append import Appender
from clew.write.prepare import Prepared, prepare
from clew.write.session_writes import Fate
from clew.write.skipped_records import SkippedRecords
from clew.write.stream_alignment import StreamAlignment

_HELD: Final = 2_000
"""Turns of one session that are prepared before they are appended."""


@dataclass(slots=True)
class _Tally:
    """The merge report while it is being built."""

    on_progress: Callable[[int], None]
    added: int = 0
    known: int = 0
    skipped: SkippedRecords = field(default_factory=SkippedRecords)
    rejected: list[Rejection] = field(default_factory=list)
    turn_ids: list[str] = field(default_factory=list)
    masked: Counter[str] = field(default_factory=Counter)
    undated: int = 0
    first_undated: str | None = None
    pinned: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    """What turns that the source has pinned are called in the target."""
    pairs: dict[int, int] = field(default_factory=dict)
    """Ordinals in the source and in the target of turns that are the same in both, word for word."""

    def take(self, where: str, fate: Fate) -> str | None:
        """Counts one turn; returns its id in the target."""
        self.added += fate.added is not None
        self.known += fate.known is not None
        for kind in ("forgotten", "excluded", "paused"):
            if getattr(fate, kind):
                self.skipped.add(kind, where)
        if fate.conflict is not None:
            self.reject(where, f"its external id is stored as {fate.conflict} with other content, which was kept")
        name = fate.added or fate.known
        if name is not None:
            self.turn_ids.append(name)
        self.on_progress(self.added + self.known + self.skipped.counts.total() + len(self.rejected))
        return name

    def note_time(self, where: str, turn: Turn) -> None:
        """Counts a new turn whose time its source wrote in a way that could not be read."""
        if turn.at is None and (raw := turn.metadata.get(AT_RAW)) is not None:
            self.undated += 1
            self.first_undated = self.first_undated or f"{where}: {raw!r:.60}"

    def reject(self, where: str, reason: str) -> None:
        self.rejected.append(Rejection(where=where, reason=reason))

    def report(self, vectors: int) -> IngestReport:
        skipped, skipped_at = self.skipped.as_fields()
        return IngestReport(
            added=self.added,
            known=self.known,
            rejected=tuple(self.rejected),
            turn_ids=tuple(self.turn_ids),
            masked=dict(sorted(self.masked.items())),
            skipped=skipped,
            skipped_at=skipped_at,
            undated=self.undated,
            first_undated=self.first_undated,
            vectors=vectors,
        )


def merge_space(
    source: Store,
    target: Store,
    space: str,
    config: IngestConfig,
    clock: Callable[[], datetime],
    on_progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Appends the turns that a source space has and the target space has not. The source is only read.

    Sessions of the same name are one session. If both sides have grown, the source's part follows the target's, or
    opens a branch if both begin alike. Answers to a turn in another branch still answer the same turn, under its new
    id. A damaged turn of the source, or one whose original is missing, is counted as rejected.

    Args:
        config: how the target accepts turns.
        on_progress: called with the number of turns settled so far.

    Raises:
        InputError: both are the same store.
        NotFoundError: the source has no such space.
    """
    if source is target or (source.url == target.url and source.url != ":memory:"):
        raise InputError(f"{source.url} is given as source and as target; name another place to merge into")
    tally = _Tally(on_progress or (lambda _: None))
    appender = Appender(target, space, config.batch)
    with source.snapshot() as reader:
        if SPACE.get(reader, (space,)) is None:
            names = ", ".join(map(repr, source.spaces())) or "none"
            raise NotFoundError(f"there is no space {space!r} at {source.url}; its spaces: {names}")
        pins = read_pins(reader, space)
        tally.pinned = frozenset(pin.name for pin in pins)
        for session in _sessions(reader, space):
            _Merge(reader, target, space, session, config).run(appender, clock, tally)
        quests = list(quests_to_carry(reader, space))
        carry_quests(quests, target, space, mask_secrets=config.secrets == "mask")
        carry_pins(pins, target, space, tally.names, mask_secrets=config.secrets == "mask")
        return tally.report(carry_vectors(reader, target, space, tally.pairs))


def _sessions(reader: Reader, space: str) -> list[str]:
    """The source's sessions in the order in which they began."""
    first: dict[str, int] = {}
    for name, ordinal in TURN_SESSION_ORDINALS.scan(reader, (space,), (space,)):
        first[name] = min(ordinal, first.get(name, ordinal))
    return sorted(first, key=lambda name: first[name])


@dataclass(frozen=True, slots=True)
class _Held:
    """The fields of a stored turn that are compared; `at` in microseconds."""

    seq: int
    hash: bytes
    at: int | None
    external_id: str | None
    branch: str

    def may_be(self, other: "_Held") -> bool:
        """Whether two turns of equal content and time may be one: external ids decide if both have one."""
        return None in (self.external_id, other.external_id) or self.external_id == other.external_id


def _held(reader: Reader, space: str, session: str) -> list[_Held]:
    rows = TURN_LINKS.scan(reader, (space, session), (space, session))
    return [_Held(row.seq, row.hash, row.at, row.external_id, row.branch) for row in rows]


class _Theirs:
    """The turns that the target has, or has forgotten, in one session. Each turn is matched at most once.

    Attributes:
        turns: by seq.
        undated: seqs of turns that have neither time nor external id, and of forgotten ones, in order.
        gone: seqs of the forgotten ones.
    """

    def __init__(self, reader: Reader, space: str, session: str) -> None:
        self._space = space
        self._hashed = hashing_of(reader, space)
        self._forgets = reader.count("tombstone", (space,), (space,)) > 0
        self.turns = {turn.seq: turn for turn in _held(reader, space, session)}
        buried = [] if self._hashed is None else ghosts(reader, space, session, self._hashed)
        self.gone = {ghost.seq for ghost in buried}
        self._dated: dict[tuple[Value, Value], list[_Held]] = {}
        marks = {ghost.seq: ghost.digest for ghost in buried}
        for turn in self.turns.values():
            if turn.at is not None:
                self._dated.setdefault((turn.hash, turn.at), []).append(turn)
            elif turn.external_id is None:
                marks[turn.seq] = self._mark(turn)
        self.undated = sorted(marks)
        self._marks = [marks[seq] for seq in self.undated]

    def among_undated(self, mine: Sequence[_Held]) -> dict[int, int]:
        """Which of some turns, that have neither time nor external id, are which of `undated`, by place."""
        matched = in_place([self._mark(turn) for turn in mine], self._marks)
        return {mine[n].seq: self.undated[place] for n, place in matched.items()}

    def _mark(self, each: _Held) -> bytes:
        """The content as tombstones hold it, so that the forgotten can be told as well."""
        return each.hash if self._hashed is None else self._hashed("content", each.hash)

    def take(self, mine: _Held) -> int | None:
        """The place of the turn with this content and time; None when there is none, or the time is unknown."""
        candidates = self._dated.get((mine.hash, mine.at), []) if mine.at is not None else []
        for candidate in candidates:
            if candidate.may_be(mine):
                candidates.remove(candidate)
                return candidate.seq
        return None

    def forgot(self, reader: Reader, mine: _Held) -> bool:
        """Whether a turn whose time is known was forgotten in the target, in any session."""
        at = from_us(mine.at)
        if at is None or self._hashed is None or not self._forgets:
            return False
        key = (self._space, moment_of(at, mine.hash, self._hashed))
        return reader.count("tombstone", key, key, index="moment") > 0


def in_place(mine: Sequence[bytes], theirs: Sequence[bytes]) -> dict[int, int]:
    """Matches undated turns of both sides by content and order alone; returns target seqs by source seq.

    There must be evidence that both come from one conversation: all of the source's turns occur in the target in this
    order, or at least two neighbours are equal on both sides. Then equal turns are the same, as often as they occur on
    both sides. Without evidence none is: an "ok" here and an "ok" there prove nothing.
    """
    places = iter(range(len(theirs)))
    every = [next((place for place in places if theirs[place] == turn), None) for turn in mine]
    if None not in every:
        return {n: place for n, place in enumerate(every) if place is not None}
    blocks = SequenceMatcher(None, theirs, mine, autojunk=False).get_matching_blocks()
    if max(block.size for block in blocks) < 2:
        return {}
    pairs = {block.b + n: block.a + n for block in blocks for n in range(block.size)}
    free: dict[bytes, list[int]] = {}
    for place in sorted(set(range(len(theirs))) - set(pairs.values()), reverse=True):
        free.setdefault(theirs[place], []).append(place)
    for n, each in enumerate(mine):
        if n not in pairs and free.get(each):
            pairs[n] = free[each].pop()
    return pairs


class _Merge:
    """The merge of one session: which of its turns are which of the target's, and which turns they answer."""

    def __init__(self, reader: Reader, target: Store, space: str, session: str, config: IngestConfig) -> None:
        self._reader, self._target = reader, target
        self._space, self._session, self._config = space, session, config
        self._turns = _held(reader, space, session)
        with target.snapshot() as theirs:
            self._theirs = _Theirs(theirs, space, session)
            self._found = self._find()
            self._settled = self._settle(theirs)
        self._names = {turn_id(session, seq): fate.known for seq, fate in self._settled.items() if fate.known}
        self._branches = self._renamed()
        self._alignment = StreamAlignment(self._key(turn) for turn in self._turns if turn.seq in self._settled)

    def run(self, appender: Appender, clock: Callable[[], datetime], tally: _Tally) -> None:
        """Settles every turn of the session."""
        waiting: dict[str, Prepared] = {}
        for turn in self._turns:
            name = turn_id(self._session, turn.seq)
            if turn.seq in self._settled:
                tally.take(name, self._settled[turn.seq])
                continue
            (row,) = TURN.scan(self._reader, self._turn_key(turn), self._turn_key(turn))
            if len(waiting) >= _HELD or row.parent in waiting:
                self._append(waiting, appender, clock, tally)  # so that the parent's new id is known
            try:
                item = self._prepared(row, turn)
            except (TurnRejected, StoreCorrupt, NotFoundError) as error:  # the last for an original that is missing
                tally.reject(name, str(error))
                continue
            fate = self._met(item, turn)
            if fate is None:
                waiting[name] = item
            else:
                self._name(name, tally.take(name, fate))
        self._append(waiting, appender, clock, tally)
        tally.pairs.update(self._pairs())
        tally.names.update({name: self._names[name] for name in sorted(tally.pinned & self._names.keys())})

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Ordinals of the turns that both have with the same words, here and there."""
        whole = (self._space, self._session)
        with self._target.snapshot() as reader:
            theirs = {turn_id(self._session, row.seq): row for row in TURN_DIGESTS.scan(reader, whole, whole)}
        for mine in TURN_DIGESTS.scan(self._reader, whole, whole):
            same = theirs.get(self._names.get(turn_id(self._session, mine.seq), ""))
            if same is not None and same.hash == mine.hash:
                yield mine.ordinal, same.ordinal

    def _find(self) -> dict[int, int]:
        """Which turns of the target, living or forgotten, are turns of the source, by place in the source."""
        places = {turn.seq: seq for turn in self._turns if (seq := self._theirs.take(turn)) is not None}
        undated = [turn for turn in self._turns if turn.at is None and turn.external_id is None]
        return places | self._theirs.among_undated(undated)

    def _settle(self, theirs: Reader) -> dict[int, Fate]:
        """What is known or forgotten in the target, by place in the source."""
        fates: dict[int, Fate] = {}
        for turn in self._turns:
            seq = self._found.get(turn.seq)
            if seq in self._theirs.gone or (seq is None and self._theirs.forgot(theirs, turn)):
                fates[turn.seq] = Fate(forgotten=True)
            elif seq is not None:
                fates[turn.seq] = Fate(known=turn_id(self._session, seq))
        return fates

    def _renamed(self) -> dict[str, str]:
        """The target's names of branches: that of its first turn; another one where the target's is another branch."""
        taken = {turn.branch for turn in self._theirs.turns.values()}
        space_row = SPACE.get(self._reader, (self._space,))
        mark = "" if space_row is None else space_row.salt[:4].hex()
        names: dict[str, str] = {"": ""}
        for turn in self._turns:
            if turn.branch in names:
                continue
            known = self._theirs.turns.get(self._found.get(turn.seq, -1))
            if known is not None:
                names[turn.branch] = known.branch
            else:
                names[turn.branch] = f"{turn.branch}~{mark}" if turn.branch in taken else turn.branch
        return names

    def _key(self, each: _Held) -> TurnKey:
        branch = self._branches[each.branch]
        return TurnKey(hash=each.hash, at=from_us(each.at), external_id=each.external_id, branch=branch)

    def _turn_key(self, each: _Held) -> tuple[str, str, int]:
        return (self._space, self._session, each.seq)

    def _prepared(self, row: TurnRow, each: _Held) -> Prepared:
        turn = turn_from_row(row)
        parent = turn.parent if parent_seq(turn.parent) is None else self._names.get(cast(str, turn.parent))
        branch = self._branches[each.branch]
        turn = replace(turn, seq=None, ordinal=None, ingested_at=None, branch=branch, parent=parent)
        return prepare(inline(turn, self._blob), self._config)

    def _met(self, item: Prepared, each: _Held) -> Fate | None:
        """The outcome for a turn that equals a stored one only under the target's masks; None for a new turn."""
        if item.digest == each.hash:
            return None
        mine = replace(each, hash=item.digest)
        seq = self._theirs.take(mine)
        if seq is not None:
            return Fate(known=turn_id(self._session, seq))
        with self._target.snapshot() as reader:
            return Fate(forgotten=True) if self._theirs.forgot(reader, mine) else None

    def _append(
        self, waiting: dict[str, Prepared], appender: Appender, clock: Callable[[], datetime], tally: _Tally
    ) -> None:
        if not waiting:
            return
        items = list(waiting.values())
        fates = appender.add_sequence(items, clock(), lambda _: None, self._alignment)
        for (name, item), fate in zip(waiting.items(), fates, strict=True):
            self._name(name, tally.take(name, fate))
            if fate.added is not None:
                tally.masked.update(item.masked)
                tally.note_time(name, item.turn)
        waiting.clear()

    def _name(self, mine: str, theirs: str | None) -> None:
        if theirs is not None:
            self._names[mine] = theirs

    def _blob(self, sha: str) -> bytes:
        data = self._reader.get_blob(self._space, sha)
        if data is None:
            raise NotFoundError(f"blob {sha[:12]} of the source is missing; `clew verify` there says what else is")
        return data
