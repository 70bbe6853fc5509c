"""Whether a phrase names a subject: not "things", "current content", "used" or "5th", which could be of any text.

`data/general_words.json` lists nouns that take their meaning from what is told beside them ("process", "journey"),
adjectives, and verbs. Alone they name nothing, nor does such a noun behind adjectives, or a phrase that ends with one.
Behind a noun it does: "divorce process", "error handling".
"""

import json
from functools import cache
from importlib import resources
from typing import Final

from clew.analyze.lexicon import NUMBER, VERB, fold
from clew.analyze.words import word_of
from clew.text.late_pattern import late_pattern
from clew.text.text_cache import cached_by_word

_ENDINGS: Final = ("able", "ible", "ful", "less", "ous")
"""How adjectives end that no list has; what ends so and names something is in `_NAMING`."""
_SHORTEST: Final = 6
"""Letters of a word whose ending says what it is."""
_NAMING: Final = frozenset(
    "vegetable variable timetable constable handful mouthful spoonful armful roundtable crucible turntable portable"
    " consumable deliverable receivable renewable wearable collectible convertible".split()
)
_COUNTED: Final = late_pattern(r"\d+(?:st|nd|rd|th|s|am|pm|k|x|h|min|mins|hrs|%)?")


@cached_by_word(1 << 14)
def names_nothing(phrase: str) -> bool:
    """Whether a phrase in lower case, its words parted by spaces, could be of any text."""
    words = phrase.split()
    if len(words) == 1:
        return _is_general(phrase) or _is_activity(phrase)
    return words[-1] in _only_adjectives() or (_is_general(words[-1]) and all(map(_tells_how, words[:-1])))


def _is_general(word: str) -> bool:
    return fold(word) in _keys("nouns") or _tells_how(word)


def _tells_how(word: str) -> bool:
    """Whether a word only says how or how many: an adjective, a form of a verb, a number."""
    if word in _adjectives() or _COUNTED.fullmatch(word) is not None or fold(word) in _keys("verbs"):
        return True
    return len(word) > _SHORTEST and word.endswith(_ENDINGS) and word not in _NAMING


def _is_activity(word: str) -> bool:
    """Whether a word is one for a feeling or an activity, which makes a poor concept alone."""
    doing = word.endswith("ing") and (word_of(word[:-3]).flags | word_of(f"{word[:-3]}e").flags) & VERB
    return bool(word_of(word).valence or doing or word_of(word).flags & NUMBER)


@cache
def _lists() -> dict[str, list[str]]:
    text = (resources.files("clew.analyze") / "data" / "general_words.json").read_text(encoding="utf-8")
    return {name: words.split() for name, words in json.loads(text).items()}


@cache
def _keys(name: str) -> frozenset[str]:
    """The keys of a list's words, under which their other forms are found."""
    return frozenset(map(fold, _lists()[name]))


@cache
def _adjectives() -> frozenset[str]:
    return frozenset(_lists()["adjectives"])


@cache
def _only_adjectives() -> frozenset[str]:
    """The adjectives that are no nouns as well."""
    return _adjectives().difference(_lists()["nouns"])
