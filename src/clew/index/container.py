"""Numpy arrays sealed into one byte string with magic, format version and checksum, and opened again without a copy.

Layout, little-endian: magic (4 bytes), CRC-32 of all that follows, version (2), number of sections (2), then for each
section its dtype (2 characters) and its number of elements (8), then the sections, each beginning at a multiple of 8.
"""

import struct
import zlib
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import SchemaError, StoreCorrupt

Array = NDArray[Any]

_HEAD: Final = struct.Struct("<4sI")
_TAIL: Final = struct.Struct("<HH")
_SECTION: Final = struct.Struct("<2sQ")
_CHECKED_FROM: Final = _HEAD.size
_DTYPES: Final = {code: np.dtype(f"<{code}") for code in ("u1", "u2", "u4", "i1", "i8", "f4")}


def narrow(values: Array) -> Array:
    """The same numbers, none negative, in the smallest unsigned type that holds them: equal values, equal bytes."""
    top = int(values.max()) if len(values) else 0
    return values.astype("<u1" if top < 1 << 8 else "<u2" if top < 1 << 16 else "<u4" if top < 1 << 32 else "<i8")


def seal(magic: bytes, version: int, sections: Sequence[Array]) -> bytes:
    """One byte string of one-dimensional arrays; their dtypes are kept."""
    parts = [_TAIL.pack(version, len(sections))]
    parts += [_SECTION.pack(array.dtype.str[1:].encode(), array.size) for array in sections]
    size = _CHECKED_FROM + sum(map(len, parts))
    for array in sections:
        pad = bytes(-size % 8)
        data = np.ascontiguousarray(array, dtype=_DTYPES[array.dtype.str[1:]]).tobytes()
        parts += (pad, data)
        size += len(pad) + len(data)
    return b"".join((_HEAD.pack(magic, reduce(_crc, parts, 0)), *parts))


def _crc(before: int, part: bytes) -> int:
    return zlib.crc32(part, before)


def unseal(data: bytes, magic: bytes, version: int, sections: int) -> list[Array]:
    """The arrays that `seal` was given: read-only, over the same memory.

    Raises:
        StoreCorrupt: the bytes are not what was sealed.
        SchemaError: they are whole, and of a newer format version.
    """
    offset = _HEAD.size + _TAIL.size
    if len(data) < offset or data[:4] != magic:
        raise StoreCorrupt(
            f"a segment begins with {data[:4]!r}; expected {magic!r}: run `clew rebuild` to make it again"
        )
    _, checksum = _HEAD.unpack_from(data)
    if zlib.crc32(memoryview(data)[_CHECKED_FROM:]) != checksum:
        raise StoreCorrupt(
            f"a segment of {len(data)} bytes does not match its checksum; run `clew rebuild` to make it again"
        )
    found, count = _TAIL.unpack_from(data, _HEAD.size)
    if found != version or count != sections:
        raise SchemaError(f"a segment has format {found}; this Clew reads {version}: upgrade it, or run `clew rebuild`")
    table = data[offset : offset + count * _SECTION.size]
    offset += len(table)
    arrays = []
    for code, size in _SECTION.iter_unpack(table):
        dtype = _DTYPES[code.decode()]
        offset += -offset % 8
        arrays.append(np.frombuffer(data, dtype, size, offset))
        offset += size * dtype.itemsize
    return arrays
