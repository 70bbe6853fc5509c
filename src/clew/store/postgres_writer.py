"""Threads that write: each gathers the transactions that are waiting, commits them together, then acknowledges each.

A commit costs the server one wait for its disk, so what is shared among all who wait is nearly free. One thread serves
a quiet process; more are started, each with a connection of its own, when all are busy, so that long work in one space
does not keep other spaces waiting. All but the first transaction of a batch stand in a savepoint: an exception takes
back that one alone. A transaction that came while someone else writes to its space does not wait inside a batch, where
it would keep the others from being acknowledged: it begins the next.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clew.errors import ClosedError, StoreError
from clew.store.postgres_access import Batch, PostgresTransaction
from clew.store.postgres_driver import driver, is_lost, may_go_again, translated, translating
from clew.store.postgres_pool import Pool
from clew.store.statements import Statements
from clew.store.writer import Pending

if TYPE_CHECKING:
    from psycopg import Connection

THREADS: Final = 4
ATTEMPTS: Final = 10
"""How often a transaction may meet others before its caller is told."""
_PAUSE: Final = 0.005
"""Seconds before the second attempt; they double with each further one."""
_IN_DOUBT: Final = 10.0
"""Seconds in which a server that went away during a commit is asked what became of it."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """How much one commit takes in.

    Attributes:
        seconds: after which a batch takes in nothing more.
        most: transactions; PostgreSQL keeps 64 savepoints of a transaction at hand.
    """

    seconds: float = 0.02
    most: int = 60


class _Item(Pending):
    """A transaction that waits.

    Attributes:
        attempts: how often it met others.
    """

    __slots__ = ("attempts",)

    def __init__(self, run: Callable[[Any], Any], *, durable: bool) -> None:
        super().__init__(run, durable=durable)
        self.attempts = 0


class _Again(Exception):
    """The server took a batch back because others were in its way; a signal inside this module."""


class _Cut(Exception):
    """A batch ends before this transaction; a signal inside this module."""


class PostgresWriter:
    """The threads.

    Args:
        engine: the statements of `sql/postgres.sql`, filled in.
        committed: called after each commit that changed something, before anyone is told.
    """

    def __init__(
        self,
        pool: Pool,
        statements: Statements,
        engine: Mapping[str, str],
        committed: Callable[[], None],
        gathering: Gathering = Gathering(),
    ) -> None:
        self._pool = pool
        self._statements = statements
        self._engine = engine
        self._committed = committed
        self._gathering = gathering
        self._waiting: deque[_Item] = deque()
        self._arrival = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._free = 0
        self._closing = False

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
            if len(self._waiting) > self._free and len(self._threads) < THREADS:
                thread = threading.Thread(target=self._serve, name="clew-writer", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._arrival.notify()
        return item

    def is_this_thread(self) -> bool:
        """Whether the caller runs inside a transaction."""
        return threading.current_thread() in self._threads

    def close(self) -> None:
        """Commits what was accepted, then ends the threads."""
        with self._arrival:
            self._closing = True
            self._arrival.notify_all()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (first := self._first()) is not None:
            items = [first]
            try:
                outcomes = self._commit(items)
            except _Again as again:
                self._try_again(items, again)
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
            full = len(items) >= self._gathering.most or time.monotonic() >= end
            if full or not self._waiting or (self._waiting[0].durable and not items[0].durable):
                return None
            items.append(self._waiting.popleft())
            return items[-1]

    def _all_waiting(self) -> list[_Item]:
        with self._arrival:
            items = list(self._waiting)
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

    def _commit(self, items: list[_Item]) -> list[tuple[Any, BaseException | None]]:
        """Runs the first of the items and what else the batch takes in, and commits; gives result or error of each."""
        batch = Batch(self._engine)
        with ExitStack() as stack:
            try:
                connection = stack.enter_context(self._pool.begun(self._begin(items[0]))).connection
            except StoreError:
                items += self._all_waiting()  # none of them would fare better
                raise
            outcomes = self._run_all(connection, batch, items)
            if batch.transaction is not None:
                self._end(connection, batch.transaction)
        if batch.transaction is not None:
            self._committed()
        return outcomes

    def _begin(self, first: _Item) -> str:
        return self._engine["begin" if first.durable else "begin_loosely"]

    def _run_all(
        self, connection: "Connection[Any]", batch: Batch, items: list[_Item]
    ) -> list[tuple[Any, BaseException | None]]:
        outcomes = [self._run(connection, batch, items[0], is_first=True)]
        end = time.monotonic() + self._gathering.seconds  # what the first waited for its lane does not count
        while outcomes[0][1] is None and (item := self._further(items, end)) is not None:
            try:
                outcomes.append(self._run(connection, batch, item, is_first=False))
            except _Cut:
                self._put_back([items.pop()])
                break
        return outcomes

    def _run(
        self, connection: "Connection[Any]", batch: Batch, item: _Item, *, is_first: bool
    ) -> tuple[Any, BaseException | None]:
        lanes, transaction = set(batch.lanes), batch.transaction
        if not is_first:
            with translating():
                connection.execute("SAVEPOINT item", prepare=False)
        change = PostgresTransaction(connection, self._statements, batch, waits=is_first)
        try:
            result = item.run(change)
            change.finish(None if is_first else "RELEASE SAVEPOINT item")
        except BaseException as error:  # whatever it is belongs to the caller, who waits for it
            if change.is_again:
                raise _Again from error
            if connection.closed:
                raise
            if not is_first:
                with translating():
                    connection.execute("ROLLBACK TO SAVEPOINT item; RELEASE SAVEPOINT item", prepare=False)
                batch.lanes, batch.transaction = lanes, transaction
                if change.taken is not None:
                    raise _Cut from error
            elif change.taken is not None:
                raise _Again from error
            return None, error
        return result, None

    def _end(self, connection: "Connection[Any]", transaction: str) -> None:
        """Commits. When the server goes away meanwhile, asks it afterwards whether it did."""
        try:
            done = connection.execute("COMMIT", prepare=False).statusmessage
        except driver().Error as error:
            if may_go_again(error):
                raise _Again from translated(error)
            if not is_lost(error):
                raise translated(error) or error from error
            connection.close()
            fate = self._fate(transaction)
            if fate == "committed":
                return
            if fate == "aborted":
                raise translated(error) or error from error
            raise StoreError(
                "the connection to the server was lost while it committed, and it cannot be asked whether it did; look "
                "for what was written before you write it again"
            ) from error
        if done != "COMMIT":
            raise StoreError(f"the server answered {done} to COMMIT; nothing of this transaction was written")

    def _fate(self, transaction: str) -> str | None:
        """What became of a transaction; None when the server cannot say."""
        end = time.monotonic() + _IN_DOUBT
        while time.monotonic() < end:
            try:
                with self._pool.begun(self._engine["fate"].format(transaction=transaction)) as cursor:
                    fate = cursor.fetchall()[0][0]
            except StoreError:
                fate = "unreachable"  # it starts again, perhaps
            if fate not in {"unreachable", "in progress"}:
                return None if fate is None else str(fate)
            time.sleep(0.1)
        return None


def _fail(items: list[_Item], error: BaseException) -> None:
    """Tells each of what was not written, with an error of its own."""
    for item in items:
        own = type(error)(str(error)) if isinstance(error, StoreError) else StoreError(f"no commit: {error!r}")
        own.__cause__ = error.__cause__ or error
        item.settle(None, own)
