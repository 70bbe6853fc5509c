"""What happens behind the acknowledgement: vectors, packing, receipts.

One thread a Memory, one worker a space at a time. Work is found from the state (docs/decisions/0002): a turn without a
vector is work; one that failed has a job as well. Nothing here is needed for a turn to be found by its words, and all
of it may be killed at any point.
"""

import logging
import threading
import time
from typing import Final

from clew.config import Config
from clew.derive.analysis import Analysis
from clew.derive.embedding import Embedding, Failed
from clew.derive.entity_counts import Naming
from clew.derive.entity_recognition import Recognition
from clew.derive.llm.worker import ModelWork
from clew.errors import ClewError, ClosedError, ConflictError
from clew.index.live import LiveIndex
from clew.index.packer import pack
from clew.maintain.retention import Retention
from clew.rows.lease_owner import give_back, holder_name, release_dead
from clew.rows.receipts import ReceiptBook
from clew.rows.scrub_requests import noted, scrub_left
from clew.store.protocol import Lease, Store

log = logging.getLogger("clew.worker")

LEASE: Final = "worker"
LEASE_US: Final = 30_000_000
"""How long a space stays with one worker after its last sign of life; a killed one is known sooner, see `holder`."""

IDLE_SECONDS: Final = 1.0
"""How often an idle worker looks for turns that other processes added."""

POLL_SECONDS: Final = 0.05
"""How often a caller who waits looks for work that another process does."""

LET_PASS_SECONDS: Final = 1.0
"""How long the thread waits between two steps at most while turns go on coming."""

REST_SECONDS: Final = (1.0, 5.0, 30.0, 120.0)
"""Waiting times after failures in a row."""


class Worker:
    """The background thread of one Memory. `step` is the work; the thread only repeats it."""

    def __init__(
        self,
        store: Store,
        space: str,
        live: LiveIndex,
        embedding: Embedding | None,
        receipts: ReceiptBook,
        config: Config,
        retention: Retention,
    ) -> None:
        self._store, self._space, self._live = store, space, live
        self._embedding, self._receipts, self._config, self._retention = embedding, receipts, config.index, retention
        embedder = None if embedding is None else embedding.embedder
        self._analysis = Analysis(store, space, live, embedder, config.analyze)
        self._naming = Naming(store, space)
        self._gather_seconds = config.gather_seconds  # a stream of single turns is not followed one by one
        self._holder = holder_name()
        self._lease: Lease | None = None
        self._busy = False  # the last step found work, so there may be more
        self._settled = -1  # the store's version at which there was nothing left to do
        self._failures = 0  # in a row
        self._failed = 0  # ever
        self.failure: str | None = None
        self._wake = threading.Event()
        self._hurry = threading.Event()  # somebody waits for what is left: turns are not let gather
        self._woken = -LET_PASS_SECONDS  # when turns came in last
        self._at_work = False  # the thread goes from one step to the next
        self._stop = threading.Event()
        self._rests = threading.Event()  # something was done, and there was nothing more to do
        self._step_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="clew-worker", daemon=True)
        self.models: ModelWork | None = None
        """What asks a language model, in a thread of its own; None where none is configured. Set before `start`."""
        self.recognition: Recognition | None = None
        """What asks a named-entity model; None where names are found by rules alone. Set before `start`."""

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()
        if self.models is not None:
            self.models.start()

    def wake(self) -> None:
        """Says that there may be work; what failed rests all the same."""
        self._woken = time.monotonic()
        if not self._failures:
            self._wake.set()
        if self.models is not None:
            self.models.wake()

    def stop(self) -> None:
        """Ends the thread after the step at hand, writes the receipts that wait, and gives the lease back."""
        self._stop.set()
        self._hurry.set()
        self._wake.set()
        if self.models is not None:
            self.models.stop()
        if self._thread.is_alive():
            self._thread.join()
        try:
            self._receipts.flush()
        finally:
            if self._lease is not None:
                give_back(self._store, self._lease)
                self._lease = None

    def pending(self) -> dict[str, int]:
        """Work that is accepted and not done, by kind; kinds without any are absent."""
        return self._own(now=False) | (self.models.pending() if self.models is not None else {})

    def _own(self, *, now: bool) -> dict[str, int]:
        """The same without what a language model is asked for; `now` leaves out what failed and is tried later."""
        with self._store.snapshot() as reader:
            scrub = int(noted(reader, self._space) is not None)
        counts = {"receipts": self._receipts.waiting, "retention": int(self._retention.due()), "scrub": scrub}
        counts["entities"] = self._naming.pending()
        if self.recognition is not None:
            counts["recognise"] = self.recognition.pending(now=now)
        if self.superseded_by is not None:
            return {kind: count for kind, count in counts.items() if count}
        failed = self._failed_turns()
        counts["analyse"] = self._analysis.pending(failed.turns)
        if self._embedding is not None:
            counts |= self._embedding.pending(failed, now=now)
        return {kind: count for kind, count in counts.items() if count}

    @property
    def superseded_by(self) -> str | None:
        """The model to which another program moved the space, see `Embedding.superseded_by`."""
        return None if self._embedding is None else self._embedding.superseded_by

    @property
    def put_aside(self) -> int:
        """Turns that the model could not do so far."""
        return len(self._failed_turns().turns)

    def drain(self, timeout: float | None) -> bool:
        """Waits until nothing is pending; says whether that is so. Gives up when work fails again and again.

        While another process holds the space's lease, its progress is waited for.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        if timeout is None and self.recognition is not None:
            self.recognition.release()
        failed_before = self._failed
        while self._own(now=True):
            left = POLL_SECONDS if deadline is None else deadline - time.monotonic()
            gives_up = min(self._failures, self._failed - failed_before) > len(REST_SECONDS)
            if left <= 0 or gives_up or self._stop.is_set():
                return False
            self._rests.clear()
            self._hurry.set()
            self._wake.set()
            self._rests.wait(min(left, POLL_SECONDS))
            while self._at_work and not self._stop.is_set():  # counting what is left would only hold it up
                left = POLL_SECONDS if deadline is None else deadline - time.monotonic()
                if left <= 0 or self._rests.wait(min(left, POLL_SECONDS)):
                    break
        rest = None if deadline is None else deadline - time.monotonic()
        return self.models is None or self.models.drain(rest)

    def step(self) -> bool:
        """One bounded piece of work; says whether anything was done. Threads may call it; one works at a time."""
        with self._step_lock:
            try:
                done = bool(self._receipts.flush()) or self._retention.step()
                version = self._store.version()
                looks = version != self._settled or self._is_retry_due()
                if looks and not (self._busy or self._is_due()):
                    self._settled = version
                elif looks and self._has_lease():
                    # Packing needs no model, which may fail or take hours.
                    self._busy = self._pack() or self._embed() or self._look()
                    self._settled = self._settled if self._busy else version
                    done = done or self._busy
                done = done or scrub_left(self._store, self._space)  # last: it may have to wait for a snapshot's end
                self._failures, self.failure = 0, None
                return done
            except ClosedError:
                raise
            except ClewError as error:
                self._note(error)
                # A space that another process changed meanwhile is no trouble, unless it is so again and again.
                is_usual = isinstance(error, ConflictError) and self._failures <= len(REST_SECONDS)
                level = logging.INFO if is_usual else logging.WARNING
                log.log(level, "background work failed (%d in a row), will be tried again: %s", self._failures, error)
                return False

    def _is_retry_due(self) -> bool:
        """Whether the time has come to ask a model again that failed, though nothing else has changed."""
        asked = [each for each in (self._embedding, self.recognition) if each is not None]
        return any(each.is_retry_due() for each in asked)

    def _is_due(self) -> bool:
        """Whether the lease is worth taking; merging follows packing, and is not looked for by itself."""
        with self._store.snapshot() as reader:
            loose = (reader.count(table, (self._space,), (self._space,)) for table in ("tail", "vector"))
            if any(count >= self._config.pack_minimum for count in loose):
                return True
        if self._naming.pending() or (self.superseded_by is None and self._lacks_analysis_or_vectors()):
            return True
        return self.recognition is not None and self.recognition.pending(now=True) > 0

    def _lacks_analysis_or_vectors(self) -> bool:
        failed = self._failed_turns()
        if self._analysis.pending(failed.turns):
            return True
        return self._embedding is not None and any(self._embedding.pending(failed, now=True).values())

    def _failed_turns(self) -> Failed:
        return Failed() if self._embedding is None else self._embedding.failed()

    def _note(self, error: Exception) -> None:
        self._failures += 1
        self._failed += 1
        self.failure = str(error)

    def _embed(self) -> bool:
        if self._embedding is None or self.superseded_by is not None:
            return False
        return self._embedding.step(self._failed_turns())

    def _analyse(self) -> bool:
        return self.superseded_by is None and self._analysis.step(self._failed_turns().turns)

    def _look(self) -> bool:
        """Analyses a stretch, then counts what it names: both read the same turns, which are cut up once.

        A model that finds names is asked when neither has anything left to do.
        """
        analysed = self._analyse()
        named = self._naming.step()
        return named or analysed or (self.recognition is not None and self.recognition.step())

    def _pack(self) -> bool:
        minimum, fan_out = self._config.pack_minimum, self._config.fan_out
        return pack(self._store, self._space, minimum=minimum, fan_out=fan_out, most_steps=1).steps > 0

    def _has_lease(self) -> bool:
        now = time.time_ns() // 1000  # real time, whatever the clock shows: other processes wait for it to pass
        held = self._lease
        if held is not None and held.expires - now > LEASE_US // 2:
            return True
        release_dead(self._store, self._space, LEASE)
        self._lease = self._store.lease(self._space, LEASE, self._holder, now=now, until=now + LEASE_US)
        return self._lease is not None

    def _let_pass(self) -> None:
        """Waits as long as turns come in one after the other, a moment at most: whoever adds them goes first."""
        until = time.monotonic() + LET_PASS_SECONDS
        while time.monotonic() < min(until, self._woken + self._gather_seconds) and not self._hurry.is_set():
            self._hurry.wait(self._gather_seconds / 4)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._let_pass()
            try:
                busy = self.step()
            except ClosedError:
                self._at_work = False
                return
            except Exception as error:
                log.exception("background work met an error that is not Clew's own; it will be tried again")
                self._note(error)
                busy = False
            if busy:
                self._at_work = True
                continue
            if self._at_work:
                self._at_work = False
                self._rests.set()
            rest = REST_SECONDS[min(self._failures, len(REST_SECONDS)) - 1] if self._failures else IDLE_SECONDS
            if self._wake.wait(rest):
                self._hurry.wait(self._gather_seconds)
            self._hurry.clear()
            self._wake.clear()
