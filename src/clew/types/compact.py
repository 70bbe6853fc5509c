"""Scores, and names out of closed lists, in few characters: for what is written once for every turn.

A score with four digits is a whole number of ten-thousandths, and a name is a letter. Whatever does not fit stands as
it is, so that what is read is always exactly what was written.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

FINE: Final = 10_000
COARSE: Final = 100
"""Parts of one whole: four digits, and two."""


def parts(score: float, scale: int = FINE) -> int | float:
    """A score as a whole number of parts; one that is none stays a float, which JSON writes with a point."""
    whole = round(score * scale) if -1e9 < score < 1e9 else 0
    return whole if whole / scale == score else float(score)


def score_of(said: float, scale: int = FINE) -> float:
    """The score that `parts` was given."""
    return said / scale if isinstance(said, int) else said


def trimmed(values: list[Any]) -> list[Any]:
    """A list without what is empty or 0 at its end."""
    while values and not values[-1]:
        values.pop()
    return values


class LetterCodes:
    """A closed list of names, each with a letter of its own. The letters are final: new names get new ones."""

    __slots__ = ("_letters", "_names", "_written")

    def __init__(self, letters: Mapping[str, str]) -> None:
        """Takes name -> letter."""
        self._letters = dict(letters)
        self._names = {letter: name for name, letter in letters.items()}
        self._written: dict[tuple[str, ...], str] = {}  # few combinations come again and again

    def letter(self, name: str) -> str:
        """The letter of a name; the name itself where it has none."""
        return self._letters.get(name, name)

    def name(self, letter: str) -> str:
        """The name that `letter` was given."""
        return self._names.get(letter, letter)

    def written(self, names: Sequence[str]) -> str | list[str]:
        """Names as letters; as they are where one of them has none."""
        key = tuple(names)
        found = self._written.get(key)
        if found is None:
            if not all(name in self._letters for name in key):
                return list(key)
            found = "".join(self._letters[name] for name in key)
            if len(self._written) < _REMEMBERED:
                self._written[key] = found
        return found

    def read(self, said: str | Sequence[str]) -> list[str]:
        """The names that `written` was given."""
        return [self._names[each] for each in said] if isinstance(said, str) else list(said)


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
