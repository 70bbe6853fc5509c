"""Packed segments of one model's vectors: int8 codes with one scale per vector (`clew.models.quantize`).

A segment's bytes depend only on the set of its vectors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from clew.errors import StoreCorrupt
from clew.index.container import Array, seal, unseal
from clew.models.quantize import Codes, Scales

MAGIC: Final = b"CLWV"
VERSION: Final = 1

LIFT: Final = 128
"""Added to codes in memory, since dot products of unsigned numbers take half the time.

sum x y = sum u v - LIFT sum u - LIFT sum v + LIFT^2 dim, where u = x + LIFT and v = y + LIFT; exact in integers.
"""

UnsignedCodes = NDArray[np.uint8]
"""Codes with `LIFT` added."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorSegment:
    """Vectors of one model, sorted by the ordinals of their turns.

    Attributes:
        ordinals: ordinals of the turns, shape (n,).
        codes: shape (n, dim).
        scales: shape (n,).
    """

    ordinals: NDArray[np.int64]
    codes: Codes
    scales: Scales

    @classmethod
    def load(cls, data: bytes) -> "VectorSegment":
        """Reads a segment without copying its arrays.

        Raises:
            StoreCorrupt: the bytes are damaged, or are not a vector segment.
            SchemaError: the segment has another format version.
        """
        ordinals, scales, codes = unseal(data, MAGIC, VERSION, 3)
        return cls(ordinals, codes.reshape(len(ordinals), -1), scales)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """A block of vectors as views use them.

    Attributes:
        positions: position of each row's turn; -1 if the turn is not in the view.
        raised: the codes with `LIFT` added.
        offsets: -LIFT times the sum of each row of `raised`.
        scales: as in a segment.
        unbroken: the positions are consecutive and ascending.
    """

    positions: NDArray[np.int32]
    raised: UnsignedCodes
    offsets: NDArray[np.int32]
    scales: Scales
    unbroken: bool

    @classmethod
    def of(
        cls, positions: NDArray[np.integer], raised: UnsignedCodes, offsets: NDArray[np.int32], scales: Scales
    ) -> "VectorBlock":
        """A block of at least one row."""
        unbroken = bool(positions[0] >= 0 and np.all(np.diff(positions) == 1))
        return cls(positions.astype(np.int32, copy=False), raised, offsets, scales, unbroken)

    @classmethod
    def joined(cls, blocks: "Sequence[VectorBlock]") -> "VectorBlock":
        """A copy of the rows of some blocks, each of which may precede the next."""
        return cls(
            np.concatenate([block.positions for block in blocks]),
            np.concatenate([block.raised for block in blocks]),
            np.concatenate([block.offsets for block in blocks]),
            np.concatenate([block.scales for block in blocks]),
            blocks[0].unbroken,
        )

    def may_precede(self, other: "VectorBlock") -> bool:
        """Whether another block's rows may stand behind these without any row being looked up in another way."""
        if self.unbroken != other.unbroken:
            return False
        return not self.unbroken or int(self.positions[-1]) + 1 == int(other.positions[0])

    def part(self, low: int, high: int) -> "VectorBlock":
        """Some of the rows, in the same memory."""
        rows = slice(low, high)
        return VectorBlock(
            self.positions[rows], self.raised[rows], self.offsets[rows], self.scales[rows], self.unbroken
        )

    def codes(self, row: int) -> Codes:
        """One vector's codes, as in a segment."""
        return to_signed(self.raised[row])


def raised(codes: Codes) -> tuple[UnsignedCodes, NDArray[np.int32]]:
    """Converts codes, shape (n, dim), to the `raised` and `offsets` of a `VectorBlock`."""
    lifted = codes.view(np.uint8) ^ np.uint8(LIFT)  # in two's complement that adds LIFT
    ones = np.ones((1, codes.shape[1]), dtype=np.uint8)
    sums = np.asarray(simsimd.cdist(lifted, ones, metric="dot"))[:, 0]
    return lifted, (-LIFT * sums).astype(np.int32)


def to_signed(lifted: UnsignedCodes) -> Codes:
    """Converts the result of `raised` back to signed codes."""
    return (lifted ^ np.uint8(LIFT)).view(np.int8)


def build(rows: Iterable[tuple[int, float, bytes]]) -> bytes:
    """Packs vectors given as ordinal, scale and codes; of two vectors of one turn the later one is kept.

    Raises:
        StoreCorrupt: vectors differ in length.
    """
    by_ordinal = {ordinal: (scale, codes) for ordinal, scale, codes in rows}
    ordinals = sorted(by_ordinal)
    sizes = {len(codes) for _, codes in by_ordinal.values()}
    if len(sizes) > 1:
        raise StoreCorrupt(
            f"vectors of one model have the lengths {sorted(sizes)}; expected one length: run `clew doctor --repair`"
        )
    return _seal(
        np.array(ordinals, dtype=np.int64),
        np.array([by_ordinal[ordinal][0] for ordinal in ordinals], dtype=np.float32),
        np.frombuffer(b"".join(by_ordinal[ordinal][1] for ordinal in ordinals), dtype=np.int8),
    )


def merge(segments: Sequence[VectorSegment]) -> bytes:
    """Merges segments into one; of two vectors of one turn that of the later segment is kept."""
    ordinals = np.concatenate([segment.ordinals for segment in segments])
    order = np.argsort(ordinals, kind="stable")
    last = np.append(np.diff(ordinals[order]) != 0, True)
    order = order[last]
    codes = np.concatenate([segment.codes for segment in segments])
    return _seal(ordinals[order], np.concatenate([segment.scales for segment in segments])[order], codes[order])


def without(segment: VectorSegment, ordinals: Iterable[int]) -> bytes | None:
    """Removes the vectors of some turns from a segment; None if no vector is left."""
    keep = ~np.isin(segment.ordinals, np.fromiter(ordinals, dtype=np.int64))
    if not keep.any():
        return None
    return _seal(segment.ordinals[keep], segment.scales[keep], segment.codes[keep])


def _seal(ordinals: Array, scales: Array, codes: Array) -> bytes:
    return seal(MAGIC, VERSION, [ordinals, scales, codes.reshape(-1)])
