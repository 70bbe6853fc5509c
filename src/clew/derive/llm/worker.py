"""The thread that puts questions to a language model. It exists only where one is configured.

It is apart from the worker, so that an answer that takes a minute holds up neither vectors nor packing. One process
at a time asks in a space; the budget would hold for several. Whatever happens here, turns are stored and found as ever.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from clew.config import LLMConfig
from clew.derive.llm.completion_cache import Answers
from clew.derive.llm.task_queue import CLAIM_US, Asking, Question
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import BudgetExceeded, ClewError, ClosedError
from clew.models.protocol import LLM
from clew.rows.lease_owner import give_back, holder_name, release_dead
from clew.store.protocol import Lease, Store

log = logging.getLogger("clew.models")

LEASE: Final = "models"

IDLE_SECONDS: Final = 1.0
"""How often an idle thread looks for turns that other processes added."""

REST_SECONDS: Final = (1.0, 5.0, 30.0, 120.0, 600.0)
"""Waiting times after failures in a row."""

POLL_SECONDS: Final = 0.05
"""How often a caller who waits looks again."""


class ModelWork:
    """The background thread that asks for one Memory. `step` is the work; the thread only repeats it."""

    def __init__(
        self,
        store: Store,
        space: str,
        llm: LLM,
        config: LLMConfig,
        clock: Callable[[], datetime],
        questions: Sequence[Question] = QUESTIONS,
    ) -> None:
        self.name = llm.name
        self._store, self._space, self._clock = store, space, clock
        self._close_seconds = config.close_seconds
        answers = Answers(store, space, llm, config, clock)
        self._asking = {each.kind: Asking(store, space, answers, each, clock) for each in questions}
        self._holder = holder_name()
        self._lease: Lease | None = None
        self._failures = 0  # in a row
        self._refused_at: datetime | None = None
        self.failure: str | None = None
        """Why nothing was asked the last time, or why no answer came; None when all is well."""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._step_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="clew-models", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Says that there may be work; what failed rests all the same."""
        if not self._failures:
            self._wake.set()

    def stop(self) -> None:
        """Ends the thread, waiting a little for an answer under way, and gives the lease back."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(self._close_seconds)
        if self._lease is not None:
            give_back(self._store, self._lease)
            self._lease = None

    def is_due(self) -> bool:
        """Whether there is anything that can be asked now."""
        return any(asking.is_due() for asking in self._asking.values())

    def pending(self) -> dict[str, int]:
        """Turns that wait, by kind of question; kinds without any are absent."""
        counts = {kind: asking.waiting() for kind, asking in self._asking.items()}
        return {kind: count for kind, count in counts.items() if count}

    def drain(self, timeout: float | None) -> bool:
        """Waits until nothing is left that can be asked now; says whether that is so.

        Gives up when the budget is used up, or the model fails again and again.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while self.is_due():
            left = POLL_SECONDS if until is None else until - time.monotonic()
            gives_up = self._failures > 1 or self._is_refused()
            if left <= 0 or gives_up or self._stop.is_set():
                return False
            self._wake.set()
            self._stop.wait(min(left, POLL_SECONDS))
        return True

    def step(self) -> bool:
        """Puts one question; says whether there was any. Threads may call it; one works at a time."""
        with self._step_lock:
            if self._is_refused() or not self.is_due() or not self._has_lease():
                return False
            try:
                done = any(asking.step() for asking in self._asking.values())
            except ClosedError:
                raise
            except BudgetExceeded as error:
                if self.failure != str(error):
                    log.warning("the language model is not asked any more today: %s", error)
                self._refused_at, self.failure = self._clock(), str(error)
                return False
            except ClewError as error:
                self._note(error)
                log.warning(
                    "asking the language model failed (%d in a row), will be tried again: %s", self._failures, error
                )
                return False
            self._failures, self.failure, self._refused_at = 0, None, None
            return done

    def _is_refused(self) -> bool:
        """Whether the budget was used up a short while ago, and the day is the same: there is no use in asking."""
        then, now = self._refused_at, self._clock()
        return then is not None and then.date() == now.date() and abs(now - then).total_seconds() < REST_SECONDS[-1]

    def _note(self, error: Exception) -> None:
        self._failures += 1
        self.failure = str(error)

    def _has_lease(self) -> bool:
        now = time.time_ns() // 1000  # real time, whatever the clock shows: other processes wait for it to pass
        held = self._lease
        if held is None:
            release_dead(self._store, self._space, LEASE)
        if held is None or held.expires - now < CLAIM_US // 2:
            self._lease = self._store.lease(self._space, LEASE, self._holder, now=now, until=now + CLAIM_US)
        return self._lease is not None

    def _run(self) -> None:
        while not self._stop.is_set():
            rest = REST_SECONDS[min(self._failures, len(REST_SECONDS)) - 1] if self._failures else IDLE_SECONDS
            self._wake.wait(rest)
            self._wake.clear()
            try:
                while not self._stop.is_set() and self.step():
                    pass
            except ClosedError:
                return
            except Exception as error:
                log.exception("asking met an error that is not Clew's own; it will be tried again")
                self._note(error)
