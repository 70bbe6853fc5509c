"""Sorted strings in one block of bytes, found by binary search over their first eight bytes.

Strings are ordered by their UTF-8 bytes, which is the order of their code points; lone surrogates are kept.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from clew.index.container import Array, narrow

_PREFIX: Final = 8


def to_bytes(text: str) -> bytes:
    """The bytes under which a string is ordered and kept."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """The string that `to_bytes` was given."""
    return data.decode("utf-8", "surrogatepass")


def prefix_of(string: bytes) -> int:
    """The first eight bytes as one number, zeros after a shorter one."""
    return int.from_bytes(string[:_PREFIX].ljust(_PREFIX, b"\0"), "big")


def sections(strings: Sequence[bytes]) -> tuple[Array, Array]:
    """Strings as two arrays to be sealed: their lengths, and all their bytes."""
    lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
    return narrow(lengths), np.frombuffer(b"".join(strings), dtype=np.uint8)


class StringTable:
    """Sorted, distinct strings, read from two sealed arrays; a string's code is its place in the order."""

    __slots__ = ("_data", "_keys", "_offsets", "size")

    def __init__(self, lengths: Array, data: Array) -> None:
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        self.size = len(lengths)
        self._data = np.ascontiguousarray(data).data
        # A memoryview gives a plain int several times faster than an array, and bisect asks for many.
        self._offsets = cast("Sequence[int]", narrow(offsets).data)
        self._keys: Sequence[int] | None = None

    def __getitem__(self, code: int) -> bytes:
        return bytes(self._data[self._offsets[code] : self._offsets[code + 1]])

    def strings(self) -> list[bytes]:
        """All of them, in order."""
        data = bytes(self._data)
        return [data[start:end] for start, end in pairwise(self._offsets)]

    def find(self, string: bytes, prefix: int | None = None) -> int:
        """The string's code, or -1; `prefix` is its `prefix_of`, for who looks into many tables."""
        keys = self._keys
        if keys is None:  # made when first asked for: a merge asks for none
            keys = self._keys = cast("Sequence[int]", _prefixes(self._offsets, self._data).data)
        key = prefix_of(string) if prefix is None else prefix
        low = bisect_left(keys, key)
        if low == self.size or keys[low] != key:
            return -1
        if self[low] == string:
            return low
        high = bisect_right(keys, key, low)
        code = bisect_left(range(high), string, low, high, key=self.__getitem__)
        return code if code < high and self[code] == string else -1


def _prefixes(offsets: Sequence[int], data: memoryview) -> NDArray[np.uint64]:
    """The first eight bytes of each string as one number, zeros after a shorter one: ordered as the strings are."""
    limits = np.asarray(offsets)
    places = limits[:-1, None] + np.arange(_PREFIX)
    padded = np.concatenate((np.frombuffer(data, dtype=np.uint8), np.zeros(_PREFIX, dtype=np.uint8)))
    heads: Array = np.where(places < limits[1:, None], padded[places], 0).astype(np.uint8)
    return heads.view(">u8").ravel().astype(np.uint64)


def union(tables: Iterable[Sequence[bytes]]) -> tuple[list[bytes], list[NDArray[np.int64]]]:
    """All strings of several tables, sorted, and for each table the new code of each of its strings."""
    held = list(tables)
    # Sorting runs that are sorted already is a merge of them.
    merged = list(dict.fromkeys(sorted(chain.from_iterable(held))))
    codes = dict(zip(merged, range(len(merged)), strict=True))
    return merged, [np.fromiter(map(codes.__getitem__, table), dtype=np.int64, count=len(table)) for table in held]
