"""A session as an extraction reads it: the turns that a model may see, the plan, and what is kept of earlier runs."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from clew.condense.material import prose_of, speaker_name
from clew.condense.node_material import SILENT
from clew.derive.extraction_rules import NAME as RULES
from clew.knowledge.chunks import Chunk, Plan, planned
from clew.knowledge.guard import takes_over
from clew.knowledge.payload import ShownTurn
from clew.rows.extraction_runs import kept_chunks, vector_of
from clew.rows.recap_source import session_turns
from clew.store.knowledge_row_types import ExtractionChunkRow
from clew.store.protocol import Reader
from clew.text.counters import Counter
from clew.text.sentences import sentence_spans
from clew.types.extraction import ChunkRecord, ExtractionMode, ExtractionRun, ExtractionState, TriVector
from clew.types.turn import Turn


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """By whom and how a session is read.

    Attributes:
        extractor: `rules`, or the name of a model.
        limit: tokens of a prompt; whatever is not a valid limit means one pass.
        settings: what else the result depends on.
    """

    extractor: str
    limit: Any
    count: Counter
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadSession:
    """A session as it was when a run began.

    Attributes:
        turns: all of them, in order.
        shown: those that a model may see.
        records: one for each chunk of the plan, with what is kept of it.
        vectors: by digest, those that are kept.
        source: digest of all that the result depends on.
        run: as it begins.
    """

    session: str
    turns: Sequence[Turn]
    shown: Sequence[ShownTurn]
    plan: Plan
    records: tuple[ChunkRecord, ...]
    vectors: dict[str, TriVector]
    source: bytes
    run: ExtractionRun


def read_session(reader: Reader, space: str, session: str, reading: ReadingPlan) -> ReadSession:
    """Reads a session and plans its extraction.

    Raises:
        NotFoundError: there is no such session.
    """
    turns = session_turns(reader, space, session)
    shown, cut = shown_turns(turns)
    is_model = reading.extractor != RULES
    if is_model:
        plan = planned(session, shown, reading.limit, reading.count)
    else:
        plan = replace(planned(session, shown, None, reading.count), why="rules read a session whole")
    kept = kept_chunks(reader, space, session) if is_model else {}
    stored = [_kept(chunk, reading.extractor, kept) for chunk in plan.chunks]
    records = tuple(record for record, _ in stored)
    vectors = {record.digest: vector for record, vector in stored if vector is not None}
    said = "\0".join((reading.extractor, *reading.settings, *(record.digest for record in records)))
    run = ExtractionRun(
        session=session,
        number=0,
        state=ExtractionState.RUNNING,
        mode=plan.mode,
        extractor=reading.extractor,
        last=max((cast(int, turn.seq) for turn in turns), default=-1),
        chunks=records,
        telemetry={
            "activated": plan.mode == ExtractionMode.CHUNKED,
            "why": plan.why,
            "limit": plan.limit,
            "single_pass_tokens": plan.tokens,
            "turns": len(turns),
            "cut_turns": cut,
            "chunks": len(plan.chunks),
            "kept": len(vectors),
        },
    )
    return ReadSession(session, turns, shown, plan, records, vectors, hashlib.sha256(said.encode()).digest(), run)


def _kept(chunk: Chunk, extractor: str, kept: dict[str, ExtractionChunkRow]) -> tuple[ChunkRecord, TriVector | None]:
    """The record of a chunk with what earlier runs left of it, and its vector if one is kept."""
    record = chunk.record(extractor)
    row = kept.get(record.digest)
    if row is None:
        return record, None
    state = ExtractionState(row.state)
    vector = vector_of(row) if state == ExtractionState.DONE else None
    if state == ExtractionState.DONE and vector is None:
        state = ExtractionState.PENDING  # what was kept cannot be read
    return (
        replace(record, state=state, attempts=row.attempts, reason=row.reason, cached=vector is not None),
        vector,
    )


def shown_turns(turns: Sequence[Turn]) -> tuple[list[ShownTurn], int]:
    """The turns as a model is shown them, and how many of them are cut short or left out as attacks.

    That is what was said to a reader, without tools' results and code. A turn that tries to take a model over is shown
    up to where it does.
    """
    shown: list[ShownTurn] = []
    cut = 0
    for turn in turns:
        if turn.role in SILENT or turn.origin in SILENT:
            continue
        said = prose_of(turn)
        text = _harmless(said)
        cut += text != said
        if text:
            day = "" if turn.at is None else turn.at.date().isoformat()
            shown.append(ShownTurn(cast(int, turn.seq), day, speaker_name(turn.speaker, turn.role, turn.origin), text))
    return shown, cut


def _harmless(text: str) -> str:
    """A text up to the first sentence that tries to take a model over: what follows was written for a model."""
    if not takes_over(text):
        return text
    start = next((start for start, end in sentence_spans(text) if takes_over(text[start:end])), 0)
    return text[:start].strip()
