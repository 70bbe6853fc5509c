"""Regular expressions for wordings of questions, tried only if a word of the question begins as one of theirs.

Trying one takes some 2 us, and a question has the wording of few of them. Borders: knows words as letters only.
"""

import re
from dataclasses import dataclass
from typing import Final

from clew.text.late_pattern import late_pattern

LETTERS: Final = 4
"""Letters of a word that are compared; of a shorter word all of them."""

_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Wording:
    """An expression, with beginnings of words of which every match contains at least one.

    Attributes:
        beginnings: the first `LETTERS` letters of such words, in lower case; of each match at least one.
    """

    beginnings: frozenset[str]
    pattern: re.Pattern[str]

    def is_in(self, text: str, begun: frozenset[str] | None) -> bool:
        """Whether a text has this wording.

        Args:
            begun: what `beginnings` gives for the text.
        """
        return (begun is None or not self.beginnings.isdisjoint(begun)) and self.pattern.search(text) is not None


def wording(beginnings: str, source: str) -> Wording:
    """An expression that ignores case, with its beginnings of words separated by blanks."""
    return Wording(frozenset(beginnings.split()), late_pattern(source, re.IGNORECASE))


def beginnings(text: str) -> frozenset[str] | None:
    """How the words of a text begin; None for text that is not ASCII, where other letters may replace ASCII ones."""
    return frozenset([word[:LETTERS] for word in _WORD.findall(text.lower())]) if text.isascii() else None
