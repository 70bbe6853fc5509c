"""Which session files of coding agents have changed since the last look. Start at `SessionFolders.changed`.

Polls sizes and times, since that works on every system and file system. To stay cheap with thousands of files, a look
examines the folders and the files that changed lately; every few seconds it examines all files. Borders: reads no file.
"""

import os
import time
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from clew.ingest.importers.files import SESSIONS, find_sessions

USUAL: Final = ("claude-code", "codex", "gemini-cli")
"""Programs that write each session to a file of its own."""

PROGRAMS: Final = (*USUAL, "cursor")
"""Programs whose session folders are known; Cursor has all sessions of a user in one database."""


def _root(pattern: str) -> str:
    """The folder in which every file of a glob pattern is."""
    folders = pattern.split("/")[:-1]
    return "/".join(takewhile(lambda name: "*" not in name, folders))


_ROOTS: Final = {name: tuple(dict.fromkeys(map(_root, patterns))) for name, patterns in SESSIONS.items()}
"""Program -> its folders of sessions, below the home directory."""

ALL_SECONDS: Final = 5.0
"""Seconds between two looks at all files."""

ACTIVE_SECONDS: Final = 3600.0
"""A file that changed within this time is examined by every look."""

_FLAT: Final = frozenset(_ROOTS["cursor"])
"""Folders in which sessions are one level deep, and much else is deeper."""

Stamp = tuple[int, ...]
"""Inode, size and times: different after an append, a truncation, a replacement, and a rewriting that sets the time
of the last change back, as copying programs do.
"""


class SessionFile(NamedTuple):
    """A session file that changed, and its state at the look."""

    program: str
    path: Path
    stamp: Stamp


class SessionFolders:
    """The session folders of some programs, and the state of each file that was taken.

    Attributes:
        closed: folders that cannot be listed, with the reason; looked for again with all files.
    """

    def __init__(self, programs: Sequence[str], home: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Looks at nothing yet; at the first look every file has changed."""
        self._programs, self._home, self._clock = programs, home, clock
        self._files: dict[Path, str] = {}
        self.closed: dict[Path, str] = {}
        self._folders: dict[Path, Stamp | None] = {}
        self._taken: dict[Path, Stamp] = {}
        self._active: dict[Path, float] = {}
        self._looked_at_all: float | None = None

    def changed(self) -> list[SessionFile]:
        """The files that differ from what was taken, or that were not taken yet."""
        now = self._clock()
        looks_at_all = self._looked_at_all is None or now - self._looked_at_all >= ALL_SECONDS
        is_first = self._looked_at_all is None
        if is_first or (looks_at_all and self.closed) or self._has_new_files():
            self._find()
        if looks_at_all:
            self._looked_at_all = now
        changes = []
        for path in self._files:
            if not looks_at_all and path in self._taken and self._active.get(path, now) <= now:
                continue
            stamp = _stamp(path)
            if stamp is not None and stamp != self._taken.get(path):
                self._active[path] = now + ACTIVE_SECONDS
                changes.append(SessionFile(self._files[path], path, stamp))
        return changes

    def take(self, file: SessionFile) -> None:
        """Notes that a file was read in the state of the look: what was written since is found by the next look."""
        self._taken[file.path] = file.stamp

    def _find(self) -> None:
        """Finds the files and folders again; a file that is gone is read again if it comes back."""
        self.closed = {}
        self._folders = {
            folder: _stamp(folder)
            for program in self._programs
            for root in _ROOTS[program]
            for folder in self._folders_below(self._home / root, flat=root in _FLAT)
        }
        self._files = {path: program for program in self._programs for path in find_sessions(program, self._home)}
        for known in (self._taken, self._active):
            for path in known.keys() - self._files.keys():
                del known[path]

    def _has_new_files(self) -> bool:
        return any(_stamp(folder) != stamp for folder, stamp in self._folders.items())

    def _folders_below(self, root: Path, *, flat: bool) -> list[Path]:
        folders = []
        for folder, below, _ in os.walk(root, onerror=self._note_closed):
            folders.append(Path(folder))
            if flat and len(folders) > 1:
                below.clear()
        return folders or [root]

    def _note_closed(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            self.closed[Path(str(error.filename))] = f"cannot be listed: {error.strerror}"


def _stamp(path: Path) -> Stamp | None:
    try:
        state = path.stat()
    except OSError:  # it is gone, or was never there, or may not be seen
        return None
    own = state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
    log = path.with_name(f"{path.name}-wal") if path.suffix == ".vscdb" else None
    return own if log is None else (*own, *(_stamp(log) or ()))  # an open database is changed there first
