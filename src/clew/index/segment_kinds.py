"""The kinds of packed segments in a space, and how rows of each kind are packed.

`terms` is packed from the table `tail`, `vector:<model>` from the table `vector`, and `staged` is written by a rebuild.
The column `version` of a segment's row is the space's generation when the segment was written, so changed segments are
recognised without reading them; the version of the format is in the segment's bytes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clew.index import segment, vector_segment
from clew.index.container import Array, expand, shrink
from clew.index.entry import decode
from clew.index.segment import Segment
from clew.index.vector_segment import VectorSegment
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import LeaseRow, SegmentRow
from clew.store.selections import (
    META_VALUE,
    SEGMENT_DATA,
    SEGMENT_KEYS,
    SEGMENT_KIND,
    TAIL_ENTRIES,
    VECTOR_CODES,
    VECTOR_MODEL,
    SegmentKey,
)
from clew.store.table_columns import Columns
from clew.store.tables import LEASE, SPACE
from clew.store.values import Key

TERMS: Final = "terms"
VECTOR_PREFIX: Final = "vector:"
STAGED: Final = "staged"
"""Term segments of an unfinished rebuild; they are not searched until they replace the current ones."""

EPOCH: Final = "index_epoch"
"""Name of a META row, an integer that increases when turns leave the index or are indexed again (not when packed)."""


@dataclass(frozen=True, slots=True)
class SegmentKind:
    """One kind of segment in one space.

    Attributes:
        name: value of the column `kind` of its segments.
        table, prefix: table and key prefix of its unpacked rows; the ordinal follows the prefix.
        build: packs rows, with the columns `columns`, into a segment.
        read: checks such a row and returns its ordinal.
        load, merge, without: as in `clew.index.segment`.
        ordinals: returns the ordinals of a loaded segment, ascending.
    """

    name: str
    unpacked: Columns[Any]
    prefix: Key
    build: Callable[[Sequence[Any]], bytes]
    read: Callable[[Any], int]
    load: Callable[[bytes], Any]
    merge: Callable[[Sequence[Any]], bytes]
    without: Callable[[Any, Iterable[int]], bytes | None]
    ordinals: Callable[[Any], Array]

    @property
    def table(self) -> str:
        """The table of the unpacked rows."""
        return self.unpacked.table.name


def terms_kind(space: str) -> SegmentKind:
    """The kind of the term index."""
    return SegmentKind(
        name=TERMS,
        unpacked=TAIL_ENTRIES,
        prefix=(space,),
        build=lambda rows: segment.build(decode(row.entry) for row in rows),
        read=lambda row: decode(row.entry).ordinal,
        load=Segment.load,
        merge=segment.merge,
        without=segment.without,
        ordinals=lambda loaded: loaded.turns.ordinal,
    )


def staged_kind(space: str) -> SegmentKind:
    """The kind of an unfinished rebuild. It has no unpacked rows, and `segment_kinds` does not list it."""
    return replace(terms_kind(space), name=STAGED)


def vector_kind(space: str, model: str) -> SegmentKind:
    """The kind of one model's vectors."""
    return SegmentKind(
        name=VECTOR_PREFIX + model,
        unpacked=VECTOR_CODES,
        prefix=(space, model),
        build=vector_segment.build,
        read=lambda row: row.ordinal,
        load=VectorSegment.load,
        merge=vector_segment.merge,
        without=vector_segment.without,
        ordinals=lambda loaded: loaded.ordinals,
    )


def segment_kinds(reader: Reader, space: str) -> list[SegmentKind]:
    """The term kind, then one kind per model with vectors, packed or unpacked, sorted by name."""
    models = set(unpacked_models(reader, space))
    for name in SEGMENT_KIND.scan(reader, (space, VECTOR_PREFIX), (space,)):
        if name.startswith(VECTOR_PREFIX):
            models.add(name.removeprefix(VECTOR_PREFIX))
    return [terms_kind(space), *(vector_kind(space, model) for model in sorted(models))]


def unpacked_models(reader: Reader, space: str) -> list[str]:
    """Names of the models with unpacked vectors, sorted; costs one small query per model."""
    models: list[str] = []
    low: Key = (space,)
    while (model := VECTOR_MODEL.first(reader, low, (space,))) is not None:
        models.append(model)
        low = (space, model + "\x01")  # the next possible name, since stores allow no NUL
    return models


def list_segments(reader: Reader, space: str, kind: str) -> list[SegmentKey]:
    """The segments of one kind, ordered by first ordinal."""
    return SEGMENT_KEYS.scan(reader, (space, kind), (space, kind))


def segment_data(reader: Reader, space: str, key: SegmentKey) -> bytes:
    """The data of a segment that was listed in the same snapshot.

    Raises:
        StoreCorrupt: it is damaged so that it cannot be expanded.
    """
    (data,) = SEGMENT_DATA.scan(reader, (space, key.kind, key.low), (space, key.kind, key.low))
    return expand(data)


def segment_row(space: str, key: SegmentKey, packed: bytes) -> SegmentRow:
    """The row of a segment; vectors do not become smaller by compression."""
    data = packed if key.kind.startswith(VECTOR_PREFIX) else shrink(packed)
    return SegmentRow(space, key.kind, key.low, key.high, key.level, key.version, data)


def generation(reader: Reader, space: str) -> int | None:
    """The space's generation; None if the space does not exist."""
    row = SPACE.get(reader, (space,))
    return None if row is None else row.generation


COPIED: Final = "copied"
"""Name of a LEASE row that is never copied; its number increases whenever a copy replaces the content of a space."""


def copies(reader: Reader, space: str) -> int:
    """How often a copy has replaced the content of the space."""
    row = LEASE.get(reader, (space, COPIED))
    return 0 if row is None else row.fence


def count_copy(tx: Transaction, space: str) -> None:
    """Records that the content of the space was replaced, so that open indexes reload it."""
    LEASE.put(tx, [LeaseRow(space, COPIED, None, copies(tx, space) + 1, 0)])


def epoch(reader: Reader, space: str) -> int:
    """How often turns left the index or were indexed again."""
    return int(META_VALUE.get(reader, (space, EPOCH)) or 0)
