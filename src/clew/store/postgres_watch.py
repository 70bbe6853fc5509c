"""Tells whether anything was committed to a PostgreSQL installation, asking the server at most every 50 ms.

Each commit counts up a lane; the sum of all differs after every commit. It is not told by LISTEN and NOTIFY, which
would make all commits of a database wait for each other, and need a connection of their own.
"""

import threading
import time
from typing import Final

from clew.store.postgres_pool import Pool

FRESH: Final = 0.05
"""Seconds for which an answer is good, unless this process commits something."""


class Watch:
    """Remembers the last answer.

    Args:
        changes: the statement that gives the sum.
    """

    def __init__(self, pool: Pool, changes: str) -> None:
        self._pool = pool
        self._changes = changes
        self._lock = threading.Lock()
        self._seen = (-1, 0)
        self._version = 0
        self._asked = float("-inf")
        self._is_stale = True

    def has_committed(self) -> None:
        """Notes that this process has committed something."""
        self._is_stale = True

    def version(self) -> int:
        """See `Store.version`. A lost connection counts as a change: a crash may take back what was not yet durable."""
        with self._lock:
            now = time.monotonic()
            if self._is_stale or now >= self._asked + FRESH or self._pool.losses != self._seen[1]:
                self._is_stale, self._asked = False, now  # a commit from here on makes it stale again
                seen = self._ask()
                if seen != self._seen:
                    self._seen, self._version = seen, self._version + 1
            return self._version

    def _ask(self) -> tuple[int, int]:
        try:
            return int(self._pool.ask(self._changes)[0][0]), self._pool.losses
        except BaseException:
            self._is_stale = True
            raise
