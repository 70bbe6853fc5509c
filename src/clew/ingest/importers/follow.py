"""Goes on reading a session file where it was left, so that a file which grows costs what its new lines cost.

The reader of the file is kept as it is after the last line: a paused generator. It goes on only if the file was
appended to: the same inode, no shorter, and the same bytes at its beginning and before the place that was reached.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from clew.ingest.importers.files import file_end
from clew.ingest.importers.record import FileEnd, ImportRecord
from clew.ingest.importers.source import Position, Source

_COMPARED: Final = 1 << 16
"""Bytes at the beginning, and before the place that was reached, by which a file is recognised."""

Reader = Callable[[Source], Iterator[ImportRecord]]


@dataclass(frozen=True, slots=True)
class _Recognised:
    """What tells the file that was read from another one."""

    inode: int
    size: int
    digest: bytes


class FollowedFile:
    """One file of JSON lines, and how far it was read."""

    def __init__(self, path: Path, source: Source, read: Reader) -> None:
        self._path = path
        self._position = Position()
        self._records = read(replace(source, position=self._position))
        self._seen: _Recognised | None = None

    def goes_on(self) -> bool:
        """Whether the rest of the file can be read alone: what was read still stands, and ended with a line."""
        try:
            return self._seen is not None and self._seen == self._recognise(self._seen.size)
        except OSError:
            return False

    def more(self) -> Iterator[ImportRecord]:
        """The records from where the file was left to its present end, then its `FileEnd`."""
        self._position.end = file_end(self._path)
        for record in self._records:
            yield record
            if isinstance(record, FileEnd):
                self._seen = self._recognise(self._position.offset) if self._position.is_whole else None
                return
        self._seen = None  # reading broke off
        yield self._position.end

    def _recognise(self, size: int) -> _Recognised | None:
        with self._path.open("rb") as stream:
            state = os.fstat(stream.fileno())
            if state.st_size < size:
                return None
            head = stream.read(min(size, _COMPARED))
            stream.seek(max(0, size - _COMPARED))
            tail = stream.read(min(size, _COMPARED))
        return _Recognised(state.st_ino, size, hashlib.sha256(head + tail).digest())
