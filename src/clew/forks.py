"""Forks of a process that has databases open: the child gets a SQLite that it can use, and leaves its parent's alone.

SQLite keeps what a process has locked in memory. A child would inherit that, with mutexes of threads that it does not
have: opening the same home would wait for ever, or go on without any lock. So a fork waits until no thread is inside of
SQLite, and the child closes its copies of the connections, in a way that changes no file: the locks in the files belong
to the parent.

The child also closes what the parent holds by `flock`, which would stay held until both have closed it.

A fork does not wait long. In a child that was made in the middle of a call, SQLite is not used at all.

Source: https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_across_a_fork_
"""

import ctypes
import gc
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw

from clew.errors import ClosedError, StoreError

PATIENCE: Final = 5.0
"""Seconds that a fork waits for calls of SQLite to end."""

_SPAWN: Final = "start the process in another way (multiprocessing's 'spawn'), or fork before the memory is opened"


class Shared:
    """A connection that is known to forks, from when it is made until it is closed.

    Attributes:
        filename: the absolute path of the database; empty for one in memory.
        lock: held by the thread that uses the connection. A thread may take it again.
        number: of this process, counted up.
        is_inherited: whether this process was forked from the one that made it.
    """

    __slots__ = ("connection", "filename", "is_inherited", "lock", "number")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.filename = connection.filename
        self.lock = threading.RLock()
        self.number = next(_NUMBERS)
        self.is_inherited = False
        _OPEN[self.number] = self

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a statement, read while forks wait."""
        with self.lock:
            return self.connection.execute(statement, values).fetchall()

    def close(self) -> None:
        """Closes the connection."""
        try:
            with self.lock:
                self.connection.close()
        finally:
            _OPEN.pop(self.number, None)


def lockable(file: Path) -> int:
    """Opens a file to be locked by `flock`, with a handle that a forked child does not keep; `let_go` closes it."""
    with _STATE.arrival:  # no fork comes between the two
        handle = os.open(file, os.O_RDONLY)
        _STATE.handles.add(handle)
    return handle


def let_go(handle: int) -> None:
    """Closes what `lockable` opened, unless this process is a child that has closed it."""
    with _STATE.arrival:
        if handle in _STATE.handles:
            _STATE.handles.remove(handle)
            os.close(handle)


class _State:
    """What forks know of this process.

    Attributes:
        inside: calls of SQLite outside of known connections that are going on.
        arrival: guards `inside`.
        held: connections that a fork has stopped, by number.
        is_quiet: whether the fork has stopped everything.
        collects: whether garbage was collected before the fork.
        parent: the process that was in the middle of a call when it made this one; None when there is none.
        handles: those that are held by `flock`.
        written: databases that the parent's transaction, in which this process was made, writes.
    """

    def __init__(self) -> None:
        self.inside = 0
        self.arrival = threading.Condition()
        self.held: dict[int, Shared] = {}
        self.is_quiet = True
        self.collects = False
        self.parent: int | None = None
        self.handles: set[int] = set()
        self.written: set[tuple[int, int]] = set()


_NUMBERS: Final = itertools.count()
_OPEN: Final[dict[int, Shared]] = {}
_STATE: Final = _State()


def refuse_inherited(process: int) -> None:
    """Refuses a store that another process opened.

    Args:
        process: the one that opened it.

    Raises:
        ClosedError: this process was forked from that one.
    """
    if process != os.getpid():
        raise ClosedError(
            f"the store was opened by process {process} and cannot be used in its fork {os.getpid()}; open it again in "
            "this process"
        )


def refuse_after_unsafe_fork(file: Path | None = None) -> None:
    """Refuses to open a database; any, when none is given.

    Raises:
        StoreError: this process was forked at a moment that leaves it no SQLite, or not this database.
    """
    if _STATE.parent is not None:
        raise StoreError(
            f"this process was forked from process {_STATE.parent} while that was in the middle of a long work on a "
            f"database, and can use none; {_SPAWN}"
        )
    if _STATE.written and file is not None and identity(file) in _STATE.written:
        raise StoreError(
            f"this process was forked inside a transaction on {str(file)!r}, and cannot open it; fork outside, or "
            f"{_SPAWN}"
        )


def identity(file: Path) -> tuple[int, int] | None:
    """What tells a file from every other, also under the same name; None when there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def using_sqlite() -> Iterator[None]:
    """Stands around every use of SQLite but that of a known connection; forks wait for its end.

    Raises:
        StoreError: as `refuse_after_unsafe_fork`.
    """
    refuse_after_unsafe_fork()
    with _STATE.arrival:
        _STATE.inside += 1
    try:
        yield
    finally:
        with _STATE.arrival:
            _STATE.inside -= 1
            _STATE.arrival.notify_all()


def _before() -> None:
    """Waits until no thread is inside of SQLite, and lets none in."""
    _STATE.collects = gc.isenabled()
    gc.disable()  # a store that is collected now would wait for what is held
    deadline = time.monotonic() + PATIENCE
    _hold(deadline)
    _STATE.arrival.acquire()
    ended = _STATE.arrival.wait_for(lambda: _STATE.inside == 0, _left(deadline))
    _hold(deadline)  # what was opened meanwhile
    _STATE.is_quiet = ended and _OPEN.keys() <= _STATE.held.keys()


def _hold(deadline: float) -> None:
    for each in list(_OPEN.values()):
        if each.number not in _STATE.held and each.lock.acquire(timeout=_left(deadline)):
            _STATE.held[each.number] = each


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _in_parent() -> None:
    _STATE.arrival.release()
    held, _STATE.held = _STATE.held, {}
    for each in held.values():
        each.lock.release()
    if _STATE.collects:
        gc.enable()


def _in_child() -> None:
    inherited = list(_OPEN.values())
    _OPEN.clear()
    for each in inherited:
        each.is_inherited = True
    if _STATE.is_quiet:
        for each in inherited:
            _close_copy(each.connection)
    else:
        _STATE.parent = os.getppid()
        for each in inherited:
            _keep(each.connection)
    handles, _STATE.handles = _STATE.handles, set()
    for handle in handles:
        os.close(handle)
    _STATE.inside = 0
    _in_parent()


def _close_copy(connection: apsw.Connection) -> None:
    """Closes a child's copy without a change to the files; one that writes cannot be, and is never used again."""
    try:
        if connection.txn_state() != apsw.SQLITE_TXN_WRITE:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close(True)
            return
    except apsw.ConnectionClosedError:
        return
    except apsw.Error:
        _STATE.parent = os.getppid()
    found = identity(Path(connection.filename))
    if found is not None:
        _STATE.written.add(found)
    _keep(connection)


def _keep(connection: apsw.Connection) -> None:
    """Keeps a connection from being closed, also at the end of the process: that would touch what the parent writes."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    with suppress(apsw.Error):  # a thread that this process does not have is inside of it
        connection.exec_trace = _refuse


def _refuse(*_: object) -> bool:
    raise ClosedError(f"the transaction belongs to the process that forked this one, {os.getppid()}; it goes on there")


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
