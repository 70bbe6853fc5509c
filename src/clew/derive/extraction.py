"""Extracts the three vectors of a session: graph, open deltas, summary. Start at `SessionExtractor.extract`.

    read      the turns as a model may see them, and whether they fit one prompt (`clew.knowledge.chunks`)
    map       each chunk by itself, several at a time; answers are kept by the chunk's content as they come
    reduce    in the order of the chunks, without a model (`clew.knowledge.chunk_reduce`)
    decide    optional: what the words do not decide, in a bounded number of calls (`clew.knowledge.semantic_reduce`)

The vector is written in one transaction at the end, or not at all: a chunk that failed ends the run and is recorded
with its reason, and another run asks about that chunk alone. A chunk that failed three times is deferred, and its
session with it, until `retry` or until the chunk's turns change. Without a model, rules fill the vectors in one pass.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

from clew.config import ExtractConfig
from clew.derive.extraction_decisions import decide
from clew.derive.extraction_facts import extracted_statements
from clew.derive.extraction_reading import ReadingPlan, ReadSession, read_session
from clew.derive.extraction_rules import NAME as RULES
from clew.derive.extraction_rules import rules_vector
from clew.derive.facts import take_in
from clew.derive.llm.chunk_map import ChunkOutcome, Meter, asked_about, failed_chunk
from clew.derive.llm.completion_cache import CompletionCache
from clew.errors import NotFoundError, StoreCorrupt, StoreError
from clew.knowledge.chunk_reduce import open_questions, reduced_vector
from clew.knowledge.chunks import Chunk, guardrail
from clew.rows.extraction_runs import (
    Claim,
    Kept,
    begin,
    drop_other_chunks,
    extraction_of,
    finish,
    next_state,
    note_chunk,
)
from clew.rows.failed_jobs import reason_of
from clew.rows.lease_owner import holder_name
from clew.rows.pause import refuse_while_paused
from clew.rows.recap_source import last_besides
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import to_us
from clew.store.selections import SESSION_NAME
from clew.store.tables import EXTRACTION_RUN
from clew.store.turn_selections import TURN_SEQ
from clew.text.counters import Counter
from clew.types.extraction import (
    ChunkRecord,
    Extraction,
    ExtractionMode,
    ExtractionRun,
    ExtractionState,
    TriVector,
    Unresolved,
)
from clew.types.turn import Turn

log = logging.getLogger("clew.models")

PURPOSE: Final = "extract"
"""What the ledger books the calls under."""

_FORGOTTEN: Final = "turns of the session were forgotten meanwhile, or another process took it over; extract it again"


@dataclass(frozen=True, slots=True)
class SessionExtractor:
    """Extracts the sessions of one space. Threads and processes may do so at the same time.

    Attributes:
        limit: tokens of a prompt; whatever is not a valid limit means one pass.
        answers: the model with its budget; None extracts by rules.
    """

    store: Store
    space: str
    config: ExtractConfig
    limit: Any
    count: Counter
    clock: Callable[[], datetime]
    answers: CompletionCache | None = None
    holder: str = field(default_factory=holder_name)

    @property
    def extractor(self) -> str:
        """Who extracts: `rules`, or the name of the model."""
        return RULES if self.answers is None else self.answers.name

    def due(self) -> list[str]:
        """The sessions with turns that no run covered, and those that wait or failed; deferred ones are left out."""
        with self.store.snapshot() as reader:
            names = SESSION_NAME.scan(reader, (self.space,), (self.space,))
            return [name for name in names if self._is_due(reader, name)]

    def _is_due(self, reader: Reader, session: str) -> bool:
        row = EXTRACTION_RUN.get(reader, (self.space, session))
        last = last_besides(reader, self.space, session, 0)
        if row is None or row.last < last:
            return last >= 0
        return row.state not in (ExtractionState.DONE, ExtractionState.DEFERRED)

    def extract_due(self) -> list[Extraction]:
        """Extracts every session that is due; whatever is wrong with one of them, the others are extracted.

        Once the model cannot be reached, the others are not tried: they stay due, and are not in the list.

        Raises:
            InputError: the space is paused.
            StoreError: the state could not be written.
        """
        with self.store.snapshot() as reader:
            refuse_while_paused(reader, self.space)
        made: list[Extraction] = []
        for session in self.due():
            try:
                made.append(self.extract(session))
            except NotFoundError:  # it was forgotten meanwhile
                continue
            except Exception as error:  # a row that cannot be read, say: recorded with the session
                if isinstance(error, StoreError) and not isinstance(error, StoreCorrupt):
                    raise  # the store itself fails; a damaged turn keeps its own session alone from being extracted
                log.warning("the extraction of a session failed: %s", error)
                made.append(self._broken(session, error))
            if self._is_gone(made[-1]):
                break
        return made

    def _is_gone(self, made: Extraction) -> bool:
        """Whether the model cannot be reached, so that to ask it about other sessions would only take time."""
        waits = made.run.state == ExtractionState.PENDING and made.run.telemetry.get("unreachable", False)
        return waits and self.answers is not None and not self.answers.recorded_only

    def _broken(self, session: str, error: Exception) -> Extraction:
        """Records that a session cannot be extracted at all: deferred the third time, until it grows or is retried."""
        mode = ExtractionMode.SINGLE
        reason = reason_of(f"{type(error).__name__}: {error}")
        claim, now, key = self._claim(), to_us(self.clock()), (self.space, session)

        def write(tx: Transaction) -> Extraction:
            row = EXTRACTION_RUN.get(tx, key)
            last = last_besides(tx, self.space, session, 0)
            run = ExtractionRun(
                session=session, number=0, state=ExtractionState.FAILED, mode=mode, extractor=self.extractor, last=last
            )
            begun = begin(tx, self.space, run, b"" if row is None else row.source, claim, now)
            attempts = 1 + (row.attempts if row is not None and row.last == last else 0)
            failed = Extraction(run=replace(begun, state=next_state(attempts), attempts=attempts, reason=reason))
            if begun.number:
                finish(tx, self.space, failed, claim, now)
            return failed

        return self.store.transaction(write)

    def extract(self, session: str) -> Extraction:
        """Extracts one session, unless nothing changed since that was done; reports what became of it.

        Raises:
            NotFoundError: there is no such session.
            InputError: the space is paused.
            StoreError: the state could not be written.
        """
        with self.store.snapshot() as reader:
            refuse_while_paused(reader, self.space)
            read = read_session(reader, self.space, session, self._reading())
            kept = None if self.answers is None else self._kept(reader, read)
        if kept is not None:
            return kept
        claim, now = self._claim(), to_us(self.clock())
        run = self.store.transaction(lambda tx: begin(tx, self.space, read.run, read.source, claim, now))
        if not run.number:
            return Extraction(run=run)
        log.info("extraction %d of a session begins: %s, %s", run.number, run.mode.value, read.plan.why)
        try:
            return self._finished(self._carried_out(read, run), read)
        except BaseException as error:
            self._let_go(run, repr(error))
            raise

    def _reading(self) -> ReadingPlan:
        settings = (self.config.oversized, str(self.config.semantic_calls))
        return ReadingPlan(self.extractor, self.limit, self.count, settings)

    def _kept(self, reader: Reader, read: ReadSession) -> Extraction | None:
        """The stored extraction where it is of these very turns and complete; None otherwise."""
        row = EXTRACTION_RUN.get(reader, (self.space, read.session))
        if row is None or (row.state, row.source) != (ExtractionState.DONE, read.source) or row.reason is not None:
            return None
        stored = extraction_of(reader, row)
        return stored if stored.ok else None

    def _carried_out(self, read: ReadSession, run: ExtractionRun) -> Extraction:
        if self.answers is None:
            with self.store.snapshot() as reader:
                vector = rules_vector(reader, self.space, read.session, read.turns, self.count)
            records = tuple(replace(record, state=ExtractionState.DONE) for record in read.records)
            return self._reduced(read, replace(run, chunks=records), [vector], None)
        meter = Meter(self.answers.unrecorded(PURPOSE))
        outcomes = self._mapped(read, meter)
        records = tuple(outcome.record for outcome in outcomes)
        telemetry = run.telemetry | {
            "map_calls": meter.calls,
            "map_tokens_in": meter.tokens_in,
            "map_tokens_out": meter.tokens_out,
            "left_out": sum(outcome.left_out for outcome in outcomes),
            "unreachable": any(outcome.is_unreachable for outcome in outcomes),
        }
        run = replace(run, chunks=records, telemetry=telemetry)
        wrong = [outcome for outcome in outcomes if outcome.vector is None]
        if wrong:
            return Extraction(run=_failed(run, wrong))
        vectors = [cast(TriVector, outcome.vector) for outcome in outcomes]
        return self._reduced(read, run, vectors, Meter(self.answers.unrecorded(f"{PURPOSE}-reduce")))

    def _mapped(self, read: ReadSession, llm: Meter) -> list[ChunkOutcome]:
        """What came of each chunk, in their order. Nothing is asked while one of them is sure to fail."""
        done: dict[str, ChunkOutcome] = {}
        ask: list[tuple[Chunk, ChunkRecord]] = []
        for chunk, record in zip(read.plan.chunks, read.records, strict=True):
            refusal = guardrail(chunk, read.plan)
            if record.digest in read.vectors or record.state == ExtractionState.DEFERRED:
                done[record.digest] = ChunkOutcome(chunk, record, read.vectors.get(record.digest))
            elif refusal is not None:
                done[record.digest] = self._refused(chunk, record, refusal, read.turns)
            else:
                ask.append((chunk, record))
        hopeless = any(outcome.vector is None for outcome in done.values())
        self._keep(read, [outcome for outcome in done.values() if not outcome.record.cached])
        # Closed at once where an answer cannot be kept, so that nothing more is asked.
        with closing(asked_about([] if hopeless else ask, llm, self.config.concurrency)) as asked:
            for outcome in asked:
                done[outcome.record.digest] = outcome
                self._keep(read, [outcome])
        for chunk, record in ask:
            done.setdefault(record.digest, ChunkOutcome(chunk, record, is_waiting=True))
        return [done[record.digest] for record in read.records]

    def _refused(self, chunk: Chunk, record: ChunkRecord, why: str, turns: Sequence[Turn]) -> ChunkOutcome:
        """What the guardrail makes of a chunk that must not be sent."""
        if self.config.oversized != RULES:
            return failed_chunk(chunk, record, why)
        seqs = {turn.seq for turn in chunk.turns}
        with self.store.snapshot() as reader:
            own = [turn for turn in turns if turn.seq in seqs]
            vector = rules_vector(reader, self.space, chunk.session, own, self.count, is_whole=False)
        return ChunkOutcome(chunk, replace(record, state=ExtractionState.DONE, reason="by rules"), vector)

    def _keep(self, read: ReadSession, outcomes: Sequence[ChunkOutcome]) -> None:
        claim, key = self._claim(), (self.space, read.session)

        def write(tx: Transaction) -> None:
            for outcome in outcomes:
                seqs = [turn.seq for turn in outcome.chunk.turns]
                note_chunk(tx, key, Kept(outcome.record, outcome.vector, seqs), claim)

        self.store.transaction(write, durable=False)

    def _reduced(
        self, read: ReadSession, run: ExtractionRun, vectors: Sequence[TriVector], llm: Meter | None
    ) -> Extraction:
        vector, beyond = reduced_vector(read.session, vectors, self.count)
        questions: Sequence[Unresolved] = ()
        why = None
        if llm is not None and run.mode == ExtractionMode.CHUNKED:
            closed = [text for part in vectors for text in part.closed_deltas]
            questions = open_questions(vector, closed)
            vector, questions, why = decide(vector, questions, read.shown, llm, self.config.semantic_calls)
        telemetry = run.telemetry | {
            "reduce_calls": 0 if llm is None else llm.calls,
            "reduce_tokens_in": 0 if llm is None else llm.tokens_in,
            "reduce_tokens_out": 0 if llm is None else llm.tokens_out,
            "beyond_bounds": beyond,
            "nodes": len(vector.nodes),
            "edges": len(vector.edges),
            "open_deltas": len(vector.open_deltas),
            "unresolved": len(questions),
        }
        done = replace(run, state=ExtractionState.DONE, attempts=0, reason=why, telemetry=telemetry)
        return Extraction(run=done, vector=vector, unresolved=tuple(questions))

    def _finished(self, made: Extraction, read: ReadSession) -> Extraction:
        """The extraction as it is stored."""
        claim, at = self._claim(), to_us(self.clock())
        keys = [(self.space, read.session, cast(int, turn.seq)) for turn in read.turns]

        def write(tx: Transaction) -> bool:
            if None in TURN_SEQ.get_many(tx, keys) or not finish(tx, self.space, made, claim, at):
                return False
            if self.answers is not None and made.vector is not None:
                drop_other_chunks(tx, self.space, read.session, (record.digest for record in made.run.chunks))
                said = extracted_statements(tx, self.space, read.turns, made.vector, self.extractor)
                take_in(tx, self.space, said)
            return True

        if self.store.transaction(write):
            log.info("extraction %d ends: %s", made.run.number, made.run.state.value)
            return made
        self._let_go(made.run, _FORGOTTEN)
        waits = replace(made.run, state=ExtractionState.PENDING, reason=_FORGOTTEN)
        return Extraction(run=waits)

    def _let_go(self, run: ExtractionRun, why: str) -> None:
        """Gives the claim back; where the store cannot be written, it runs out by itself."""
        waits = Extraction(run=replace(run, state=ExtractionState.PENDING, reason=why))
        try:
            self.store.transaction(lambda tx: finish(tx, self.space, waits, self._claim(), to_us(self.clock())))
        except StoreError as error:
            log.info("a claim is left to run out: %s", error)

    def _claim(self) -> Claim:
        return Claim(self.holder, time.time_ns() // 1000)


def _failed(run: ExtractionRun, wrong: Sequence[ChunkOutcome]) -> ExtractionRun:
    """The run as it ends when chunks have no vector: it waits, failed, or is deferred with one of its chunks."""
    failed = [outcome for outcome in wrong if not outcome.is_waiting]
    first = (failed or list(wrong))[0].record
    why = f"{first.id}: {first.reason}"
    if not failed:
        return replace(run, state=ExtractionState.PENDING, reason=why)
    attempts = run.attempts + 1
    deferred = any(outcome.record.state == ExtractionState.DEFERRED for outcome in failed)
    state = ExtractionState.DEFERRED if deferred else next_state(attempts)
    log.warning("extraction %d of a session failed: %s", run.number, why)
    return replace(run, state=state, attempts=attempts, reason=why)
