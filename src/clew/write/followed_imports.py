"""Imports that can be continued when their files grow: the reader and the alignment of each file."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clew.ingest.importers import FollowedFile
from clew.write.stream_alignment import StreamAlignment
from clew.write.turn_ids import TurnIds

_MOST: Final = 16
"""Files that are kept, the last ones imported: a person seldom works in more sessions at a time."""


@dataclass(slots=True)
class FollowedImport:
    """One file, and what its turns so far led to.

    Attributes:
        streams: alignment of its sequence of turns, by session.
        turns: how many of its records are stored as turns.
        ids: of these turns.
        queued: external ids of those that waited in a client's queue, and the ids of their turns.
    """

    file: FollowedFile
    streams: dict[str, StreamAlignment] = field(default_factory=dict)
    turns: int = 0
    ids: TurnIds = field(default_factory=TurnIds)
    queued: dict[str, str] = field(default_factory=dict)


class FollowedImports:
    """The imports of one Memory that can be continued, by file and by how it was read. Threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, str], FollowedImport] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, path: Path, read_as: str) -> FollowedImport | None:
        """Takes out the import of a file that has only grown since; None if the whole file has to be read again."""
        with self._lock:
            followed = self._kept.pop((path.absolute(), read_as), None)
        return followed if followed is not None and followed.file.goes_on() else None

    def keep(self, path: Path, read_as: str, followed: FollowedImport) -> None:
        """Keeps an import that succeeded until it is taken out, or dropped for newer ones."""
        if not followed.file.goes_on():
            return
        with self._lock:
            self._kept[path.absolute(), read_as] = followed
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
