"""Invalid vectors: of a turn that is not stored, of another length than their model's, or unreadable.

`packer.verify` and `vector_problems` report them; `remove_invalid_vectors` deletes them, and the worker embeds those
turns again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from clew.errors import StoreError
from clew.index.segment_kinds import (
    EPOCH,
    SegmentKind,
    epoch,
    generation,
    list_segments,
    segment_data,
    segment_kinds,
)
from clew.index.vector_segment import VectorSegment, without
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow, SegmentRow
from clew.store.selections import VECTOR_CODES, OrdinalVector, SegmentKey
from clew.store.tables import META, SEGMENT
from clew.types.reports import Problem

REPAIR = "clew doctor --repair"


def vector_problems(reader: Reader, space: str) -> list[Problem]:
    """Reports each model whose vectors differ in length, or have a scale that is negative or not finite."""
    problems = []
    for kind in segment_kinds(reader, space)[1:]:
        lengths = _lengths(reader, space, kind)
        usual = _usual(lengths)
        odd = sum(count for length, count in lengths.items() if length != usual)
        if odd:
            detail = f"{odd} vectors do not have the model's length {usual}; they were made by another model"
            problems.append(Problem(kind="vector", where=kind.name, detail=detail, repair=REPAIR))
        bad = sum(not _is_scale(scale) for _, scale, _ in _loose(reader, kind))
        bad += sum(int(_odd_scales(segment).sum()) for segment in _readable(reader, space, kind))
        if bad:
            detail = f"{bad} vectors have a scale that is negative or not finite"
            problems.append(Problem(kind="vector", where=kind.name, detail=detail, repair=REPAIR))
    return problems


def remove_invalid_vectors(tx: Transaction, space: str, living: Iterable[int]) -> int:
    """Deletes invalid vectors; returns the number of rows deleted or rewritten.

    Args:
        living: ordinals of all stored turns.
    """
    now = generation(tx, space)
    if now is None:
        return 0
    turns = np.unique(np.fromiter(living, dtype=np.int64))
    changed = 0
    for kind in segment_kinds(tx, space)[1:]:
        usual = _usual(_lengths(tx, space, kind))
        stored = set(turns.tolist())
        for ordinal, scale, codes in _loose(tx, kind):
            if ordinal not in stored or len(codes) != usual or not _is_scale(scale):
                key = (*kind.prefix, ordinal)
                changed += tx.delete(kind.table, key, key)
        for segment_key in list_segments(tx, space, kind.name):
            changed += _mend_segment(tx, space, kind, segment_key, (turns, usual, now + 1))
    if changed:
        META.put(tx, [MetaRow(space, EPOCH, str(epoch(tx, space) + 1))])
        tx.compare_and_set("space", (space,), "generation", now, now + 1)
    return changed


def _mend_segment(
    tx: Transaction, space: str, kind: SegmentKind, key: SegmentKey, wanted: tuple[NDArray[np.int64], int, int]
) -> int:
    """Rewrites a segment without its invalid vectors; returns 1 if there were any, else 0."""
    turns, usual, version = wanted
    own = (space, kind.name, key.low)
    try:
        segment = VectorSegment.load(segment_data(tx, space, key))
    except StoreError:
        return tx.delete("segment", own, own)  # unreadable: its turns are embedded again
    wrong = ~np.isin(segment.ordinals, turns) | _odd_scales(segment)
    if segment.codes.shape[1] != usual:
        wrong[:] = True
    limits = (int(segment.ordinals[0]), int(segment.ordinals[-1])) if len(wrong) else ()
    if not wrong.any() and limits == (key.low, key.high):
        return 0
    tx.delete("segment", own, own)
    rest = without(segment, segment.ordinals[wrong].tolist())
    if rest is not None:
        ordinals = VectorSegment.load(rest).ordinals
        SEGMENT.put(tx, [SegmentRow(space, kind.name, int(ordinals[0]), int(ordinals[-1]), key.level, version, rest)])
    return 1


def _loose(reader: Reader, kind: SegmentKind) -> list[OrdinalVector]:
    return VECTOR_CODES.scan(reader, kind.prefix, kind.prefix)


def _readable(reader: Reader, space: str, kind: SegmentKind) -> Iterator[VectorSegment]:
    for key in list_segments(reader, space, kind.name):
        try:
            segment = VectorSegment.load(segment_data(reader, space, key))
        except StoreError:
            continue  # `packer.verify` reports it
        yield segment


def _lengths(reader: Reader, space: str, kind: SegmentKind) -> Counter[int]:
    """Counts a model's vectors by length."""
    lengths = Counter(len(codes) for _, _, codes in _loose(reader, kind))
    for segment in _readable(reader, space, kind):
        lengths[segment.codes.shape[1]] += len(segment.ordinals)
    return lengths


def _usual(lengths: Counter[int]) -> int:
    """The most frequent length; the greatest one among ties."""
    return max(lengths, key=lambda length: (lengths[length], length), default=0)


def _odd_scales(segment: VectorSegment) -> NDArray[np.bool_]:
    return ~(np.isfinite(segment.scales) & (segment.scales >= 0))


def _is_scale(scale: float) -> bool:
    return isfinite(scale) and scale >= 0
