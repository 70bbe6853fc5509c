"""What Clew requires of a database: to store rows durably and find them by key. All policy is above this layer.

A request that cannot be meant (a value of another kind than its column, an unknown table, bounds in two spaces) raises
StoreError on every backend; see `check`.

One contract suite (`tests/contract`) runs against every backend: what it says is what "equal" means.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from clew.store.values import Key, Row, Value

T = TypeVar("T")


class Reader(Protocol):
    """A consistent view: every call sees the same committed state (inside a transaction, also its own writes)."""

    def get(self, table: str, key: Key) -> Row | None:
        """The row under a full primary key, or None."""
        ...

    def get_many(self, table: str, keys: Sequence[Key], *, columns: Sequence[str] | None = None) -> list[Row | None]:
        """The rows under full primary keys of one space, asked for at once: one for each key, None where there is none.

        Args:
            columns: as in `scan`.
        """
        ...

    def scan(
        self,
        table: str,
        low: Key,
        high: Key,
        *,
        index: str | None = None,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> list[Row]:
        """Rows whose index columns lie between two prefixes, both included, in index order.

        Args:
            low: values for the first columns of the index, or of the index and the rest of the key, which breaks ties
                (`Table.order`); at least `space`. A shorter tuple compares only that many columns: low=("s",),
                high=("s",) is the whole space.
            high: likewise, in the same space; may have another length than `low`.
            columns: only these, in this order; None gives whole rows. Text and bytes that are not asked for are not
                read.
            reverse: from the last to the first; `limit` then counts from the end.
        """
        ...

    def scan_many(
        self, table: str, prefixes: Sequence[Key], *, index: str | None = None, columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Rows that begin with one of several prefixes of one length and one space, asked for at once, in any order.

        Args:
            prefixes: different ones, each as the bounds of `scan` are.
            columns: as in `scan`.
        """
        ...

    def count(self, table: str, low: Key, high: Key, *, index: str | None = None) -> int:
        """How many rows `scan` would return."""
        ...

    def get_blob(self, space: str, sha: str) -> bytes | None:
        """The bytes stored under a SHA-256 (hexadecimal), or None."""
        ...


class Transaction(Reader, Protocol):
    """Writes that become visible and durable together, or not at all."""

    def put(self, table: str, rows: Iterable[Row]) -> None:
        """Inserts rows; a row whose primary key exists is replaced."""
        ...

    def delete(self, table: str, low: Key, high: Key) -> int:
        """Deletes by primary-key prefix range (as in `scan`); says how many rows went."""
        ...

    def compare_and_set(self, table: str, key: Key, column: str, expected: Value, value: Value) -> bool:
        """Sets one column if the row exists and the column holds `expected`; returns whether it did."""
        ...

    def put_blob(self, space: str, sha: str, data: bytes, media_type: str | None = None) -> None:
        """Keeps bytes under their SHA-256; storing them again changes nothing."""
        ...

    def delete_blob(self, space: str, sha: str) -> bool:
        """Removes a blob; returns whether it was there."""
        ...


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do one kind of background work in one space until it expires.

    Attributes:
        fence: rises with every new holder; a writer that presents an older number has lost the lease.
        expires: microseconds since 1970.
    """

    space: str
    name: str
    holder: str
    fence: int
    expires: int


class JobState(StrEnum):
    """What becomes of a job.

    Attributes:
        PENDING: waits for somebody who claims it.
        DONE: is finished; its row is removed.
        DEFERRED: failed too often, and is kept aside until somebody asks for another try.
    """

    PENDING = "pending"
    DONE = "done"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of accepted work. `attempts` counts this claim too; `payload` is JSON text."""

    space: str
    job: str
    kind: str
    payload: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Committed(Generic[T]):
    """What a transaction gave.

    Attributes:
        wait_for_disk: returns when the commit is durable; raises StoreError where nobody can tell whether it is.
    """

    result: T
    wait_for_disk: Callable[[], None]


class Store(Protocol):
    """One installation: several spaces, several processes, many threads."""

    url: str
    encryption: str | None
    """What its files are encrypted with, `none` when they are not; None for a store that has no files of its own."""
    writable: bool
    """Whether anything can be written; if not, every transaction raises StoreReadOnly, and background work rests."""

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Runs `work` in a write transaction and returns its result once the commit is durable.

        Transactions of several threads may share one commit; each is still all or nothing, and an exception in one
        rolls back that one alone and is raised to its caller; so is the error of a failed call that `work` swallowed.
        `work` may run in another thread, and again from its start (backends that retry), so it must change nothing but
        the transaction, which is of no use after its end. With durable=False the commit may still be lost to a
        power cut (never to a kill of the process): for derived rows only.

        Raises:
            StoreError: nothing of this transaction was written.
        """
        ...

    def committed(self, work: Callable[[Transaction], T]) -> "Committed[T]":
        """As `transaction`, but returns once it is committed, which a kill of the process does not undo.

        Raises:
            StoreError: nothing of this transaction was written.
        """
        ...

    def snapshot(self) -> AbstractContextManager[Reader]:
        """A consistent view that concurrent writers do not disturb, as things stand on entering the block.

        It belongs to the thread that entered; a snapshot inside it, in the same thread, shows the same state.
        """
        ...

    def version(self) -> int:
        """A number that differs from the last answer if anything was committed meanwhile, by any process. Cheap.

        What this process committed shows at once, what another did within 0.1 s.
        """
        ...

    def lease(self, space: str, name: str, holder: str, *, now: int, until: int) -> Lease | None:
        """Takes, or extends, a lease; None while another holder's has not expired. Times in microseconds since 1970."""
        ...

    def release(self, lease: Lease) -> None:
        """Gives a lease back; nothing happens when it was lost meanwhile."""
        ...

    def claim_jobs(self, space: str, kind: str, *, holder: str, now: int, until: int, limit: int) -> list[Job]:
        """Claims pending jobs, oldest name first, whose `not_before` is not after `now`.

        A claimed job is hidden until `until`; if the claimer dies it becomes claimable again then, and finishing the
        earlier claim does nothing any more.
        """
        ...

    def finish_job(self, job: Job, *, state: JobState, reason: str | None = None, not_before: int = 0) -> None:
        """Ends a claim. `done` removes the job; `pending` puts it back for a later try; `deferred` keeps it aside."""
        ...

    def spaces(self) -> list[str]:
        """Names of the spaces that hold anything, sorted."""
        ...

    def migrate(self) -> int:
        """Brings the schema up to date, one transaction a step, a backup first; returns the schema's number.

        Raises:
            SchemaError: the schema is newer than this Clew; nothing was touched.
        """
        ...

    def backup(self, path: Path) -> None:
        """Writes a consistent, complete copy to a new file while others go on."""
        ...

    def scrub(self) -> None:
        """Overwrites what deleted rows left behind in the raw files (free pages, write-ahead log)."""
        ...

    def check(self) -> list[str]:
        """The engine's own integrity check: one line for each damage, empty when sound."""
        ...

    def size(self) -> int:
        """Bytes on disk, write-ahead log included; 0 for a store without a file."""
        ...

    def close(self) -> None:
        """Commits what is accepted and releases everything; a second call does nothing."""
        ...
