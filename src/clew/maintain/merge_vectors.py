"""Carries vectors over when homes are merged, so that a model need not embed the same turns again."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, cast

from clew.derive.embedding import put_living
from clew.index.segment_kinds import SegmentKind, list_segments, segment_data, segment_kinds, vector_kind
from clew.index.vector_segment import VectorSegment
from clew.rows.active_model import current_model
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import VectorRow
from clew.store.selections import VECTOR_CODES

_BATCH: Final = 500


def carry_vectors(source: Reader, target: Store, space: str, pairs: Mapping[int, int]) -> int:
    """Copies vectors to turns of the target that have none, from the same turns of the source.

    Vectors of the models that the target uses are copied. If it has none at all, those of the model that covers the
    source are, or of all its models while none covers it. Vectors whose length differs from the target's are left
    behind.

    Args:
        pairs: ordinal in the source to ordinal in the target, of turns with equal text.

    Returns:
        The number of vectors written.
    """
    written = 0
    for model in _models(source, target, space):
        kind = vector_kind(space, model)
        with target.snapshot() as reader:
            lacking = set(pairs.values()) - {ordinal for ordinal, _, _ in _vectors(reader, space, kind)}
            length = next((len(codes) for _, _, codes in _vectors(reader, space, kind)), None)
        rows: list[VectorRow] = []
        for ordinal, scale, codes in _vectors(source, space, kind):
            place = pairs.get(ordinal)
            if place is not None and place in lacking and len(codes) == (length or len(codes)):
                lacking.discard(place)
                rows.append(VectorRow(space, model, place, scale, codes))
        for low in range(0, len(rows), _BATCH):
            written += target.transaction(partial(_put, space, rows[low : low + _BATCH]), durable=False)
    return written


def _put(space: str, rows: Sequence[VectorRow], tx: Transaction) -> int:
    return put_living(tx, space, rows)


def _models(source: Reader, target: Store, space: str) -> list[str]:
    theirs = [kind.prefix[1] for kind in segment_kinds(source, space)[1:]]
    with target.snapshot() as reader:
        wanted = [kind.prefix[1] for kind in segment_kinds(reader, space)[1:]]
    current = current_model(source, space)
    if not wanted:
        wanted = theirs if current is None else [current]
    return [cast(str, model) for model in theirs if model in wanted]


def _vectors(reader: Reader, space: str, kind: SegmentKind) -> Iterator[tuple[int, float, bytes]]:
    """Ordinal, scale and codes of each vector. Of two for one turn, the one outside a segment counts; it is first."""
    yield from VECTOR_CODES.scan(reader, kind.prefix, kind.prefix)
    for key in list_segments(reader, space, kind.name):
        segment = VectorSegment.load(segment_data(reader, space, key))
        for ordinal, scale, codes in zip(segment.ordinals, segment.scales, segment.codes, strict=True):
            yield int(ordinal), float(scale), codes.tobytes()
