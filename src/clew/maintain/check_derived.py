"""Stored derived rows beside what the turns give: index entries and weighings, turn by turn."""

from collections.abc import Iterator
from typing import Final

from clew.errors import StoreError
from clew.index.entry import TurnEntry, decode
from clew.index.segment import Segment, entries
from clew.index.segment_kinds import TERMS, list_segments, segment_data
from clew.maintain.examine import Examined, entry_digest
from clew.rows.annotations import PROVENANCE
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.selections import ANNOTATION_MAKERS, TAIL_ENTRY
from clew.text.counted import counted
from clew.types.ids import turn_id
from clew.types.reports import Problem

_SHOWN: Final = 5


class DerivedCheck:
    """Collects the turns whose index entry or weighing is not that of their words.

    Damaged turns are left out: there is nothing to compare with. What is not indexed at all is the packer's to find.
    Use it inside one snapshot, with the turns in the order of their ordinals.
    """

    def __init__(self, reader: Reader, space: str) -> None:
        self._entries = _Entries(reader, space)
        makers = ANNOTATION_MAKERS.scan(reader, (space,), (space,))
        self._old = {row.owner for row in makers if row.provenance == PROVENANCE}  # turns have none since schema 4
        self._texts: list[str] = []
        self._indexed: list[str] = []
        self._weighed: list[str] = []

    def look(self, row: TurnRow, examined: Examined) -> None:
        """Compares one turn."""
        entry = self._entries.at(row.ordinal)
        if examined.damage is not None:
            return
        name = turn_id(row.session, row.seq)
        if entry is not None and entry_digest(entry) != examined.entry:
            (self._indexed if examined.is_plain else self._texts).append(name)
        if not examined.is_weighed or name in self._old:
            self._weighed.append(name)

    def problems(self) -> list[Problem]:
        """What was found, a problem for each kind of it."""
        return [
            *_problem("turn", self._texts, "have a text that is neither that of their parts nor the indexed one"),
            *_problem("index", self._indexed, "are indexed with other words or columns than they have"),
            *_problem("annotation", self._weighed, "lack annotations, or have others than their words give"),
        ]


class _Entries:
    """The entries of the index in order, as far as they can be read."""

    def __init__(self, reader: Reader, space: str) -> None:
        self._entries = _readable(reader, space)
        self._next = next(self._entries, None)

    def at(self, ordinal: int) -> TurnEntry | None:
        """The entry of a turn, whose ordinal is above those that were asked for before."""
        while self._next is not None and self._next.ordinal < ordinal:
            self._next = next(self._entries, None)
        return self._next if self._next is not None and self._next.ordinal == ordinal else None


def _readable(reader: Reader, space: str) -> Iterator[TurnEntry]:
    for key in list_segments(reader, space, TERMS):
        try:
            segment = Segment.load(segment_data(reader, space, key))
        except StoreError:
            continue  # the packer names it
        yield from entries(segment)
    for entry in TAIL_ENTRY.scan(reader, (space,), (space,)):
        try:
            decoded = decode(entry)
        except StoreError:
            continue  # likewise
        yield decoded


def _problem(kind: str, names: list[str], what: str) -> Iterator[Problem]:
    if names:
        shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
        repair = "restore a backup" if kind == "turn" else "clew rebuild"
        yield Problem(kind=kind, where=shown, detail=counted(len(names), "turn", what), repair=repair)
