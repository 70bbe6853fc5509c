"""Derives every index entry and rule annotation again from the log, and compares them with the stored ones."""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.errors import ClewError, StoreError
from clew.index.entry import SATURATION, PieceTerms, TurnEntry, decode
from clew.index.segment import Segment, entries
from clew.index.segment_kinds import TERMS, list_segments, segment_data
from clew.ingest.identity import content_hash
from clew.rows.annotation_codec import weighing_of
from clew.rows.annotations import PROVENANCE
from clew.rows.turn_log import stored_rows
from clew.store.protocol import Reader, Store
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.selections import ANNOTATION_SOURCES, TAIL_ENTRY
from clew.store.tables import WEIGHING
from clew.types.reports import Problem
from clew.types.turn import Turn, plain_text
from clew.write.prepare import Prepared, derive

_SHOWN: Final = 5


def compare(store: Store, space: str) -> list[Problem]:
    """Names the turns whose index entry or annotations do not match their text.

    Turns that cannot be read, or do not match their hash, are skipped: there is nothing to compare with. Turns without
    an index entry are the packer's to report. Call it inside a snapshot, so that both sides are from one moment.
    """
    texts: list[str] = []
    indexed: list[str] = []
    weighed: list[str] = []
    with store.snapshot() as reader:
        held = _Entries(reader, space)
        for rows in stored_rows(store, space):
            found = held.upto(rows[-1].ordinal)
            for turn in filter(None, map(_whole, rows)):
                fresh, name = derive(turn), cast(str, turn.id)
                entry = found.get(cast(int, turn.ordinal))
                if entry is not None and not _same(entry, fresh, turn):
                    (indexed if turn.text == plain_text(turn.parts) else texts).append(name)
                if not _same_annotations(reader, space, turn, fresh):
                    weighed.append(name)
    return [
        *_problem("turn", texts, "have a text that is neither that of their parts nor the indexed one"),
        *_problem("index", indexed, "are indexed with other words or columns than they have"),
        *_problem("annotation", weighed, "lack annotations, or have others than their words give"),
    ]


class _Entries:
    """The entries of the index in order, as far as they can be read."""

    def __init__(self, reader: Reader, space: str) -> None:
        self._entries = _readable(reader, space)
        self._next = next(self._entries, None)

    def upto(self, ordinal: int) -> dict[int, TurnEntry]:
        """The next entries up to this ordinal."""
        found: dict[int, TurnEntry] = {}
        while self._next is not None and self._next.ordinal <= ordinal:
            found[self._next.ordinal] = self._next
            self._next = next(self._entries, None)
        return found


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


def _whole(row: TurnRow) -> Turn | None:
    """The turn of a row if it is intact; None otherwise, which `verify` reports."""
    try:
        turn = turn_from_row(row)
    except (ClewError, ValueError, TypeError, AttributeError):  # the row may hold anything
        return None
    return turn if content_hash(turn) == row.hash else None


def _same(entry: TurnEntry, fresh: Prepared, turn: Turn) -> bool:
    made = fresh.entry(seq=cast(int, turn.seq), ordinal=cast(int, turn.ordinal))
    return _plain(entry) == _plain(made)


def _plain(entry: TurnEntry) -> tuple[object, ...]:
    """The part of an entry that segments keep; counts are capped at the segment's maximum."""
    columns = (entry.session, entry.seq, entry.branch, entry.speaker, entry.role, entry.at, entry.chars)
    marks = (entry.first_person, entry.asks, entry.stated)
    return (*columns, *marks, *map(_plain_piece, entry.pieces))


def _plain_piece(piece: PieceTerms) -> tuple[object, ...]:
    return piece.chars, _counts(piece.body), _counts(piece.extra)


def _counts(terms: Mapping[str, int]) -> dict[str, int]:
    return {term: min(count, SATURATION) for term, count in terms.items()}


def _same_annotations(reader: Reader, space: str, turn: Turn, fresh: Prepared) -> bool:
    """Whether a turn's stored rule annotations equal the derived ones, in the present encoding or an older one."""
    owner = (space, cast(str, turn.id))
    if any(row.provenance == PROVENANCE for row in ANNOTATION_SOURCES.scan(reader, owner, owner)):
        return False
    row = WEIGHING.get(reader, (space, turn.ordinal))
    made = fresh.annotations[WEIGHING.name]
    if row is None or row.version != ANALYZE_VERSION:
        return False
    return row.value == made or _weighed(row.value) == weighing_of(made)


def _weighed(text: str) -> Mapping[str, object] | None:
    try:
        return weighing_of(text)
    except (ValueError, TypeError, KeyError, IndexError):  # the row may hold anything
        return None


def _problem(kind: str, names: list[str], what: str) -> Iterator[Problem]:
    if names:
        shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
        repair = "restore a backup" if kind == "turn" else "clew rebuild"
        yield Problem(kind=kind, where=shown, detail=f"{len(names)} turns {what}", repair=repair)
