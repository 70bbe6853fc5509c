"""Threads that write to PostgreSQL: each gathers waiting transactions and commits them together.

A commit costs the server one wait for its disk, so what is shared among all who wait is nearly free. One thread serves
a quiet process; more are started, each with a connection of its own, when all are busy, so that long work in one space
does not keep other spaces waiting.

Transactions of a batch are not kept apart on the server, which would cost two more journeys for each. One that fails
is undone here as long as nothing of it was sent; otherwise the whole batch is taken back, and each of it runs again,
alone. A transaction that comes while someone else writes to its space does not wait inside a batch, where it would keep
the others from being acknowledged: it begins the next.
"""

import itertools
import logging
import random
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

from clew.errors import ClosedError, StoreError
from clew.store.postgres_access import Batch, PostgresTransaction
from clew.store.postgres_driver import driver, is_lost, may_go_again, translated, translating
from clew.store.postgres_pool import Pool
from clew.store.statements import Statements
from clew.store.writer import Pending

_LOG: Final = logging.getLogger(__name__)
ATTEMPTS: Final = 10
"""How often a transaction may meet others before its caller is told."""
_PAUSE: Final = 0.005
"""Seconds before the second attempt; they double with each further one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is done at once.

    Attributes:
        threads: that write, each over a connection of its own.
        gather: seconds after which a batch takes in nothing more.
        most: transactions in one batch.
    """

    threads: int = 4
    gather: float = 0.02
    most: int = 512


class _Item(Pending):
    """A transaction that waits to be written.

    Attributes:
        attempts: how often it met others.
        is_alone: whether it shares no commit, since one that it shared was taken back.
    """

    __slots__ = ("attempts", "is_alone")

    def __init__(self, run: Callable[[Any], Any], *, durable: bool) -> None:
        super().__init__(run, durable=durable)
        self.attempts = 0
        self.is_alone = False


class _Again(Exception):
    """The server took a batch back because others were in its way; a signal inside this module."""


class _Apart(Exception):
    """A batch was taken back because of one of its transactions; a signal inside this module."""


class PostgresWriter:
    """The threads.

    Args:
        engine: the statements of `sql/postgres.sql`, filled in.
        patience: seconds in which a server that went away during a commit is asked what became of it.
        committed: called after each commit that changed something, before anyone is told.
    """

    def __init__(
        self,
        pool: Pool,
        statements: Statements,
        engine: Mapping[str, str],
        committed: Callable[[], None],
        patience: float,
        limits: Limits,
    ) -> None:
        self._pool = pool
        self._statements = statements
        self._engine = engine
        self._committed = committed
        self._patience = patience
        self._limits = limits
        self._waiting: deque[_Item] = deque()
        self._arrival = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._free = 0
        self._closing = False
        self._name = uuid.uuid4().hex

    def submit(self, work: Callable[[Any], Any], *, durable: bool) -> Pending:
        """Queues a transaction.

        Raises:
            ClosedError: the store is closed or closing.
        """
        item = _Item(work, durable=durable)
        with self._arrival:
            if self._closing:
                raise ClosedError
            self._waiting.append(item)
            if len(self._waiting) > self._free and len(self._threads) < self._limits.threads:
                thread = threading.Thread(target=self._serve, args=(self._named(),), name="clew-writer", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._arrival.notify()
        return item

    def is_this_thread(self) -> bool:
        """Whether the caller runs inside a transaction of this writer."""
        return threading.current_thread() in self._threads

    def close(self) -> None:
        """Commits what was accepted, then ends the threads."""
        with self._arrival:
            self._closing = True
            self._arrival.notify_all()
        for thread in self._threads:
            thread.join()
        if self._threads:
            self._drop_names()

    def _serve(self, writer: str) -> None:
        numbers = itertools.count()
        while (first := self._first()) is not None:
            items = [first]
            try:
                outcomes = self._commit(items, writer, next(numbers))
            except _Again as again:
                self._try_again(items, again)
            except _Apart:
                for item in items:
                    item.is_alone = True
                self._put_back(items)
            except BaseException as error:  # noqa: BLE001  # the thread must outlive it; whoever waits is told
                _fail(items, error)
            else:
                for item, (result, failure) in zip(items, outcomes, strict=True):
                    item.settle(result, failure)

    def _first(self) -> _Item | None:
        """The oldest item; waits for one; None when all is done and the store closes."""
        with self._arrival:
            while not self._waiting:
                if self._closing:
                    return None
                self._free += 1
                self._arrival.wait()
                self._free -= 1
            return self._waiting.popleft()

    def _further(self, items: list[_Item], end: float) -> _Item | None:
        """What the batch takes in next, if anything: one that does not wait for the disk takes none that has to."""
        with self._arrival:
            full = items[0].is_alone or len(items) >= self._limits.most or time.monotonic() >= end
            if full or not self._waiting or self._waiting[0].is_alone:
                return None
            if self._waiting[0].durable and not items[0].durable:
                return None
            items.append(self._waiting.popleft())
            return items[-1]

    def _stranded(self) -> list[_Item]:
        """What waits when the server cannot be reached; nothing, while another thread is at work there."""
        with self._arrival:
            is_alone = self._free == len(self._threads) - 1
            items = list(self._waiting) if is_alone else []
            if is_alone:
                self._waiting.clear()
        return items

    def _put_back(self, items: list[_Item]) -> None:
        with self._arrival:
            self._waiting.extendleft(reversed(items))
            self._arrival.notify()

    def _try_again(self, items: list[_Item], again: _Again) -> None:
        """Puts a batch back after a pause, of random length so that two who met do not meet again."""
        for item in items:
            item.attempts += 1
        lost = [item for item in items if item.attempts >= ATTEMPTS]
        _fail(lost, again.__cause__ or again)
        time.sleep(_PAUSE * 2 ** items[0].attempts * random.random())  # noqa: S311  # no secret
        self._put_back([item for item in items if item not in lost])

    def _named(self) -> str:
        """The name of one more thread."""
        return f"{self._name}-{len(self._threads)}"

    def _commit(self, items: list[_Item], writer: str, number: int) -> list[tuple[Any, BaseException | None]]:
        """Runs the first item and those that join its batch, and commits; returns the result or error of each."""
        with ExitStack() as stack:
            begin = self._engine["begin" if items[0].durable else "begin_loosely"]
            try:
                connection = stack.enter_context(self._pool.begun(begin)).connection
            except StoreError:
                items += self._stranded()
                raise
            batch = Batch(connection, self._engine, writer, number)
            outcomes = self._run_all(batch, items)
            if batch.changed is not None:
                self._end(batch, is_shared=len(items) > 1)
        if batch.changed is not None:
            self._committed()
        return outcomes

    def _run_all(self, batch: Batch, items: list[_Item]) -> list[tuple[Any, BaseException | None]]:
        result, error = self._run_first(batch, items[0])
        if error is not None:
            batch.changed = None
            return [(None, error)]
        outcomes: list[tuple[Any, BaseException | None]] = [(result, None)]
        end = time.monotonic() + self._limits.gather  # what the first waited for its lane does not count
        while (item := self._further(items, end)) is not None:
            outcome = self._run_further(batch, item)
            if outcome is None:
                self._put_back([items.pop()])
                break
            outcomes.append(outcome)
        return outcomes

    def _run_first(self, batch: Batch, item: _Item) -> tuple[Any, BaseException | None]:
        """Runs what has the batch to itself so far, so that it can be taken back by leaving it."""
        change = PostgresTransaction(self._statements, batch, waits=True)
        try:
            result = item.run(change)
            change.end()
        except BaseException as error:  # whatever it is belongs to the caller, who waits for it
            if change.is_again or change.taken is not None:
                raise _Again from error
            return None, error
        return result, None

    def _run_further(self, batch: Batch, item: _Item) -> tuple[Any, BaseException | None] | None:
        """Runs what comes after others in the batch; None when it has to wait for someone else."""
        change = PostgresTransaction(self._statements, batch, waits=False)
        try:
            result = item.run(change)
            change.end()
        except BaseException as error:  # whatever it is belongs to the caller, who waits for it
            if change.is_again:
                raise _Again from error
            if batch.connection.closed:
                raise
            if change.has_failed or change.has_sent:
                raise _Apart from error
            change.undo()
            return None if change.taken is not None else (None, error)
        return result, None

    def _end(self, batch: Batch, *, is_shared: bool) -> None:
        """Commits. When the server goes away meanwhile, asks it afterwards whether it did."""
        with translating():
            batch.check_connected()
        try:
            done = batch.commit()
        except driver().Error as error:
            if may_go_again(error):
                raise _Again from translated(error)
            if is_lost(error):
                self._ask_afterwards(batch, error)
                return
            if is_shared:
                raise _Apart from error
            raise translated(error) or error from error
        if done != "COMMIT":
            raise StoreError(f"the server answered {done} to COMMIT; nothing of this transaction was written")

    def _ask_afterwards(self, batch: Batch, error: BaseException) -> None:
        """Returns if a commit without an answer was made.

        Raises:
            StoreError: it was not, or nobody can say.
        """
        batch.connection.close()
        last = self._last_commit(batch.writer)
        if last is None:
            raise StoreError(
                "the connection to the server was lost while it committed, and it cannot be asked whether it did; look "
                "for what was written before you write it again"
            ) from error
        if last != batch.number:
            raise translated(error) or error from error

    def _drop_names(self) -> None:
        """Takes the threads' names off the server, and those that killed processes left there."""
        try:
            self._pool.ask(self._engine["drop_writers"].format(store=self._name))
        except StoreError as error:
            _LOG.debug("the names of closed writers stay for a day: %s", error)

    def _last_commit(self, writer: str) -> int | None:
        """The number of a writer's last commit; None when the server cannot be asked."""
        end = time.monotonic() + self._patience
        while True:
            try:
                return int(self._pool.ask(self._engine["last_commit"].format(writer=writer))[0][0])
            except StoreError:  # it starts again, perhaps
                if time.monotonic() >= end:
                    return None
            time.sleep(0.1)


def _fail(items: list[_Item], error: BaseException) -> None:
    """Gives each of these transactions an error of its own."""
    for item in items:
        own = type(error)(str(error)) if isinstance(error, StoreError) else StoreError(f"no commit: {error!r}")
        own.__cause__ = error.__cause__ or error
        item.settle(None, own)
