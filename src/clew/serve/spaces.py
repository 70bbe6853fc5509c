"""The open memories of the server: one for each space, opened when it is first needed, closed at the end."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from clew.errors import ClewError, ClosedError, StoreError
from clew.memory import Memory

log = logging.getLogger(__name__)

AGAIN: Final = 5.0
"""Seconds after a memory could not be opened in which the same error is given, since opening takes long and locks."""


class Spaces:
    """Memories by space. Threads share it; opening one space does not hold up another."""

    def __init__(self, opening: Callable[[str], Memory], now: Callable[[], float] = time.monotonic) -> None:
        """Takes what opens the memory of a space."""
        self._opening, self._now = opening, now
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._open: dict[str, Memory] = {}
        self._failed: dict[str, tuple[float, ClewError]] = {}
        self._faults = 0  # of all spaces
        self._faulty: dict[str, tuple[int, str]] = {}  # with the number of its last fault
        self._closed = False

    def get(self, space: str) -> Memory:
        """The memory of a space.

        Raises:
            ClewError: it cannot be opened.
        """
        memory = self._open.get(space)
        if memory is not None:
            return memory
        with self._lock:
            own = self._locks.setdefault(space, threading.Lock())
        with own:
            if self._closed:
                raise ClosedError("the server is stopping; its memories are closed")
            return self._opened(space)

    def _opened(self, space: str) -> Memory:
        if space in self._open:
            return self._open[space]
        then, error = self._failed.get(space, (-AGAIN, None))
        if error is not None and self._now() - then < AGAIN:
            raise error
        try:
            memory = self._opening(space)
        except ClewError as failed:
            self._failed[space] = (self._now(), failed)
            raise
        self._failed.pop(space, None)
        with self._lock:
            is_late = self._closed
            if not is_late:
                self._open[space] = memory
        if is_late:
            memory.close()
            raise ClosedError("the server is stopping; its memories are closed")
        return memory

    def failed(self, space: str, error: Exception) -> None:
        """Notes that the store of an open memory failed; other errors, and those of opening, are not noted here."""
        if isinstance(error, StoreError) and space in self._open:
            with self._lock:
                self._faults += 1
                self._faulty[space] = self._faults, type(error).__name__

    @property
    def faults(self) -> int:
        """How many failures were noted."""
        return self._faults

    def worked(self, space: str, since: int) -> None:
        """Notes that the store of a memory works, which says nothing about a failure that came meanwhile.

        Args:
            since: `faults` when the work began.
        """
        if space in self._faulty:
            with self._lock:
                number, _ = self._faulty.get(space, (since + 1, ""))
                if number <= since:
                    del self._faulty[space]

    def warm_up(self, space: str) -> None:
        """Opens the memory of a space and loads its models ahead of the first request, which tells what fails here."""
        try:
            self.get(space).warm_up()
        except ClewError as error:
            log.info("the memory could not be loaded ahead: %s", error)

    def broken(self) -> dict[str, str]:
        """The spaces whose memory cannot be opened, or whose store failed last time, with the type of the error."""
        unopened = {space: type(error).__name__ for space, (_, error) in list(self._failed.items())}
        faulty = {space: error for space, (_, error) in list(self._faulty.items())}
        return faulty | unopened

    def close(self) -> None:
        """Closes every memory; whoever asks for one afterwards gets an error."""
        with self._lock:
            self._closed = True
            memories = list(self._open.values())
            self._open.clear()
        for memory in memories:
            memory.close()
