"""Stores the records of one import: gathers turns by session and appends them in batches. Start at `BulkAppend`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from clew.config import IngestConfig
from clew.errors import StoreFull, TurnRejected
from clew.ingest.importers import ImportRecord
from clew.types.reports import IngestReport, Rejection
from clew.types.turn import Turn
from clew.write.append import Appender
from clew.write.grown_messages import may_grow
from clew.write.import_tally import ImportTally, WaitingTurn
from clew.write.prepare import Prepared, prepare, runs
from clew.write.stream_alignment import StreamAlignment


class BulkAppend:
    """One import, from records to stored turns. It is used once.

    Turns are gathered by session, as many as the settings allow in memory, and then appended. A session that continues
    in the next batch is aligned as a whole (`clew.write.stream_alignment`), so the result does not depend on where a
    batch ends.
    """

    def __init__(
        self,
        appender: Appender,
        config: IngestConfig,
        clock: Callable[[], datetime],
        tally: ImportTally,
        *,
        read_as: str = "",
        streams: dict[str, StreamAlignment] | None = None,
    ) -> None:
        """Creates an import that has not stored anything yet.

        Args:
            read_as: how the files are read, see `import_path`; a file that is read otherwise is read again.
            streams: alignments of the sessions by an earlier import that this one continues; they are updated.
        """
        self._appender, self._config, self._clock, self._tally = appender, config, clock, tally
        self._read_as = read_as
        self._streams = {} if streams is None else streams
        self._groups: dict[str, list[WaitingTurn]] = {}

    def run(self, records: Iterable[ImportRecord]) -> IngestReport:
        """Stores all records and returns the report of the import."""
        tally, config = self._tally, self._config
        count = chars = 0
        with _telling_what_is_stored(tally):
            try:
                for waiting in self._prepared(records):
                    self._groups.setdefault(waiting.item.turn.session, []).append(waiting)
                    count, chars = count + 1, chars + waiting.item.size
                    if count >= config.gather_turns or chars >= config.gather_chars:
                        self._append_gathered()
                        count = chars = 0
            finally:  # also when a source breaks off: what was read before is stored
                self._append_gathered()
        self._appender.set_titles(tally.titles)
        self._appender.keep_quests(tally.quests, mask_secrets=config.secrets == "mask")
        if tally.learned:
            self._appender.learn(tally.learned, self._clock())
        return tally.report()

    def _prepared(self, records: Iterable[ImportRecord]) -> Iterator[WaitingTurn]:
        tally = self._tally
        for place, record in tally.turns_in(iter(records)):
            try:
                item = prepare(record.turn, self._config)
            except TurnRejected as error:
                tally.reject(Rejection(where=record.where, reason=str(error)), tally.file)
                continue
            if record.file is not None and not record.file.is_member:
                tally.file.place = record.file.place
            yield WaitingTurn(place, record.where, item, tally.file, record.chat, record.file)

    def _append_gathered(self) -> None:
        self._move_agents()
        self._move_namesakes()
        self._split_grown()
        groups = {session: _items(group) for session, group in self._groups.items()}
        for run in list(runs(groups, self._config.batch)):
            if len(run) == 1 or not self._append_together(run):
                for session in run:
                    self._append(session)
        remembered = (file.to_remember(self._read_as) for file in self._tally.take_whole_files())
        self._appender.note_files(turns for file in remembered for turns in file)

    def _append(self, session: str) -> None:
        group = self._groups.pop(session)  # before it is written: if that fails, `run` does not try it again
        stream = self._streams.setdefault(session, StreamAlignment())
        fates = self._appender.add_sequence(_items(group), self._clock(), self._tally.progress, stream)
        self._tally.settle(group, fates)

    def _append_together(self, run: Sequence[str]) -> bool:
        """Appends several sessions in one transaction; False if each has to be appended by itself."""
        taken = {session: self._groups.pop(session) for session in run}
        sequences = [
            (_items(group), self._streams.setdefault(session, StreamAlignment())) for session, group in taken.items()
        ]
        outcomes = self._appender.add_together(sequences, self._clock(), self._tally.progress)
        if outcomes is None:
            self._groups.update(taken)
            return False
        for group, fates in zip(taken.values(), outcomes, strict=True):
            self._tally.settle(group, fates)
        return True

    def _move_agents(self) -> None:
        """Moves turns of sub-agents that also came through the proxy to the sessions where the proxy stored them."""
        agents, groups = self._appender.agents, self._groups
        for session in list(groups):
            branches: dict[str, list[Turn]] = {}
            for waiting in groups[session]:
                branches.setdefault(waiting.item.turn.branch, []).append(waiting.item.turn)
            moved = {branch: target for branch, turns in branches.items() if (target := agents.session_of(turns))}
            for waiting in groups.pop(session):
                target = moved.get(waiting.item.turn.branch)
                if target is None or agents.stays(waiting.item.turn):
                    groups.setdefault(session, []).append(waiting)
                else:
                    groups.setdefault(target, []).append(_moved(waiting, target))

    def _move_namesakes(self) -> None:
        """Moves turns whose session has the name of another chat or file to a session of their own.

        Sessions that are called after files are grouped by the file as well.
        """
        groups = self._groups
        for session, group in list(groups.items()):
            del groups[session]
            for (chat, named), run in groupby(group, key=lambda waiting: (waiting.chat, waiting.named)):
                part = list(run)
                target = self._appender.namesakes.session_of(session, _items(part), chat, named)
                file = "" if named is None else f"\0{named.place}"  # a copy of a file is not a repetition within it
                moved = part if target is None else (_moved(waiting, target) for waiting in part)
                groups.setdefault(f"{target or session}{file}", []).extend(moved)

    def _split_grown(self) -> None:
        """Replaces messages that have grown since they were stored by what was added to them."""
        for session, group in self._groups.items():
            if may_grow(_items(group)):
                parts = self._appender.grown(_items(group), lambda turn: prepare(turn, self._config))
                pairs = zip(group, parts, strict=True)
                self._groups[session] = [replace(waiting, item=item) for waiting, items in pairs for item in items]


def _items(group: Sequence[WaitingTurn]) -> list[Prepared]:
    return [waiting.item for waiting in group]


def _moved(waiting: WaitingTurn, session: str) -> WaitingTurn:
    if session == waiting.item.turn.session:
        return waiting
    turn = replace(waiting.item.turn, session=session, branch="" if waiting.named is None else waiting.item.turn.branch)
    return replace(waiting, item=replace(waiting.item, turn=turn))


@contextmanager
def _telling_what_is_stored(tally: ImportTally) -> Iterator[None]:
    """Adds to the error of a full disk how many turns were stored before it."""
    try:
        yield
    except StoreFull as error:
        if not tally.settled:
            raise
        raise StoreFull(
            f"the disk is full; the first {tally.settled:,} turns are stored, and those after them are not. Free space "
            "and do the same again: nothing is stored twice"
        ) from error
