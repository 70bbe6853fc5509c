"""Checks stored data for damage: hashes, references, numbering, index, database file. Changes nothing.

Kinds of problems: `database`, `turn`, `numbering`, `parent`, `blob`, `annotation`, `coverage`, `entity`, `fact`,
`index`, `vector`, `job` and `orphan`. `clew.maintain.doctor` repairs what can be repaired without losing a turn.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.derive.entity_counts import entity_problems
from clew.errors import ClewError, StoreCorrupt
from clew.index import packer
from clew.index.staged_rebuild import staged_problems
from clew.index.vector_repair import vector_problems
from clew.maintain.check_counters import counter_problems
from clew.maintain.check_coverage import coverage_problems
from clew.maintain.check_derived import DerivedCheck
from clew.maintain.check_facts import fact_problems
from clew.maintain.check_references import (
    find_gaps,
    find_lost_parents,
    find_odd_jobs,
    find_orphans,
    orphan_problem,
    stored_places,
)
from clew.maintain.examine import Stretch
from clew.maintain.examine_together import examined
from clew.maintain.rebuild import Progress
from clew.rows.analysis_progress import ANALYSIS_VERSION, read_progress
from clew.rows.annotations import BY_TURN, lost_ordinals, orphans
from clew.rows.entity_progress import counted_to
from clew.rows.failed_jobs import RuleStage
from clew.rows.name_spans import spans_by_name
from clew.rows.set_aside import turns_aside
from clew.rows.turn_log import stored_rows
from clew.store.protocol import Reader, Store
from clew.store.selections import BLOB_SHA
from clew.store.tables import SESSION, SPACE, WEIGHING
from clew.structure.stored_graph import Counts
from clew.text.counted import counted
from clew.types.ids import turn_id
from clew.types.reports import Problem, VerifyReport


def verify(store: Store, space: str, on_progress: Progress | None = None) -> VerifyReport:
    """Reads everything in a space once, as of one moment, and reports each problem.

    Args:
        on_progress: called with the turns that are examined so far, and with all of them.
    """
    problems = [_damage(line) for line in store.check()]
    try:
        with store.snapshot():  # what others write meanwhile is not a fault
            return _verify(store, space, problems, on_progress)
    except StoreCorrupt as error:
        problems.append(_damage(f"not everything can be read: {error.__cause__ or error}"))
        return VerifyReport(checked={}, problems=tuple(problems), encryption=store.encryption)


def _verify(store: Store, space: str, problems: list[Problem], on_progress: Progress | None) -> VerifyReport:
    with store.snapshot() as reader:
        progress = _Progress(reader, space)
        log = _read_log(store, reader, space, progress, on_progress)
        problems += log.problems
        problems += _numbering(reader, space, log.ordinals, log.places)
        places = stored_places(reader, space)
        problems += find_gaps(reader, space, places)
        problems += find_lost_parents(reader, space, places)
        problems += find_odd_jobs(reader, space)
        problems += map(orphan_problem, find_orphans(reader, space, places))
        problems += _blob_problems(reader, space, log.blobs)
        problems += map(_orphan, [*orphans(reader, space), *(f"ordinal {n}" for n in lost_ordinals(reader, space))])
        problems += _as_far_as_read("coverage", coverage_problems(reader, space))
        annotations = sum(reader.count(table, (space,), (space,)) for table in ("annotation", *BY_TURN))
        problems += vector_problems(reader, space)
        problems += staged_problems(reader, space)
        problems += packer.verify(store, space, log.ordinals)
        problems += log.derived
        problems += _as_far_as_read("fact", fact_problems(reader, space))
        problems += progress.problems
        problems += counter_problems(reader, space)
        if log.counts is not None:
            problems += entity_problems(reader, space, log.counts)
    turns, sessions, blobs = len(log.ordinals), len(log.places), len(log.blobs)
    checked = {"turns": turns, "sessions": sessions, "blobs": blobs, "annotations": annotations}
    masked = dict(sorted(log.masked.items()))
    return VerifyReport(checked=checked, problems=tuple(problems), encryption=store.encryption, masked=masked)


class _Progress:
    """How far a space is analysed and its names are counted; where that cannot be read, not at all.

    Attributes:
        analysed: nothing where other rules analysed it, as before an update: the background work does it again.
        uncounted, unweighed: ordinals of turns that were set aside.
        problems: what could not be read.
    """

    def __init__(self, reader: Reader, space: str) -> None:
        self.problems: list[Problem] = []
        self.analysed, self.counted = 0, 0
        self.uncounted = turns_aside(reader, space, RuleStage.ENTITIES)
        self.unweighed = turns_aside(reader, space, RuleStage.ANALYSIS)
        try:
            stored = read_progress(reader, space)[1]
            self.analysed = stored.next if stored.version == ANALYSIS_VERSION else 0
        except (ValueError, TypeError) as error:
            self.problems.append(_unreadable("coverage", error))
        try:
            self.counted = counted_to(reader, space)
        except (ValueError, TypeError) as error:
            self.problems.append(_unreadable("entity", error))


def _as_far_as_read(kind: str, found: Iterator[Problem]) -> Iterator[Problem]:
    """The problems of one kind; a row that cannot be read is reported as one, and ends the check of this kind."""
    try:
        yield from found
    except ClewError:
        raise
    except Exception as error:  # noqa: BLE001  # a row may hold anything
        yield _unreadable(kind, error)


def _unreadable(kind: str, error: Exception) -> Problem:
    detail = f"it cannot be read: {type(error).__name__}: {error}"
    return Problem(kind=kind, where="a row of it", detail=detail, repair="clew doctor --repair")


@dataclass(slots=True)
class _Log:
    """What one reading of all turns gives.

    Attributes:
        places: the places of turns by session.
        masked: the number of masked secrets, by kind.
        problems: turns that are damaged.
        derived: turns whose derived rows are not those of their words.
        counts: of the names in all turns that are counted; None where one of them is damaged, or none is counted.
    """

    ordinals: list[int] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    blobs: set[str] = field(default_factory=set)
    masked: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    derived: list[Problem] = field(default_factory=list)
    counts: Counts | None = None


def _read_log(store: Store, reader: Reader, space: str, progress: _Progress, on_progress: Progress | None) -> _Log:
    log, derived, upto = _Log(), DerivedCheck(reader, space), progress.counted
    every = Counts() if upto else None
    turns = reader.count("turn", (space,), (space,))
    for stretch, (problems, counts) in examined(_stretches(store, reader, space, progress), turns):
        for row, each in zip(stretch.rows, problems, strict=True):
            log.ordinals.append(row.ordinal)
            log.places.setdefault(row.session, []).append(row.seq)
            log.blobs |= each.blobs
            log.masked.update(each.masked)
            derived.look(row, each)
            if each.damage is not None:
                where = turn_id(row.session, row.seq)
                log.problems.append(Problem(kind="turn", where=where, detail=each.damage, repair="restore a backup"))
                every = None if row.ordinal < upto else every
        if every is not None:
            every.include(counts)
        if on_progress is not None:
            on_progress(len(log.ordinals), turns)
    log.derived, log.counts = derived.problems(), every
    return log


def _stretches(store: Store, reader: Reader, space: str, progress: _Progress) -> Iterator[Stretch]:
    for rows in stored_rows(store, space):
        spans = spans_by_name(reader, space, [turn_id(row.session, row.seq) for row in rows])
        weighings = WEIGHING.get_many(reader, [(space, row.ordinal) for row in rows])
        upto = progress.counted, progress.analysed
        yield Stretch(rows, spans, weighings, *upto, progress.uncounted, progress.unweighed)


def _damage(line: str) -> Problem:
    return Problem(kind="database", where="file", detail=line, repair="restore a backup, or export what can be read")


def _numbering(reader: Reader, space: str, ordinals: list[int], places: dict[str, list[int]]) -> Iterator[Problem]:
    """Numbers given twice, and numbers beyond what the space and its sessions have given out."""
    space_row = SPACE.get(reader, (space,))
    given = 0 if space_row is None else space_row.next_ordinal
    twice = [ordinal for ordinal, count in Counter(ordinals).items() if count > 1]
    beyond = [ordinal for ordinal in ordinals if ordinal >= given]
    if twice or beyond:
        detail = f"{len(twice)} ordinals are given twice, {len(beyond)} lie beyond the space's {given}"
        yield Problem(kind="numbering", where=f"space {space}", detail=detail, repair="restore a backup")
    for session, seqs in sorted(places.items()):
        row = SESSION.get(reader, (space, session))
        upcoming = 0 if row is None else row.next_seq
        if upcoming <= max(seqs):
            detail = f"its row says {counted(upcoming, 'turn')}, its last turn has the number {max(seqs)}"
            yield Problem(kind="numbering", where=f"session {session}", detail=detail, repair="restore a backup")


def _blob_problems(reader: Reader, space: str, wanted: set[str]) -> Iterator[Problem]:
    stored = BLOB_SHA.scan(reader, (space,), (space,))
    for sha in sorted(wanted.difference(stored)):
        yield Problem(kind="blob", where=sha, detail="a turn refers to it and it is missing", repair="restore a backup")
    for sha in stored:
        data = reader.get_blob(space, sha) or b""
        if hashlib.sha256(data).hexdigest() != sha:
            yield Problem(kind="blob", where=sha, detail="its bytes do not match its name", repair="restore a backup")
        if sha not in wanted:
            yield Problem(kind="blob", where=sha, detail="no turn refers to it", repair="clew doctor --repair drops it")


def _orphan(owner: str) -> Problem:
    detail = "it has annotations, and no such turn is stored"
    return Problem(kind="annotation", where=owner, detail=detail, repair="clew rebuild")
