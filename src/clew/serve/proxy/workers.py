"""The threads in which requests meet their memories: few, with a bound on how many wait, and patience in seconds."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final, Protocol, TypeVar

from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, PreparedChat, Unchanged
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.history.fetched_answers import Fetch
from clew.serve.proxy.job_threads import JobThreads
from clew.serve.proxy.kept_answer import KeptAnswer

_T = TypeVar("_T")

WAITING: Final = 64
"""Jobs for each thread that may wait; a request beyond them goes on without the memory."""
CLOSING: Final = 30.0
"""Seconds that stopping waits for answers to be stored."""
IN_TURN: Final = 10.0
"""Seconds that a preparation waits for answers before it to be stored; its client waits no longer than its patience."""

QUIET: Final = 1.0
"""Seconds for which what remains after an answer waits at most for a moment in which no chat is under way."""
REST: Final = 0.02
"""Seconds without a chat under way after which what remains is done; a client that asks again at once takes less."""


class Preparation(Protocol):
    """What is done to a chat in a thread; none of it raises."""

    def stop(self) -> None:
        """Ends what takes long, since the server stops."""
        ...

    def prepare(self, chat: Chat) -> PreparedChat:
        """Stores what is new of it, and says what goes upstream."""
        ...

    def without_memory(self, chat: Chat, why: Unchanged) -> PreparedChat:
        """What goes upstream when there is no time for the memory."""
        ...

    def hold(self, chat: Chat, prepared: PreparedChat, exchange: HeldExchange) -> None:
        """Keeps calls that were answered beside calls of the client's own."""
        ...

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        """Stores an answer that a client fetched by its id."""
        ...

    def after(self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None) -> Callable[[], None]:
        """Stores the answer, None when there was none; gives what remains to be done when others can read it."""
        ...


class Workers:
    """Runs preparations in threads. One event loop uses it."""

    def __init__(
        self, preparation: Preparation, threads: int, patience: float, metrics: Metrics, quiet: float = QUIET
    ) -> None:
        self._preparation, self._patience, self._metrics = preparation, patience, metrics
        self._pool = JobThreads(threads, "clew-proxy")
        self._spare = JobThreads(1, "clew-spare")  # is free when the others hang
        self._most = WAITING * threads
        self._threads = threads
        self._jobs = 0
        self._overdue = 0
        self._afterwards: dict[asyncio.Future[None], str] = {}  # with the space
        self._remaining: list[Callable[[], None]] = []  # of answers, the oldest first
        self._finishing: asyncio.Future[None] | None = None
        self._most_quiet = quiet
        self._underway = 0
        self._ended_at = -REST  # when the last chat ended, by the loop's clock
        self._quiet = asyncio.Event()  # while no chat is under way
        self._quiet.set()
        self._hurry = asyncio.Event()  # what remains waits for nothing any more

    async def prepared(self, chat: Chat) -> "Preparing":
        """Prepares a chat, for at most `serve.patience` seconds; what takes longer ends behind the scenes.

        It begins when the answers that clients of its space have seen are stored: its history may go on from one.
        """
        if self._jobs >= self._most:
            return Preparing(None, await self._without(chat, Unchanged.BUSY))
        began = time.monotonic()
        hangs = self._overdue >= self._threads  # then waiting would hold up every request for nothing
        job = self._counted(self._begun(chat))
        try:
            await asyncio.wait((job,), timeout=0 if hangs else self._patience)
            if not job.done() and chat.ticket.give_up():
                self._overdue += 1
                job.add_done_callback(self._caught_up)
                return Preparing(job, await self._without(chat, Unchanged.SLOW))
            prepared = await asyncio.shield(job)
        except asyncio.CancelledError:  # the client has left; the request is stored, and stays without an answer
            chat.ticket.give_up()
            self._store_after(chat, job, None, None)
            raise
        self._metrics.observe("clew_prepare_seconds", time.monotonic() - began)
        return Preparing(job, prepared)

    @contextmanager
    def underway(self) -> Iterator[None]:
        """Says that a chat is under way in this block, until its answer has been relayed."""
        self._underway += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._underway -= 1
            self._ended_at = asyncio.get_running_loop().time()
            if not self._underway:
                self._quiet.set()

    def afterwards(self, chat: Chat, preparing: "Preparing", answer: KeptAnswer | None) -> None:
        """Stores an answer, after its request and without holding up the client."""
        if preparing.job is not None:
            self._store_after(chat, preparing.job, answer, preparing.sent.unchanged)

    def _store_after(
        self, chat: Chat, job: "asyncio.Future[PreparedChat]", answer: KeptAnswer | None, why: Unchanged | None
    ) -> None:
        """Stores an answer once its request is.

        Args:
            why: why the request went on without what the job has prepared; None when it did not.
        """

        async def store() -> None:
            prepared = await job
            prepared = prepared if why is None else replace(prepared, unchanged=why)
            finish = await self._submit(lambda: self._preparation.after(chat, prepared, answer))
            self._remaining.append(finish)  # looked up after the wait: `_finish` replaces the list
            if self._finishing is None or self._finishing.done():
                self._finishing = asyncio.ensure_future(self._finish())

        task = asyncio.ensure_future(store())
        self._afterwards[task] = chat.principal.space
        task.add_done_callback(self._afterwards.pop)

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        """Stores an answer that a client fetched, without holding up the client."""
        task = self._submit(lambda: self._preparation.fetched(space, fetch, answer))
        self._afterwards[task] = space
        task.add_done_callback(self._afterwards.pop)

    async def hold(self, chat: Chat, prepared: PreparedChat, exchange: HeldExchange) -> None:
        """Keeps calls of Clew's tools, before the client comes back with the results of its own."""
        await self._submit(lambda: self._preparation.hold(chat, prepared, exchange))

    async def close(self) -> None:
        """Waits until the answers are stored, and ends the threads; of a long history the rest is not stored."""
        self._preparation.stop()
        if self._afterwards:
            await asyncio.wait(self._afterwards, timeout=CLOSING)
        self._hurry.set()
        if self._finishing is not None:
            await asyncio.wait((self._finishing,), timeout=CLOSING)
        self._pool.close()
        self._spare.close()

    async def _finish(self) -> None:
        """Does what remains of answers, all at once, when no chat is under way, and in any case after a while.

        It would slow down a request that is prepared, or whose first byte is on its way through this process.
        """
        while self._remaining:
            resting, hurry = asyncio.ensure_future(self._rested()), asyncio.ensure_future(self._hurry.wait())
            await asyncio.wait((resting, hurry), timeout=self._most_quiet, return_when=asyncio.FIRST_COMPLETED)
            resting.cancel()
            hurry.cancel()
            remaining, self._remaining = self._remaining, []
            await self._submit(partial(_do_all, remaining))

    async def _rested(self) -> None:
        """Waits until no chat has been under way for a while."""
        clock = asyncio.get_running_loop().time
        while True:
            await self._quiet.wait()
            left = self._ended_at + REST - clock()
            if left <= 0:
                return
            await asyncio.sleep(left)

    async def _without(self, chat: Chat, why: Unchanged) -> PreparedChat:
        return await self._spare.run(lambda: self._preparation.without_memory(chat, why))

    def _begun(self, chat: Chat) -> "asyncio.Future[PreparedChat]":
        """A preparation, in its turn."""
        earlier = [task for task, space in self._afterwards.items() if space == chat.principal.space]
        if not earlier:
            return self._run(lambda: self._preparation.prepare(chat))

        async def in_turn() -> PreparedChat:
            await asyncio.wait(earlier, timeout=IN_TURN)
            return await self._run(lambda: self._preparation.prepare(chat))

        return asyncio.ensure_future(in_turn())

    def _run(self, work: Callable[[], _T]) -> "asyncio.Future[_T]":
        return self._pool.run(work)

    def _submit(self, work: Callable[[], _T]) -> "asyncio.Future[_T]":
        return self._counted(self._run(work))

    def _counted(self, job: "asyncio.Future[_T]") -> "asyncio.Future[_T]":
        self._jobs += 1
        job.add_done_callback(self._settled)
        return job

    def _caught_up(self, _job: object) -> None:
        self._overdue -= 1

    def _settled(self, _job: object) -> None:
        self._jobs -= 1


def _do_all(remaining: Iterable[Callable[[], None]]) -> None:
    for finish in remaining:
        finish()


class Preparing:
    """A preparation and what goes upstream: the same, or something else when there was no time to wait for it."""

    def __init__(self, job: "asyncio.Future[PreparedChat] | None", sent: PreparedChat) -> None:
        """Takes the job, if there is one, and what is sent."""
        self.job, self.sent = job, sent
