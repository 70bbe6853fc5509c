"""Rows of META that count changes, or say how far something is: whether each can be read as its readers do."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from clew.index.segment_kinds import EPOCH, epoch
from clew.rows.annotations import MAKERS, SAID, makers_of, replaced
from clew.rows.mentions import PROGRESS as MENTIONS
from clew.rows.mentions import read_until
from clew.store.protocol import Reader, Transaction
from clew.store.tables import META
from clew.types.reports import Problem

_READ: Final[Mapping[str, Callable[[Reader, str], object]]] = MappingProxyType(
    {EPOCH: epoch, MAKERS: makers_of, MENTIONS: read_until, SAID: replaced}
)
"""Name of a row -> what reads it. A rebuild writes all of them again."""


def counter_problems(reader: Reader, space: str) -> Iterator[Problem]:
    """The rows that cannot be read."""
    for name, why in _unreadable(reader, space).items():
        detail = f"it cannot be read: {why}"
        yield Problem(kind="coverage", where=f"meta {name}", detail=detail, repair="clew doctor --repair")


def drop_unreadable_counters(tx: Transaction, space: str) -> None:
    """Deletes the rows that cannot be read, to be called before a rebuild."""
    for name in _unreadable(tx, space):
        tx.delete(META.name, (space, name), (space, name))


def _unreadable(reader: Reader, space: str) -> dict[str, ValueError | TypeError]:
    errors: dict[str, ValueError | TypeError] = {}
    for name, read in _READ.items():
        try:
            read(reader, space)
        except (ValueError, TypeError) as error:
            errors[name] = error
    return errors
