"""The current index of one space, refreshed after every commit of this or another process.

A refresh reads only what is new: tail and vector rows after the last known ones, and changed segments. The columns do
not depend on how turns are packed, so after packing a refresh only reads the new segment.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise, starmap
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clew.errors import StoreCorrupt
from clew.index.columns import Column, Columns
from clew.index.container import narrow
from clew.index.entry import PieceSizes, TurnEntry, decode, decode_sizes, piece_sizes
from clew.index.gathering import Group, adjoining, gathered, regrouped
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
from clew.store.tables import TAIL

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
        self._terms = _Terms(space, keeps=False)
        self._vectors = _Vectors(space)
        self._generation: int | None = None
        self._epoch = 0
        self._copies: int | None = None  # None while the space does not exist
        self._asked = 0
        self._published = (0, 0)  # the changes of terms and vectors that the current view includes

    def view(self) -> IndexView:
        """The index as of the last commit; the same object while nothing changes in this space.

        Once in its life it is another object without a change: when small segments are gathered, see `SETTLED`.

        Raises:
            StoreCorrupt: the stored index is inconsistent.
        """
        if not self._terms.keeps:
            self._keep_terms()
        seen, view = self._current
        if self._store.version() == seen:
            self._asked += 1
            return view if self._terms.gathers or self._asked < SETTLED else self._gathered()
        return self._newest()

    def outline(self) -> IndexView:
        """The index as of the last commit, of which only columns, names and vectors are to be read: no postings.

        As long as `view` was never called, no postings are held in memory, which are most of an index of long turns.
        """
        seen, view = self._current
        return view if self._store.version() == seen else self._newest()

    def _keep_terms(self) -> None:
        with self._lock:
            if not self._terms.keeps:
                self._terms.keep()
                self._generation, self._published = None, (-1, -1)
                self._current = None, IndexView.of()

    def _newest(self) -> IndexView:
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
            self._vectors.gather()
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
            self._terms, self._vectors = _Terms(self._space, keeps=self._terms.keeps), _Vectors(self._space)
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


class _Extent(NamedTuple):
    """What a segment has, when it was read and not kept: its first and last ordinal, and how many turns and pieces."""

    low: int
    high: int
    turns: int
    pieces: int

    @classmethod
    def of(cls, segment: Segment) -> Self:
        """The extent of a segment."""
        ordinals = segment.turns.ordinal
        return cls(int(ordinals[0]), int(ordinals[-1]), len(ordinals), len(segment.pieces.chars))


class _Terms:
    """Columns, term segments and tail, as read so far.

    Attributes:
        keeps: whether segments and tail are kept, or only the columns that are made of them.
        placed: the segments with the numbers of their first pieces; none unless they are kept.
        changes: increases with every change.
        gathers: whether small segments are gathered when they are read.
    """

    def __init__(self, space: str, *, keeps: bool) -> None:
        self._space = space
        self._groups: list[Group] = []
        self._extents: list[_Extent] = []  # of the groups, unless segments are kept
        self.keeps = keeps
        self._lacks = False  # segments or tail entries were read and not kept
        self.gathers = False
        self.columns = Columns()
        self.placed: list[tuple[Segment, int]] = []
        self.tail = Tail()
        self.changes = 0

    def reload(self, reader: Reader, *, afresh: bool) -> None:
        """Loads changed segments. `afresh`: the columns may be wrong and are read again."""
        keys = list_segments(reader, self._space, TERMS)
        if keys == list(chain.from_iterable(self._groups)) and not afresh and not self._lacks:
            self.read_tail(reader)
            return
        groups = regrouped(keys, self._groups)
        if self.keeps:
            loaded = dict(zip(self._groups, self._segments, strict=True))
            segments = [
                loaded.get(group) or Segment.load(segment_data(reader, self._space, group[0])) for group in groups
            ]
            if self.gathers:
                groups, segments = gathered(groups, segments)
            tail = reader.count(TAIL.name, (self._space,), (self._space,))  # most turns have one piece
            self.columns.reserve(
                sum(len(segment.turns.ordinal) for segment in segments) + tail,
                sum(len(segment.pieces.chars) for segment in segments) + tail,
            )
        if afresh or not self._place(reader, groups, segments if self.keeps else self._read(reader, groups)):
            self.columns, self._extents = Columns(), []
            if not self._place(reader, groups, segments if self.keeps else self._read(reader, groups)):
                raise StoreCorrupt(
                    f"the index of space {self._space!r} contains turns twice or out of order; run `clew rebuild`"
                )

    def keep(self) -> None:
        """Has segments and tail kept from the next reload on."""
        self._lacks = bool(self._extents) or self.columns.turns > 0
        self.keeps, self._groups, self._extents = True, [], []

    def _read(self, reader: Reader, groups: Sequence[Group]) -> Iterator[Segment | _Extent]:
        """The segments one after the other; of those that were read before only what they have."""
        known = dict(zip(self._groups, self._extents, strict=False))
        for group in groups:
            yield known.get(group) or Segment.load(segment_data(reader, self._space, group[0]))

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
        for entry, sizes in self._tail_entries(reader, self._last()):
            self.changes += 1
            if self.keeps:
                self.tail.add(entry, self.columns.pieces)
            self.columns.add(entry, sizes)

    def _place(self, reader: Reader, groups: list[Group], segments: Iterable[Segment | _Extent]) -> bool:
        """Attaches segments and tail to the columns; False unless the columns then contain exactly their turns."""
        placed: list[tuple[Segment, int]] = []
        extents: list[_Extent] = []
        turns, pieces, low = 0, 0, _NOTHING
        for segment in segments:
            extent = segment if isinstance(segment, _Extent) else _Extent.of(segment)
            if extent.low <= low:
                return False
            low = extent.high
            if isinstance(segment, Segment):
                self._extend(segment, low)
                placed += [(segment, pieces)] * self.keeps
            extents += [extent] * (not self.keeps)
            turns, pieces = turns + extent.turns, pieces + extent.pieces
        tail, columns = Tail(), self.columns
        for entry, sizes in self._tail_entries(reader, low):
            if entry.ordinal > self._last():
                columns.add(entry, sizes)
            if self.keeps:
                tail.add(entry, pieces)
            turns, pieces = turns + 1, pieces + len(sizes)
        self._groups, self._extents, self.placed, self.tail = groups, extents, placed, tail
        self._lacks = False
        self.changes += 1
        return (columns.turns, columns.pieces) == (turns, pieces)

    def _extend(self, segment: Segment, high: int) -> None:
        last = self._last()
        if high > last:
            self.columns.extend(segment, int(np.searchsorted(segment.turns.ordinal, last, side="right")))

    def _tail_entries(self, reader: Reader, low: int) -> Iterator[tuple[TurnEntry, list[PieceSizes]]]:
        """The entries above an ordinal, with the sizes of their pieces; without their terms unless these are kept."""
        for packed in TAIL_ENTRY.scan(reader, (self._space, low + 1), (self._space,)):
            if self.keeps:
                entry = decode(packed)
                yield entry, piece_sizes(entry)
            else:
                yield decode_sizes(packed)

    def _last(self) -> int:
        turns = self.columns.turns
        return int(self.columns.turn["ordinal"].array[turns - 1]) if turns else _NOTHING


class _UnpackedVectors:
    """The vectors of one model that are in no segment, in the order in which they were read."""

    def __init__(self, dim: int) -> None:
        self.last = _NOTHING
        self.positions = Column(np.int32, -1)
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
        codes_raised, offsets = raised(codes.reshape(-1, dim))
        self.raised.extend(codes_raised)
        self.offsets.extend(offsets)
        self.last = max(self.last, *ordinals)

    def block(self) -> VectorBlock:
        """The vectors read so far."""
        columns = (self.positions, self.raised, self.offsets, self.scales)
        return VectorBlock.of(*(column.array[: self.positions.size] for column in columns))


class _Vectors:
    """Packed and unpacked vectors of every model, as read so far.

    Attributes:
        changes: increases with every change.
    """

    def __init__(self, space: str) -> None:
        self._space = space
        self._columns: Columns | None = None
        self._segments: dict[SegmentKey, VectorBlock] = {}
        self._ordinals: dict[SegmentKey, _Ordinals] = {}  # of the rows of each segment
        self._groups: dict[Group, VectorBlock] = {}  # of which the blocks of segments are parts
        self._gathers = False
        self._loose: dict[str, _UnpackedVectors] = {}
        self.changes = 0

    def reload(self, reader: Reader, columns: Columns) -> None:
        """Loads changed segments and reads all unpacked vectors again."""
        blocks, ordinals = dict[SegmentKey, VectorBlock](), dict[SegmentKey, _Ordinals]()
        for kind in segment_kinds(reader, self._space)[1:]:
            for key in list_segments(reader, self._space, kind.name):
                known = self._segments.get(key)
                if known is None:
                    loaded = VectorSegment.load(segment_data(reader, self._space, key))
                    ordinals[key], blocks[key] = _block_of(loaded, columns)
                    continue
                ordinals[key], blocks[key] = self._ordinals[key], known
                if columns is not self._columns:
                    places = columns.positions(ordinals[key].array())
                    blocks[key] = VectorBlock.of(places, known.raised, known.offsets, known.scales)
        if columns is not self._columns:
            self._groups = {}
        self._columns, self._segments, self._ordinals, self._loose = columns, blocks, ordinals, {}
        self._group()
        self.changes += 1
        self.read_loose(reader, columns)

    def gather(self) -> None:
        """Joins small adjacent segments in memory, now and whenever segments are read."""
        self._gathers, before = True, self._groups
        self._group()
        self.changes += self._groups.keys() != before.keys()

    def _group(self) -> None:
        """Joins what may be joined, unless it is already. What is not stored any more leaves the memory."""
        groups = dict[Group, VectorBlock]()
        for group in adjoining(self._segments) if self._gathers else [(key,) for key in self._segments]:
            blocks = [self._segments[key] for key in group]
            whole = self._groups.get(group)
            if whole is None:
                whole = blocks[0]
                if len(blocks) > 1 or whole.raised.base is not None:  # it is a part, which keeps an old whole in memory
                    whole = VectorBlock.joined(blocks)
                    ends = list(accumulate((len(block.positions) for block in blocks), initial=0))
                    self._segments.update(zip(group, starmap(whole.part, pairwise(ends)), strict=True))
            groups[group] = whole
        self._groups = groups

    def read_loose(self, reader: Reader, columns: Columns) -> None:
        """Reads the new unpacked vectors."""
        for model in unpacked_models(reader, self._space):
            self._read_model(reader, model, columns)

    def blocks(self) -> dict[str, list[VectorBlock]]:
        """The vector blocks by model. Unpacked vectors come last, and of two vectors of a turn the last one counts."""
        blocks: dict[str, list[VectorBlock]] = {}
        for (key, *_), block in self._groups.items():
            blocks.setdefault(key.kind[len(VECTOR_PREFIX) :], []).append(block)
        for model, loose in self._loose.items():
            blocks.setdefault(model, []).append(loose.block())
        return blocks

    def _read_model(self, reader: Reader, model: str, columns: Columns) -> None:
        key = (self._space, model)
        unpacked = self._loose.get(model)
        size, last = (unpacked.positions.size, unpacked.last) if unpacked else (0, _NOTHING)
        rows = self._scan(reader, model, last + 1)
        if size + len(rows) != reader.count("vector", key, key):
            # A vector was added below the last known ordinal: start again.
            unpacked, rows = None, self._scan(reader, model, 0)
        if not rows:
            return
        if unpacked is None:
            unpacked = self._loose[model] = _UnpackedVectors(len(rows[0].codes))
        self.changes += 1
        unpacked.add(rows, columns)

    def _scan(self, reader: Reader, model: str, low: int) -> list[OrdinalVector]:
        return VECTOR_CODES.scan(reader, (self._space, model, low), (self._space, model))


class _Ordinals(NamedTuple):
    """Ascending ordinals in a quarter of their memory: what each is above the first."""

    first: int
    above: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, ordinals: NDArray[np.int64]) -> Self:
        """At least one ordinal."""
        first = int(ordinals[0])
        return cls(first, narrow(ordinals - first))

    def array(self) -> NDArray[np.int64]:
        """The ordinals as one array."""
        return self.above + np.int64(self.first)


def _block_of(segment: VectorSegment, columns: Columns) -> tuple[_Ordinals, VectorBlock]:
    """Copies a segment's vectors to a block, and their ordinals, so that the segment's bytes can be freed."""
    block = VectorBlock.of(columns.positions(segment.ordinals), *raised(segment.codes), segment.scales.copy())
    return _Ordinals.of(segment.ordinals), block
