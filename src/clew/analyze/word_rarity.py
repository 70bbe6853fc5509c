"""How seldom words are used at large, from which follows what they tell: much for a name, nothing for "about".

That does not depend on the space, unlike inverse document frequencies, so a small space and a large one, a chat and an
agent's log, are judged on one scale; and two texts can be compared that have no others beside them.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from math import log
from typing import Final

from clew.models.wordpiece import vocabulary
from clew.text.terms import terms
from clew.text.text_cache import cached_by_word

COMMON: Final = 3.0
"""Logarithm of the rank of words ("about", "which") that tell nothing; the vocabulary is ordered by frequency."""

OUTSIDE: Final = 1.5
"""Rank of a word that the vocabulary lacks, as a multiple of the vocabulary's length."""

LEAST: Final = 0.05
"""The rarity of the commonest words."""

_WORD: Final = re.compile(r"[^\W_]+")


def rarities(text: str) -> dict[str, float]:
    """The rarity of each term of a text's words, from `LEAST` to 1: the square of the logarithm of the word's rank.

    Of words with the same term, the commonest counts. Terms of what is not a single word, as paths have, are left out.
    """
    by_word: dict[str, float] = {}
    for word in dict.fromkeys(_WORD.findall(text)):
        for term, rarity in _told_by(word):
            by_word[term] = min(by_word.get(term, 1.0), rarity)
    return by_word


@cached_by_word(most=4096)
def _told_by(word: str) -> tuple[tuple[str, float], ...]:
    """The terms of a word, each with the word's rarity."""
    rarity = _rarity(word.casefold())  # once: a word in a script without blanks has as many terms as letters
    return tuple((term, rarity) for term in terms(word))


def _rarity(word: str) -> float:
    ranks = word_ranks()
    last = len(ranks) * OUTSIDE
    above = log(ranks.get(word, last) + 2.0) - COMMON
    return max(LEAST, above / (log(last + 2.0) - COMMON)) ** 2 if above > 0 else LEAST


@lru_cache(maxsize=1)
def word_ranks() -> Mapping[str, int]:
    """The rank of each word of two or more letters by how often it is used, from 0."""
    whole = (word for word in vocabulary() if len(word) > 1 and word.isascii() and word.isalpha())
    return {word: rank for rank, word in enumerate(whole)}
