"""What the words of a question tell: a word that everybody uses tells little, a name or an identifier much.

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
    """What each term of a question tells, from `LEAST` to 1: the rarity of its word.

    A time tells the least, since turns have it as their date, seldom as a word. In a language other than English,
    function words do, too: the vocabulary lacks most of them, as it does names.
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
    """A question without the times that it names."""
    return cut_out(intent.text, {date.phrase_span for date in intent.dates})  # two years may share a phrase
