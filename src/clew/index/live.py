"""The current index of one space, refreshed after every commit of this or another process.

A refresh reads only what is new: tail and vector rows after the last known ones, and changed segments. The columns do
not depend on how turns are packed, so after packing a refresh only reads the new segment.
"""

import threading
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import StoreCorrupt
from clew.index.columns import Column, Columns
from clew.index.entry import decode
from clew.index.gathering import Group, gathered, regrouped
from clew.index.segment import Segment
from clew.index.segment_kinds import (
    TERMS,
    VECTOR_PREFIX,
    copies,
    epoch,
    generation,
    list_segments,
    segment_data,
    segment_kinds,
    unpacked_models,
)
from clew.index.tail import Tail
from clew.index.vector_segment import VectorBlock, VectorSegment, raised
from clew.index.view import IndexView
from clew.store.protocol import Reader, Store
from clew.store.selections import TAIL_ENTRY, VECTOR_CODES, OrdinalVector, SegmentKey

_NOTHING: Final = -1
"""Less than every ordinal."""

SETTLED: Final = 8
"""Calls that find nothing changed after which small segments are gathered; for a question or two it would not pay."""


class LiveIndex:
    """Returns views of the index as of the last commit. Safe to share between threads."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._lock = threading.Lock()
        self._current: tuple[int | None, IndexView] = (None, IndexView.of())
        self._terms = _Terms(space)
        self._vectors = _Vectors(space)
        self._generation: int | None = None
        self._epoch = 0
        self._copies: int | None = None  # None while the space does not exist
        self._asked = 0
        self._published = (0, 0)  # the changes of terms and vectors that the current view includes

    def view(self) -> IndexView:
        """The index as of the last commit; the same object while nothing changes in this space.

        Raises:
            StoreCorrupt: the stored index is inconsistent.
        """
        seen, view = self._current
        if self._store.version() == seen:
            self._asked += 1
            return view if self._terms.gathers or self._asked < SETTLED else self._gathered()
        with self._lock:
            # Read before the snapshot: a commit in between is then read again, but never missed.
            version = self._store.version()
            seen, view = self._current
            if version != seen:
                with self._store.snapshot() as reader:
                    view = self._refreshed(reader, view)
                self._current = (version, view)
            return view

    def _gathered(self) -> IndexView:
        """The current view with small segments gathered, see `SETTLED`."""
        with self._lock:
            seen, view = self._current
            self._terms.gather()
            self._current = seen, self._publish(view)
            return self._current[1]

    def version(self) -> int:
        """The store version of the last view returned; does not query the store once there is one."""
        seen = self._current[0]
        return self._store.version() if seen is None else seen

    def _refreshed(self, reader: Reader, view: IndexView) -> IndexView:
        now = generation(reader, self._space)
        seen = None if now is None else copies(reader, self._space)
        if seen != self._copies:  # a copy replaced the space, or is about to
            self._terms, self._vectors = _Terms(self._space), _Vectors(self._space)
            self._copies, self._generation, self._published = seen, None, (-1, -1)
        if now is None:
            return IndexView.of()
        if now != self._generation:
            epoch_now = epoch(reader, self._space)
            self._terms.reload(reader, afresh=epoch_now != self._epoch)
            self._vectors.reload(reader, self._terms.columns)
            self._generation, self._epoch = now, epoch_now
        else:
            self._terms.read_tail(reader)
            self._vectors.read_loose(reader, self._terms.columns)
        return self._publish(view)

    def _publish(self, view: IndexView) -> IndexView:
        """A view of what was read; the last one where nothing changed."""
        # Compared by counters, not by what this refresh did: an earlier refresh may have failed half way.
        state = (self._terms.changes, self._vectors.changes)
        if state == self._published:
            return view
        terms, self._published = self._terms, state
        before = view if view.lineage is terms.columns else None
        return IndexView(terms.columns, terms.placed, terms.tail, self._vectors.blocks(), before)


class _Terms:
    """Columns, term segments and tail, as read so far.

    Attributes:
        placed: the segments with the numbers of their first pieces.
        changes: increases with every change.
        gathers: whether small segments are gathered when they are read.
    """

    def __init__(self, space: str) -> None:
        self._space = space
        self._groups: list[Group] = []
        self.gathers = False
        self.columns = Columns()
        self.placed: list[tuple[Segment, int]] = []
        self.tail = Tail()
        self.changes = 0

    def reload(self, reader: Reader, *, afresh: bool) -> None:
        """Loads changed segments. `afresh`: the columns may be wrong and are read again."""
        keys = list_segments(reader, self._space, TERMS)
        if keys == list(chain.from_iterable(self._groups)) and not afresh:
            self.read_tail(reader)
            return
        groups, held = regrouped(keys, self._groups), dict(zip(self._groups, self._segments, strict=True))
        segments = [held.get(group) or Segment.load(segment_data(reader, self._space, group[0])) for group in groups]
        if self.gathers:
            groups, segments = gathered(groups, segments)
        if afresh or not self._place(reader, groups, segments):
            self.columns = Columns()
            if not self._place(reader, groups, segments):
                raise StoreCorrupt(
                    f"the index of space {self._space!r} contains turns twice or out of order; run `clew rebuild`"
                )

    def gather(self) -> None:
        """Gathers small segments in memory, now and whenever segments are read."""
        self.gathers = True
        self._groups, segments = gathered(self._groups, self._segments)
        if len(segments) < len(self.placed):
            sizes = (len(segment.pieces.chars) for segment in segments)
            self.placed = list(zip(segments, accumulate(sizes, initial=0), strict=False))
            self.changes += 1

    @property
    def _segments(self) -> list[Segment]:
        return [segment for segment, _ in self.placed]

    def read_tail(self, reader: Reader) -> None:
        """Reads the tail entries after the last known turn."""
        for packed in TAIL_ENTRY.scan(reader, (self._space, self._last() + 1), (self._space,)):
            entry = decode(packed)
            self.changes += 1
            self.tail.add(entry, self.columns.pieces)
            self.columns.add(entry)

    def _place(self, reader: Reader, groups: list[Group], segments: Sequence[Segment]) -> bool:
        """Attaches segments and tail to the columns; False unless the columns then contain exactly their turns."""
        columns, placed, turns, pieces, low = self.columns, [], 0, 0, _NOTHING
        columns.reserve(
            sum(len(segment.turns.ordinal) for segment in segments),
            sum(len(segment.pieces.chars) for segment in segments),
        )
        for segment in segments:
            ordinals = segment.turns.ordinal
            if ordinals[0] <= low:
                return False
            low = int(ordinals[-1])
            placed.append((segment, pieces))
            turns, pieces = turns + len(ordinals), pieces + len(segment.pieces.chars)
            if low > self._last():
                columns.extend(segment, int(np.searchsorted(ordinals, self._last(), side="right")))
        tail = Tail()
        for packed in TAIL_ENTRY.scan(reader, (self._space, low + 1), (self._space,)):
            entry = decode(packed)
            tail.add(entry, pieces)
            if entry.ordinal > self._last():
                columns.add(entry)
            turns, pieces = turns + 1, pieces + len(entry.pieces)
        self._groups, self.placed, self.tail = groups, placed, tail
        self.changes += 1
        return (columns.turns, columns.pieces) == (turns, pieces)

    def _last(self) -> int:
        turns = self.columns.turns
        return int(self.columns.turn["ordinal"].array[turns - 1]) if turns else _NOTHING


class _UnpackedVectors:
    """The vectors of one model that are in no segment, in the order in which they were read."""

    def __init__(self, dim: int) -> None:
        self.last = _NOTHING
        self.positions = Column(np.intp, -1)
        self.scales = Column(np.float32, 0)
        self.raised = Column(np.uint8, 0, (dim,))
        self.offsets = Column(np.int32, 0)

    def add(self, rows: Sequence[OrdinalVector], columns: Columns) -> None:
        """Adds rows, which must be sorted by ordinal."""
        dim = self.raised.array.shape[1]
        ordinals = [ordinal for ordinal, _, codes in rows if len(codes) == dim]
        if len(ordinals) != len(rows):
            raise StoreCorrupt(
                f"vectors of one model differ in length; expected {dim} bytes: run `clew doctor --repair`"
            )
        self.positions.extend(columns.positions(np.array(ordinals, dtype=np.int64)))
        self.scales.extend(np.array([scale for _, scale, _ in rows], dtype=np.float32))
        codes = np.frombuffer(b"".join(codes for _, _, codes in rows), dtype=np.int8)
        held, offsets = raised(codes.reshape(-1, dim))
        self.raised.extend(held)
        self.offsets.extend(offsets)
        self.last = max(self.last, *ordinals)

    def block(self) -> VectorBlock:
        """The vectors read so far."""
        columns = (self.positions, self.raised, self.offsets, self.scales)
        return VectorBlock.of(*(column.array[: self.positions.size] for column in columns))


class _Vectors:
    """Packed and unpacked vectors of every model, as read so far; `changes` increases with every change."""

    def __init__(self, space: str) -> None:
        self._space = space
        self._columns: Columns | None = None
        self._segments: dict[SegmentKey, tuple[NDArray[np.int64], VectorBlock]] = {}  # with the ordinals of the rows
        self._loose: dict[str, _UnpackedVectors] = {}
        self.changes = 0

    def reload(self, reader: Reader, columns: Columns) -> None:
        """Loads changed segments and reads all unpacked vectors again."""
        held = {}
        for kind in segment_kinds(reader, self._space)[1:]:
            for key in list_segments(reader, self._space, kind.name):
                known = self._segments.get(key)
                if known is None:
                    known = _block_of(VectorSegment.load(segment_data(reader, self._space, key)), columns)
                elif columns is not self._columns:
                    ordinals, block = known
                    places = columns.positions(ordinals)
                    known = ordinals, VectorBlock.of(places, block.raised, block.offsets, block.scales)
                held[key] = known
        self._columns, self._segments, self._loose = columns, held, {}
        self.changes += 1
        self.read_loose(reader, columns)

    def read_loose(self, reader: Reader, columns: Columns) -> None:
        """Reads the new unpacked vectors."""
        for model in unpacked_models(reader, self._space):
            self._read_model(reader, model, columns)

    def blocks(self) -> dict[str, list[VectorBlock]]:
        """The vector blocks by model. Unpacked vectors come last, and of two vectors of a turn the last one counts."""
        found: dict[str, list[VectorBlock]] = {}
        for key, (_, block) in self._segments.items():
            found.setdefault(key.kind[len(VECTOR_PREFIX) :], []).append(block)
        for model, loose in self._loose.items():
            found.setdefault(model, []).append(loose.block())
        return found

    def _read_model(self, reader: Reader, model: str, columns: Columns) -> None:
        key = (self._space, model)
        held = self._loose.get(model)
        size, last = (held.positions.size, held.last) if held else (0, _NOTHING)
        rows = self._scan(reader, model, last + 1)
        if size + len(rows) != reader.count("vector", key, key):
            # A vector was added below the last known ordinal: start again.
            held, rows = None, self._scan(reader, model, 0)
        if not rows:
            return
        if held is None:
            held = self._loose[model] = _UnpackedVectors(len(rows[0].codes))
        self.changes += 1
        held.add(rows, columns)

    def _scan(self, reader: Reader, model: str, low: int) -> list[OrdinalVector]:
        return VECTOR_CODES.scan(reader, (self._space, model, low), (self._space, model))


def _block_of(segment: VectorSegment, columns: Columns) -> tuple[NDArray[np.int64], VectorBlock]:
    """Copies a segment's vectors to a block, and their ordinals, so that the segment's bytes can be freed."""
    block = VectorBlock.of(columns.positions(segment.ordinals), *raised(segment.codes), segment.scales.copy())
    return segment.ordinals.copy(), block
