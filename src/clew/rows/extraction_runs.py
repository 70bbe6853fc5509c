"""The state of extractions: who works on a session, the outcome of its chunks, and its vector. Start at `begin`.

A session has one row with its latest run, and a row for each chunk whose answer is kept or whose failures are counted.
A chunk's row is found by its content, so that it outlives runs, and a grown session asks about its new part alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clew.rows.extraction import packed_json, unpacked_text
from clew.rows.failed_jobs import ATTEMPTS, reason_of
from clew.rows.lease_owner import is_dead
from clew.store.knowledge_row_types import ExtractionChunkRow, ExtractionRunRow
from clew.store.protocol import Reader, Transaction
from clew.store.rows import dumps
from clew.store.tables import EXTRACTION_CHUNK, EXTRACTION_RUN
from clew.store.turn_selections import TURN_SEQ
from clew.types.extraction import (
    ChunkRecord,
    Extraction,
    ExtractionMode,
    ExtractionRun,
    ExtractionState,
    TriVector,
    Unresolved,
)

CLAIM_US: Final = 900_000_000
"""How long a session stays with its claimer after the last sign of life: longer than one answer with its repairs takes.

That of a process of this machine that was killed is free at once.
"""

_RETRIED: Final = (ExtractionState.FAILED, ExtractionState.DEFERRED)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who works on a session.

    Attributes:
        holder: name of the process and object, see `clew.rows.lease_owner`.
        now: real time in microseconds since 1970, whatever the clock shows: other processes wait for it to pass.
    """

    holder: str
    now: int


def begin(tx: Transaction, space: str, run: ExtractionRun, source: bytes, claim: Claim, at: int) -> ExtractionRun:
    """Claims a session for a run and records its chunks; returns the run as it is now.

    Args:
        source: digest of all that the run reads.
        at: the clock's time, in microseconds since 1970.

    Returns:
        The run in the state `running`; with the number 0 when another living process has the session.
    """
    row = EXTRACTION_RUN.get(tx, (space, run.session))
    if row is not None and _is_held(row, claim):
        return replace(run, number=0, state=ExtractionState.RUNNING, reason="another process extracts it just now")
    begun = replace(
        run,
        number=1 if row is None else row.run + 1,
        state=ExtractionState.RUNNING,
        attempts=0 if row is None or row.source != source else row.attempts,
    )
    until = claim.now + CLAIM_US
    EXTRACTION_RUN.put(tx, [_row(space, Extraction(run=begun), source, (claim.holder, until), (at, None))])
    return begun


def _is_held(row: ExtractionRunRow, claim: Claim) -> bool:
    running = row.state == ExtractionState.RUNNING and row.holder not in (None, claim.holder)
    return running and row.until > claim.now and not is_dead(row.holder or "")


def kept_chunks(reader: Reader, space: str, session: str) -> dict[str, ExtractionChunkRow]:
    """What is kept about chunks of a session, by their digests."""
    rows = EXTRACTION_CHUNK.scan(reader, (space, session), (space, session))
    return {row.digest.hex(): row for row in rows}


def vector_of(row: ExtractionChunkRow) -> TriVector | None:
    """The vector that is kept of a chunk; None without one, and for what cannot be read, which is asked again."""
    try:
        said = json.loads(unpacked_text(row.data)) if row.data is not None else None
        return None if said is None else TriVector.from_dict(said)
    except Exception:  # noqa: BLE001  # the row may hold anything
        return None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a chunk.

    Attributes:
        vector: of a chunk that is done.
        seqs: of the turns that were shown.
    """

    record: ChunkRecord
    vector: TriVector | None
    seqs: Sequence[int]


def note_chunk(tx: Transaction, key: tuple[str, str], chunk: Kept, claim: Claim) -> bool:
    """Stores the outcome of a chunk and renews the claim; False, storing nothing, if a turn was forgotten meanwhile.

    Args:
        key: space and session.
    """
    space, session = key
    if None in TURN_SEQ.get_many(tx, [(space, session, seq) for seq in chunk.seqs]):
        return False
    record = chunk.record
    row = ExtractionChunkRow(
        space,
        session,
        bytes.fromhex(record.digest),
        int(record.id.rpartition(":")[2]),
        record.first,
        record.last,
        record.tokens,
        record.state.value,
        record.attempts,
        record.reason,
        0,
        None if chunk.vector is None else packed_json(chunk.vector.to_dict()),
    )
    EXTRACTION_CHUNK.put(tx, [row])
    run = EXTRACTION_RUN.get(tx, (space, session))
    if run is not None and run.holder == claim.holder:
        EXTRACTION_RUN.put(tx, [run._replace(until=claim.now + CLAIM_US)])
    return True


def drop_other_chunks(tx: Transaction, space: str, session: str, digests: Iterable[str]) -> None:
    """Drops what is kept of chunks that the session has no more."""
    current = set(digests)
    for digest in kept_chunks(tx, space, session):
        if digest not in current:
            key = (space, session, bytes.fromhex(digest))
            tx.delete(EXTRACTION_CHUNK.name, key, key)


def finish(tx: Transaction, space: str, extraction: Extraction, claim: Claim, at: int) -> bool:
    """Ends a run with its outcome; False, and nothing is written, if the claim was lost or the session forgotten."""
    row = EXTRACTION_RUN.get(tx, (space, extraction.run.session))
    if row is None or row.holder != claim.holder or row.run != extraction.run.number:
        return False
    EXTRACTION_RUN.put(tx, [_row(space, extraction, row.source, (None, 0), (row.started_at, at))])
    return True


def _row(
    space: str, extraction: Extraction, source: bytes, holder: tuple[str | None, int], times: tuple[int, int | None]
) -> ExtractionRunRow:
    run = extraction.run
    data = {
        "chunks": [record.to_dict() for record in run.chunks],
        "vector": None if extraction.vector is None else extraction.vector.to_dict(),
        "unresolved": [question.to_dict() for question in extraction.unresolved],
    }
    return ExtractionRunRow(
        space,
        run.session,
        run.number,
        run.state.value,
        run.mode.value,
        run.extractor,
        source,
        run.last,
        run.attempts,
        None if run.reason is None else reason_of(run.reason),
        *holder,
        *times,
        dumps(run.telemetry),
        packed_json(data),
    )


def extraction_of(reader: Reader, row: ExtractionRunRow) -> Extraction:
    """What a row says, with the states of its chunks as they are now; without a vector where that cannot be read."""
    rows = kept_chunks(reader, row.space, row.session)
    chunks, vector, unresolved = _unpacked(row)
    run = ExtractionRun(
        session=row.session,
        number=row.run,
        state=ExtractionState(row.state),
        mode=ExtractionMode(row.mode),
        extractor=row.extractor,
        last=row.last,
        attempts=row.attempts,
        reason=row.reason,
        chunks=tuple(_current(record, rows) for record in chunks),
        telemetry=json.loads(row.telemetry),
    )
    return Extraction(run=run, vector=vector, unresolved=unresolved)


def _unpacked(row: ExtractionRunRow) -> tuple[list[ChunkRecord], TriVector | None, tuple[Unresolved, ...]]:
    try:
        said = json.loads(unpacked_text(row.data) or "{}")
        chunks = [ChunkRecord.from_dict(record) for record in said.get("chunks", ())]
        vector = said.get("vector")
        unresolved = tuple(Unresolved.from_dict(item) for item in said.get("unresolved", ()))
        return chunks, None if vector is None else TriVector.from_dict(vector), unresolved
    except Exception:  # noqa: BLE001  # the row may hold anything
        return [], None, ()


def _current(record: ChunkRecord, rows: Mapping[str, ExtractionChunkRow]) -> ChunkRecord:
    row = rows.get(record.digest)
    if row is None:
        return record
    return replace(record, state=ExtractionState(row.state), attempts=row.attempts, reason=row.reason)


def runs_of(reader: Reader, space: str, *, done: bool = True, limit: int | None = None) -> list[Extraction]:
    """The latest extraction of every session that had any, by session.

    Args:
        done: include sessions whose extraction is done; their vectors take long to read.
        limit: most of them; None for all.
    """
    if done:
        rows = EXTRACTION_RUN.scan(reader, (space,), (space,), limit=limit)
    else:
        states = [(space, state.value) for state in ExtractionState if state != ExtractionState.DONE]
        by_state = (EXTRACTION_RUN.scan(reader, key, key, index="state", limit=limit) for key in states)
        rows = sorted((row for rows_of_state in by_state for row in rows_of_state), key=lambda row: row.session)[:limit]
    return [extraction_of(reader, row) for row in rows]


def run_of(reader: Reader, space: str, session: str) -> Extraction | None:
    """The latest extraction of one session; None when there was none."""
    row = EXTRACTION_RUN.get(reader, (space, session))
    return None if row is None else extraction_of(reader, row)


def count_runs(reader: Reader, space: str) -> dict[str, int]:
    """How many sessions are in each state; states without any are absent."""
    counts: dict[str, int] = {}
    for state in ExtractionState:
        key: tuple[Any, ...] = (space, state.value)
        if count := reader.count(EXTRACTION_RUN.name, key, key, index="state"):
            counts[state.value] = count
    return counts


def next_state(attempts: int) -> ExtractionState:
    """What a chunk or run is that failed so often for a reason of its own."""
    return ExtractionState.DEFERRED if attempts >= ATTEMPTS else ExtractionState.FAILED


def retry_extractions(tx: Transaction, space: str) -> int:
    """Makes sessions due whose extraction failed or was deferred, with all attempts again; returns how many."""
    count = 0
    for state in _RETRIED:
        for row in EXTRACTION_RUN.scan(tx, (space, state.value), (space, state.value), index="state"):
            count += 1
            EXTRACTION_RUN.put(tx, [row._replace(state=ExtractionState.PENDING.value, attempts=0)])
            for chunk in EXTRACTION_CHUNK.scan(tx, (space, row.session), (space, row.session)):
                if chunk.state in _RETRIED:
                    EXTRACTION_CHUNK.put(tx, [chunk._replace(state=ExtractionState.PENDING.value, attempts=0)])
    return count
