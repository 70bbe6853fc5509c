"""Brings SQLite's log to the disk behind its writer, which goes on meanwhile: one sync for all who wait.

A commit with `synchronous = NORMAL` and a sync of the log after it are what a commit with `FULL` is: SQLite itself
syncs the log's header, and the log before it copies its pages into the database.
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


class _Round:
    """One sync for all who asked before it began."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def wait(self) -> None:
        """Returns when it has ended, or raises its error."""
        self._ended.wait()
        if self._error is not None:
            raise self._error

    def end(self, error: BaseException | None = None) -> None:
        """Lets all go on who wait."""
        self._error = error
        self._ended.set()


class LogSync:
    """The thread that waits for the disk, started when it is first needed. Threads may share it."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._arrival = threading.Condition()
        self._next: _Round | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    def begin(self) -> Callable[[], None]:
        """Begins to sync all that is committed by now; what it gives returns when that is on the disk.

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
                self._next = _Round()
                self._arrival.notify()
            return self._next.wait

    def close(self) -> None:
        """Ends the thread, after what was begun."""
        with self._arrival:
            self._closing = True
            self._arrival.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        while (current := self._first()) is not None:
            try:
                with translating():
                    _sync(self._log)
            except BaseException as error:  # noqa: BLE001  # whatever it is belongs to those who wait for it
                current.end(error)
            else:
                current.end()

    def _first(self) -> _Round | None:
        """The round that was asked for, which nobody joins any more; None when the store closes."""
        with self._arrival:
            while self._next is None:
                if self._closing:
                    return None
                self._arrival.wait()
            current, self._next = self._next, None
            return current


def _sync(file: Path) -> None:
    """Returns when a file is on the disk; at once where there is none: SQLite removes a log that it has copied."""
    try:
        handle = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        if sys.platform == "darwin":
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # fsync alone stops at the drive's cache
        else:
            os.fsync(handle)
    finally:
        os.close(handle)
