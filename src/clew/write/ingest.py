"""The entrances of the write path: one turn, many turns, the history of a chat, a file or folder."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from clew.config import IngestConfig
from clew.errors import ConflictError, TurnRejected
from clew.ingest.importers import ImportedTurn, ImportLimits, ImportRecord, file_end, follow, is_single, read_path
from clew.types.reports import IngestReport, Rejection
from clew.types.turn import Turn
from clew.version import __version__
from clew.write.append import Appender
from clew.write.bulk_append import BulkAppend
from clew.write.followed_imports import FollowedImport
from clew.write.import_tally import ImportTally, Progress, conflict_reason
from clew.write.lone_summaries import tell_lone_summaries, tell_lone_summary
from clew.write.prepare import Prepared, admit, prepare
from clew.write.session_writes import Fate

PAUSED: Final = (
    "this space or session is paused and stores nothing; `clew resume`, with --session for a session, or Memory.resume "
    "ends that"
)


def add_one(appender: Appender, turn: Turn, config: IngestConfig, now: datetime) -> str:
    """Appends one turn and returns its id, or that of the stored turn with the same external id.

    Raises:
        TurnRejected: it is invalid, kept out by a pattern or a pause, or was forgotten before.
        ConflictError: its external id is stored with other content.
    """
    item = prepared(appender, turn, config)
    return name_of(item, appender.add(item, now))


def prepared(appender: Appender, turn: Turn, config: IngestConfig) -> Prepared:
    """Prepares a turn that does not belong to a sequence.

    Raises:
        TurnRejected: it cannot be taken.
    """
    return prepare(tell_lone_summary(admit(turn), appender.turns_of_session), config)


def name_of(item: Prepared, fate: Fate) -> str:
    """The id of the stored turn that a turn became or was recognised as.

    Raises:
        TurnRejected: it is kept out by a pattern or a pause, or was forgotten before.
        ConflictError: its external id is stored with other content.
    """
    if fate.conflict is not None:
        raise ConflictError(conflict_reason(item, fate.conflict))
    if fate.paused:
        raise TurnRejected(PAUSED)
    if fate.excluded:
        raise TurnRejected(f"the pattern {item.excluded!r} of the setting ingest.exclude keeps this turn out")
    name = fate.added or fate.known
    if name is None:
        raise TurnRejected("this turn was forgotten and stays out; send what is said anew without its id and time")
    return name


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
    return BulkAppend(appender, config, clock, ImportTally(on_progress)).run(records)


def add_history(appender: Appender, turns: Sequence[Turn], config: IngestConfig, now: datetime) -> tuple[str, ...]:
    """Appends the new turns in the history of a chat, which its program sends whole each time; returns all ids.

    New turns without a time get the present time. If nothing of the chat is stored yet, only the last message of the
    user and the turns after it do, since it is unknown when the earlier ones were said.

    Raises:
        TurnRejected: a turn is invalid, or the space or session is paused.
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
    tally = ImportTally(on_progress)
    read_as = repr((__version__, form, session, config, appender.forgotten()))  # a change of it reads files again
    is_named = is_single(path)  # what a folder skipped is read when it is named, so a file without turns is opened

    def is_unchanged(name: str, stamp: str) -> bool:
        known = appender.turns_of_file(name + read_as, stamp)
        if known is None or (is_named and not known.turns):
            return False
        tally.known += known.turns
        for turn in known.ids:
            tally.turn_ids.add(tally.seen, turn)
        return True

    followed = _followed(appender, path, limits, read_as, form=form, session=session)
    if followed is None:
        records = read_path(path, form, session=session, limits=limits, is_unchanged=is_unchanged)
        records = tell_lone_summaries(records, appender.turns_of_session)
        return BulkAppend(appender, config, clock, tally, read_as=read_as).run(records)
    file = tally.file
    tally.known = file.turns = followed.turns
    file.ids, file.before, file.queued = followed.ids, followed.ids.end, followed.queued
    bulk = BulkAppend(appender, config, clock, tally, read_as=read_as, streams=followed.streams)
    report = bulk.run(followed.file.more())
    followed.turns = file.turns
    if "paused" not in tally.skipped.counts:
        appender.followed.keep(path, read_as, followed)
    return report


def _followed(
    appender: Appender, path: Path, limits: ImportLimits, read_as: str, *, form: str | None, session: str | None
) -> FollowedImport | None:
    """Imports a file to which a program appends, continuing the last import; None if it has to be read whole."""
    if is_single(path):
        end = file_end(path)
        known = appender.turns_of_file(end.where + read_as, end.stamp)
        if known is not None and known.turns:
            return None
    followed = appender.followed.take(path, read_as)
    if followed is None and (file := follow(path, form, session=session, limits=limits)) is not None:
        return FollowedImport(file)
    return followed
