"""Threads that do the jobs of an event loop. The one that rested last gets the next job.

In the standard library's pool all resting threads wait at one queue, and each that is woken wakes another one, which
finds nothing and takes the interpreter from the first meanwhile. Here each thread waits for itself, and a job is one
future instead of two.
"""

import asyncio
import atexit
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

T = TypeVar("T")


class _Job:
    """Something to do, and the future of the event loop that waits for it."""

    __slots__ = ("_loop", "_work", "future")

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work, self._loop = work, asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self._loop.create_future()

    def do(self) -> None:
        """Runs the job in the calling thread, and gives its result or error to the event loop."""
        result: Any = None
        failed: BaseException | None = None
        try:
            result = self._work()
        except BaseException as error:  # noqa: BLE001  # whatever it is belongs to the future
            failed = error
        with suppress(RuntimeError):  # the event loop has ended, and nobody waits any more
            self._loop.call_soon_threadsafe(self._settle, result, failed)

    def _settle(self, result: Any, failed: BaseException | None) -> None:
        if self.future.done():  # cancelled
            return
        if failed is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(failed)


class _Resting:
    """How a thread waits for its next job: `bell` is free once there is one, or nothing more will come."""

    __slots__ = ("bell", "job")

    def __init__(self) -> None:
        self.bell = threading.Lock()
        self.bell.acquire()
        self.job: _Job | None = None


class JobThreads:
    """A few threads, each started when all others are busy. One event loop uses them."""

    def __init__(self, most: int, name: str) -> None:
        """Starts none yet.

        Args:
            most: threads at most.
            name: of the threads, which are numbered.
        """
        self._most, self._name = most, name
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._resting: list[_Resting] = []
        self._waiting: deque[_Job] = deque()
        self._is_closed = False
        _POOLS.add(self)

    def run(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Has a thread do some work, once one is free; to be called in the event loop.

        Raises:
            RuntimeError: the threads were closed.
        """
        job = _Job(work)
        with self._lock:
            if self._is_closed:
                raise RuntimeError(f"the threads {self._name} are closed, and take no further job")
            if self._resting:
                rested = self._resting.pop()
                rested.job = job
                rested.bell.release()
                return job.future
            self._waiting.append(job)
            if len(self._threads) < self._most:
                name = f"{self._name}_{len(self._threads)}"
                thread = threading.Thread(target=self._serve, name=name, daemon=True)
                self._threads.append(thread)
                thread.start()
        return job.future

    def close(self) -> None:
        """Ends the threads after the jobs at hand, without waiting; jobs that wait for a thread are cancelled."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        self.finish()
        for job in waiting:
            job.future.cancel()

    def finish(self) -> None:
        """Ends the threads after all jobs, without waiting."""
        with self._lock:
            self._is_closed = True
            resting, self._resting = self._resting, []
        for rested in resting:
            rested.bell.release()

    def join(self) -> None:
        """Waits until the threads have ended, which `close` and `finish` ask for."""
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        resting = _Resting()
        while (job := self._next(resting)) is not None:
            job.do()
            del job  # a thread that rests holds nothing

    def _next(self, resting: _Resting) -> _Job | None:
        """The next job; None when there will be none."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            if self._is_closed:
                return None
            self._resting.append(resting)
        resting.bell.acquire()
        job, resting.job = resting.job, None
        return job


_POOLS: Final[weakref.WeakSet[JobThreads]] = weakref.WeakSet()


@atexit.register
def _end_jobs() -> None:
    """Lets jobs end before the process does, as the standard library's pool does: one may be in a model's library."""
    pools = list(_POOLS)
    for pool in pools:
        pool.finish()
    for pool in pools:
        pool.join()
