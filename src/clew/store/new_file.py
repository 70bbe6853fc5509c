"""Creates a file that appears under its name only when it is complete. Start at `new_file`."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from clew.errors import StoreError, StoreLocked
from clew.forks import identity, let_go, lockable
from clew.store.home import sync_directory
from clew.store.translate import translated

if sys.platform != "win32":
    import fcntl

UNFINISHED: Final = ".clew-unfinished"
"""What is added to the name of a file until it is whole."""
_FOLDER: Final = ".clew-unfinished-home"
"""How the name of a folder ends in which a file is prepared."""
_LOCK: Final = "clew.unfinished"
"""The file in it that its writer holds."""
_BESIDE: Final = ("-journal", "-wal", "-shm")
"""What SQLite may leave beside a database when it is killed."""


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Gives the path at which the block writes a file for its owner alone; at the end of the block it gets its name.

    After an error nothing is left. Unfinished files in the same directory whose writers were killed are removed.

    Raises:
        StoreLocked: somebody else is writing a file of this name.
        StoreError: something of this name exists, or the operating system refuses to write there.
    """
    with naming(path):
        _refuse_existing(path)
        unfinished = unfinished_path(path)
        for left in path.parent.glob(f"*{UNFINISHED}"):
            remove_abandoned(left)
        with suppress(FileExistsError):  # whether its writer is at work is told by the lock
            unfinished.touch(mode=0o600, exist_ok=False)
        with _held(unfinished) as is_ours:
            if not is_ours:
                raise StoreLocked(f"somebody else is writing {str(path)!r}; wait for them, or name another file")
            try:
                _refuse_existing(path)  # the other writer may just have ended
                _remove(unfinished, _BESIDE)
                yield unfinished
                unfinished.replace(path)
            finally:
                _remove(unfinished)
        sync_directory(path.parent)


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Gives a folder beside a file that is about to be written, for its owner alone; at the end of the block it goes.

    Those of writers that were killed are removed first: what stands in them is as confidential as the file.
    """
    for left in path.parent.glob(f"*{_FOLDER}"):
        with suppress(OSError), _held(left / _LOCK) as is_abandoned:  # somebody else may just be removing it
            if is_abandoned:
                shutil.rmtree(left)
    while True:
        with tempfile.TemporaryDirectory(suffix=_FOLDER, dir=path.parent) as name:
            folder = Path(name)
            (folder / _LOCK).touch(mode=0o600)
            with _held(folder / _LOCK) as is_ours:
                if is_ours:
                    yield folder
                    return
        # Before the lock was ours, somebody took the folder for abandoned: it is gone, and another one is made.


def unfinished_path(path: Path) -> Path:
    """The path at which a file is written until it is complete."""
    return path.with_name(path.name + UNFINISHED)


def remove_abandoned(unfinished: Path) -> None:
    """Removes an unfinished file, and what SQLite left beside it, if its writer was killed."""
    with suppress(OSError), _held(unfinished) as is_abandoned:  # somebody else may just be removing it
        if is_abandoned:
            _remove(unfinished)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Replaces an error of the operating system by one of Clew's that names the file."""
    try:
        yield
    except OSError as error:
        kind, why = type(translated(error) or StoreError()), f"{error.strerror or error}; choose another place"
        if isinstance(error, FileNotFoundError) and identity(path.parent) is None:
            why = "its folder does not exist; make it, or name another place"
        raise kind(f"{str(path)!r} cannot be written: {why}") from error


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise StoreError(f"{str(path)!r} exists; expected the name of a new file")


def _remove(unfinished: Path, suffixes: Sequence[str] = ("", *_BESIDE)) -> None:
    for suffix in suffixes:
        unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)


@contextmanager
def _held(unfinished: Path) -> Iterator[bool]:
    """Holds a file inside the block; False when somebody else does, who is writing it or has just removed it.

    The lock is `flock`'s, which the system frees when a process is killed, and which does not touch SQLite's own. The
    handle is closed after SQLite's, since closing one drops those. Windows has no such lock, and deletes no open file.
    """
    if sys.platform == "win32":
        yield True
        return
    try:
        handle = lockable(unfinished)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_ours = False
        else:
            status = os.fstat(handle)
            is_ours = identity(unfinished) == (status.st_dev, status.st_ino)
        yield is_ours
    finally:
        let_go(handle)
