"""Postings of the turns that are not packed into a segment yet, extended one turn at a time."""

from array import array
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.entry import SATURATION, TurnEntry

# A posting is one number: the piece, 8 bits of body count, 8 bits of extra count.
_PIECE_BITS: Final = 16
_BODY_BITS: Final = 8

MARK: Final = "@"
"""What terms begin with that are not words of a turn, see `clew.index.entry.name_mark`."""

_COUNT: Final = 0xFF


class Tail:
    """Maps terms to postings. One thread at a time may add; other threads may read older states meanwhile."""

    __slots__ = ("_marks", "_postings")

    def __init__(self) -> None:
        self._postings: dict[str, array[int]] = {}
        self._marks: set[str] = set()  # how the terms begin that are not words, up to their "="

    def add(self, entry: TurnEntry, first_piece: int) -> None:
        """Adds a turn's pieces, numbered from `first_piece`, which must be above all numbers used so far."""
        for number, piece in enumerate(entry.pieces, start=first_piece):
            codes = {term: min(count, SATURATION) << _BODY_BITS for term, count in piece.body.items()}
            for term, count in piece.extra.items():
                codes[term] = codes.get(term, 0) + min(count, SATURATION)
            base = number << _PIECE_BITS
            for term, code in codes.items():
                postings = self._postings.get(term)
                if postings is None:
                    self._postings[term] = array("q", (base + code,))
                    if term.startswith(MARK):
                        self._marks.add(term[: term.find("=") + 1])
                else:
                    postings.append(base + code)

    def postings(self, term: str, pieces: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
        """A term's pieces below the number `pieces`, ascending, with body and extra counts; None if there are none."""
        postings = self._postings.get(term)
        if postings is None:
            return None
        # Copied in one call: a buffer over an array that is growing would raise an error in the writer.
        codes = np.frombuffer(postings.tobytes(), dtype=np.int64)
        if codes[-1] >= pieces << _PIECE_BITS:  # some are newer
            codes = codes[: np.searchsorted(codes, pieces << _PIECE_BITS)]
        if not len(codes):
            return None
        return codes >> _PIECE_BITS, codes >> _BODY_BITS & _COUNT, codes & _COUNT

    def has_marks(self, head: str) -> bool:
        """Whether some turn, of this state or a newer one, has a term that begins with `MARK` and so up to its "="."""
        return head in self._marks

    def similar(self, word: str, edits: int, cut: int) -> set[str]:
        """Terms with a word's first letter whose length may be that of the word; see `TermDirectory.similar`."""
        least, most, first = len(word) - edits - cut, len(word) + edits, word[0]
        return {term for term in list(self._postings) if term[0] == first and least <= len(term) <= most}
