"""Where the parts of a project's store are, and the lock under which they change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.errors import InputError, NotFoundError, StoreReadOnly
from clew.project.objects import ContentStore
from clew.project.walk import as_shown
from clew.store.home import allowed
from clew.store.ticket import Ticket

FOLDER: Final = ".clew/project"
"""The store, below the root of the project."""
WAIT: Final = 600.0
"""Seconds that a writer waits for another one to finish."""


class Layout:
    """The places of a store; knows whether there is one, and makes one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER
        self.index = self.folder / "index" / "index.db"
        self.objects = ContentStore(self.folder / "objects")
        self.transforms = ContentStore(self.folder / "transforms")
        self.overlays = self.folder / "overlays"
        self._lock = self.folder / "lock"

    @classmethod
    def of(cls, root: Path | str) -> "Layout":
        """The layout of a root.

        Raises:
            NotFoundError: there is no such folder.
            InputError: it is not a folder, or one whose path is not UTF-8.
        """
        place = Path(root).expanduser()
        if not place.is_dir():
            kind = InputError if place.exists() else NotFoundError
            raise kind(f"{str(root)!r} is not a folder; name the folder of a project")
        resolved = place.resolve()
        if as_shown(str(resolved)) != str(resolved):
            raise InputError(f"the path {str(resolved)!r} is not UTF-8, and SQLite opens no other; rename the folder")
        return cls(resolved)

    @property
    def exists(self) -> bool:
        """Whether the store was made."""
        return self.index.parent.is_dir()

    def make(self) -> bool:
        """Makes the folders of the store, and a rule by which git leaves them out; tells whether there were none.

        Raises:
            StoreReadOnly: this user may not write there.
        """
        is_new = not self.exists
        rule = self.folder / ".gitignore"
        try:
            for folder in (self.objects.folder, self.transforms.folder, self.overlays, self.index.parent):
                folder.mkdir(parents=True, exist_ok=True)
            if not rule.exists():
                rule.write_text("*\n", encoding="utf-8")
        except PermissionError as error:
            raise self._read_only() from error
        return is_new

    def _read_only(self) -> StoreReadOnly:
        name = str(self.folder)
        return StoreReadOnly(f"the store {name!r} may not be written by this user; check its owner and permissions")

    @contextmanager
    def writing(self, timeout: float = WAIT) -> Iterator[int]:
        """Keeps other writers of this and other processes out; yields the time by the clock of the file system.

        Raises:
            StoreLocked: another one did not finish in time.
            StoreReadOnly: this user may not write the store.
        """
        if not allowed(self.folder, os.W_OK):
            raise self._read_only()
        ticket = Ticket.of(self._lock)
        try:
            with ticket.turn(timeout):
                self._lock.touch()
                yield self._lock.stat().st_mtime_ns
        finally:
            ticket.close()

    def drop_index(self) -> None:
        """Removes the index, which can be made again from the project."""
        for ending in ("", "-wal", "-shm"):
            self.index.with_name(self.index.name + ending).unlink(missing_ok=True)
