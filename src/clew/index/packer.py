"""Packs the tail into segments and merges segments in tiers, each step in one transaction.

A step reads and computes outside of its transaction and commits only if the space's generation is unchanged. So packers
of several processes do not interfere, and a killed packer leaves a complete step or none. The work per turn does not
grow with the number of turns: each turn is packed once and merged once per tier.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import StoreError
from clew.index.container import expand
from clew.index.segment_kinds import (
    EPOCH,
    TERMS,
    SegmentKind,
    epoch,
    generation,
    list_segments,
    segment_data,
    segment_kinds,
    segment_row,
    staged_kind,
)
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.selections import SegmentKey
from clew.store.table_columns import Column
from clew.store.tables import META, SEGMENT
from clew.store.turn_selections import TURN_ORDINAL
from clew.store.values import Key, Row
from clew.text.counted import counted
from clew.types.reports import Problem

STEP: Final = 8192
"""Most unpacked rows that one step packs."""

LARGEST: Final = 16_384
"""Most turns of a merged segment: about 3 MB of terms, 6 MB of vectors.

This bounds one step and keeps the packing work per turn constant. Each segment costs a query about 10 microseconds, so
larger ones would save little.
"""


LARGEST_BYTES: Final = 8 << 20
"""Bytes of rows or segments that one step packs, or little more: long turns have large entries."""

PART_BYTES: Final = 1 << 20
"""Bytes of rows that are decoded together: they take twenty times the memory until they are a part of a segment, and
parts are merged as arrays, to the same bytes.
"""


@dataclass(frozen=True, slots=True)
class StepBounds:
    """Limits of one packing step.

    Attributes:
        rows: most unpacked rows it packs.
        turns: most turns of a merged segment.
        bytes: most bytes of rows, or of segments, that it packs, unless a single one has more.
        part: bytes of rows, or little more, that are decoded together.
    """

    rows: int = STEP
    turns: int = LARGEST
    bytes: int = LARGEST_BYTES
    part: int = PART_BYTES


_ATTEMPTS: Final = 5
_SHOWN: Final = 5
_BOUNDS: Final = StepBounds()
_EMPTY: Final = np.zeros(0, dtype=np.int64)
_PAGE: Final = 64


@dataclass(frozen=True, slots=True)
class PackReport:
    """The result of one call of `pack`.

    Attributes:
        packed: tail entries and unpacked vectors that were packed into segments.
        merged: segments that were merged into larger ones.
        steps: number of transactions.
        finished: nothing is left to do; False if `most_steps` was reached or other packers kept committing first.
    """

    packed: int
    merged: int
    steps: int
    finished: bool


@dataclass(frozen=True, slots=True)
class _Made:
    """A new segment: its data, first and last ordinal, and tier."""

    kind: SegmentKind
    packed: bytes
    low: int
    high: int
    level: int


@dataclass(frozen=True, slots=True)
class _Step:
    """One packing or merging step, computed but not committed.

    Attributes:
        rows: ordinals of the unpacked rows it deletes, in order.
        inputs: segments it deletes.
        made: the segment it writes.
    """

    rows: Sequence[int]
    inputs: Sequence[SegmentKey]
    made: _Made


def pack(
    store: Store,
    space: str,
    *,
    minimum: int = 512,
    fan_out: int = 16,
    most_steps: int | None = None,
    bounds: StepBounds = _BOUNDS,
) -> PackReport:
    """Packs all that is due. Calling it again, or from several processes at once, does no harm.

    Args:
        minimum: loose rows of a kind that are worth a segment; fewer stay where they are. At least 1.
        fan_out: as many neighbouring segments of one tier become one of the next. At least 2.
        most_steps: stop after so many transactions; None goes on until nothing is due.
        bounds: of each transaction.
    """
    packed = merged = steps = missed = 0
    while missed < _ATTEMPTS and (most_steps is None or steps < most_steps):
        with store.snapshot() as reader:
            seen = generation(reader, space)
            step = None if seen is None else _due(reader, space, minimum, fan_out, bounds)
        if step is None or seen is None:
            return PackReport(packed, merged, steps, finished=True)
        if store.transaction(_committing(space, step, seen), durable=False):
            packed, merged, steps, missed = packed + len(step.rows), merged + len(step.inputs), steps + 1, 0
        else:
            missed += 1
    return PackReport(packed, merged, steps, finished=False)


def forget_ordinals(tx: Transaction, space: str, ordinals: Iterable[int]) -> dict[str, int]:
    """Removes turns from tail, segments and vectors inside a transaction; none of these rows keeps a word of them.

    Returns:
        The numbers of rows deleted from `tail` and `vector`, and of rows deleted or rewritten in `segment`.
    """
    wanted = sorted(set(ordinals))
    removed = {"tail": 0, "vector": 0, "segment": 0}
    now = generation(tx, space)
    if not wanted or now is None:
        return removed
    for kind in segment_kinds(tx, space):
        for ordinal in wanted:
            key: Key = (*kind.prefix, ordinal)
            removed[kind.table] += tx.delete(kind.table, key, key)
        for segment_key in list_segments(tx, space, kind.name):
            removed["segment"] += rewrite(tx, space, kind, segment_key, wanted, now + 1)
    staged = staged_kind(space)
    for segment_key in list_segments(tx, space, staged.name):
        removed["segment"] += rewrite(tx, space, staged, segment_key, wanted, 0)
    index_changed(tx, space, now)
    return removed


def verify(store: Store, space: str, expected: Iterable[int]) -> list[Problem]:
    """Compares the index with the stored turns.

    Args:
        expected: ordinals of all turns that should be indexed.

    Returns:
        One problem per unreadable segment or entry, and one each for missing, duplicate and unexpected turns. A turn
        without a vector is not a problem, since it may not be embedded yet.
    """
    turns = np.unique(np.fromiter(expected, dtype=np.int64))
    problems: list[Problem] = []
    with store.snapshot() as reader:
        for kind in segment_kinds(reader, space):
            indexed = np.concatenate([np.zeros(0, np.int64), *_read_all(reader, space, kind, problems)])
            stored, counts = np.unique(indexed, return_counts=True)
            wrong = {
                "twice": stored[counts > 1] if kind.name == TERMS else _EMPTY,
                "missing": np.setdiff1d(turns, stored) if kind.name == TERMS else _EMPTY,
                "not among the turns": np.setdiff1d(stored, turns),
            }
            found_wrong = (_some(ordinals, how) for how, ordinals in wrong.items() if len(ordinals))
            problems += [_problem(kind, kind.name, detail) for detail in found_wrong]
    return problems


def _read_all(reader: Reader, space: str, kind: SegmentKind, problems: list[Problem]) -> Iterator[NDArray[np.int64]]:
    """Yields the ordinals of every segment and unpacked row of a kind; adds unreadable ones to the problems."""
    for key in list_segments(reader, space, kind.name):
        where = f"segment {kind.name} {key.low} to {key.high}"
        try:
            ordinals = kind.ordinals(kind.load(segment_data(reader, space, key)))
        except StoreError as error:
            problems.append(_problem(kind, where, str(error)))
            continue
        if (int(ordinals[0]), int(ordinals[-1])) != (key.low, key.high):
            problems.append(_problem(kind, where, f"it contains the turns {ordinals[0]} to {ordinals[-1]}"))
        yield ordinals
    for row in kind.unpacked.scan(reader, kind.prefix, kind.prefix):
        where = f"{kind.table} {row.ordinal}"
        try:
            ordinal = kind.read(row)
        except StoreError as error:
            problems.append(_problem(kind, where, str(error)))
            continue
        if ordinal != row.ordinal:
            problems.append(_problem(kind, where, f"it contains the turn {ordinal}"))
        yield np.array([ordinal], dtype=np.int64)


def _problem(kind: SegmentKind, where: str, detail: str) -> Problem:
    if kind.name == TERMS:
        return Problem(kind="index", where=where, detail=detail, repair="clew rebuild")
    return Problem(kind="vector", where=where, detail=detail, repair="clew doctor --repair")


def _some(ordinals: NDArray[np.int64], how: str) -> str:
    more = ", ..." if len(ordinals) > _SHOWN else ""
    shown = ", ".join(map(str, ordinals[:_SHOWN].tolist()))
    return f"{counted(len(ordinals), 'turn', f'are {how}')}: ordinals {shown}{more}"


def rewrite(
    tx: Transaction, space: str, kind: SegmentKind, key: SegmentKey, ordinals: Sequence[int], version: int
) -> int:
    """Removes turns, given in ascending order, from one segment; returns 1 if it contained any of them, else 0."""
    place = bisect_left(ordinals, key.low)
    if place == len(ordinals) or ordinals[place] > key.high:
        return 0
    loaded = kind.load(segment_data(tx, space, key))
    rest = kind.without(loaded, ordinals)
    if rest is not None and len(kind.ordinals(kind.load(rest))) == len(kind.ordinals(loaded)):
        return 0
    own = (space, kind.name, key.low)
    tx.delete("segment", own, own)
    if rest is not None:
        _put(tx, space, _made(kind, rest, key.level), version)
    return 1


def _put(tx: Transaction, space: str, segment: _Made, version: int) -> None:
    """Writes a segment, merging it with a stored one that begins with the same ordinal (a turn embedded twice)."""
    kind = segment.kind
    twin = SEGMENT.get(tx, (space, kind.name, segment.low))
    if twin is not None:
        merged = kind.merge([kind.load(expand(twin.data)), kind.load(segment.packed)])
        segment = _made(kind, merged, segment.level)
    key = SegmentKey(kind.name, segment.low, segment.high, segment.level, version)
    SEGMENT.put(tx, [segment_row(space, key, segment.packed)])


def index_changed(tx: Transaction, space: str, now: int) -> None:
    """Records that turns left the index or were indexed again, so that readers reload the columns."""
    META.put(tx, [MetaRow(space, EPOCH, str(epoch(tx, space) + 1))])
    tx.compare_and_set("space", (space,), "generation", now, now + 1)


def not_stored(reader: Reader, space: str, ordinals: Sequence[int]) -> set[int]:
    """Of these ordinals, given in ascending order, the ones that no stored turn has."""
    if not ordinals:
        return set()
    stored = TURN_ORDINAL.scan(reader, (space, ordinals[0]), (space, ordinals[-1]), index="ordinal")
    return set(ordinals).difference(stored)


def _due(reader: Reader, space: str, minimum: int, fan_out: int, bounds: StepBounds) -> _Step | None:
    """The next step: packs unpacked rows first, then merges the lowest full tier; None if nothing is due."""
    every = segment_kinds(reader, space)
    for kind in every:
        if reader.count(kind.table, kind.prefix, kind.prefix) >= minimum:
            return _packing(reader, kind, minimum, fan_out, bounds)
    for kind in every:
        keys = list_segments(reader, space, kind.name)
        inputs = _full_tier(keys, fan_out, bounds.turns)
        if inputs:  # of long turns, fewer
            inputs = _full_tier(keys, fan_out, min(bounds.turns, _turns_in(reader, space, inputs, bounds.bytes)))
        if inputs:
            merged = kind.merge([kind.load(segment_data(reader, space, key)) for key in inputs])
            low, high = min(key.low for key in inputs), max(key.high for key in inputs)
            return _Step((), inputs, _Made(kind, merged, low, high, max(key.level for key in inputs) + 1))
    return None


def _turns_in(reader: Reader, space: str, keys: Sequence[SegmentKey], size: int) -> int:
    """How many turns of segments like the first one have so many bytes."""
    first = keys[0]
    return size * (first.high - first.low + 1) // max(1, len(segment_data(reader, space, first)))


def _packing(reader: Reader, kind: SegmentKind, minimum: int, fan_out: int, bounds: StepBounds) -> _Step:
    ordinals: list[int] = []
    parts: list[bytes] = []
    for rows in _parts(_unpacked(reader, kind, bounds), bounds.part):
        ordinals += [row.ordinal for row in rows]
        parts.append(kind.build(rows))
    packed = parts[0] if len(parts) == 1 else kind.merge([kind.load(part) for part in parts])
    level = level_of(len(ordinals), minimum, fan_out)
    return _Step(ordinals, (), _Made(kind, packed, ordinals[0], ordinals[-1], level))


def _unpacked(reader: Reader, kind: SegmentKind, bounds: StepBounds) -> Iterator[Any]:
    """The first unpacked rows of a kind within the bounds, at least one; few are held at a time."""
    low, count, size = kind.prefix, 0, 0
    while page := kind.unpacked.scan(reader, low, kind.prefix, limit=min(_PAGE, bounds.rows - count)):
        for row in page:
            size += _size(row)
            if count and size > bounds.bytes:
                return
            yield row
            count += 1
        if count == bounds.rows:
            return
        low = (*kind.prefix, page[-1].ordinal + 1)


def _parts(rows: Iterator[Any], least: int) -> Iterator[list[Any]]:
    """Rows in parts of so many bytes, or little more."""
    part: list[Any] = []
    size = 0
    for row in rows:
        part.append(row)
        size += _size(row)
        if size >= least:
            yield part
            part, size = [], 0
    if part:
        yield part


def _size(row: Row) -> int:
    return sum(len(value) for value in row if isinstance(value, bytes))


def _made(kind: SegmentKind, packed: bytes, level: int) -> _Made:
    ordinals = kind.ordinals(kind.load(packed))
    return _Made(kind, packed, int(ordinals[0]), int(ordinals[-1]), level)


def level_of(turns: int, minimum: int, fan_out: int) -> int:
    """The tier of a segment: 0 below `minimum * fan_out` turns, 1 below `minimum * fan_out**2`, and so on."""
    level = 0
    while turns >= minimum * fan_out ** (level + 1):
        level += 1
    return level


def _full_tier(keys: Sequence[SegmentKey], fan_out: int, most: int) -> Sequence[SegmentKey]:
    """The segments to merge: `fan_out` consecutive ones of the lowest full tier, with smaller ones between them.

    Empty if no tier is full. A group that covers more than `most` turns is cut to its first segments within `most`, if
    these cover at least half as many: so each turn is merged once per tier, and large segments precede small ones.
    """
    for level in sorted({key.level for key in keys}):
        group: list[SegmentKey] = []
        for key in keys:
            if key.level > level:
                group = []
            elif key.level == level or group:
                group.append(key)
            if sum(segment_key.level == level for segment_key in group) == fan_out:
                first = _first_of(group, most)
                if len(first) > 1:
                    return first
                group = []
    return ()


def _first_of(group: Sequence[SegmentKey], most: int) -> Sequence[SegmentKey]:
    """The first segments of a group that cover at most `most` turns; empty if they are cut off below half of `most`."""
    covered = list(accumulate(key.high - key.low + 1 for key in group))
    count = bisect_right(covered, most)
    return group[:count] if count == len(group) or (count and 2 * covered[count - 1] >= most) else ()


def _committing(space: str, step: _Step, seen: int) -> Callable[[Transaction], bool]:
    """The transaction of a step; it returns False, writing nothing, if the space changed since it was computed."""

    def commit(tx: Transaction) -> bool:
        kind = step.made.kind
        if step.rows:
            low, high = (*kind.prefix, step.rows[0]), (*kind.prefix, step.rows[-1])
            # A vector may have been added between two that were read; it must not be deleted with them.
            if Column[int](kind.unpacked.table, "ordinal").scan(tx, low, high) != list(step.rows):
                return False
        if not tx.compare_and_set("space", (space,), "generation", seen, seen + 1):
            return False
        if step.rows:
            tx.delete(kind.table, low, high)
        for key in step.inputs:
            own = (space, kind.name, key.low)
            tx.delete("segment", own, own)
        _put(tx, space, step.made, seen + 1)
        return True

    return commit
