"""Checks stored data for damage: hashes, references, numbering, index, database file. Changes nothing.

Kinds of problems: `database`, `turn`, `numbering`, `parent`, `blob`, `annotation`, `coverage`, `entity`, `index`,
`vector`, `job` and `orphan`. `clew.maintain.doctor` repairs what can be repaired without losing a turn.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator

from clew.derive.entity_counts import entity_problems
from clew.errors import ClewError
from clew.index import packer
from clew.index.staged_rebuild import staged_problems
from clew.index.vector_repair import vector_problems
from clew.ingest.identity import content_hash
from clew.maintain.check_coverage import coverage_problems
from clew.maintain.check_derived import compare
from clew.maintain.check_references import find_gaps, find_lost_parents, find_odd_jobs, find_orphans, orphan_problem
from clew.rows.annotations import BY_TURN, lost_ordinals, orphans
from clew.rows.turn_log import stored_rows
from clew.store.protocol import Reader, Store
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.selections import BLOB_SHA
from clew.store.tables import SESSION, SPACE
from clew.types.ids import turn_id
from clew.types.reports import Problem, VerifyReport
from clew.types.turn import Turn


def verify(store: Store, space: str) -> VerifyReport:
    """Reads everything in a space once, as of one moment, and reports each problem."""
    problems = [_damage(line) for line in store.check()]
    with store.snapshot():  # what others write meanwhile is no fault
        return _verify(store, space, problems)


def _verify(store: Store, space: str, problems: list[Problem]) -> VerifyReport:
    ordinals: list[int] = []
    places: dict[str, list[int]] = {}
    blobs: set[str] = set()
    for rows in stored_rows(store, space):
        for row in rows:
            turn, wrong = _read(row)
            problems += wrong
            ordinals.append(row.ordinal)
            places.setdefault(row.session, []).append(row.seq)
            blobs |= {part.blob for part in turn.parts if part.blob} if turn else set()
    with store.snapshot() as reader:
        problems += _numbering(reader, space, ordinals, places)
        problems += find_gaps(reader, space)
        problems += find_lost_parents(reader, space)
        problems += find_odd_jobs(reader, space)
        problems += map(orphan_problem, find_orphans(reader, space))
        problems += _blob_problems(reader, space, blobs)
        problems += map(_orphan, [*orphans(reader, space), *(f"ordinal {n}" for n in lost_ordinals(reader, space))])
        problems += coverage_problems(reader, space)
        annotations = sum(reader.count(table, (space,), (space,)) for table in ("annotation", *BY_TURN))
        problems += vector_problems(reader, space)
        problems += staged_problems(reader, space)
    problems += packer.verify(store, space, ordinals)
    problems += compare(store, space)
    problems += entity_problems(store, space)
    checked = {"turns": len(ordinals), "sessions": len(places), "blobs": len(blobs), "annotations": annotations}
    return VerifyReport(checked=checked, problems=tuple(problems), encryption=store.encryption)


def _damage(line: str) -> Problem:
    return Problem(kind="database", where="file", detail=line, repair="restore a backup, or export what can be read")


def _read(row: TurnRow) -> tuple[Turn | None, list[Problem]]:
    """The turn of a row, and what is wrong with it."""
    where = turn_id(row.session, row.seq)
    try:
        turn = turn_from_row(row)
    except (ClewError, ValueError, TypeError, AttributeError) as error:  # the row may hold anything
        return None, [
            Problem(kind="turn", where=where, detail=f"it cannot be read: {error}", repair="restore a backup")
        ]
    if content_hash(turn) == row.hash:
        return turn, []
    detail = "its words are not those that were stored: the content hash differs"
    return turn, [Problem(kind="turn", where=where, detail=detail, repair="restore a backup")]


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
            detail = f"its row says {upcoming} turns, its last turn has the number {max(seqs)}"
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
