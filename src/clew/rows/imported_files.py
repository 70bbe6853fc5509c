"""Which files were imported, so that an unchanged one need not be opened again: rows of META."""

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
    """

    path: str
    stamp: str
    turns: int


def turns_of(reader: Reader, space: str, path: str, stamp: str) -> int | None:
    """How many turns the file gave when it was imported in this state; None when it was not."""
    held = META_VALUE.get(reader, (space, _name(path)))
    before, _, turns = (held or "").rpartition(" ")
    return int(turns) if before == stamp else None


def note(store: Store, space: str, files: Iterable[ImportedFile]) -> None:
    """Remembers files whose turns are stored."""
    rows = [MetaRow(space, _name(file.path), f"{file.stamp} {file.turns}") for file in files]
    if rows:
        store.transaction(lambda tx: META.put(tx, rows), durable=False)


def _name(path: str) -> str:
    """A name without words: digits of a hash, which a search for traces of forgotten words never takes for one."""
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    return f"{_PREFIX}{int.from_bytes(digest[:16])}"
