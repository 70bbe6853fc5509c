"""Turns without a vector -> vectors. The index view tells which turns have none; no list of them is kept.

A turn that the model cannot embed gets a job, see `clew.rows.failed_jobs`; the job goes when the turn gets its vector
or is forgotten.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

import numpy as np

from clew.derive.rule_failures import RuleFailure, tried
from clew.errors import ModelError
from clew.index.live import LiveIndex
from clew.index.vectors import has_vector
from clew.index.view import IndexView
from clew.models.checked_calls import embed_checked
from clew.models.prepare import HEAD, TAIL
from clew.models.protocol import Embedder
from clew.models.quantize import quantize
from clew.rows.active_model import current_model, finish, others
from clew.rows.failed_jobs import EMBED, failed_row, job_name, jobs_of
from clew.rows.turn_log import rows_of_ordinals
from clew.store.protocol import JobState, Reader, Store, Transaction
from clew.store.row_types import JobRow, TurnRow, VectorRow
from clew.store.rows import dumps, to_us, turn_from_row
from clew.store.tables import JOB, VECTOR
from clew.store.turn_selections import TURN_SEQ
from clew.types.ids import turn_id
from clew.types.turn import Turn

log = logging.getLogger("clew.worker")

BATCH: Final = 64
"""Most turns embedded between two commits: little is lost when the process is killed."""

_PLAIN: Final = "word"
"""A text that any working model can embed."""

BATCH_CHARS: Final = 8_000
"""Characters embedded between two commits, about half a second of work: nobody waits longer for a step to end."""


def missing(view: IndexView, model: str, aside: frozenset[int]) -> list[int]:
    """Ordinals of turns that have words and no vector of this model, ascending, except those given up as failed."""
    ordinals = view.turns.ordinal[~has_vector(view, model) & (view.turns.chars > 0)]
    kept = ordinals[~np.isin(ordinals, sorted(aside))] if aside else ordinals
    turns: list[int] = kept.tolist()  # at once: it is asked for each batch, and a million may lack one
    return turns


def next_batch(view: IndexView, ordinals: Sequence[int]) -> list[int]:
    """The first of these turns that make one batch; at least one."""
    places = np.searchsorted(view.turns.ordinal, ordinals[:BATCH])
    cost = np.cumsum(np.minimum(view.turns.chars[places], HEAD + TAIL))
    return list(ordinals[: max(1, int(np.searchsorted(cost, BATCH_CHARS, side="right")))])


def embedding_text(turn: Turn) -> str:
    """What stands for a turn in the vector space: the speaker's name and the words (RETRIEVAL, v_i)."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker and turn.speaker != turn.role else turn.text


def stored_length(view: IndexView, model: str) -> int | None:
    """How long the stored vectors of a model are; None when there are none."""
    return next((block.raised.shape[1] for block in view.vectors.get(model, ())), None)


def embed_batch(
    store: Store, space: str, embedder: Embedder, ordinals: Sequence[int], length: int | None = None, *, now: int
) -> list[int]:
    """Embeds and stores the vectors of some turns; returns the ordinals that the model could not do, and notes why.

    A batch that fails is tried turn by turn, so that one bad turn costs only itself.

    Args:
        now: microseconds since 1970; what fails is tried again some time after it.
        length: of the vectors that are stored under the embedder's name; None when there are none.

    Raises:
        ModelError: the model does not even embed a plain word, or its vectors have another length now.
    """
    with store.snapshot() as reader:
        stored = rows_of_ordinals(reader, space, ordinals)
    if not stored:
        return []  # all of them were forgotten meanwhile
    texts, unreadable = _texts(stored)
    rows, failed = _vectors(space, embedder, texts)
    failed |= unreadable
    if rows and length not in (None, len(rows[0].codes)):
        raise ModelError(
            f"{embedder.name} has vectors of {length} numbers in this space and gives {embedder.dim} now; "
            "another model needs another name"
        )
    turns = {row.ordinal: row for row in stored}
    failures = [(turns[ordinal], why) for ordinal, why in failed.items()]

    def commit(tx: Transaction) -> None:
        put_living(tx, space, rows)
        _note(tx, space, embedder.name, failures, now)
        _drop_done(tx, space, [turns[row.ordinal] for row in rows])

    store.transaction(commit, durable=False)
    return sorted(failed)


def _note(tx: Transaction, space: str, model: str, failures: Sequence[tuple[TurnRow, str]], now: int) -> None:
    """Notes one more failure of each turn that is still there; those of another model count no more."""
    for turn, why in failures:
        if TURN_SEQ.get(tx, (space, turn.session, turn.seq)) is None:
            continue  # it was forgotten meanwhile
        name = turn_id(turn.session, turn.seq)
        payload = {"turn": name, "ordinal": turn.ordinal, "model": model}
        job = JOB.get(tx, (space, job_name(EMBED, name)))
        before = job.attempts if job is not None and job.payload == dumps(payload) else 0
        tx.put("job", [failed_row(space, EMBED, payload, before + 1, (why, now))])


def _drop_done(tx: Transaction, space: str, turns: Sequence[TurnRow]) -> None:
    """Drops the jobs of turns that have their vector now."""
    if jobs_of(tx, space, EMBED):
        for turn in turns:
            key = (space, job_name(EMBED, turn_id(turn.session, turn.seq)))
            tx.delete("job", key, key)


def _texts(rows: Sequence[TurnRow]) -> tuple[dict[int, str], dict[int, str]]:
    """What stands for each turn, by ordinal; and where rules fail on the others, which are damaged."""
    texts: dict[int, str] = {}
    failed: dict[int, str] = {}
    for row in rows:
        text = tried(partial(_text, row))
        if isinstance(text, RuleFailure):
            log.warning("turn with ordinal %d could not be read: %s", row.ordinal, text.where)
            failed[row.ordinal] = text.where
        else:
            texts[row.ordinal] = text
    return texts, failed


def _text(row: TurnRow) -> str:
    return embedding_text(turn_from_row(row))


def _vectors(space: str, embedder: Embedder, texts: Mapping[int, str]) -> tuple[list[VectorRow], dict[int, str]]:
    """The vectors' rows, and what the model said of the turns that it could not do."""
    ordinals = sorted(texts)
    if not ordinals:
        return [], {}
    try:
        return _rows(space, embedder, ordinals, [texts[ordinal] for ordinal in ordinals]), {}
    except ModelError as error:
        embed_checked(embedder, [_PLAIN])  # raises when it is the model and not a turn
        if len(ordinals) == 1:
            log.warning("turn with ordinal %d could not be embedded: %s", ordinals[0], error)
            return [], {ordinals[0]: str(error)}
        log.warning("a batch of %d turns could not be embedded, trying them singly: %s", len(ordinals), error)
    rows: list[VectorRow] = []
    failed: dict[int, str] = {}
    for ordinal in ordinals:
        try:
            rows += _rows(space, embedder, [ordinal], [texts[ordinal]])
        except ModelError as error:
            log.warning("turn with ordinal %d could not be embedded: %s", ordinal, error)
            failed[ordinal] = str(error)
    return rows, failed


def _rows(space: str, embedder: Embedder, ordinals: Sequence[int], texts: Sequence[str]) -> list[VectorRow]:
    codes, scales = quantize(embed_checked(embedder, texts))
    return [
        VectorRow(space, embedder.name, ordinal, float(scale), code.tobytes())
        for ordinal, code, scale in zip(ordinals, codes, scales, strict=True)
    ]


def put_living(tx: Transaction, space: str, rows: Sequence[VectorRow]) -> int:
    """Writes vectors of turns that still exist, and says how many: one may have been forgotten meanwhile."""
    living = []
    for row in rows:
        key = (space, row.ordinal)
        if tx.count("turn", key, key, index="ordinal"):
            living.append(row)
    VECTOR.put(tx, living)
    return len(living)


@dataclass(frozen=True, slots=True)
class FailedTurns:
    """Turns that a model could not do so far, by ordinal.

    Attributes:
        turns: all of them.
        resting: those that are not to be tried now.
        deferred: those that are not tried again unless somebody asks for it.
        soonest: when the first of the others is tried again, in microseconds since 1970; None when there is none.
    """

    turns: frozenset[int] = frozenset()
    resting: frozenset[int] = frozenset()
    deferred: frozenset[int] = frozenset()
    soonest: int | None = None


def read_failed(reader: Reader, space: str, model: str, now: int) -> FailedTurns:
    """The turns that a model could not do; failures of other models are not held against it."""
    jobs = [(ordinal, job) for job in jobs_of(reader, space, EMBED) if (ordinal := _ordinal(job, model)) is not None]
    deferred = frozenset(ordinal for ordinal, job in jobs if job.state == JobState.DEFERRED)
    times = {ordinal: job.not_before or 0 for ordinal, job in jobs if ordinal not in deferred}
    return FailedTurns(
        frozenset(ordinal for ordinal, _ in jobs),
        deferred | {ordinal for ordinal, time in times.items() if time > now},
        deferred,
        min(times.values(), default=None),
    )


def _ordinal(job: JobRow, model: str) -> int | None:
    try:
        payload = json.loads(job.payload)
        return int(payload["ordinal"]) if payload["model"] == model else None
    except (ValueError, TypeError, KeyError):  # the row may hold anything; `clew verify` names it
        return None


class Embedding:
    """Embeds the turns of one space. One thread at a time calls `step`."""

    def __init__(
        self, store: Store, space: str, live: LiveIndex, embedder: Embedder, clock: Callable[[], datetime]
    ) -> None:
        self.name, self.embedder = embedder.name, embedder
        self._store, self._space, self._live, self._clock = store, space, live, clock
        self._retry_at: int | None = None
        with store.snapshot() as reader:
            self._origin = current_model(reader, space)  # the model that the space had when it was opened

    @property
    def superseded_by(self) -> str | None:
        """The model to which another program moved the space since this one opened it; then nothing is embedded here.

        None in the usual case that nobody did.
        """
        with self._store.snapshot() as reader:
            model = current_model(reader, self._space)
        if model == self.name:
            self._origin = model  # from here on, also a move back is another program's
        return None if model == self._origin else model

    def failed(self) -> FailedTurns:
        """The turns that the model could not do so far."""
        with self._store.snapshot() as reader:
            failures = read_failed(reader, self._space, self.name, self._now())
        self._retry_at = failures.soonest
        return failures

    def is_retry_due(self) -> bool:
        """Whether the time of a turn that failed has come since its jobs were last read."""
        return self._retry_at is not None and self._retry_at <= self._now()

    def pending(self, failed: FailedTurns, *, now: bool) -> dict[str, int]:
        """Turns without a vector, and models whose vectors are superseded.

        Args:
            now: count only what can be done now, else also what failed and is tried again later.
        """
        view = self._live.outline()
        lacking = missing(view, self.name, failed.resting if now else failed.deferred)
        stuck = not lacking and bool(missing(view, self.name, frozenset()))
        return {"embed": len(lacking), "switch": 0 if stuck else len(others(view, self.name))}

    def step(self, failed: FailedTurns) -> bool:
        """Embeds one batch, or, when no turn lacks a vector any more, drops those of older models."""
        view = self._live.outline()
        ordinals = missing(view, self.name, failed.resting)
        if not ordinals:
            # While the new model cannot do a turn, the old one's vectors stay.
            complete = not missing(view, self.name, frozenset())
            return complete and finish(self._store, self._space, self.name, view)
        length = stored_length(view, self.name)
        batch = next_batch(view, ordinals)
        embed_batch(self._store, self._space, self.embedder, batch, length, now=self._now())
        return True

    def _now(self) -> int:
        return to_us(self._clock())
