"""A thread that repeats a step of work: at once while there is work, otherwise when woken; it rests after failures."""

import atexit
import logging
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from clew.background.lease import WorkLease
from clew.errors import ClewError, ClosedError, ConflictError, StoreLocked, cut
from clew.text.printable import printable_name

POLL_SECONDS: Final = 0.05
"""How often a caller who waits looks for work that another process does."""

REPORT_SECONDS: Final = 1.0
"""How often a caller who waits is told how far the work is."""

IDLE_SECONDS: Final = 1.0
"""How often an idle thread looks for turns that other processes added."""

LET_PASS_SECONDS: Final = 1.0
"""How long the thread waits between two steps at most while turns go on coming."""


class Work(Protocol):
    """What a loop repeats. Only the loop's lock allows one thread at a time to call `step`."""

    def step(self, lease: WorkLease) -> bool | None:
        """One bounded piece of work.

        Args:
            lease: to be taken before work of which one process at a time may do any.

        Returns:
            Whether anything was done; None when nothing could be tried, which says nothing about earlier failures.
        """
        ...

    def is_done(self) -> bool:
        """Whether nothing is left that could be done now."""
        ...

    def gives_up(self, in_a_row: int, since: int) -> bool:
        """Whether a caller who waits should stop waiting.

        Args:
            in_a_row: failures up to now without a success between them.
            since: failures since the caller began to wait.
        """
        ...


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How a loop behaves.

    Attributes:
        thread: name of the thread.
        label: names the work at the beginning of a message.
        rests: seconds to wait after failures in a row; the last one for all further failures.
        gather: seconds that new turns are let gather after the thread was woken: a stream of single turns is not
            followed one by one. Not when a caller waits for the work.
        close: seconds that closing waits for the step at hand; None waits for its end.
        starts_idle: nothing is done before the thread is woken, or has been idle once: a program that only asks
            something and ends starts no such work.
    """

    thread: str
    label: str
    log: logging.Logger
    rests: tuple[float, ...]
    gather: float
    close: float | None = None
    starts_idle: bool = False


class WorkLoop:
    """Repeats the step of one kind of work in a thread of its own.

    Attributes:
        failure: the message of the last step, if it failed; None after one that did not.
    """

    def __init__(self, work: Work, lease: WorkLease, settings: LoopSettings) -> None:
        """Starts nothing yet."""
        self._work, self._lease, self._settings = work, lease, settings
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
        self._thread = threading.Thread(target=self._run, name=settings.thread, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        _STARTED.add(self)
        self._thread.start()

    def wake(self) -> None:
        """Tells the thread that there may be work; a rest after a failure is not cut short."""
        self._woken = time.monotonic()
        if not self._failures:
            self._wake.set()

    def ask_to_stop(self) -> None:
        """Asks the thread to end after the current step."""
        self._stop.set()
        self._hurry.set()
        self._wake.set()

    def join(self) -> None:
        """Waits for the thread to end, at most for the time in the settings."""
        if self._thread.is_alive():
            self._thread.join(self._settings.close)

    def stop(self) -> None:
        """Ends the thread after the current step and releases the lease."""
        self.ask_to_stop()
        self.join()
        self._lease.give_back()

    def drain(self, timeout: float | None, report: Callable[[], None] | None = None) -> bool:
        """Waits until nothing is left to do; returns whether that is so. Gives up when the work says so.

        While another process has the lease, its progress is waited for. `report` is called about once a second.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        reported = time.monotonic()

        def left() -> float:
            nonlocal reported
            if report is not None and time.monotonic() - reported >= REPORT_SECONDS:
                report()
                reported = time.monotonic()
            return POLL_SECONDS if deadline is None else deadline - time.monotonic()

        failed_before = self._failed
        while not self._work.is_done():
            seconds = left()
            gives_up = self._work.gives_up(self._failures, self._failed - failed_before)
            if seconds <= 0 or gives_up or self._stop.is_set():
                return False
            self._rests.clear()
            self._hurry.set()
            self._wake.set()
            self._rests.wait(min(seconds, POLL_SECONDS))
            while self._at_work and not self._stop.is_set():  # counting what is left would only hold it up
                seconds = left()
                if seconds <= 0 or self._rests.wait(min(seconds, POLL_SECONDS)):
                    break
        return True

    def step(self) -> bool:
        """One bounded piece of work; returns whether anything was done. Threads may call it; one works at a time."""
        with self._step_lock:
            try:
                done = self._work.step(self._lease)
            except ClosedError:
                raise
            except ClewError as error:
                self._note(str(error))
                # What another process changed or held meanwhile is not trouble, unless it is so again and again.
                is_others = isinstance(error, ConflictError | StoreLocked)
                is_usual = is_others and self._failures <= len(self._settings.rests)
                self._settings.log.log(
                    logging.INFO if is_usual else logging.WARNING,
                    "%s failed (%d in a row), will be tried again: %s",
                    self._settings.label,
                    self._failures,
                    error,
                )
                return False
            if done is not None:
                self._failures, self.failure = 0, None
            return bool(done)

    def _note(self, failure: str) -> None:
        self._failures += 1
        self._failed += 1
        self.failure = failure

    def _let_pass(self) -> None:
        """Waits a moment while turns are arriving one after the other, so that their writer goes first."""
        gather = self._settings.gather
        until = time.monotonic() + LET_PASS_SECONDS
        while time.monotonic() < min(until, self._woken + gather) and not self._hurry.is_set():
            self._hurry.wait(gather / 4)

    def _run(self) -> None:
        if self._settings.starts_idle:
            self._wait()
        while not self._stop.is_set():
            self._let_pass()
            try:
                busy = self.step()
            except ClosedError:
                self._at_work = False
                return
            except Exception as error:
                named = _named(error)
                self._settings.log.exception(
                    "%s met an error that is not Clew's own, %s; it will be tried again", self._settings.label, named
                )
                self._note(named)
                busy = False
            if busy:
                self._at_work = True
                continue
            if self._at_work:
                self._at_work = False
                self._rests.set()
            self._wait()

    def _wait(self) -> None:
        """Waits for new work, or as long as an idle or failing thread rests."""
        rests = self._settings.rests
        seconds = rests[min(self._failures, len(rests)) - 1] if self._failures else IDLE_SECONDS
        if self._wake.wait(seconds):
            self._hurry.wait(self._settings.gather)
        self._hurry.clear()
        self._wake.clear()


def _named(error: Exception) -> str:
    """An error that is not Clew's own as one line: its class, its message, and the task that raised it if noted."""
    where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    return cut(printable_name(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)) + where


_STARTED: Final[weakref.WeakSet[WorkLoop]] = weakref.WeakSet()


@atexit.register
def _end_threads() -> None:
    """Ends the threads of programs that end without closing: one killed while it embeds aborts the process."""
    running = list(_STARTED)
    for loop in running:
        loop.ask_to_stop()
    for loop in running:
        loop.join()
