"""Leases and jobs, written in terms of `Transaction`, so that they work alike on every backend."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Final, TypeVar, cast

from clew.errors import StoreError
from clew.store.protocol import Committed, Job, JobState, Lease, Reader, Transaction
from clew.store.row_types import JobRow, LeaseRow
from clew.store.selections import JOB_TIMES
from clew.store.tables import JOB, LEASE

T = TypeVar("T")
_PAGE: Final = 64
"""Pending jobs looked at in one step; those that others have claimed are skipped."""


class Claiming(ABC):
    """The part of `Store` that hands out background work.

    Nothing here waits for the disk. If a power failure undoes a claim, or work that was finished after the last durable
    commit, the work is claimed and done again.
    """

    @abstractmethod
    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """See `Store.transaction`."""

    def committed(self, work: Callable[[Transaction], T]) -> Committed[T]:
        """See `Store.committed`; here the commit is durable already."""
        return Committed(self.transaction(work), lambda: None)

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Reader]:
        """See `Store.snapshot`."""

    def lease(self, space: str, name: str, holder: str, *, now: int, until: int) -> Lease | None:
        """See `Store.lease`. Looks before it writes, so that asking in vain costs no writer anything."""
        wanted = Lease(space, name, holder, 1, until)
        with self.snapshot() as reader:
            if _is_held_by_another(reader, wanted, now):
                return None
        return self.transaction(lambda tx: _take(tx, wanted, now), durable=False)

    def release(self, lease: Lease) -> None:
        """See `Store.release`."""
        self.transaction(lambda tx: _give_back(tx, lease), durable=False)

    def claim_jobs(self, space: str, kind: str, *, holder: str, now: int, until: int, limit: int) -> list[Job]:
        """See `Store.claim_jobs`. Looks before it writes, as `lease`."""
        with self.snapshot() as reader:
            if next(_claimable(reader, space, kind, now), None) is None:
                return []
        return self.transaction(lambda tx: _claim(tx, (space, kind), holder, (now, until), limit), durable=False)

    def finish_job(self, job: Job, *, state: JobState, reason: str | None = None, not_before: int = 0) -> None:
        """See `Store.finish_job`."""
        if state not in list(JobState):
            raise StoreError(f"{state!r} is not a state of a job; expected one of {', '.join(JobState)}")
        self.transaction(lambda tx: _finish(tx, job, state, reason, not_before), durable=False)


def _is_held_by_another(reader: Reader, wanted: Lease, now: int) -> bool:
    row = LEASE.get(reader, (wanted.space, wanted.name))
    return row is not None and row.holder != wanted.holder and row.expires > now


def _take(tx: Transaction, wanted: Lease, now: int) -> Lease | None:
    if _is_held_by_another(tx, wanted, now):
        return None
    row = LEASE.get(tx, (wanted.space, wanted.name))
    fence = wanted.fence if row is None else row.fence + (row.holder != wanted.holder)
    taken = Lease(wanted.space, wanted.name, wanted.holder, fence, wanted.expires)
    LEASE.put(tx, [LeaseRow(taken.space, taken.name, taken.holder, taken.fence, taken.expires)])
    return taken


def _give_back(tx: Transaction, lease: Lease) -> None:
    row = LEASE.get(tx, (lease.space, lease.name))
    if row is not None and (row.holder, row.fence) == (lease.holder, lease.fence):
        LEASE.put(tx, [row._replace(holder=None, expires=0)])  # the row stays: the number must not fall


def _claimable(reader: Reader, space: str, kind: str, now: int) -> Iterator[str]:
    """The names of the jobs that may be claimed, in order."""
    high = (space, JobState.PENDING.value, kind)
    low: tuple[str, ...] = high
    while True:
        page = JOB_TIMES.scan(reader, low, high, index="state", limit=_PAGE)
        for row in page:
            if (low == high or row.job != low[-1]) and (row.not_before or 0) <= now:
                yield row.job
        if len(page) < _PAGE:
            return
        low = (*high, page[-1].job)


def _claim(tx: Transaction, scope: tuple[str, str], holder: str, times: tuple[int, int], limit: int) -> list[Job]:
    (space, kind), (now, until) = scope, times
    names = [name for name, _ in zip(_claimable(tx, space, kind, now), range(limit), strict=False)]
    jobs = []
    for name in names:
        row = cast(JobRow, JOB.get(tx, (space, name)))
        job = Job(space, name, kind, row.payload, (row.attempts or 0) + 1)
        JOB.put(tx, [row._replace(attempts=job.attempts, holder=holder, not_before=until)])
        jobs.append(job)
    return jobs


def _finish(tx: Transaction, job: Job, state: JobState, reason: str | None, not_before: int) -> None:
    row = JOB.get(tx, (job.space, job.job))
    if row is None or row.attempts != job.attempts:
        return  # the claim ran out and someone else has the job now
    if state == JobState.DONE:
        tx.delete("job", (job.space, job.job), (job.space, job.job))
    else:
        JOB.put(tx, [row._replace(state=state.value, reason=reason, holder=None, not_before=not_before)])
