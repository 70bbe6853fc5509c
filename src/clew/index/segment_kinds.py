"""The kinds of packed segments a space has, and how rows of each kind become segments.

`terms` is packed from the table `tail`; `vector:<model>` from the table `vector`; `staged` is made by a rebuild. A
segment's row carries as `version` the generation of the space in which it was written, so a changed segment is told
from the one before without reading it; the format's own version stands in its bytes.
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
"""Term segments that a rebuild under way has made; nothing is looked up in them until they take the others' place."""

EPOCH: Final = "index_epoch"
"""Row of META, a whole number: rises when turns leave the index or are indexed anew, not when they are packed."""

_GENERATION: Final = SPACE.names.index("generation")


@dataclass(frozen=True, slots=True)
class SegmentKind:
    """One kind of segment in one space.

    Attributes:
        name: the column `kind` of its segments.
        table, prefix: where its rows lie before they are packed; after the prefix comes the ordinal.
        build: rows, as `columns` selects them, -> bytes.
        read: checks such a row and gives its ordinal.
        load, merge, without: as in `clew.index.segment`.
        ordinals: of a loaded segment, ascending.
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
    """The term index."""
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
    """The term index that a rebuild is making. It has no loose rows of its own, and `kinds` leaves it out."""
    return replace(terms_kind(space), name=STAGED)


def vector_kind(space: str, model: str) -> SegmentKind:
    """The vectors of one model."""
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
    """The term index, then the vectors of each model that has any, packed or not, by name."""
    models = set(unpacked_models(reader, space))
    for (name,) in reader.scan("segment", (space, VECTOR_PREFIX), (space,), columns=("kind",)):
        if cast(str, name).startswith(VECTOR_PREFIX):
            models.add(cast(str, name)[len(VECTOR_PREFIX) :])
    return [terms_kind(space), *(vector_kind(space, model) for model in sorted(models))]


def unpacked_models(reader: Reader, space: str) -> list[str]:
    """Models that have vectors outside of segments, by name; one small look-up each."""
    models: list[str] = []
    low: Key = (space,)
    while rows := reader.scan("vector", low, (space,), columns=("model",), limit=1):
        models.append(cast(str, rows[0][0]))
        low = (space, models[-1] + "\x01")  # the first name after this one: stores keep no NUL
    return models


@dataclass(frozen=True, slots=True)
class SegmentKey:
    """A segment's row without its bytes."""

    kind: str
    low: int
    high: int
    level: int
    version: int


def list_segments(reader: Reader, space: str, kind: str) -> list[SegmentKey]:
    """The segments of a kind, by their first ordinals."""
    rows = reader.scan("segment", (space, kind), (space, kind), columns=("kind", "low", "high", "level", "version"))
    return [SegmentKey(*cast("tuple[str, int, int, int, int]", row)) for row in rows]


def segment_data(reader: Reader, space: str, key: SegmentKey) -> bytes:
    """The bytes of a segment that is listed in the same snapshot."""
    ((found,),) = reader.scan("segment", (space, key.kind, key.low), (space, key.kind, key.low), columns=("data",))
    return cast(bytes, found)


def generation(reader: Reader, space: str) -> int | None:
    """The space's generation; None when there is no such space yet."""
    row = reader.get("space", (space,))
    return None if row is None else cast(int, row[_GENERATION])


COPIED: Final = "copied"
"""Row of LEASE, which no copy takes along: its number rises whenever a copy has replaced what a space holds here."""


def copies(reader: Reader, space: str) -> int:
    """How often a copy from elsewhere has replaced what the space holds here."""
    row = reader.get("lease", (space, COPIED))
    return 0 if row is None else cast(int, row[3])


def count_copy(tx: Transaction, space: str) -> None:
    """Tells whoever has the space open that nothing is as it was."""
    tx.put("lease", [(space, COPIED, None, copies(tx, space) + 1, 0)])


def epoch(reader: Reader, space: str) -> int:
    """How often turns left the index or were indexed anew."""
    row = reader.get("meta", (space, EPOCH))
    return 0 if row is None else int(cast(str, row[2]))
