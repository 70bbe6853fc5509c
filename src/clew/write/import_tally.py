"""Counts what becomes of the records of an import, for the caller's report. Start at `ImportTally`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.ingest.importers import QUEUED, Delivered, FileEnd, ImportedTurn, ImportRecord, SessionTitle, Skipped
from clew.ingest.importers.record import AT_RAW, UNFINISHED, NamedFile, UnfinishedRecord
from clew.types.reports import IngestReport, Rejection
from clew.write.file_turns import FileTurns, placed_file
from clew.write.prepare import Prepared
from clew.write.session_writes import Fate
from clew.write.skipped_records import SkippedRecords
from clew.write.turn_ids import TurnIds

Progress = Callable[[int], None]
"""Called with the number of turns settled so far."""


@dataclass(slots=True)
class FileTally:
    """What became of the records of one file.

    Attributes:
        end: the file's state after its last record; None before that.
        turns: how many of its records are stored as turns.
        is_whole: whether every record was stored, or left out for good.
        ids: ids of these turns.
        queued: external ids of messages that waited in a client's queue, with the ids of their turns.
        before: how many places in the input belong to earlier imports, which this one continues.
        place: path of the file, if a session is called after it; None for a zip.
    """

    end: FileEnd | None = None
    turns: int = 0
    is_whole: bool = True
    ids: TurnIds = field(default_factory=TurnIds)
    queued: dict[str, str] = field(default_factory=dict)
    before: int = 0
    place: str | None = None

    def to_remember(self, read_as: str) -> Iterator[FileTurns]:
        """What is stored about a file, so that it is not read again while it is unchanged."""
        if self.end is not None:
            turns = FileTurns(self.end.where + read_as, self.end.stamp, self.turns, self.ids.runs())
            yield turns
            if self.place is not None:
                yield placed_file(self.place, turns)


@dataclass(frozen=True, slots=True)
class WaitingTurn:
    """A prepared turn that waits to be stored.

    Attributes:
        place: its place among the records of the input.
        where: the same as a report names it: file and line, or position in a list.
        file: the counts of the file that it comes from.
        chat, named: see `ImportedTurn`.
    """

    place: int
    where: str
    item: Prepared
    file: FileTally
    chat: str | None = None
    named: NamedFile | None = None


@dataclass(slots=True)
class ImportTally:
    """The import report while it is being built, with what is to be stored about sessions and files at the end.

    Attributes:
        known: turns that were stored before, those of unchanged files included.
        undated: turns whose time could not be read; `first_undated` names the first of them.
        settled: turns whose outcome is decided.
        seen: records read.
        learned: the learned values of an export.
        quests: what an export says of quests.
        file: the file that is being read.
        ended: files that were read to their end and are not remembered yet.
    """

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
    file: FileTally = field(default_factory=FileTally)
    ended: list[FileTally] = field(default_factory=list)

    def turns_in(self, records: Iterator[ImportRecord]) -> Iterator[tuple[int, ImportedTurn]]:
        """Yields the records that are turns, with their places in the input; all other records are counted."""
        for place, record in enumerate(records):
            self.seen = place + 1
            if isinstance(record, ImportedTurn):
                yield place, record
            else:
                self._count(record)

    def _count(self, record: ImportRecord) -> None:
        """Counts a record that is not a turn."""
        if isinstance(record, UnfinishedRecord):
            self.skipped.add(UNFINISHED, record.where)
            self.file.is_whole = False
        elif isinstance(record, Rejection):
            self.reject(record, self.file)
        elif isinstance(record, SessionTitle):
            self.titles[record.session] = record.title
        elif isinstance(record, Delivered):
            self._deliver(record.external_id)
        elif isinstance(record, FileEnd):
            self.file.end = record
            self.ended.append(self.file)
            self.file = FileTally()
        elif isinstance(record, Skipped):
            self.skipped.add(record.kind, record.where)
            self.learned = self.learned if record.learned is None else record.learned
            self.quests += [] if record.quest is None else [record.quest]

    def _deliver(self, external_id: str) -> None:
        """Uncounts a queued message that an earlier import of the file stored, since it has been delivered now."""
        name = self.file.queued.pop(external_id, None)
        if name is not None:
            self.known -= 1
            self.file.turns -= 1
            self.file.ids.remove(name)

    def reject(self, rejection: Rejection, file: FileTally) -> None:
        """Counts a record that cannot be stored."""
        self.rejected.append(rejection)
        file.is_whole = False

    def take_whole_files(self) -> list[FileTally]:
        """The files that have ended since the last call and are stored completely."""
        ended, self.ended = self.ended, []
        return [file for file in ended if file.is_whole]

    def progress(self, count: int) -> None:
        """Counts turns as settled, and tells the caller."""
        self.settled += count
        if self.on_progress is not None:
            self.on_progress(self.settled)

    def settle(self, group: Sequence[WaitingTurn], fates: Sequence[Fate]) -> None:
        """Counts the outcomes of turns."""
        for waiting, fate in zip(group, fates, strict=True):
            self._settle(waiting, fate)

    def _settle(self, waiting: WaitingTurn, fate: Fate) -> None:
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
            self.reject(Rejection(where=waiting.where, reason=conflict_reason(item, fate.conflict)), waiting.file)
        elif fate.added is not None:
            self.added += 1
            self.masked.update(item.masked)
            self._note_time(waiting)
        elif fate.known is not None:
            self.known += 1

    def _note_time(self, waiting: WaitingTurn) -> None:
        turn = waiting.item.turn
        if turn.at is None and (raw := turn.metadata.get(AT_RAW)) is not None:
            self.undated += 1
            self.first_undated = self.first_undated or f"{waiting.where}: {raw!r:.60}"

    def report(self) -> IngestReport:
        """The report of the import."""
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


def conflict_reason(item: Prepared, stored: str) -> str:
    """The message about a turn that is refused because a stored turn has the same external id and other content."""
    return (
        f"external id {item.turn.external_id!r} is stored as {stored} with other content, which was kept; "
        "send an edit under an id of its own"
    )
