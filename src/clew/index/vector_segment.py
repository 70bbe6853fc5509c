"""Packed segments of one model's vectors: int8 codes with a scale a row (`clew.models.quantize`).

As with terms, a segment's bytes are a function of the set of its vectors.
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
"""What is added to codes in memory: products of numbers without a sign are looked through in half the time.

sum x y = sum u v - LIFT sum u - LIFT sum v + LIFT^2 dim, where u = x + LIFT and v = y + LIFT: whole numbers, so exact.
"""

UnsignedCodes = NDArray[np.uint8]
"""Codes with `LIFT` added."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorSegment:
    """Vectors of one model, in ascending order of ordinals.

    Attributes:
        ordinals: the turns.
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
            StoreCorrupt: the bytes are not, or no longer, those of a vector segment.
            SchemaError: they are of a newer format.
        """
        ordinals, scales, codes = unseal(data, MAGIC, VERSION, 3)
        return cls(ordinals, codes.reshape(len(ordinals), -1), scales)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Vectors as a view sees them.

    Attributes:
        positions: which turn each row belongs to; -1 for none.
        raised: the codes with `LIFT` added.
        offsets: -LIFT times the sum of a row of `raised`.
        scales: as in a segment.
        unbroken: the positions are a run without gap, ascending.
    """

    positions: NDArray[np.intp]
    raised: UnsignedCodes
    offsets: NDArray[np.int32]
    scales: Scales
    unbroken: bool

    @classmethod
    def of(
        cls, positions: NDArray[np.intp], raised: UnsignedCodes, offsets: NDArray[np.int32], scales: Scales
    ) -> "VectorBlock":
        """A block of at least one row."""
        unbroken = bool(positions[0] >= 0 and np.all(np.diff(positions) == 1))
        return cls(positions, raised, offsets, scales, unbroken)

    def codes(self, row: int) -> Codes:
        """One vector's codes, as in a segment."""
        return to_signed(self.raised[row])


def raised(codes: Codes) -> tuple[UnsignedCodes, NDArray[np.int32]]:
    """Codes as a view holds them, and the offsets of their rows: see `VectorBlock`.

    Args:
        codes: shape (n, dim).
    """
    found = codes.view(np.uint8) ^ np.uint8(LIFT)  # in two's complement that adds LIFT
    ones = np.ones((1, codes.shape[1]), dtype=np.uint8)
    sums = np.asarray(simsimd.cdist(found, ones, metric="dot"))[:, 0]
    return found, (-LIFT * sums).astype(np.int32)


def to_signed(found: UnsignedCodes) -> Codes:
    """The codes that `raised` was given."""
    return (found ^ np.uint8(LIFT)).view(np.int8)


def build(rows: Iterable[tuple[int, float, bytes]]) -> bytes:
    """Packs vectors given as ordinal, scale and codes; of two for one turn the later counts.

    Raises:
        StoreCorrupt: vectors differ in length.
    """
    held = {ordinal: (scale, codes) for ordinal, scale, codes in rows}
    ordinals = sorted(held)
    sizes = {len(codes) for _, codes in held.values()}
    if len(sizes) > 1:
        raise StoreCorrupt(
            f"vectors of one model have the lengths {sorted(sizes)}; expected one length: forget that model's vectors"
        )
    return _seal(
        np.array(ordinals, dtype=np.int64),
        np.array([held[ordinal][0] for ordinal in ordinals], dtype=np.float32),
        np.frombuffer(b"".join(held[ordinal][1] for ordinal in ordinals), dtype=np.int8),
    )


def merge(segments: Sequence[VectorSegment]) -> bytes:
    """Packs several segments into one; of two vectors for one turn the later segment's counts."""
    ordinals = np.concatenate([each.ordinals for each in segments])
    order = np.argsort(ordinals, kind="stable")
    last = np.append(np.diff(ordinals[order]) != 0, True)
    order = order[last]
    codes = np.concatenate([each.codes for each in segments])
    return _seal(ordinals[order], np.concatenate([each.scales for each in segments])[order], codes[order])


def without(segment: VectorSegment, ordinals: Iterable[int]) -> bytes | None:
    """The segment without the vectors of some turns; None when nothing is left."""
    keep = ~np.isin(segment.ordinals, np.fromiter(ordinals, dtype=np.int64))
    if not keep.any():
        return None
    return _seal(segment.ordinals[keep], segment.scales[keep], segment.codes[keep])


def _seal(ordinals: Array, scales: Array, codes: Array) -> bytes:
    return seal(MAGIC, VERSION, [ordinals, scales, codes.reshape(-1)])
