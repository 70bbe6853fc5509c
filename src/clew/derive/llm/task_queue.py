"""Questions to a language model, one turn at a time, in the background; newest turns first.

The work is found from the state (docs/decisions/0002): a row of META says about which turns a question was put, and to
which model. Only a turn that failed has a job: it is tried `ATTEMPTS` times in all and then given up as `deferred`,
with the reason. While a model cannot be reached at all, no attempt is counted against a turn.
"""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, cast

from clew.derive.llm.completion_cache import CompletionCache
from clew.derive.rule_failures import RuleFailure, tried
from clew.errors import BudgetExceeded, ModelError, ModelUnavailable
from clew.models.protocol import LLM
from clew.rows.failed_jobs import ATTEMPTS, drop_jobs, failed_row, next_try, reason_of
from clew.rows.llm_progress import meta_name
from clew.store.protocol import Job, JobState, Reader, Store, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.rows import dumps, to_us, turn_from_row
from clew.store.selections import JOB_NOT_BEFORE, META_VALUE
from clew.store.tables import JOB, META, TURN
from clew.store.turn_selections import TURN_SEQ, newest_ordinal
from clew.types.ids import parse_turn_id, turn_id
from clew.types.turn import Turn

log = logging.getLogger("clew.models")

Span = tuple[int, int]
"""Ordinals from the first to the last, both included."""

STRETCH: Final = 64
"""Turns that are read at a time."""

CLAIM_US: Final = 300_000_000
"""How long a claimed turn stays with its claimer: longer than an answer may take."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a model is asked about turns.

    Attributes:
        kind: names it in the ledger, in jobs and in META.
        version: of its prompt; with a new one every turn is asked about again.
        wants: whether there is anything to ask about a turn.
        ask: asks about a turn; returns what the answer comes to. Raises nothing but `ModelError`s.
        commit: writes that of a living turn; the last argument is the provenance.
    """

    kind: str
    version: int
    wants: Callable[[Turn], bool]
    ask: Callable[[LLM, Turn], Any]
    commit: Callable[[Transaction, str, Turn, Any, str], None]


@dataclass(frozen=True, slots=True)
class _State:
    """How far one question has come: with which model and version, and the spans of ordinals that are dealt with.

    Where recorded answers alone are used, that counts as a model of its own: what was not recorded is asked later.
    """

    model: str
    version: int
    done: tuple[Span, ...] = ()


class TaskQueue:
    """Puts one question about every turn of a space. One thread at a time calls it."""

    def __init__(
        self, store: Store, space: str, answers: CompletionCache, question: Question, clock: Callable[[], datetime]
    ) -> None:
        self._store, self._space, self._answers = store, space, answers
        self._question, self._clock = question, clock
        self._unreached: dict[int, str] = {}  # turns at which the model could not be reached, and what it said
        self._reached = True  # it could be, the last time that it was asked

    def is_due(self) -> bool:
        """Whether there is a turn that can be asked about now; what failed may have to wait."""
        now, kind = self._now(), self._question.kind
        with self._store.snapshot() as reader:
            if newest_gap(self._state(reader).done, newest_ordinal(reader, self._space)) is not None:
                return True
            key = (self._space, JobState.PENDING.value, kind)
            times = JOB_NOT_BEFORE.scan(reader, key, key, index="state")
        return any((not_before or 0) <= now for not_before in times)

    def waiting(self) -> int:
        """Turns that were not asked about yet, failed ones that will be tried again among them."""
        with self._store.snapshot() as reader:
            count, top = 0, newest_ordinal(reader, self._space)
            state = self._state(reader)
            done = list(state.done)
            while (gap := newest_gap(done, top)) is not None:
                count += reader.count("turn", (self._space, gap[0]), (self._space, gap[1]), index="ordinal")
                done = joined(done, *gap)
            key = (self._space, JobState.PENDING.value, self._question.kind)
            # While nothing is done, the jobs are another model's, and will be dropped.
            return count + (reader.count("job", key, key, index="state") if state.done else 0)

    def step(self) -> bool:
        """Asks about one turn, a new one or one that failed; returns whether there was any.

        Raises:
            BudgetExceeded: the budget does not allow it; nothing is held against the turn.
            ModelUnavailable: the model cannot be reached; the next step tries another turn.
        """
        return self._ask_about_new() or self._ask_again()

    def _ask_about_new(self) -> bool:
        with self._store.snapshot() as reader:
            state = self._state(reader)
            gap = newest_gap(state.done, newest_ordinal(reader, self._space))
            rows = [] if gap is None else _rows(reader, self._space, gap)
        if gap is None:
            return False
        for row in rows:
            ordinal = row.ordinal
            turn = None if ordinal in self._unreached else self._wanted(row)
            if turn is None:
                continue
            try:
                self._settle_new(turn, (ordinal, gap[1]))
            except ModelUnavailable as error:
                if self._answers.recorded_only:
                    continue  # it was never asked about, and will not be
                self._unreached[ordinal], self._reached = str(error), False
                raise
            return True
        low = rows[-1].ordinal if len(rows) == STRETCH else gap[0]
        if any(low <= ordinal <= gap[1] for ordinal in self._unreached):
            self._unreached.clear()  # nobody else is left who could show that the model works: they are tried again
            return self._ask_about_new()
        self._store.transaction(lambda tx: self._mark(tx, (low, gap[1]), {}), durable=False)
        return True

    def _wanted(self, row: TurnRow) -> Turn | None:
        """The turn of a row, if it can be read and there is anything to ask about it."""
        turn = tried(partial(turn_from_row, row))
        if isinstance(turn, RuleFailure):
            return None  # the stages that read all turns report it
        wanted = tried(partial(self._question.wants, turn))
        if isinstance(wanted, RuleFailure):
            log.warning("the model is not asked `%s` about %s: %s", self._question.kind, turn.id, wanted.where)
            return None
        return turn if wanted else None

    def _answer(self, turn: Turn) -> Any:
        """What an answer about a turn comes to.

        Raises:
            ModelError: there is none, or a rule fails on it.
        """
        answer = tried(lambda: self._question.ask(self._about(turn), turn))
        if isinstance(answer, RuleFailure):
            raise ModelError(f"the answer cannot be read: {answer.where}") from answer.error
        return answer

    def _settle_new(self, turn: Turn, span: Span) -> None:
        failed: dict[str, str] = {}
        value: Any = None
        try:
            value = self._answer(turn)
        except (BudgetExceeded, ModelUnavailable):
            raise
        except ModelError as error:
            log.warning(
                "%s of %s failed, it will be tried again: %s", self._question.kind, turn.id, reason_of(str(error))
            )
            failed[cast(str, turn.id)] = str(error)
        self._reached = True
        wrong = self._held_up(span)

        def work(tx: Transaction) -> None:
            if not failed:
                self._commit(tx, turn, value)
            self._mark(tx, span, wrong | failed)

        done = tried(lambda: self._store.transaction(work, durable=False))
        if isinstance(done, RuleFailure):
            failed[cast(str, turn.id)] = f"the answer cannot be kept: {done.where}"
            self._store.transaction(work, durable=False)
        self._unreached = {at: why for at, why in self._unreached.items() if not span[0] <= at <= span[1]}

    def _held_up(self, span: Span) -> dict[str, str]:
        """The turns of a span at which the model could not be reached, though it can: by id, with what it said."""
        with self._store.snapshot() as reader:
            inside = {at: why for at, why in self._unreached.items() if span[0] <= at <= span[1]}
            rows = [(row, why) for at, why in inside.items() for row in _rows(reader, self._space, (at, at))]
        return {turn_id(row.session, row.seq): why for row, why in rows}

    def _ask_again(self) -> bool:
        now = self._now()
        kind, until = self._question.kind, now + CLAIM_US
        jobs = self._store.claim_jobs(self._space, kind, holder=self._answers.name, now=now, until=until, limit=1)
        for job in jobs:
            self._settle_again(job)
        return bool(jobs)

    def _settle_again(self, job: Job) -> None:
        turn = self._turn_of(job)
        if turn is None:
            self._store.finish_job(job, state=JobState.DONE)
            return
        try:
            value = self._answer(turn)
        except BudgetExceeded:
            self._store.transaction(lambda tx: _put_back(tx, job), durable=False)
            raise
        except ModelError as error:
            self._put_off(job, error)
            return
        self._reached = True
        done = tried(lambda: self._store.transaction(lambda tx: self._commit(tx, turn, value), durable=False))
        if isinstance(done, RuleFailure):
            self._put_off(job, ModelError(f"the answer cannot be kept: {done.where}"))
        else:
            self._store.finish_job(job, state=JobState.DONE)

    def _put_off(self, job: Job, error: ModelError) -> None:
        """Ends a failed try: for later, or for good when it was the last, and the model answers others."""
        reason, down = reason_of(str(error)), isinstance(error, ModelUnavailable) and not self._reached
        if job.attempts >= ATTEMPTS and not down:
            log.warning("%s is put aside after %d attempts: %s", job.job, job.attempts, reason)
            self._store.finish_job(job, state=JobState.DEFERRED, reason=reason)
            return
        later = next_try(job.attempts, self._now())
        self._store.finish_job(job, state=JobState.PENDING, reason=reason, not_before=later)

    def _turn_of(self, job: Job) -> Turn | None:
        """The turn of a job; None when it was forgotten, or the job cannot be read."""
        try:
            key = parse_turn_id(json.loads(job.payload)["turn"])
        except Exception:  # noqa: BLE001  # the row may hold anything; `clew verify` names it
            return None
        with self._store.snapshot() as reader:
            row = TURN.get(reader, (self._space, *key))
        turn = None if row is None else tried(partial(turn_from_row, row))
        return None if isinstance(turn, RuleFailure) else turn

    def _about(self, turn: Turn) -> LLM:
        return self._answers.about(cast(str, turn.id), self._question.kind)

    def _commit(self, tx: Transaction, turn: Turn, value: Any) -> None:
        if TURN_SEQ.get(tx, (self._space, turn.session, turn.seq)) is not None:  # else it was forgotten meanwhile
            self._question.commit(tx, self._space, turn, value, f"model:{self._answers.name}")

    def _mark(self, tx: Transaction, span: Span, failed: dict[str, str]) -> None:
        """Notes a span as dealt with, and a job for each turn that failed and is still there."""
        state, kind = self._state(tx), self._question.kind
        text = META_VALUE.get(tx, (self._space, meta_name(kind)))
        if text is None or json.loads(text)["model"] != state.model or not state.done:
            drop_jobs(tx, self._space, kind)  # another model, or another question, starts over
        done = joined(state.done, *span)
        progress = {"model": state.model, "version": state.version, "done": done}
        META.put(tx, [MetaRow(self._space, meta_name(kind), dumps(progress))])
        for name, why in sorted(failed.items()):
            if TURN_SEQ.get(tx, (self._space, *parse_turn_id(name))) is not None:
                tx.put("job", [failed_row(self._space, kind, {"turn": name}, 1, (why, self._now()))])

    def _state(self, reader: Reader) -> _State:
        """How far this question has come with this model; from the beginning when another was asked before."""
        model = f"{self._answers.name} (recorded)" if self._answers.recorded_only else self._answers.name
        fresh = _State(model, self._question.version)
        text = META_VALUE.get(reader, (self._space, meta_name(self._question.kind)))
        if text is None:
            return fresh
        progress = json.loads(text)
        if (progress["model"], progress["version"]) != (fresh.model, fresh.version):
            return fresh
        return replace(fresh, done=tuple((first, last) for first, last in progress["done"]))

    def _now(self) -> int:
        return to_us(self._clock())


def _rows(reader: Reader, space: str, span: Span) -> list[TurnRow]:
    """The rows of the newest turns of a span, newest first."""
    return TURN.scan(reader, (space, span[0]), (space, span[1]), index="ordinal", limit=STRETCH, reverse=True)


def _put_back(tx: Transaction, job: Job) -> None:
    """Gives a claim back as if it had not been made."""
    row = JOB.get(tx, (job.space, job.job))
    if row is not None and row.attempts == job.attempts:
        JOB.put(tx, [row._replace(attempts=job.attempts - 1, holder=None, not_before=0)])


def newest_gap(done: Sequence[Span], top: int) -> Span | None:
    """The highest span of ordinals from 0 to `top` that was not looked at; None when all were."""
    for first, last in reversed(done):
        if last < top:
            return last + 1, top
        top = min(top, first - 1)
    return (0, top) if top >= 0 else None


def joined(done: Sequence[Span], first: int, last: int) -> list[Span]:
    """The spans with one more."""
    merged: list[Span] = []
    for low, high in sorted([*done, (first, last)]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged
