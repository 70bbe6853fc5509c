"""The kinds of packed segments in a space, and how rows of each kind are packed.

`terms` is packed from the table `tail`, `vector:<model>` from the table `vector`, and `staged` is written by a rebuild.
The column `version` of a segment's row is the space's generation when the segment was written, so changed segments are
recognised without reading them; the version of the format is in the segment's bytes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from clew.index import segment, vector_segment
from clew.index.container import Array
from clew.index.entry import decode
from clew.index.segment import Segment
from clew.index.vector_segment import VectorSegment
from clew.store.protocol import Reader, Transaction
from clew.store.tables import SPACE
from clew.store.values import Key, Row

TERMS: Final = "terms"
VECTOR_PREFIX: Final = "vector:"
STAGED: Final = "staged"
"""Term segments of an unfinished rebuild; they are not searched until they replace the current ones."""

EPOCH: Final = "index_epoch"
"""Name of a META row, an integer that increases when turns leave the index or are indexed again (not when packed)."""

_GENERATION: Final = SPACE.names.index("generation")


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
    table: str
    prefix: Key
    columns: tuple[str, ...]
    build: Callable[[Sequence[Row]], bytes]
    read: Callable[[Row], int]
    load: Callable[[bytes], Any]
    merge: Callable[[Sequence[Any]], bytes]
    without: Callable[[Any, Iterable[int]], bytes | None]
    ordinals: Callable[[Any], Array]


def terms_kind(space: str) -> SegmentKind:
    """The kind of the term index."""
    return SegmentKind(
        name=TERMS,
        table="tail",
        prefix=(space,),
        columns=("ordinal", "entry"),
        build=lambda rows: segment.build(decode(cast(bytes, data)) for _, data in rows),
        read=lambda row: decode(cast(bytes, row[1])).ordinal,
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
        table="vector",
        prefix=(space, model),
        columns=("ordinal", "scale", "codes"),
        build=lambda rows: vector_segment.build(cast("Sequence[tuple[int, float, bytes]]", rows)),
        read=lambda row: cast(int, row[0]),
        load=VectorSegment.load,
        merge=vector_segment.merge,
        without=vector_segment.without,
        ordinals=lambda loaded: loaded.ordinals,
    )


def segment_kinds(reader: Reader, space: str) -> list[SegmentKind]:
    """The term kind, then one kind per model with vectors, packed or unpacked, sorted by name."""
    models = set(unpacked_models(reader, space))
    for (name,) in reader.scan("segment", (space, VECTOR_PREFIX), (space,), columns=("kind",)):
        if cast(str, name).startswith(VECTOR_PREFIX):
            models.add(cast(str, name)[len(VECTOR_PREFIX) :])
    return [terms_kind(space), *(vector_kind(space, model) for model in sorted(models))]


def unpacked_models(reader: Reader, space: str) -> list[str]:
    """Names of the models with unpacked vectors, sorted; costs one small query per model."""
    models: list[str] = []
    low: Key = (space,)
    while rows := reader.scan("vector", low, (space,), columns=("model",), limit=1):
        models.append(cast(str, rows[0][0]))
        low = (space, models[-1] + "\x01")  # the next possible name, since stores allow no NUL
    return models


@dataclass(frozen=True, slots=True)
class SegmentKey:
    """The row of a segment without its data."""

    kind: str
    low: int
    high: int
    level: int
    version: int


def list_segments(reader: Reader, space: str, kind: str) -> list[SegmentKey]:
    """The segments of one kind, ordered by first ordinal."""
    rows = reader.scan("segment", (space, kind), (space, kind), columns=("kind", "low", "high", "level", "version"))
    return [SegmentKey(*cast("tuple[str, int, int, int, int]", row)) for row in rows]


def segment_data(reader: Reader, space: str, key: SegmentKey) -> bytes:
    """The data of a segment that was listed in the same snapshot."""
    ((found,),) = reader.scan("segment", (space, key.kind, key.low), (space, key.kind, key.low), columns=("data",))
    return cast(bytes, found)


def generation(reader: Reader, space: str) -> int | None:
    """The space's generation; None if the space does not exist."""
    row = reader.get("space", (space,))
    return None if row is None else cast(int, row[_GENERATION])


COPIED: Final = "copied"
"""Name of a LEASE row that is never copied; its number increases whenever a copy replaces the content of a space."""


def copies(reader: Reader, space: str) -> int:
    """How often a copy has replaced the content of the space."""
    row = reader.get("lease", (space, COPIED))
    return 0 if row is None else cast(int, row[3])


def count_copy(tx: Transaction, space: str) -> None:
    """Records that the content of the space was replaced, so that open indexes reload it."""
    tx.put("lease", [(space, COPIED, None, copies(tx, space) + 1, 0)])


def epoch(reader: Reader, space: str) -> int:
    """How often turns left the index or were indexed again."""
    row = reader.get("meta", (space, EPOCH))
    return 0 if row is None else int(cast(str, row[2]))
