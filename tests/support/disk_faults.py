"""A disk that fails on command: a file layer for SQLite (a VFS) over the operating system's own."""

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

_numbers: Final = itertools.count()

SYSTEM: Final = apsw.vfs_names()[0]
"""The operating system's own file layer, also while a test makes another one the default."""


class FaultyDisk(apsw.VFS):
    """Pass `disk.name` as `vfs=` to `SqliteStore.open`.

    Attributes:
        fault: called before each operation with its name (`open`, `read`, `write`, `sync`, `truncate`) and the file's
            name; raises what the disk shall answer. A `write` may also give a number: only so many bytes are written.
        done: how often each operation was asked for, by operation and suffix of the file (`db`, `wal`, ...).
        delay: seconds that a `sync` takes longer.
    """

    def __init__(self) -> None:
        self.name = f"faulty-{next(_numbers)}"
        self.fault: Callable[[str, str], int | None] = lambda _operation, _name: None
        self.done: dict[tuple[str, str], int] = {}
        self.delay = 0.0
        super().__init__(self.name, SYSTEM)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name or "temporary")
        self.meet("open", path)
        return _FaultyFile(self, name, flags, path)

    def meet(self, operation: str, path: str) -> int | None:
        name = Path(path).name
        key = (operation, name.rpartition("-")[2] if "-" in name else "db")
        self.done[key] = self.done.get(key, 0) + 1
        if operation == "sync" and self.delay:
            time.sleep(self.delay)
        return self.fault(operation, name)


class _FaultyFile(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, name: str | apsw.URIFilename | None, flags: list[int], path: str) -> None:
        super().__init__(SYSTEM, name, flags)
        self._disk = disk
        self._path = path

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  # SQLite's name
        self._disk.meet("read", self._path)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's name
        short = self._disk.meet("write", self._path)
        super().xWrite(data if short is None else data[:short], offset)
        if short is not None:
            raise apsw.FullError("short write")

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's name
        self._disk.meet("sync", self._path)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's name
        self._disk.meet("truncate", self._path)
        super().xTruncate(newsize)
