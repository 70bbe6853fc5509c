"""Compact encodings of scores, and of names from closed lists, for data that is stored once per turn.

A score with four digits becomes a whole number of ten-thousandths, and a name becomes a letter. Values that do not fit
are stored unchanged, so that decoding always gives exactly what was encoded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

FINE: Final = 10_000
COARSE: Final = 100
"""Scales of scores with four digits and with two."""


def parts(score: float, scale: int = FINE) -> int | float:
    """Encodes a score as an integer at this scale; a score with more digits stays a float."""
    whole = round(score * scale) if -1e9 < score < 1e9 else 0
    return whole if whole / scale == score else float(score)


def score_of(said: float, scale: int = FINE) -> float:
    """Decodes the result of `parts`."""
    return said / scale if isinstance(said, int) else said


def trimmed(values: list[Any]) -> list[Any]:
    """Removes empty and zero values from the end of a list, in place, and returns the list."""
    while values and not values[-1]:
        values.pop()
    return values


class LetterCodes:
    """Encodes names from a closed list as letters. A letter never changes its meaning: new names get new letters."""

    __slots__ = ("_letters", "_names", "_written")

    def __init__(self, letters: Mapping[str, str]) -> None:
        """Takes the letter of each name."""
        self._letters = dict(letters)
        self._names = {letter: name for name, letter in letters.items()}
        self._written: dict[tuple[str, ...], str] = {}  # few combinations recur

    def letter(self, name: str) -> str:
        """The letter of a name; the name itself if it has none."""
        return self._letters.get(name, name)

    def name(self, letter: str) -> str:
        """Decodes the result of `letter`."""
        return self._names.get(letter, letter)

    def written(self, names: Sequence[str]) -> str | list[str]:
        """Encodes names as a string of letters; returns a list of the names if any has no letter."""
        key = tuple(names)
        letters = self._written.get(key)
        if letters is None:
            if not all(name in self._letters for name in key):
                return list(key)
            letters = "".join(self._letters[name] for name in key)
            if len(self._written) < _REMEMBERED:
                self._written[key] = letters
        return letters

    def read(self, said: str | Sequence[str]) -> list[str]:
        """Decodes the result of `written`."""
        return [self._names[letter] for letter in said] if isinstance(said, str) else list(said)


_REMEMBERED: Final = 4096

DOMAINS: Final = LetterCodes(
    {
        "physics": "p",
        "mathematics": "m",
        "legal": "l",
        "medical": "d",
        "poetry": "o",
        "narrative": "n",
        "technical_prose": "t",
        "conversational": "c",
        "philosophical": "f",
        "historical": "h",
        "cross_domain": "x",
        "unclassified": "u",
    }
)
NUANCES: Final = LetterCodes(
    {
        "metaphor": "m",
        "metaphor_model": "M",
        "sarcasm": "s",
        "sarcasm_model": "S",
        "emotional_tone_positive": "p",
        "emotional_tone_negative": "n",
        "emotional_tone_urgent": "u",
        "emotional_tone_neutral": "e",
        "emotional_tone_grieving": "g",
        "rhetorical_question": "r",
        "analogy": "a",
        "analogy_model": "A",
        "hedged": "h",
        "absolute": "b",
        "narrative_thread": "t",
        "narrative_thread_model": "T",
        "instructional": "i",
    }
)
OVERLAYS: Final = LetterCodes(
    {
        "O1_structural": "1",
        "O2_security": "2",
        "O3_lineage": "3",
        "O4_mission": "4",
        "O5_operational": "5",
        "O6_mathematical": "6",
        "O7_coherence": "7",
    }
)
NODE_TYPES: Final = LetterCodes(
    {
        "person": "p",
        "place": "l",
        "organization": "o",
        "product": "t",
        "work": "w",
        "concept": "c",
        "name": "n",
    }
)
EDGE_TYPES: Final = LetterCodes({"mentioned_with": "m", "speaks_of": "s", "related_to": "r"})
