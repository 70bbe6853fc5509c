"""What the words of a question tell: a word that everybody uses tells little, a name or an identifier much.

How often a word is used at large does not depend on the space, unlike inverse document frequencies, so a small space
and a large one, a chat and an agent's log, are judged on one scale.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from math import log
from typing import Final

from clew.index.string_table import StringTable, sections, to_bytes
from clew.index.term_directory import TermDirectory
from clew.models.wordpiece import vocabulary
from clew.rank.intent import Intent
from clew.rank.intent.position_phrases import cut_out
from clew.text.foreign_dates import shown_languages, without_empty_words
from clew.text.terms import terms
from clew.text.text_cache import cached_by_word

COMMON: Final = 3.0
"""Logarithm of the rank of words ("about", "which") that tell nothing; the vocabulary is ordered by frequency."""

OUTSIDE: Final = 1.5
"""Rank of a word that the vocabulary lacks, as a multiple of the vocabulary's length."""

_WORD: Final = re.compile(r"[^\W_]+")

LEAST: Final = 0.05
"""What the commonest word tells, a function word, and a time, which turns have as their date, seldom as a word."""


def information(intent: Intent) -> dict[str, float]:
    """What each term of a question tells, from `LEAST` to 1: the square of the logarithm of its word's rank, scaled.

    In a language other than English, function words tell the least: the vocabulary lacks most of them, as it does
    names.
    """
    told = dict.fromkeys(intent.terms, LEAST)
    text = without_dates(intent)
    if languages := shown_languages(intent.text):
        text = without_empty_words(text, languages)
    rarities: dict[str, float] = {}
    for word in _WORD.findall(text):
        for term, rarity in _told_by(word):
            rarities[term] = min(rarities.get(term, 1.0), rarity)
    left = set(terms(text))
    told |= {term: rarities.get(term, 1.0) for term in intent.terms if term in left}
    return told


class UsedWords:
    """The words that people use at large: those of the vocabulary, two or more letters long."""

    def __contains__(self, word: str) -> bool:
        """Whether a word is one of them."""
        return word in _ranks()

    def similar(self, word: str, edits: int) -> set[str]:
        """Those with the same first letter that may be so many edits from a word, by the letters that both have."""
        return _words_by_letters().similar(word, edits, 0)


@lru_cache(maxsize=1)
def _words_by_letters() -> TermDirectory:
    return TermDirectory([StringTable(*sections(sorted(map(to_bytes, _ranks()))))])


def without_dates(intent: Intent) -> str:
    """A question without the times that it names."""
    return cut_out(intent.text, {each.phrase_span for each in intent.dates})  # two years may share a phrase


@cached_by_word(most=4096)
def _told_by(word: str) -> tuple[tuple[str, float], ...]:
    """The terms of a word, each with what the word tells."""
    rarity = _rarity(word.casefold())  # once: a word in a script without blanks has as many terms as letters
    return tuple((term, rarity) for term in terms(word))


def _rarity(word: str) -> float:
    ranks = _ranks()
    last = len(ranks) * OUTSIDE
    above = log(ranks.get(word, last) + 2.0) - COMMON
    return max(LEAST, above / (log(last + 2.0) - COMMON)) ** 2 if above > 0 else LEAST


@lru_cache(maxsize=1)
def _ranks() -> Mapping[str, int]:
    """The rank of each word of two or more letters, from 0."""
    whole = (word for word in vocabulary() if len(word) > 1 and word.isascii() and word.isalpha())
    return {word: rank for rank, word in enumerate(whole)}
