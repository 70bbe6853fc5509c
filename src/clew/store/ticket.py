"""A fair turn among processes: whoever drew first writes first.

SQLite lets waiting writers sleep and retry, so that a busy process can keep a patient one waiting for ever. Here each
writer draws a number under a short lock, holds the lock of its own number, and waits for the lock of the number before
it; the operating system frees the locks of a process that dies. Fairness only: what keeps two writers apart is SQLite's
own lock, so a number that is lost costs order, never data.

Locks are bytes of one file (POSIX record locks; `msvcrt.locking` on Windows). They belong to the process, so the
threads and stores of one process share one `Ticket` for a file and a lock of their own.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.errors import StoreLocked
from clew.store.translate import translating

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_COUNTER: Final = 0
"""The byte whose lock protects the counter; the counter itself stands in the file's first 8 bytes."""
_MARK: Final = 8
"""The byte that is 1 from when the home's database was made: whoever finds that one empty later knows of a loss."""
_FIRST: Final = 1024
_NUMBERS: Final = 1 << 20
"""Numbers come round after this many; nobody waits that long."""
_SHORTEST: Final = 0.00005
_LONGEST: Final = 0.001
"""Seconds between two looks at the lock before ours; the waiting doubles from the one to the other."""

_open: Final[dict[tuple[int, Path], "Ticket"]] = {}
_opening: Final = threading.RLock()


class Ticket:
    """The turns of one home. Take it with `Ticket.of`, give it back with `close`."""

    def __init__(self, path: Path) -> None:
        with translating():
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        self._path = path
        self._users = 0
        self._gate = threading.Lock()

    @classmethod
    def of(cls, path: Path) -> "Ticket":
        """The process's ticket for this file; a forked child gets its own."""
        with _opening:
            ticket = _open.get((os.getpid(), path))
            if ticket is None:
                ticket = _open[os.getpid(), path] = cls(path)
            ticket._users += 1
            return ticket

    def close(self) -> None:
        """Gives the ticket back; the last one closes the file."""
        with _opening:
            self._users -= 1
            if self._users == 0:
                del _open[os.getpid(), self._path]
                os.close(self._file)

    @contextmanager
    def turn(self, timeout: float) -> Iterator[None]:
        """Holds the turn inside the block.

        Args:
            timeout: seconds to wait for it.

        Raises:
            StoreLocked: others held it longer.
        """
        deadline = time.monotonic() + timeout
        if not self._gate.acquire(timeout=timeout):
            raise self._too_long(timeout)
        try:
            with translating():
                mine, is_next = self._draw(deadline, timeout)
            try:
                if not is_next:
                    with translating():
                        self._lock(_offset(mine - 1), deadline, timeout)
                        self._unlock(_offset(mine - 1))
                yield
            finally:
                with translating():
                    self._unlock(_offset(mine) - is_next, 1 + is_next)
        finally:
            self._gate.release()

    def is_marked(self) -> bool:
        """Whether the home's database was made before; to be asked within a turn."""
        with translating():
            os.lseek(self._file, _MARK, os.SEEK_SET)
            return os.read(self._file, 1) == b"\1"

    def mark(self) -> None:
        """Notes that the home's database is made; within a turn."""
        if not self.is_marked():
            with translating():
                os.lseek(self._file, _MARK, os.SEEK_SET)
                os.write(self._file, b"\1")

    def _draw(self, deadline: float, timeout: float) -> tuple[int, bool]:
        """Takes the next number and the lock that goes with it.

        Returns:
            The number, and whether nobody is before us: then the lock of the number before it is ours, too.
        """
        self._lock(_COUNTER, deadline, timeout)
        try:
            os.lseek(self._file, 0, os.SEEK_SET)
            mine = int.from_bytes(os.read(self._file, 8), "little") % _NUMBERS
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, (mine + 1).to_bytes(8, "little"))
            is_next = mine > 0 and self._try(_offset(mine - 1), 2)  # as a rule; it saves two of the system's calls
            if not is_next:
                self._lock(_offset(mine), deadline, timeout)
            return mine, is_next
        finally:
            self._unlock(_COUNTER)

    def _lock(self, offset: int, deadline: float, timeout: float) -> None:
        pause = _SHORTEST
        while not self._try(offset):
            if time.monotonic() > deadline:
                raise self._too_long(timeout)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)

    def _too_long(self, timeout: float) -> StoreLocked:
        return StoreLocked(f"others hold {str(self._path)!r} for more than {timeout:g} s; try again, or stop them")

    if sys.platform == "win32":

        def _try(self, offset: int, length: int = 1) -> bool:
            os.lseek(self._file, offset, os.SEEK_SET)
            try:
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, length)
            except OSError:  # the only way in which it says that another process has the byte
                return False
            return True

        def _unlock(self, offset: int, length: int = 1) -> None:
            os.lseek(self._file, offset, os.SEEK_SET)
            msvcrt.locking(self._file, msvcrt.LK_UNLCK, length)

    else:

        def _try(self, offset: int, length: int = 1) -> bool:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, offset)
            except (BlockingIOError, PermissionError):  # EAGAIN and EACCES both say that another process has the byte
                return False
            return True

        def _unlock(self, offset: int, length: int = 1) -> None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, length, offset)


if hasattr(os, "register_at_fork"):  # a thread that the child does not have may be opening one
    os.register_at_fork(before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_opening.release)


def _offset(number: int) -> int:
    """Where the lock of a number lies; beyond the counter, so that Windows lets the counter be read."""
    return _FIRST + number % _NUMBERS
