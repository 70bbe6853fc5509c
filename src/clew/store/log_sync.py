"""Syncs SQLite's write-ahead log to the disk in a thread, while the writer goes on; callers that wait share a sync.

A commit with `synchronous = NORMAL`, followed by a sync of the log, is as durable as one with `FULL`: SQLite itself
syncs the log's header, and the log before it copies pages from there into the database. SQLite locks bytes of other
files only, so closing a handle of the log releases no lock.

Only a failed sync differs. With `FULL`, SQLite would write that commit again; here it is in the log already. The system
reports the failure once, and later commits in the same log would be lost with that one. So `doubt` is called.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from clew.errors import ClosedError
from clew.store.translate import translating

if sys.platform == "darwin":
    import fcntl


class _PendingSync:
    """One sync, shared by all callers that asked before it began."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def wait(self) -> None:
        """Return when the sync has ended, or raise its error."""
        self._ended.wait()
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
                self._next = _PendingSync()
                self._arrival.notify()
            return self._next.wait

    def close(self) -> None:
        """End the thread after the syncs that were started."""
        with self._arrival:
            self._closing = True
            self._arrival.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        while (current := self._take_next()) is not None:
            try:
                with translating():
                    sync_log(self._log)
            except BaseException as error:  # noqa: BLE001  # raised in the threads that wait
                self._doubt()
                current.end(error)
            else:
                current.end()

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
    """Sync the log to the disk. It exists as long as its writer has it open, unless somebody moved it."""
    handle = os.open(file, os.O_RDWR)
    try:
        if sys.platform == "darwin":
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # fsync alone stops at the drive's cache
        else:
            os.fsync(handle)
    finally:
        os.close(handle)
