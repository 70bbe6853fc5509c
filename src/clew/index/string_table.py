"""Sorted strings in one block of bytes, searched by binary search over their first eight bytes.

Strings are ordered by their UTF-8 bytes, which is the order of their code points; lone surrogates are preserved.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from clew.index.container import Array, narrow

PREFIX: Final = 8
"""Bytes of a string by which it is searched first."""


def to_bytes(text: str) -> bytes:
    """The bytes by which a string is stored and ordered."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """Converts the result of `to_bytes` back to the string."""
    return data.decode("utf-8", "surrogatepass")


def prefix_of(string: bytes) -> int:
    """The first eight bytes as one number; shorter strings are padded with zeros."""
    return int.from_bytes(string[:PREFIX].ljust(PREFIX, b"\0"), "big")


def sections(strings: Sequence[bytes]) -> tuple[Array, Array]:
    """Converts strings to the two arrays of a `StringTable`: their lengths, and all bytes."""
    lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
    return narrow(lengths), np.frombuffer(b"".join(strings), dtype=np.uint8)


class StringTable:
    """Sorted, distinct strings, read from two packed arrays; a string's code is its index in that order."""

    __slots__ = ("_data", "_keys", "_offsets", "size")

    def __init__(self, lengths: Array, data: Array) -> None:
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        self.size = len(lengths)
        self._data = np.ascontiguousarray(data).data
        # Indexing a memoryview is several times faster than indexing an array, and bisect does so often.
        self._offsets = cast("Sequence[int]", narrow(offsets).data)
        self._keys: Sequence[int] | None = None

    def __getitem__(self, code: int) -> bytes:
        return bytes(self._data[self._offsets[code] : self._offsets[code + 1]])

    def strings(self) -> list[bytes]:
        """All strings, in order."""
        data = bytes(self._data)
        return [data[start:end] for start, end in pairwise(self._offsets)]

    def prefixes(self) -> NDArray[np.uint64]:
        """The `prefix_of` each string, in order."""
        return _prefixes(self._offsets, self._data)

    def contains_byte(self, value: int) -> bool:
        """Whether a string contains this byte."""
        return bytes((value,)) in bytes(self._data)

    def find(self, string: bytes, prefix: int | None = None) -> int:
        """The string's code, or -1. A caller that searches many tables passes `prefix`, the string's `prefix_of`."""
        keys = self._keys
        if keys is None:  # computed on first use: merging needs none
            keys = self._keys = cast("Sequence[int]", self.prefixes().data)
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
    """The `prefix_of` each string, in the order of the strings."""
    limits = np.asarray(offsets)
    places = limits[:-1, None] + np.arange(PREFIX)
    padded = np.concatenate((np.frombuffer(data, dtype=np.uint8), np.zeros(PREFIX, dtype=np.uint8)))
    heads: Array = np.where(places < limits[1:, None], padded[places], 0).astype(np.uint8)
    return heads.view(">u8").ravel().astype(np.uint64)


def union(tables: Iterable[Sequence[bytes]]) -> tuple[list[bytes], list[NDArray[np.int64]]]:
    """Merges tables: returns all distinct strings, sorted, and for each table the new codes of its strings."""
    present = list(tables)
    # Python's sort merges runs that are already sorted.
    merged = list(dict.fromkeys(sorted(chain.from_iterable(present))))
    codes = dict(zip(merged, range(len(merged)), strict=True))
    return merged, [np.fromiter(map(codes.__getitem__, table), dtype=np.int64, count=len(table)) for table in present]
