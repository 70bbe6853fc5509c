"""Adds many turns: prepares them, groups them by session, appends durable batches, and accounts for each record."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from clew.config import IngestConfig
from clew.errors import ConflictError, StoreFull, TurnRejected
from clew.ingest.importers import (
    QUEUED,
    Delivered,
    FileEnd,
    ImportedTurn,
    ImportLimits,
    ImportRecord,
    SessionTitle,
    Skipped,
    file_end,
    follow,
    is_single,
    read_path,
)
from clew.ingest.importers.record import AT_RAW, UNFINISHED, NamedFile, UnfinishedRecord
from clew.types.reports import IngestReport, Rejection
from clew.types.turn import Turn
from clew.version import __version__
from clew.write.append import Appender
from clew.write.file_turns import FileTurns, placed_file
from clew.write.followed import FollowedImport
from clew.write.grown_messages import may_grow
from clew.write.lone_summaries import tell_lone_summaries, tell_lone_summary
from clew.write.prepare import Prepared, admit, prepare, runs
from clew.write.session_writes import Fate
from clew.write.skipped_records import SkippedRecords
from clew.write.stream_alignment import StreamAlignment
from clew.write.turn_ids import TurnIds

PAUSED: Final = (
    "this space or session is paused and stores nothing; `clew resume`, with --session for a session, or Memory.resume "
    "ends that"
)

Progress = Callable[[int], None]
"""Called with the number of turns settled so far."""


@dataclass(slots=True)
class _FileState:
    """The progress of one imported file.

    Attributes:
        end: the file's state after its last record; None before that.
        turns: how many of its records are stored as turns.
        is_whole: whether every record was stored, or left out for good.
        ids: of these turns.
        queued: external ids of those that waited in a client's queue, and the ids of their turns.
        before: places in the input of earlier imports that this one goes on from.
        place: of the file, if a session is called after it; None for a zip.
    """

    end: FileEnd | None = None
    turns: int = 0
    is_whole: bool = True
    ids: TurnIds = field(default_factory=TurnIds)
    queued: dict[str, str] = field(default_factory=dict)
    before: int = 0
    place: str | None = None


@dataclass(slots=True)
class _Tally:
    """The import report while it is being built."""

    on_progress: Progress | None
    added: int = 0
    known: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    turn_ids: TurnIds = field(default_factory=TurnIds)
    masked: Counter[str] = field(default_factory=Counter)
    skipped: SkippedRecords = field(default_factory=SkippedRecords)
    undated: int = 0
    first_undated: str | None = None
    titles: dict[str, str] = field(default_factory=dict)
    settled: int = 0
    seen: int = 0
    learned: Mapping[str, float] | None = None
    quests: list[Mapping[str, Any]] = field(default_factory=list)
    file: _FileState = field(default_factory=_FileState)
    ended: list[_FileState] = field(default_factory=list)

    def reject(self, rejection: Rejection, file: _FileState) -> None:
        self.rejected.append(rejection)
        file.is_whole = False

    def end_file(self, end: FileEnd) -> None:
        self.file.end = end
        self.ended.append(self.file)
        self.file = _FileState()

    def take_ended(self) -> list[_FileState]:
        """The files that are stored as a whole and were not given before."""
        ended, self.ended = self.ended, []
        return [file for file in ended if file.is_whole]

    def progress(self, count: int) -> None:
        self.settled += count
        if self.on_progress is not None:
            self.on_progress(self.settled)

    def take(self, waiting: "_Waiting", fate: Fate) -> None:
        item, name = waiting.item, fate.added or fate.known
        if name is not None:
            waiting.file.turns += 1
            self.turn_ids.add(waiting.place, name)
            waiting.file.ids.add(waiting.file.before + waiting.place, name)
            if item.turn.external_id is not None and item.turn.external_id.startswith(QUEUED):
                waiting.file.queued[item.turn.external_id] = name
        if fate.forgotten:
            self.skipped.add("forgotten", waiting.where)
        elif fate.excluded:
            self.skipped.add("excluded", waiting.where)
        elif fate.paused:
            self.skipped.add("paused", waiting.where)
            waiting.file.is_whole = False
        elif fate.conflict is not None:
            self.reject(Rejection(where=waiting.where, reason=_conflict(item, fate.conflict)), waiting.file)
        elif fate.added is not None:
            self.added += 1
            self.masked.update(item.masked)
            self._note_time(waiting)
        elif fate.known is not None:
            self.known += 1

    def take_all(self, group: "Sequence[_Waiting]", fates: Sequence[Fate]) -> None:
        for waiting, fate in zip(group, fates, strict=True):
            self.take(waiting, fate)

    def _note_time(self, waiting: "_Waiting") -> None:
        turn = waiting.item.turn
        if turn.at is None and (raw := turn.metadata.get(AT_RAW)) is not None:
            self.undated += 1
            self.first_undated = self.first_undated or f"{waiting.where}: {raw!r:.60}"

    def deliver(self, external_id: str) -> None:
        """No longer counts a queued message that an earlier import of the file stored, and that is delivered now."""
        name = self.file.queued.pop(external_id, None)
        if name is not None:
            self.known -= 1
            self.file.turns -= 1
            self.file.ids.remove(name)

    def report(self) -> IngestReport:
        skipped, skipped_at = self.skipped.as_fields()
        return IngestReport(
            added=self.added,
            known=self.known,
            rejected=tuple(self.rejected),
            turn_ids=self.turn_ids.in_order(),
            masked=dict(sorted(self.masked.items())),
            skipped=skipped,
            skipped_at=skipped_at,
            undated=self.undated,
            first_undated=self.first_undated,
        )


def add_one(appender: Appender, turn: Turn, config: IngestConfig, now: datetime) -> str:
    """Appends one turn and gives its id; a known external id gives the stored turn's.

    Raises:
        TurnRejected: it cannot be taken, is kept out by a pattern or a pause, or was forgotten before.
        ConflictError: its external id is stored with other content.
    """
    item = prepared(appender, turn, config)
    return name_of(item, appender.add(item, now))


def prepared(appender: Appender, turn: Turn, config: IngestConfig) -> Prepared:
    """A turn that comes by itself, prepared.

    Raises:
        TurnRejected: it cannot be taken.
    """
    return prepare(tell_lone_summary(admit(turn), appender.turns_of_session), config)


def name_of(item: Prepared, fate: Fate) -> str:
    """The id of the stored turn that a turn became, or was before.

    Raises:
        TurnRejected: it is kept out by a pattern or a pause, or was forgotten before.
        ConflictError: its external id is stored with other content.
    """
    if fate.conflict is not None:
        raise ConflictError(_conflict(item, fate.conflict))
    if fate.paused:
        raise TurnRejected(PAUSED)
    if fate.excluded:
        raise TurnRejected(f"the pattern {item.excluded!r} of the setting ingest.exclude keeps this turn out")
    name = fate.added or fate.known
    if name is None:
        raise TurnRejected("this turn was forgotten and stays out; send what is said anew without its id and time")
    return name


def _conflict(item: Prepared, held_by: str) -> str:
    return (
        f"external id {item.turn.external_id!r} is stored as {held_by} with other content, which was kept; "
        "send an edit under an id of its own"
    )


def add_many(
    appender: Appender,
    turns: Iterable[Turn],
    config: IngestConfig,
    clock: Callable[[], datetime],
    on_progress: Progress | None = None,
) -> IngestReport:
    """Appends turns in order; those of one session are aligned as one sequence.

    A turn that is rejected is named by its place in the input and does not stop the others.
    """
    admitted = (_admitted(turn, f"turns[{place}]") for place, turn in enumerate(turns))
    records = tell_lone_summaries(admitted, appender.turns_of_session)
    return _append_all(appender, records, config, clock, _Tally(on_progress))


def add_history(appender: Appender, turns: Sequence[Turn], config: IngestConfig, now: datetime) -> tuple[str, ...]:
    """Appends what is new in the history of one chat, as its program sends it again each time; gives the ids of all.

    Turns without a time that follow stored ones were said since then, and get the present. Where nothing is stored yet,
    only the last message of the user, and what follows it, is taken to be of now.

    Raises:
        TurnRejected: a turn cannot be taken, or the space or session is paused.
    """
    items = [prepare(admit(turn), config) for turn in turns]
    asked = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=len(turns) - 1)
    fates = appender.add_live(items, now, asked=asked) if items else []
    if any(fate.paused for fate in fates):
        raise TurnRejected(PAUSED)
    return tuple(name for fate in fates if (name := fate.added or fate.known) is not None)


def _admitted(turn: object, where: str) -> ImportRecord:
    try:
        return ImportedTurn(turn=admit(turn), where=where)
    except TurnRejected as error:
        return Rejection(where=where, reason=str(error))


def import_path(
    appender: Appender,
    path: Path,
    config: IngestConfig,
    clock: Callable[[], datetime],
    *,
    form: str | None = None,
    session: str | None = None,
    on_progress: Progress | None = None,
) -> IngestReport:
    """Reads a file or folder of any known format and appends what it holds.

    Raises:
        FormatError: the file as a whole cannot be read.
    """
    limits = ImportLimits(max_line_bytes=config.max_line_bytes)
    tally = _Tally(on_progress)
    way = repr((__version__, form, session, config, appender.forgotten()))  # a file read in another way is read again
    is_named = is_single(path)  # what a folder skipped is read when it is named, so a file without turns is opened

    def is_unchanged(name: str, stamp: str) -> bool:
        known = appender.turns_of_file(name + way, stamp)
        if known is None or (is_named and not known.turns):
            return False
        tally.known += known.turns
        for turn in known.ids:
            tally.turn_ids.add(tally.seen, turn)
        return True

    followed = _followed(appender, path, limits, way, form=form, session=session)
    if followed is None:
        records = read_path(path, form, session=session, limits=limits, is_unchanged=is_unchanged)
        records = tell_lone_summaries(records, appender.turns_of_session)
        return _append_all(appender, records, config, clock, tally, way)
    tally.known = tally.file.turns = followed.turns
    tally.file.ids, tally.file.before, tally.file.queued = followed.ids, followed.ids.end, followed.queued
    file = tally.file
    report = _append_all(appender, followed.file.more(), config, clock, tally, way, followed.streams)
    followed.turns = file.turns
    if "paused" not in tally.skipped.counts:
        appender.followed.keep(path, way, followed)
    return report


def _followed(
    appender: Appender, path: Path, limits: ImportLimits, way: str, *, form: str | None, session: str | None
) -> FollowedImport | None:
    """The import of a file that a program appends to: continued where it can be; None where `read_path` is to read."""
    if is_single(path):
        end = file_end(path)
        known = appender.turns_of_file(end.where + way, end.stamp)
        if known is not None and known.turns:
            return None
    followed = appender.followed.take(path, way)
    if followed is None and (file := follow(path, form, session=session, limits=limits)) is not None:
        return FollowedImport(file)
    return followed


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A prepared turn that is waiting to be stored, and its position among the records."""

    place: int
    where: str
    item: Prepared
    file: _FileState
    chat: str | None = None
    named: NamedFile | None = None


def _append_all(
    appender: Appender,
    records: Iterable[ImportRecord],
    config: IngestConfig,
    clock: Callable[[], datetime],
    tally: _Tally,
    way: str = "",
    streams: dict[str, StreamAlignment] | None = None,
) -> IngestReport:
    """Gathers turns by session, as many as `config` allows in memory, and appends each group.

    A session that goes on in the next group is aligned as a whole (`clew.write.stream_alignment`), so the result does
    not depend on where a group ends.
    """
    groups: dict[str, list[_Waiting]] = {}
    streams = {} if streams is None else streams

    def flush() -> None:
        _move_agents(appender, groups)
        _move_namesakes(appender, groups)
        _part_grown(appender, groups, config)
        for run in list(runs({session: _items(group) for session, group in groups.items()}, config.batch)):
            if len(run) == 1 or not _append_together(appender, groups, run, clock(), tally, streams):
                for session in run:
                    group = groups.pop(session)  # at once: what fails is not tried again on the way out
                    stream = streams.setdefault(session, StreamAlignment())
                    tally.take_all(group, appender.add_sequence(_items(group), clock(), tally.progress, stream))
        appender.note_files(_file_turns(tally.take_ended(), way))

    held = chars = 0
    with _telling_what_is_stored(tally):
        try:
            for waiting in _prepared(records, config, tally):
                groups.setdefault(waiting.item.turn.session, []).append(waiting)
                held, chars = held + 1, chars + waiting.item.size
                if held >= config.gather_turns or chars >= config.gather_chars:
                    flush()
                    held = chars = 0
        finally:  # what was read before a source broke off is kept
            flush()
    appender.set_titles(tally.titles)
    appender.keep_quests(tally.quests, mask_secrets=config.secrets == "mask")
    if tally.learned:
        appender.learn(tally.learned, clock())
    return tally.report()


def _file_turns(files: Sequence[_FileState], way: str) -> Iterator[FileTurns]:
    """What is remembered of files that are stored."""
    for file in files:
        if file.end:
            found = FileTurns(file.end.where + way, file.end.stamp, file.turns, file.ids.runs())
            yield found
            if file.place is not None:
                yield placed_file(file.place, found)


def _items(group: Sequence[_Waiting]) -> list[Prepared]:
    return [waiting.item for waiting in group]


def _append_together(
    appender: Appender,
    groups: dict[str, list[_Waiting]],
    run: Sequence[str],
    now: datetime,
    tally: _Tally,
    streams: dict[str, StreamAlignment],
) -> bool:
    """Appends sessions in one transaction and takes them out of `groups`; False if each is to be added by itself."""
    taken = {session: groups.pop(session) for session in run}
    sequences = [(_items(group), streams.setdefault(session, StreamAlignment())) for session, group in taken.items()]
    outcomes = appender.add_together(sequences, now, tally.progress)
    if outcomes is None:
        groups.update(taken)
        return False
    for group, fates in zip(taken.values(), outcomes, strict=True):
        tally.take_all(group, fates)
    return True


@contextmanager
def _telling_what_is_stored(tally: _Tally) -> Iterator[None]:
    """Has a full disk say what is stored: the batches before the one that found no room."""
    try:
        yield
    except StoreFull as error:
        if not tally.settled:
            raise
        raise StoreFull(
            f"the disk is full; the first {tally.settled:,} turns are stored, and those after them are not. Free space "
            "and do the same again: nothing is stored twice"
        ) from error


def _move_agents(appender: Appender, groups: dict[str, list[_Waiting]]) -> None:
    """Puts the turns of sub-agents that came through the proxy, too, where their conversations are stored."""
    for session in list(groups):
        branches: dict[str, list[Turn]] = {}
        for waiting in groups[session]:
            branches.setdefault(waiting.item.turn.branch, []).append(waiting.item.turn)
        moved = {branch: to for branch, turns in branches.items() if (to := appender.agents.session_of(turns))}
        for waiting in groups.pop(session):
            to = moved.get(waiting.item.turn.branch)
            if to is None or appender.agents.stays(waiting.item.turn):
                groups.setdefault(session, []).append(waiting)
            else:
                groups.setdefault(to, []).append(_moved(waiting, to))


def _move_namesakes(appender: Appender, groups: dict[str, list[_Waiting]]) -> None:
    """Puts what shares the name of its session with another chat or file, or did, where it is stored.

    What is called after files is grouped by these as well.
    """
    for session, group in list(groups.items()):
        del groups[session]
        for (chat, named), run in groupby(group, key=lambda waiting: (waiting.chat, waiting.named)):
            part = list(run)
            to = appender.namesakes.session_of(session, _items(part), chat, named)
            apart = "" if named is None else f"\0{named.place}"  # a copy of a file is no repetition within it
            moved = part if to is None else (_moved(each, to) for each in part)
            groups.setdefault(f"{to or session}{apart}", []).extend(moved)


def _part_grown(appender: Appender, groups: dict[str, list[_Waiting]], config: IngestConfig) -> None:
    """Puts what was added to stored messages behind them."""
    for session, group in groups.items():
        if may_grow(_items(group)):
            parts = appender.grown(_items(group), lambda turn: prepare(turn, config))
            pairs = zip(group, parts, strict=True)
            groups[session] = [replace(waiting, item=item) for waiting, some in pairs for item in some]


def _moved(waiting: _Waiting, session: str) -> _Waiting:
    if session == waiting.item.turn.session:
        return waiting
    turn = replace(waiting.item.turn, session=session, branch="" if waiting.named is None else waiting.item.turn.branch)
    return replace(waiting, item=replace(waiting.item, turn=turn))


def _prepared(records: Iterable[ImportRecord], config: IngestConfig, tally: _Tally) -> Iterator[_Waiting]:
    for place, record in enumerate(records):
        tally.seen = place + 1
        if isinstance(record, UnfinishedRecord):
            tally.skipped.add(UNFINISHED, record.where)
            tally.file.is_whole = False
        elif isinstance(record, Rejection):
            tally.reject(record, tally.file)
        elif isinstance(record, SessionTitle):
            tally.titles[record.session] = record.title
        elif isinstance(record, Delivered):
            tally.deliver(record.external_id)
        elif isinstance(record, FileEnd):
            tally.end_file(record)
        elif isinstance(record, Skipped):
            tally.skipped.add(record.kind, record.where)
            tally.learned = tally.learned if record.learned is None else record.learned
            tally.quests += [] if record.quest is None else [record.quest]
        else:
            try:
                item = prepare(record.turn, config)
            except TurnRejected as error:
                tally.reject(Rejection(where=record.where, reason=str(error)), tally.file)
                continue
            if record.file is not None and not record.file.is_member:
                tally.file.place = record.file.place
            yield _Waiting(place, record.where, item, tally.file, record.chat, record.file)
