"""A lease on one kind of work in a space: taken when there is work, renewed while it goes on, given back at the end."""

import time

from clew.rows.lease_owner import give_back, holder_name, release_dead
from clew.store.protocol import Lease, Store


class WorkLease:
    """The lease of one thread. No other thread calls it while that one runs.

    Attributes:
        holder: names this process and object in the row of the lease.
    """

    def __init__(self, store: Store, space: str, name: str, length: int) -> None:
        """Takes nothing yet.

        Args:
            length: microseconds for which the work stays with its holder after the last sign of life. The lease of a
                process that was killed is released sooner, see `release_dead`.
        """
        self._store, self._space, self._name, self._length = store, space, name, length
        self.holder = holder_name()
        self._lease: Lease | None = None

    def take(self) -> bool:
        """Takes the lease, or renews it after half of its time; returns whether this thread holds it."""
        now = time.time_ns() // 1000  # real time, whatever the clock shows: other processes wait for it to pass
        if self._lease is not None and self._lease.expires - now > self._length // 2:
            return True
        release_dead(self._store, self._space, self._name)
        self._lease = self._store.lease(self._space, self._name, self.holder, now=now, until=now + self._length)
        return self._lease is not None

    def give_back(self) -> None:
        """Releases the lease, if this thread holds it."""
        if self._lease is not None:
            give_back(self._store, self._lease)
            self._lease = None
