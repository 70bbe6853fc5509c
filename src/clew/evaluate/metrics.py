"""Measures how much of a question's evidence a context contains. Pure.

Texts are compared in one normal form: words of lower-case letters and digits without accents. Tokens are counted as
ceil(characters / 4), whatever counter a memory uses, so that contexts of different systems have equal room.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from clew.types.record import Record

CHARS_PER_TOKEN: Final = 4
WHOLE: Final = Fraction(9, 10)
"""Share of a turn's words that must occur in the context as one run for the turn to count as found."""

SHINGLE: Final = 4
"""Words of a shingle, for the soft cover."""

_GAP: Final = re.compile(r"[^a-z0-9]+")
_APOSTROPHE: Final = str.maketrans("", "", "'’")


def tokens(text: str) -> int:
    """ceil(characters / 4)."""
    return -(-len(text) // CHARS_PER_TOKEN)


def words(text: str) -> list[str]:
    """The normal form: NFKD without accents, in lower case; an apostrophe joins, other marks separate."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return [word for word in _GAP.split(bare.lower().translate(_APOSTROPHE)) if word]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCoverage(Record):
    """How much of a question's evidence one context contains; the tuples follow the order of the evidence turns.

    Attributes:
        whole: whether the turn is found: a run of at least `WHOLE` of its words.
        cover: 0..1, share of the turn's shingles that occur anywhere in the context.
        tokens: length of the context.
        answer: 0..1, how much of the answer can be read from the context; None where that was not asked or is unknown.
    """

    whole: tuple[bool, ...]
    cover: tuple[float, ...]
    tokens: int
    answer: float | None = None


class Passage:
    """A context, cut at its budget, in the normal form."""

    def __init__(self, text: str, budget: int) -> None:
        """Keeps the first `budget` tokens of a text."""
        self.text = text[: budget * CHARS_PER_TOKEN]
        self._words = words(self.text)
        self._places: dict[int, dict[tuple[str, ...], list[int]]] = {}

    def find(self, evidence: Sequence[Sequence[str]]) -> EvidenceCoverage:
        """Measures the evidence turns, given as their words in the normal form."""
        return EvidenceCoverage(
            whole=tuple(self.has(turn) for turn in evidence),
            cover=tuple(self.cover(turn) for turn in evidence),
            tokens=tokens(self.text),
        )

    def has(self, turn: Sequence[str]) -> bool:
        """Whether the context has a run of at least `WHOLE` of the turn's words; False for a turn without words."""
        need = math.ceil(WHOLE * len(turn))
        return 0 < need <= self._longest_run(turn, min(SHINGLE, need))

    def cover(self, turn: Sequence[str]) -> float:
        """Share of the turn's shingles that the context has; a turn shorter than a shingle is one shingle."""
        size = min(SHINGLE, len(turn))
        if not size:
            return 0.0
        places = self._shingles(size)
        shingles = [tuple(turn[start : start + size]) for start in range(len(turn) - size + 1)]
        return sum(shingle in places for shingle in shingles) / len(shingles)

    def _longest_run(self, turn: Sequence[str], size: int) -> int:
        """Words of the longest run that the turn and the context share; 0 when it is shorter than `size`."""
        places = self._shingles(size)
        longest, runs = 0, dict[int, int]()
        for start in range(len(turn) - size + 1):
            runs = {place: runs.get(place - 1, 0) + 1 for place in places.get(tuple(turn[start : start + size]), ())}
            longest = max(longest, *runs.values()) if runs else longest
        return longest + size - 1 if longest else 0

    def _shingles(self, size: int) -> dict[tuple[str, ...], list[int]]:
        """Each run of `size` words with the places where it begins."""
        if size not in self._places:
            places: dict[tuple[str, ...], list[int]] = {}
            for start in range(len(self._words) - size + 1):
                places.setdefault(tuple(self._words[start : start + size]), []).append(start)
            self._places[size] = places
        return self._places[size]


def fill(lines: Iterable[str], budget: int) -> str:
    """Joins lines in order until the budget is full; the last line may exceed it and is cut by `Passage`."""
    taken: list[str] = []
    room = budget * CHARS_PER_TOKEN
    for line in lines:
        if room <= 0:
            break
        taken.append(line)
        room -= len(line) + 1
    return "\n".join(taken)
