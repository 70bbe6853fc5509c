"""Questions to a language model as background work: what is due, and what stops it (a budget, a model that fails).

It has a thread of its own, so that an answer that takes a minute holds up neither vectors nor packing. One process at a
time asks in a space; the budget would hold for several. Whatever fails here, turns are stored and found as ever.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from clew.background.lease import WorkLease
from clew.background.loop import LoopSettings, WorkLoop
from clew.condense.summary_check import SummaryBounds
from clew.config import CondenseConfig, Config
from clew.derive.llm.completion_cache import CompletionCache
from clew.derive.llm.summaries import KIND as SUMMARY
from clew.derive.llm.summaries import SummaryQueue
from clew.derive.llm.task_queue import CLAIM_US, Question, TaskQueue
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import BudgetExceeded
from clew.models.protocol import LLM
from clew.rows.llm_progress import FACTS
from clew.store.protocol import Store

log = logging.getLogger("clew.models")

LEASE: Final = "models"

REST_SECONDS: Final = (1.0, 5.0, 30.0, 120.0, 600.0)
"""Waiting times after failures in a row."""


class LLMTasks:
    """The questions that one Memory puts to its language model.

    Attributes:
        refusal: why the budget allows no request now; None when it does.
    """

    def __init__(
        self,
        store: Store,
        space: str,
        llm: LLM,
        config: Config,
        clock: Callable[[], datetime],
        questions: Sequence[Question] | None = None,
    ) -> None:
        """Asks nothing yet; without `questions` all that the settings allow, and for summaries of beats."""
        self._clock = clock
        summaries = questions is None
        if questions is None:
            questions = [each for each in QUESTIONS if config.llm.facts or each.kind != FACTS]
        completions = CompletionCache(store, space, llm, config.llm, clock)
        self._queues: dict[str, TaskQueue | SummaryQueue] = {
            question.kind: TaskQueue(store, space, completions, question, clock) for question in questions
        }
        if summaries:
            self._queues[SUMMARY] = SummaryQueue(store, space, completions, _bounds(config.condense))
        self._refused_at: datetime | None = None
        self.refusal: str | None = None

    def is_done(self) -> bool:
        """Whether nothing can be asked now."""
        return not any(queue.is_due() for queue in self._queues.values())

    def pending(self) -> dict[str, int]:
        """Turns that wait, by kind of question; kinds without any are absent."""
        counts = {kind: queue.waiting() for kind, queue in self._queues.items()}
        return {kind: count for kind, count in counts.items() if count}

    def step(self, lease: WorkLease) -> bool | None:
        """Puts one question; returns whether there was any, None when none could be put."""
        if self._is_refused() or self.is_done() or not lease.take():
            return None
        try:
            done = any(queue.step() for queue in self._queues.values())
        except BudgetExceeded as error:
            if self.refusal != str(error):
                log.warning("the language model is not asked any more today: %s", error)
            self._refused_at, self.refusal = self._clock(), str(error)
            return None
        self._refused_at, self.refusal = None, None
        return done

    def gives_up(self, in_a_row: int, since: int) -> bool:  # noqa: ARG002  # see `Work`
        """Whether the budget is used up, or the model fails again and again."""
        return in_a_row > 1 or self._is_refused()

    def _is_refused(self) -> bool:
        """Whether the budget was used up a short while ago, and the day is the same: there is no use in asking."""
        then, now = self._refused_at, self._clock()
        return then is not None and then.date() == now.date() and abs(now - then).total_seconds() < REST_SECONDS[-1]


def _bounds(config: CondenseConfig) -> SummaryBounds:
    most = config.max_summary_tokens
    return SummaryBounds(min(config.min_summary_tokens, most), most)


class LLMWorker:
    """The thread that asks the language model of one Memory."""

    def __init__(
        self,
        store: Store,
        space: str,
        llm: LLM,
        config: Config,
        clock: Callable[[], datetime],
        questions: Sequence[Question] | None = None,
    ) -> None:
        """Starts nothing yet."""
        self._tasks = LLMTasks(store, space, llm, config, clock, questions)
        settings = LoopSettings(
            "clew-models",
            "asking the language model",
            log,
            REST_SECONDS,
            config.gather_seconds,
            close=config.llm.close_seconds,
            starts_idle=True,
        )
        self._loop = WorkLoop(self._tasks, WorkLease(store, space, LEASE, CLAIM_US), settings)
        self.start, self.wake, self.stop = self._loop.start, self._loop.wake, self._loop.stop
        self.drain, self.step = self._loop.drain, self._loop.step
        self.pending, self.is_done = self._tasks.pending, self._tasks.is_done

    @property
    def failure(self) -> str | None:
        """Why nothing was asked the last time, or why no answer came; None when all is well."""
        return self._tasks.refusal or self._loop.failure
