"""Immutable files named by the SHA-256 of their bytes: objects (`ParsedFile`) and transforms."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from clew.errors import InputError
from clew.project.parse.parsed import ParsedFile
from clew.store.home import sync_directory

_NAME: Final = 62
"""Characters of the name of a file; the first two of the hash are its folder."""


class ObjectState(StrEnum):
    """Whether a stored file is as it was written."""

    INTACT = "intact"
    MISSING = "missing"
    ALTERED = "altered"


class ContentStore:
    """A folder of immutable files; what is written is safe on the disk after `sync`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsynced: list[Path] = []

    def path(self, name: str) -> Path:
        """Where the file of a hash is, whether or not it exists."""
        return self.folder / name[:2] / name[2:]

    def write(self, data: bytes) -> tuple[str, bool]:
        """Stores bytes, unless they are stored already.

        Returns:
            Their SHA-256, and whether they were written.
        """
        name = hashlib.sha256(data).hexdigest()
        if self.state(name) is ObjectState.INTACT:
            return name, False
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}.new")
        new.write_bytes(data)
        new.replace(path)
        self._unsynced.append(path)
        return name, True

    def sync(self) -> None:
        """Waits until all that was written is on the disk."""
        folders = {path.parent for path in self._unsynced}
        for path in self._unsynced:
            with path.open("r+b") as file:
                os.fsync(file.fileno())
        for folder in sorted(folders):
            sync_directory(folder)
        self._unsynced.clear()

    def read(self, name: str) -> bytes | None:
        """The bytes of a hash; None where they are missing or altered."""
        try:
            data = self.path(name).read_bytes()
        except OSError:  # missing, or it cannot be read
            return None
        return data if hashlib.sha256(data).hexdigest() == name else None

    def state(self, name: str) -> ObjectState:
        """Whether the bytes of a hash are stored as they were."""
        if not self.path(name).is_file():
            return ObjectState.MISSING
        return ObjectState.ALTERED if self.read(name) is None else ObjectState.INTACT

    def names(self) -> Iterator[str]:
        """The hashes of all files, sorted; leftovers of writers that were stopped are left out."""
        for folder in sorted(self.folder.glob("[0-9a-f][0-9a-f]")):
            yield from (folder.name + file.name for file in sorted(folder.iterdir()) if len(file.name) == _NAME)

    def discard(self, name: str) -> None:
        """Removes the file of a hash."""
        self.path(name).unlink(missing_ok=True)

    def clear_leftovers(self) -> None:
        """Removes what writers that were stopped left behind."""
        for file in self.folder.glob("[0-9a-f][0-9a-f]/.*.new"):
            file.unlink(missing_ok=True)


def encoded(record: Mapping[str, Any]) -> bytes:
    """A record as the bytes that are stored: JSON, its keys sorted."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def digest_of(objects: Iterable[tuple[str, str]]) -> str:
    """One hash for all paths of a project with the hashes of their objects."""
    return hashlib.sha256(encoded(dict(objects))).hexdigest()


def decoded_file(data: bytes) -> ParsedFile:
    """The object of a file.

    Raises:
        InputError: the bytes are none.
    """
    try:
        return ParsedFile.from_dict(json.loads(data))
    except ValueError as error:
        raise InputError(f"the object is no JSON ({error}); run `clew project genesis`") from error
