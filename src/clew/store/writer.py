"""One thread writes: it gathers the transactions that are waiting, commits them together, then acknowledges each.

A commit costs one wait for the disk, so what is shared among all who wait is nearly free. Every transaction stands in a
savepoint of its own, but for the first, which fails alone: an exception takes back that one alone. If the commit itself
fails, none of the batch was written.

What need not wait for the disk has nothing to share. While nothing else is written, the thread that asks for it does it
itself: to wake another thread and to be woken takes longer than the commit.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import apsw

from clew.errors import ClosedError, StoreError, StoreLocked
from clew.forks import Shared
from clew.store.access import SqliteTransaction
from clew.store.ticket import Ticket
from clew.store.translate import translating

_LOG: Final = logging.getLogger(__name__)

READERS_WAIT_MS: Final = 200
"""Milliseconds that a checkpoint which needs the log for itself waits for readers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is done at once.

    Attributes:
        gather: seconds after which a batch takes in nothing more, so that other processes get their turn.
        most: transactions in one batch, for the same reason.
        checkpoint: pages of 4 KB that the write-ahead log grows before they are copied into the database.
        too_long: pages of log from which a checkpoint also waits for readers, so that the log can start over.
    """

    gather: float = 0.02
    most: int = 512
    checkpoint: int = 2_000
    too_long: int = 16_000


class Pending:
    """Something that the writer's thread will do; `wait` gives its result.

    Args:
        run: gets a transaction; or, when `alone`, the connection between two batches, while this process has the turn.
        durable: whether the commit has to wait for the disk.
    """

    __slots__ = ("_done", "_error", "_result", "accepted", "alone", "durable", "is_synced", "run")

    def __init__(self, run: Callable[[Any], Any], *, durable: bool, alone: bool = False) -> None:
        self.run = run
        self.durable = durable
        self.alone = alone
        self.accepted = time.monotonic()
        self.is_synced = False  # whether its commit waited for the disk, which one that writes nothing does not
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = threading.Lock()  # a third of the cost of a Future, and there is one for each transaction
        self._done.acquire()

    def wait(self) -> Any:
        """Blocks until it is done and gives the result or raises the error; to be called once."""
        self._done.acquire()
        if self._error is not None:
            raise self._error
        return self._result

    def settle(self, result: Any, error: BaseException | None) -> None:
        """Lets `wait` go on, and lets go of what was to be written: the thread holds its last item while it waits."""
        self._result, self._error, self.run = result, error, _settled
        self._done.release()


def _settled(_transaction: Any) -> None:
    """What is done already."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    item: Pending
    result: Any = None
    error: BaseException | None = None


class Writer:
    """The thread and its connection.

    Args:
        shared: a connection in WAL mode, its schema up to date; the writer owns it from now on.
        timeout: seconds to wait for other processes.
        synchronous: SQLite's `synchronous` for durable commits.
    """

    def __init__(self, shared: Shared, ticket: Ticket, *, timeout: float, synchronous: str, limits: Limits) -> None:
        self._shared = shared
        self._connection = shared.connection
        self._ticket = ticket
        self._timeout = timeout
        self._limits = limits
        self._levels = {True: synchronous, False: "normal"}
        self._level = ""
        self._waiting: deque[Pending] = deque()
        self._arrival = threading.Lock()
        self._bell = threading.Lock()  # free when there is something to do: half of what a Condition costs
        self._bell.acquire()
        self._turn = shared.lock  # of this process's threads; the ticket is for the turns of processes
        self._at_work: int | None = None  # the thread inside a transaction
        self._closing = self._is_doubtful = False
        self._pages = self._copied = 0
        self._has_written = False
        self._connection.set_wal_hook(self._measure)
        self._thread = threading.Thread(target=self._serve, name="clew-writer", daemon=True)
        self._thread.start()

    def submit(self, item: Pending) -> Pending:
        """Queues it and gives it back.

        Raises:
            ClosedError: the store is closed or closing.
        """
        with self._arrival:
            if self._closing:
                raise ClosedError
            self._waiting.append(item)
            self._ring()
        return item

    def begin(self, item: Pending) -> Pending:
        """Does it at once in the thread of the caller, where that is safe and nobody else writes; else queues it.

        Raises:
            ClosedError: the store is closed or closing.
        """
        if item.durable or self._has_chores() or not self._take_turn():
            return self.submit(item)
        try:
            own = deque((item,))
            with self._arrival:
                if self._closing:
                    raise ClosedError
                is_alone = not self._waiting
            if is_alone:
                self._do_batch(item, own)
        finally:
            self._turn.release()
        if own:  # others are in the queue, or another process has the turn for so long
            return self.submit(item)
        if self._has_chores():
            self._wake_thread()
        return item

    def is_this_thread(self) -> bool:
        """Whether the caller runs inside a transaction."""
        return threading.get_ident() == self._at_work

    def doubt(self) -> None:
        """Copy the log into the database, and begin a new log, before anything more is written.

        For a sync of the log that failed: commits behind one that is not on the disk would be lost with it.
        """
        self._is_doubtful = True
        self._wake_thread()

    def close(self) -> None:
        """Commits what was accepted, then ends the thread and closes the connection."""
        with self._arrival:
            self._closing = True
            self._ring()
        self.join()

    def join(self) -> None:
        """Waits until the thread has ended, which `close` asks for."""
        self._thread.join()

    def _take_turn(self) -> bool:
        """Takes the turn for the calling thread, if nobody has it.

        The main thread never does: Ctrl-C would raise an exception in the middle of whatever it is doing.
        """
        return threading.current_thread() is not threading.main_thread() and self._turn.acquire(blocking=False)

    def _has_chores(self) -> bool:
        """Whether the writer's thread has more to do than to write."""
        return self._is_doubtful or self._pages - self._copied >= self._limits.checkpoint

    def _wake_thread(self) -> None:
        with suppress(ClosedError):  # a writer that closes copies the log anyway
            self.submit(Pending(lambda _: None, durable=False))

    def _serve(self) -> None:
        while not self._shared.is_inherited and (first := self._first()) is not None:
            with self._turn:
                if first.alone:
                    self._waiting.popleft()
                    self._do_alone(first)
                else:
                    self._do_batch(first, self._waiting)
                    self._copy_log()
        if not self._shared.is_inherited:  # by a process that a transaction forked
            with self._turn:
                self._leave()

    def _first(self) -> Pending | None:
        """The oldest item, left in the queue; waits for one; None when all is done and the store closes."""
        while not self._waiting:
            if self._closing:
                return None
            self._bell.acquire()
        return self._waiting[0]

    def _ring(self) -> None:
        """Wakes the thread, or has it look again; only for the holder of `_arrival`, so that nobody rings twice."""
        if self._bell.locked():
            self._bell.release()

    def _do_alone(self, item: Pending) -> None:
        try:
            self._at_work = threading.get_ident()
            with self._ticket.turn(self._timeout), translating():
                result = item.run(self._connection)
        except BaseException as error:  # noqa: BLE001  # whatever it is belongs to the caller, who waits for it
            item.settle(None, error)
        else:
            item.settle(result, None)
        finally:
            self._at_work = None

    def _do_batch(self, first: Pending, waiting: deque[Pending]) -> None:
        """Does the first of what is waiting, and what fits into the same commit; it is taken out of the queue.

        While another process writes, it is left there until it has waited long enough.
        """
        outcomes: list[_Outcome] = []
        committed = False
        self._at_work = threading.get_ident()
        try:
            with self._ticket.turn(self._timeout):
                if self._is_doubtful:
                    self._replace_log()
                self._begin(durable=first.durable)
                self._has_written = False
                try:
                    self._run_waiting(waiting, outcomes, durable=first.durable)
                    worth = any(outcome.error is None for outcome in outcomes)  # else there is nothing to keep
                    with translating():
                        self._connection.execute("COMMIT" if worth else "ROLLBACK")
                    committed = True
                finally:
                    if not committed:
                        self._roll_back()
                self._begin_log_anew()
        except BaseException as error:  # noqa: BLE001  # the thread must outlive it; whoever waits is told
            if not committed:
                self._fail(waiting, outcomes, error)
                return
            _LOG.warning("after a commit, which holds: %s", error)
        finally:
            self._at_work = None
        for outcome in outcomes:
            outcome.item.is_synced = first.durable and self._has_written
            outcome.item.settle(outcome.result, outcome.error)

    def _begin(self, *, durable: bool) -> None:
        level = self._levels[durable]
        with translating():
            if level != self._level:
                self._connection.execute(f"PRAGMA synchronous = {level}")
                self._level = level
            self._connection.execute("BEGIN IMMEDIATE")

    def _run_waiting(self, waiting: deque[Pending], outcomes: list[_Outcome], *, durable: bool) -> None:
        """Runs what is waiting, and what arrives meanwhile, up to the limits of a batch.

        A batch that ends without waiting for the disk takes in nothing that has to be durable.
        """
        end = time.monotonic() + self._limits.gather
        while waiting and len(outcomes) < self._limits.most and (not outcomes or time.monotonic() < end):
            item = waiting[0]
            if item.alone or (item.durable and not durable):
                return
            outcomes.append(_Outcome(waiting.popleft()))  # of the batch, whatever happens
            if len(outcomes) > 1:
                outcomes[-1] = self._run_another(item)
            else:
                outcomes[0] = self._run(item)
                if outcomes[0].error is not None:
                    return  # what it has done is taken back with the whole batch, which is itself

    def _run(self, item: Pending) -> _Outcome:
        transaction = SqliteTransaction(self._connection)
        try:
            result = item.run(transaction)
            transaction.end()
        except BaseException as error:  # whatever it is belongs to the caller, who waits for it
            if not self._connection.in_transaction:  # a full or failing disk: SQLite took back the whole batch
                raise
            return _Outcome(item, error=error)
        return _Outcome(item, result)

    def _run_another(self, item: Pending) -> _Outcome:
        with translating():
            self._connection.execute("SAVEPOINT work")
        outcome = self._run(item)
        with translating():
            self._connection.execute("RELEASE work" if outcome.error is None else "ROLLBACK TO work; RELEASE work")
        return outcome

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with translating():
                self._connection.execute("ROLLBACK")

    def _fail(self, waiting: deque[Pending], outcomes: list[_Outcome], error: BaseException) -> None:
        """Tells all of a batch that was not written; when it could not begin, those who have waited long enough."""
        lost = [outcome.item for outcome in outcomes]
        if not lost:
            patience = self._timeout if isinstance(error, StoreLocked) else 0.0
            now = time.monotonic()
            while waiting and (not lost or now - waiting[0].accepted >= patience):
                lost.append(waiting.popleft())
        for item in lost:
            own = type(error)(str(error)) if isinstance(error, StoreError) else StoreError(f"no commit: {error!r}")
            own.__cause__ = error.__cause__ or error
            item.settle(None, own)

    def _measure(self, connection: apsw.Connection, database: str, pages: int) -> int:  # noqa: ARG002  # SQLite's form
        """SQLite says after each commit how many pages the log has."""
        if pages < self._pages:  # it started over
            self._copied = 0
        self._pages = pages
        self._has_written = True
        return apsw.SQLITE_OK

    def _copy_log(self) -> None:
        """Copies the log into the database, as far as readers allow, whenever it has grown enough."""
        if self._pages - self._copied >= self._limits.checkpoint:
            self._checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE)
            self._copied = self._pages

    def _begin_log_anew(self) -> None:
        """Readers that take turns without a gap would let the log grow for ever: waits for a gap, but not for long."""
        if self._pages - self._copied >= self._limits.checkpoint and self._pages >= self._limits.too_long:
            self._checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._copied = self._pages

    def _replace_log(self) -> None:
        """Copy the log into the database, see `doubt`; the system's memory still has the commits."""
        with translating(), self._briefly():
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._is_doubtful = False

    def _checkpoint(self, mode: int) -> None:
        try:
            with self._briefly():
                self._connection.wal_checkpoint(mode=mode)
        except apsw.BusyError:
            _LOG.debug("the log of %d pages is in use; the next checkpoint goes on", self._pages)
        except apsw.Error as error:  # nothing is lost: the log keeps what was committed
            _LOG.warning("the log could not be copied into the database: %s", error)

    @contextmanager
    def _briefly(self) -> Iterator[None]:
        """Wait for readers at most `READERS_WAIT_MS` in this block."""
        self._connection.set_busy_timeout(READERS_WAIT_MS)
        try:
            yield
        finally:
            self._connection.set_busy_timeout(round(self._timeout * 1000))

    def _leave(self) -> None:
        self._checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
        try:
            self._shared.close()
        except apsw.Error as error:  # nothing is lost, as above
            _LOG.warning("the database was not closed in order; whoever opens it next recovers it: %s", error)
