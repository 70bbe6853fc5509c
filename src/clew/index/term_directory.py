"""Where a term is in several segments: one binary search for all of them instead of one in each."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Final, cast

import numpy as np

from clew.index.container import narrow
from clew.index.string_table import PREFIX, StringTable, prefix_of, to_bytes, to_text

MANY: Final = 4
"""Strings that begin alike, by segment, from which each segment is searched instead of comparing all of them."""

_FIRST_BYTE: Final = 8 * (PREFIX - 1)
_LETTER: Final = np.array([1 << (byte - 97) if 97 <= byte <= 122 else 0 for byte in range(256)], dtype=np.uint32)
"""For each byte the bit of its letter; 0 for other bytes."""


def _letters(word: str) -> np.uint32:
    """The bits of the letters of a word."""
    return np.uint32(np.bitwise_or.reduce(_LETTER[np.frombuffer(word.encode(), dtype=np.uint8)]))


class TermDirectory:
    """Finds terms in the tables of several segments. Costs 11 bytes of memory, or less, for each term of a segment."""

    def __init__(self, tables: Sequence[StringTable]) -> None:
        """Takes the terms of each segment; they are merged at the first search."""
        self._tables = tables

    @cached_property
    def _merged(self) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """All terms by their first bytes: these as numbers, and the table and the code of each."""
        keys = [table.prefixes() for table in self._tables]
        sizes = [table.size for table in self._tables]
        every = np.concatenate(keys) if keys else np.empty(0, dtype=np.uint64)
        order = np.argsort(every, kind="stable")
        tables = np.repeat(narrow(np.arange(len(sizes))), sizes)[order]
        codes = np.concatenate([np.arange(size) for size in sizes] or [order])[order]
        return (
            cast("Sequence[int]", every[order].data),
            cast("Sequence[int]", tables.data),
            cast("Sequence[int]", narrow(codes).data),
        )

    @cached_property
    def _plain(self) -> bool:
        """Whether no term has a zero byte, so that a term shorter than `PREFIX` is known by its first bytes."""
        return not any(table.contains_byte(0) for table in self._tables)

    def similar(self, word: str, edits: int, cut: int) -> set[str]:
        """Terms that begin like a word and may be a few edits from it, by the letters that both begin with.

        Args:
            word: in ASCII letters, in small ones.
            edits: letters that may differ.
            cut: letters at the word's end that a term may lack.
        """
        keys, tables, codes = self._merged
        first = ord(word[0])
        low, high = bisect_left(keys, first << _FIRST_BYTE), bisect_left(keys, (first + 1) << _FIRST_BYTE)
        heads = np.asarray(keys[low:high], dtype=np.uint64).astype(">u8").view(np.uint8).reshape(-1, PREFIX)
        letters = np.bitwise_or.reduce(_LETTER[heads], axis=1)
        shared = max(1, min(PREFIX, len(word) - cut) - edits)
        others = np.bitwise_count(letters & ~_letters(word[: PREFIX + edits]))
        lacking = np.bitwise_count(_letters(word[:shared]) & ~letters)
        least = min(PREFIX, len(word) - cut - edits)
        fits = (others <= edits) & (lacking <= edits) & (heads[:, max(0, least - 1)] != 0)
        if len(word) + edits < PREFIX:
            fits &= heads[:, len(word) + edits] == 0
        places = (np.flatnonzero(fits) + low).tolist()
        return {to_text(self._tables[tables[at]][codes[at]]) for at in places}

    def may_begin(self, head: str) -> bool:
        """Whether some term begins so, as far as its first `PREFIX` bytes tell."""
        string = to_bytes(head)[:PREFIX]
        keys, low = self._merged[0], prefix_of(string)
        at = bisect_left(keys, low)
        return at < len(keys) and keys[at] < low + (1 << 8 * (PREFIX - len(string)))

    def find(self, term: str) -> list[tuple[int, int]]:
        """The number of each segment that has the term, ascending, and the term's code there."""
        string = to_bytes(term)
        keys, tables, codes = self._merged
        key = prefix_of(string)
        low = bisect_left(keys, key)
        if low == len(keys) or keys[low] != key:
            return []
        high = bisect_right(keys, key, low)
        if len(string) < PREFIX and 0 not in string and self._plain:
            return list(zip(tables[low:high], codes[low:high], strict=True))
        if high - low > MANY * len(self._tables):
            found = ((number, table.find(string, key)) for number, table in enumerate(self._tables))
            return [(number, code) for number, code in found if code >= 0]
        places = range(low, high)
        return [(tables[at], codes[at]) for at in places if self._tables[tables[at]][codes[at]] == string]
