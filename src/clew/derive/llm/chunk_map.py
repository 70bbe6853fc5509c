"""Asks a model about the chunks of a session, several at a time, and says of each what came of it.

A chunk fails by itself: the others are asked all the same, so that another try finds their answers. But when the model
cannot be reached or the budget is used up, nothing more is asked: that is not a failure of a chunk, and the rest waits.
"""

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

from clew.errors import BudgetExceeded, ModelError, ModelUnavailable
from clew.knowledge.chunks import Chunk
from clew.knowledge.payload import MAX_TOKENS, SCHEMA, extraction_prompt, grounded_vector
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import BriefLLM
from clew.rows.extraction_runs import next_state
from clew.rows.failed_jobs import reason_of
from clew.types.extraction import ChunkRecord, ExtractionState, TriVector


class Meter(BriefLLM):
    """A model whose calls are counted. Threads may share it.

    Attributes:
        calls: those that were made, repairs included.
        tokens_in, tokens_out: as the model reports them; calls that report nothing add nothing.
    """

    def __init__(self, llm: BriefLLM) -> None:
        self.name, self.answer_tokens = llm.name, llm.answer_tokens
        self.calls = self.tokens_in = self.tokens_out = 0
        self._llm, self._lock = llm, threading.Lock()

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """See `LLM.complete`."""
        try:
            answer = self._llm.complete(prompt, max_tokens=max_tokens)
        except ModelError as error:
            with self._lock:
                self.calls += not isinstance(error, BudgetExceeded)
            raise
        with self._lock:
            self.calls += 1
            self.tokens_in += answer.tokens_in or 0
            self.tokens_out += answer.tokens_out or 0
        return answer


@dataclass(frozen=True, slots=True)
class ChunkOutcome:
    """What came of one chunk.

    Attributes:
        vector: of a chunk that is done.
        left_out: items of the answer that its turns do not bear out.
        is_waiting: nothing is wrong with the chunk; the model could not be asked.
        is_unreachable: that is since it cannot be reached.
    """

    chunk: Chunk
    record: ChunkRecord
    vector: TriVector | None = None
    left_out: int = 0
    is_waiting: bool = False
    is_unreachable: bool = False


def asked_about(
    chunks: Sequence[tuple[Chunk, ChunkRecord]], llm: BriefLLM, concurrency: int
) -> Generator[ChunkOutcome]:
    """Asks about chunks, no more than `concurrency` at a time, and yields each outcome as it comes."""
    stop = _Stop()
    pool = ThreadPoolExecutor(max(1, min(concurrency, len(chunks))), thread_name_prefix="clew-chunks")
    try:
        waiting = [pool.submit(_outcome, chunk, record, llm, stop) for chunk, record in chunks]
        for future in as_completed(waiting):
            yield future.result()
    finally:
        stop.why = stop.why or "the extraction was broken off"
        pool.shutdown(cancel_futures=True)


@dataclass(slots=True)
class _Stop:
    """Why nothing more is asked; None while asking goes on."""

    why: str | None = None


class _Stopped(ModelUnavailable):
    """Nothing more is asked, whatever it was that stopped it."""


class _Stoppable(BriefLLM):
    """A model that is asked no more, also not to repair an answer, once asking is to stop."""

    def __init__(self, llm: BriefLLM, stop: _Stop) -> None:
        self.name, self.answer_tokens = llm.name, llm.answer_tokens
        self._llm, self._stop = llm, stop

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        if self._stop.why is not None:
            raise _Stopped(self._stop.why)
        return self._llm.complete(prompt, max_tokens=max_tokens)


def _outcome(chunk: Chunk, record: ChunkRecord, llm: BriefLLM, stop: _Stop) -> ChunkOutcome:
    if stop.why is not None:
        return _waiting(chunk, record, stop.why)
    try:
        answer = _Stoppable(llm, stop).complete_json(extraction_prompt(chunk.turns), SCHEMA, max_tokens=MAX_TOKENS)
    except (BudgetExceeded, ModelUnavailable) as error:
        stop.why = stop.why or reason_of(str(error))
        waits = _waiting(chunk, record, stop.why)
        is_unreachable = isinstance(error, ModelUnavailable) and not isinstance(error, _Stopped)
        return replace(waits, is_unreachable=is_unreachable)
    except ModelError as error:
        return failed_chunk(chunk, record, str(error))
    vector, left_out = grounded_vector(chunk.session, answer, chunk.turns)
    done = replace(record, state=ExtractionState.DONE, attempts=0, reason=None)
    return ChunkOutcome(chunk, done, vector, left_out)


def failed_chunk(chunk: Chunk, record: ChunkRecord, why: str) -> ChunkOutcome:
    """The outcome of a chunk that failed for a reason of its own, once more."""
    attempts = record.attempts + 1
    return ChunkOutcome(chunk, replace(record, state=next_state(attempts), attempts=attempts, reason=reason_of(why)))


def _waiting(chunk: Chunk, record: ChunkRecord, why: str) -> ChunkOutcome:
    waits = replace(record, state=ExtractionState.PENDING, reason=why)
    return ChunkOutcome(chunk, waits, is_waiting=True)
