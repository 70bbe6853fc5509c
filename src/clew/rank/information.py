"""How much information the words of a question carry: common words little, names and identifiers much.

How often a word is used at large does not depend on the space (`clew.analyze.word_rarity`).
"""

from functools import lru_cache

from clew.analyze.word_rarity import LEAST, rarities, word_ranks
from clew.index.string_table import StringTable, sections, to_bytes
from clew.index.term_directory import TermDirectory
from clew.rank.intent import Intent
from clew.rank.intent.position_phrases import cut_out
from clew.text.foreign_dates import shown_languages, without_empty_words
from clew.text.terms import terms


def information(intent: Intent) -> dict[str, float]:
    """The information of each term of a question, from `LEAST` to 1: the rarity of its word in general use.

    Dates carry the least, since turns seldom contain them as words. In a language other than English, so do function
    words, most of which the vocabulary lacks, as it lacks names.
    """
    values = dict.fromkeys(intent.terms, LEAST)
    text = without_dates(intent)
    if languages := shown_languages(intent.text):
        text = without_empty_words(text, languages)
    known = rarities(text)
    left = set(terms(text))
    values |= {term: known.get(term, 1.0) for term in intent.terms if term in left}
    return values


class UsedWords:
    """The words that people use at large: those of the vocabulary, two or more letters long."""

    def __contains__(self, word: str) -> bool:
        """Whether a word is one of them."""
        return word in word_ranks()

    def similar(self, word: str, edits: int) -> set[str]:
        """Those with the same first letter that may be so many edits from a word, by the letters that both have."""
        return _words_by_letters().similar(word, edits, 0)


@lru_cache(maxsize=1)
def _words_by_letters() -> TermDirectory:
    return TermDirectory([StringTable(*sections(sorted(map(to_bytes, word_ranks()))))])


def without_dates(intent: Intent) -> str:
    """The question without the times that it names."""
    return cut_out(intent.text, {date.phrase_span for date in intent.dates})  # two years may share a phrase
