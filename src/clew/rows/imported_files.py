"""Rows of META that remember imported files, so that an unchanged file need not be opened again."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clew.store.protocol import Reader, Store
from clew.store.row_types import MetaRow
from clew.store.selections import META_VALUE
from clew.store.tables import META

_PREFIX: Final = "imported:"
"""Rows of META with this prefix hold the stamp of a file and how many turns it gave."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file as it was imported.

    Attributes:
        path: of the file; only its hash is stored.
        stamp: tells this state of the file, and how it was read, from any other.
        turns: how many turns it gave.
        runs: these turns in their order: number in the space of the first of several that follow one another in their
            session, and how many they are; empty where that is not known.
    """

    path: str
    stamp: str
    turns: int
    runs: tuple[tuple[int, int], ...] = ()


def imported_file(reader: Reader, space: str, path: str, stamp: str) -> ImportedFile | None:
    """The record of a file that was imported in this state; None if it was not."""
    value = META_VALUE.get(reader, (space, _name(path)))
    before, turns, runs = (*(value or "").split(" "), "", "", "")[:3]
    if before != stamp:
        return None
    pairs = (run.split("+") for run in runs.split(",") if run)
    return ImportedFile(path, stamp, int(turns), tuple((int(first), int(count)) for first, count in pairs))


def note(store: Store, space: str, files: Iterable[ImportedFile]) -> None:
    """Remembers that all turns of some files are stored."""
    rows = [MetaRow(space, _name(file.path), f"{file.stamp} {file.turns} {_runs(file)}") for file in files]
    if rows:
        store.transaction(lambda tx: META.put(tx, rows), durable=False)


def _runs(file: ImportedFile) -> str:
    return ",".join(f"{first}+{count}" for first, count in file.runs)


def _name(path: str) -> str:
    """A row's name: the digits of a hash, which a search for traces of forgotten words cannot mistake for a word."""
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    return f"{_PREFIX}{int.from_bytes(digest[:16])}"
