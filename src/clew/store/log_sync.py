"""Syncs SQLite's write-ahead log to the disk in a thread, while the writer goes on; callers that wait share a sync.

A commit with `synchronous = NORMAL`, followed by a sync of the log, is as durable as one with `FULL`: SQLite itself
syncs the log's header, and the log before it copies pages from there into the database. SQLite locks bytes of other
files only, so closing a handle of the log releases no lock.

The thread opens the log once and keeps the handle: each system call releases the interpreter lock, and taking it back
interrupts the thread that computes meanwhile. The callers that wait check that the log still has its name.

Only a failed sync differs. With `FULL`, SQLite would write that commit again; here it is in the log already. The system
reports the failure once, and later commits in the same log would be lost with that one. So `doubt` is called.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from clew.errors import ClosedError, StoreError
from clew.forks import identity
from clew.store.translate import translating

if sys.platform == "darwin":
    import fcntl


_KEEPS_OPEN: Final = sys.platform != "win32"
"""Whether the log stays open; on Windows the last connection could not remove it then."""


class _PendingSync:
    """One sync, shared by all callers that asked before it began.

    Args:
        see_its_name: raises StoreError if another file, or none, has the name of the log that was synced.
    """

    def __init__(self, see_its_name: Callable[[], None]) -> None:
        self._see_its_name = see_its_name
        self._ended = threading.Event()
        self._is_seen = False
        self._error: BaseException | None = None

    def wait(self) -> None:
        """Return when the sync has ended, or raise its error."""
        self._ended.wait()
        if self._error is None and not self._is_seen:
            try:
                self._see_its_name()
            except StoreError as error:
                self._error = error
            self._is_seen = True
        if self._error is not None:
            raise self._error

    def end(self, error: BaseException | None = None) -> None:
        """Wake all callers that wait."""
        self._error = error
        self._ended.set()


class LogSync:
    """The thread that waits for the disk, started when it is first needed. Threads may share it.

    Args:
        doubt: called after a failed sync, before the callers that wait get its error.
    """

    def __init__(self, log: Path, doubt: Callable[[], None]) -> None:
        self._log, self._doubt = log, doubt
        self._handle: int | None = None
        self._own: tuple[int, int] | None = None  # which file the handle is of, as `identity` tells it
        self._arrival = threading.Condition()
        self._next: _PendingSync | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    def begin(self) -> Callable[[], None]:
        """Start a sync of everything that is committed by now, without waiting for it.

        Returns:
            A function that waits until the commits are on the disk, and raises the error of a sync that failed.

        Raises:
            ClosedError: the store is closed or closing.
        """
        with self._arrival:
            if self._closing:
                raise ClosedError
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="clew-sync", daemon=True)
                self._thread.start()
            if self._next is None:
                self._next = _PendingSync(self._see_its_name)
                self._arrival.notify()
            return self._next.wait

    def close(self) -> None:
        """End the thread after the syncs that were started."""
        with self._arrival:
            self._closing = True
            self._arrival.notify()
        if self._thread is not None:
            self._thread.join()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _serve(self) -> None:
        while (current := self._take_next()) is not None:
            try:
                with translating():
                    self._sync()
            except BaseException as error:  # noqa: BLE001  # raised in the threads that wait
                self._doubt()
                current.end(error)
            else:
                current.end()

    def _sync(self) -> None:
        if not _KEEPS_OPEN:
            sync_log(self._log)
            return
        if self._handle is None:
            self._handle = os.open(self._log, os.O_RDWR)
            own = os.fstat(self._handle)
            self._own = own.st_dev, own.st_ino
        _sync(self._handle)

    def _see_its_name(self) -> None:
        """Refuse a log that was moved or replaced, unless it is gone because the store was closed meanwhile."""
        if _KEEPS_OPEN and identity(self._log) != self._own and not self._closing:
            self._doubt()
            raise StoreError(
                f"{str(self._log)!r} does not exist any more, or was replaced, while it was open; put it back: it has "
                "the last commits"
            )

    def _take_next(self) -> _PendingSync | None:
        """The next sync that was asked for, closed to further callers; waits for one. None when the store closes."""
        with self._arrival:
            while self._next is None:
                if self._closing:
                    return None
                self._arrival.wait()
            current, self._next = self._next, None
            return current


def sync_log(file: Path) -> None:
    """Syncs the log to the disk. The log exists as long as its writer has it open, unless somebody moved it."""
    handle = os.open(file, os.O_RDWR)
    try:
        _sync(handle)
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # fsync alone stops at the drive's cache
    else:
        os.fsync(handle)
