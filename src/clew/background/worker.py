"""The background work of one space: vectors, analysis, packing, receipts and more. Start at `background_worker`.

One thread a Memory, one worker a space at a time. None of this is needed for a turn to be found by its words, and all
of it may be killed at any point.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from clew.background.estimate import WorkEstimate
from clew.background.lease import WorkLease
from clew.background.llm import LLMWorker
from clew.background.loop import LoopSettings, WorkLoop
from clew.background.tasks import (
    Condensing,
    FactFinding,
    Held,
    MeetTask,
    MentionTask,
    NameRecognition,
    NodeRenderingTask,
    Packing,
    Readiness,
    ReceiptWriting,
    RetentionSweep,
    Retried,
    Scrubbing,
    Task,
    TurnReading,
    VectorMaking,
    WeightMaking,
)
from clew.config import Config
from clew.derive.analysis import Analysis
from clew.derive.compaction import Compactor
from clew.derive.embedding import Embedding
from clew.derive.entity_counts import EntityCounting
from clew.derive.entity_recognition import Recognition
from clew.derive.facts import FactReading
from clew.derive.mentions import MentionReading
from clew.derive.project_meeting import MeetSweep
from clew.derive.rendering import NodeRendering
from clew.derive.weighing import WaitingWeights
from clew.errors import ClewError
from clew.index.live import LiveIndex
from clew.knowledge.rules.extract import RuleStatements
from clew.maintain.proxy_retention import ProxyRetention
from clew.maintain.retention import Retention
from clew.models.protocol import LLM, Embedder, Recogniser
from clew.rows.lenses import LensBook
from clew.rows.receipts import ReceiptBook
from clew.store.protocol import Store
from clew.types.work import WorkProgress

log = logging.getLogger("clew.worker")

LEASE: Final = "worker"
LEASE_US: Final = 30_000_000
"""How long a space stays with one worker after its last sign of life; a killed one is known sooner, see `WorkLease`."""

REST_SECONDS: Final = (1.0, 5.0, 30.0, 120.0)
"""Waiting times after failures in a row."""

IN_A_ROW: Final = 4
"""Steps of one task before those ahead of it are asked again whether they have work, which takes half a millisecond."""


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks of one space in order; in each group, a step does the first task that has work.

    Attributes:
        open: any process may do them at any time.
        leased: only the holder of the lease does them. Packing comes first, since it needs no model, which may fail or
            take hours.
        last: done when nothing else was; it may have to wait for a snapshot's end.
        retried: what may be due though nothing has changed.
        held: what is left for later, unless somebody waits for all that is pending.
        readiness: done when nothing is left; None for nothing.
    """

    open: Sequence[Task]
    leased: Sequence[Task]
    last: Sequence[Task]
    retried: Sequence[Retried] = ()
    held: Sequence[Held] = ()
    readiness: Readiness | None = None

    def pending(self, *, now: bool) -> dict[str, int]:
        """What is accepted and not done, by kind; see `Task.pending`. Kinds without any are absent."""
        counts: dict[str, int] = {}
        for task in (*self.open, *self.last, *self.leased):
            counts |= {kind: count for kind, count in task.pending(now=now).items() if count}
        return counts


class Derivation:
    """The work of the worker's thread: one step of the first task that has anything to do.

    Whether anything is due is looked up again only when the store has changed, the time of a retry has come, or a
    project has changed. A task that had work goes on for a few steps before those ahead of it are looked at again.
    """

    def __init__(self, store: Store, tasks: TaskList) -> None:
        self._store, self._tasks = store, tasks
        self._busy = False  # the last step found work, so there may be more
        self._settled = -1  # the store's version at which there was nothing left to do
        self._going: Task | None = None  # the task that goes on, unless others are due to be asked
        self._steps = 0  # of it, in a row

    def step(self, lease: WorkLease) -> bool | None:
        """See `Work.step`."""
        done = _first(self._tasks.open)
        version = self._store.version()
        looks = version != self._settled or self._is_retry_due()
        if looks and not (self._busy or any(task.is_due() for task in self._tasks.leased)):
            self._settled = version
        elif looks and lease.take():
            self._busy = self._next()
            self._settled = self._settled if self._busy else version
            done = done or self._busy
        if done or _first(self._tasks.last):
            return True
        if self._tasks.readiness is not None:
            self._tasks.readiness.refresh()
        return False

    def _next(self) -> bool:
        """Does one step of the current task, or of the first other one that has work; returns whether there was any."""
        going, self._going = self._going, None  # none, should the step fail
        if going is not None and _stepped(going):
            self._steps += 1
        else:
            others = (task for task in self._tasks.leased if task is not going)
            going, self._steps = next(filter(_stepped, others), None), 1
        self._going = going if self._steps < IN_A_ROW else None
        return going is not None

    def is_done(self) -> bool:
        """See `Work.is_done`."""
        return not self._tasks.pending(now=True)

    def gives_up(self, in_a_row: int, since: int) -> bool:
        """See `Work.gives_up`."""
        return min(in_a_row, since) > len(REST_SECONDS)

    def _is_retry_due(self) -> bool:
        """Whether the time has come for what was left for later, or failed, though nothing else has changed."""
        return any(task.is_retry_due() for task in self._tasks.retried)


def _first(tasks: Sequence[Task]) -> bool:
    """Does one step of the first task that has anything to do; returns whether there was one."""
    return any(_stepped(task) for task in tasks)


def _stepped(task: Task) -> bool:
    """Does one step of a task; an error that is not Clew's own says which task it was."""
    try:
        return task.step()
    except ClewError:
        raise
    except Exception as error:
        note = f"in the task {type(task).__name__}"
        if note not in getattr(error, "__notes__", ()):  # a program may raise the same one again
            error.add_note(note)
        raise


class Worker:
    """The background work of one Memory: the tasks of its space, and the questions to its language model."""

    def __init__(
        self,
        loop: WorkLoop,
        tasks: TaskList,
        receipts: ReceiptBook,
        embedding: Embedding | None = None,
        recognition: Recognition | None = None,
        llm: LLMWorker | None = None,
        *,
        writable: bool = True,
    ) -> None:
        """Takes finished parts and starts nothing; `background_worker` makes them.

        Args:
            writable: whether the store can be written; if not, no work is ever done.
        """
        self._writable = writable
        self._loop, self._tasks, self._receipts = loop, tasks, receipts
        self._embedding, self._recognition, self._llm = embedding, recognition, llm
        self._estimate = WorkEstimate()
        self.step = loop.step

    def start(self) -> None:
        """Starts the threads, unless nothing can be written."""
        if not self._writable:
            return
        self._loop.start()
        if self._llm is not None:
            self._llm.start()

    def wake(self) -> None:
        """Tells the threads that there may be work; a rest after a failure is not cut short."""
        self._loop.wake()
        if self._llm is not None:
            self._llm.wake()

    def keep_ready(self, refresh: Callable[[], object]) -> None:
        """Lets `refresh` be called whenever all other work is done: for a server, where people wait for answers."""
        if self._tasks.readiness is not None:
            self._tasks.readiness.keep(refresh)

    def stop(self) -> None:
        """Ends the threads after the steps at hand, writes the receipts that wait, and gives the leases back."""
        self._loop.ask_to_stop()
        if self._llm is not None:
            self._llm.stop()
        try:
            self._loop.join()
            self._receipts.close()
        finally:
            self._loop.stop()

    def pending(self) -> dict[str, int]:
        """Work that is accepted and not done, by kind; kinds without any are absent."""
        return self._tasks.pending(now=False) | (self._llm.pending() if self._llm is not None else {})

    def drain(self, timeout: float | None, on_progress: Callable[[WorkProgress], None] | None = None) -> bool:
        """Waits until nothing is pending; returns whether that is so. Gives up when work fails again and again.

        While another process holds the space's lease, its progress is waited for. Where nothing can be written there is
        nothing to wait for.
        """
        if not self._writable:
            return not self.pending()
        deadline = None if timeout is None else time.monotonic() + timeout
        self._receipts.hurry()
        for task in self._tasks.held if timeout is None else ():
            task.release()

        def report() -> None:
            pending = self.pending()
            seconds = self._estimate.update(pending)
            if on_progress is not None:
                on_progress(WorkProgress(pending=pending, seconds_left=seconds))

        self._estimate.begin()
        report()
        done = self._loop.drain(timeout, report)
        if done and self._llm is not None:
            done = self._llm.drain(None if deadline is None else deadline - time.monotonic(), report)
        if on_progress is not None:
            report()
        return done

    def seconds_left(self, pending: Mapping[str, int]) -> float | None:
        """How long pending work is likely to take; None until some was done while a caller waited."""
        return self._estimate.seconds(pending)

    @property
    def failure(self) -> str | None:
        """Why the last step failed, or why no work is done; None when all is well."""
        return self._loop.failure if self._writable else "the home cannot be written by this user"

    @property
    def llm_failure(self) -> str | None:
        """Why the language model was not asked, or gave no answer; None when all is well, or there is none."""
        return None if self._llm is None else self._llm.failure

    @property
    def superseded_by(self) -> str | None:
        """The model to which another program moved the space, see `Embedding.superseded_by`."""
        return None if self._embedding is None else self._embedding.superseded_by

    @property
    def put_aside(self) -> int:
        """Turns that the embedder could not do so far."""
        return 0 if self._embedding is None else len(self._embedding.failed().turns)

    def recognition_state(self) -> dict[str, Any]:
        """The state of the named-entity model for `stats`; empty where names are found by rules alone."""
        return {} if self._recognition is None else self._recognition.state()


@dataclass(frozen=True, slots=True)
class WorkerSources:
    """What the worker of one space works on, beside the models."""

    store: Store
    space: str
    config: Config
    clock: Callable[[], datetime]
    live: LiveIndex
    receipts: ReceiptBook
    retention: Retention
    compactor: Compactor


def background_worker(
    sources: WorkerSources,
    *,
    embedder: Embedder | None = None,
    llm: LLM | None = None,
    find_recogniser: Callable[[], tuple[Recogniser | None, str]] | None = None,
) -> Worker:
    """Creates the worker of one space without starting it.

    Args:
        find_recogniser: returns the named-entity model, if there is one, and the reason in one line; None if only rules
            find names.
    """
    store, space, config, live = sources.store, sources.space, sources.config, sources.live
    embedding = None if embedder is None else Embedding(store, space, live, embedder, sources.clock)
    recognition = None if find_recogniser is None else Recognition(store, space, find_recogniser)
    book = LensBook(store, space, config.project.overlays, None if embedder is None else embedder.name)
    analysis = Analysis(store, space, live, embedder, config.analyze, book=book)
    meeting = MeetSweep(store, space, live, config.analyze, book)
    reading = FactReading(store, space, RuleStatements())
    tasks = TaskList(
        open=(
            ReceiptWriting(sources.receipts),
            RetentionSweep("retention", sources.retention),
            RetentionSweep("pruning", ProxyRetention(store, space, config.serve.keep_days, sources.clock)),
        ),
        leased=(
            Packing(store, space, config.index),
            *(() if embedding is None else (WeightMaking(WaitingWeights(store, space)), VectorMaking(embedding))),
            TurnReading(analysis, EntityCounting(store, space), embedding),
            *(() if recognition is None else (NameRecognition(recognition),)),
            MentionTask(MentionReading(store, space)),
            MeetTask(meeting),
            NodeRenderingTask(NodeRendering(store, space)),
            Condensing(sources.compactor),
            FactFinding(reading),
        ),
        last=(Scrubbing(store, space),),
        readiness=Readiness(store),
        retried=[task for task in (embedding, recognition, reading, meeting) if task is not None],
        held=[task for task in (recognition, reading) if task is not None],
    )
    loop = WorkLoop(
        Derivation(store, tasks),
        WorkLease(store, space, LEASE, LEASE_US),
        LoopSettings("clew-worker", "background work", log, REST_SECONDS, config.gather_seconds),
    )
    asking = None if llm is None else LLMWorker(store, space, llm, config, sources.clock)
    return Worker(loop, tasks, sources.receipts, embedding, recognition, asking, writable=store.writable)
