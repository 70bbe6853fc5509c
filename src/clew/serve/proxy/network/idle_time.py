"""How long a kept connection has been idle, and how long it may be.

A server closes a connection on which nothing happened for some time, and a question that meets it in closing is lost.
So a connection is left before that: the time counts from when nothing of the answer was there yet, not from when a busy
proxy has read it, and a server that tells how long it waits (`Keep-Alive: timeout=5`) is believed.
"""

import time
from typing import Final

LIMIT: Final = "limit_idle"
"""What `get_extra_info` of a connection is asked for the function that takes for how long its server keeps it."""

EARLIER: Final = 1.0
"""Seconds before the server's time is over at which a connection is not used any more: a question is on its way."""


class IdleTime:
    """The idle time of one connection, which begins when it opens."""

    def __init__(self, most: float) -> None:
        """Takes the seconds after which the connection is not used again."""
        self._most, self._since = most, time.monotonic()

    def restart(self) -> None:
        """Counts from now: there is nothing to read, so that what is read next comes after this."""
        self._since = time.monotonic()

    def limit(self, seconds: float) -> None:
        """Takes for how many seconds the server keeps a connection on which nothing happens."""
        self._most = min(self._most, seconds - EARLIER)

    @property
    def is_over(self) -> bool:
        """Whether the connection has been idle for too long."""
        return time.monotonic() > self._since + self._most
