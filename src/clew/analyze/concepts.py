"""Whether a phrase names a subject: not "things", "current content", "used" or "5th", which could be of any text.

`data/general_words.json` lists nouns that take their meaning from what is told beside them ("process", "journey"),
adjectives, and verbs. Alone they name nothing, nor does such a noun behind adjectives, or a phrase that ends with one.
Behind a noun it does: "divorce process", "error handling". Days, months, numbers, sounds ("mmm") and adverbs
that no other list has ("whatever", "anymore") name nothing either.
"""

import json
from functools import cache
from importlib import resources
from typing import Final

from clew.analyze.lexicon import NUMBER, RARER_VERB, VERB, fold
from clew.analyze.words import word_of
from clew.text.dates import MONTHS
from clew.text.late_pattern import late_pattern
from clew.text.text_cache import cached_by_word

_ENDINGS: Final = ("able", "ible", "ful", "less", "ous")
"""How adjectives end that no list has; what ends so and names something is in `_NAMING`."""
_SHORTEST: Final = 6
"""Letters of a word whose ending says what it is."""
_SHORTEST_PARTICIPLE: Final = 4
_NAMING: Final = frozenset(
    "vegetable variable timetable constable handful mouthful spoonful armful roundtable crucible turntable portable"
    " consumable deliverable receivable renewable wearable collectible convertible".split()
)
_COUNTED: Final = late_pattern(r"\d+(?:st|nd|rd|th|s|am|pm|k|x|h|min|mins|hrs|%)?")


_SOUND: Final = late_pattern(
    r"u+h*m*|o+h+|a+[wh]+|e+[hw]+|h+m+|m+h?m+|h{2,}|hu+h|(?=a*h)[ah]{2,}|n[au]+h+|u+gh+|o{2,}f+|wh?o+a+h?|y'?know|c'?mon|ya+y"
    r"|(?:uh|mm)-\w+"
)
WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
SHORT_DATES: Final = "fri tue tues thu thur thurs weds feb apr aug sept oct nov dec"
"""Short forms of days and months that are no other word or name, as "sun", "mar" and "jan" are."""


def is_sound(word: str) -> bool:
    """Whether a lower-case word is no more than a sound: "uh", "mmm", "woah", "haha"."""
    return _SOUND.fullmatch(word) is not None


@cached_by_word(1 << 14)
def names_nothing(phrase: str) -> bool:
    """Whether a phrase in lower case, its words parted by spaces, could be of any text."""
    words = phrase.split()
    if len(words) == 1:
        return phrase in _times() or _is_general(phrase) or _is_activity(phrase)
    if all(map(is_sound, words)):
        return True  # "mm hmm"
    return words[-1] in _only_adjectives() or (_is_general(words[-1]) and all(map(_tells_how, words[:-1])))


def is_only_adjective(word: str) -> bool:
    """Whether a lower-case word is listed as an adjective and not as a noun."""
    return word in _only_adjectives()


def is_listed_adverb(word: str) -> bool:
    """Whether a lower-case word is listed as an adverb, such as "together"."""
    return word in _adverbs()


@cached_by_word(1 << 14)
def _is_general(word: str) -> bool:
    return fold(word) in _keys("nouns") or _tells_how(word)


@cached_by_word(1 << 14)
def _tells_how(word: str) -> bool:
    """Whether a word only says how or how many: an adjective, a form of a verb, a number."""
    if word in _adjectives() or _COUNTED.fullmatch(word) is not None or fold(word) in _keys("verbs"):
        return True
    if word in _small_words() or is_sound(word):
        return True
    return len(word) > _SHORTEST and word.endswith(_ENDINGS) and word not in _NAMING


def _is_activity(word: str) -> bool:
    """Whether a word is one for a feeling, an activity or a number, or a verb, which makes a poor concept alone."""
    listed = word_of(word)
    verb = listed.flags & RARER_VERB and fold(word) not in _keys("deeds")  # not "hike"
    return bool(listed.valence or verb or listed.flags & NUMBER or _is_participle(word))


def _is_participle(word: str) -> bool:
    """Whether a word is a form in -ing or -ed of a listed verb; of verbs that name activities as well, only -ed."""
    if len(word) < _SHORTEST_PARTICIPLE:
        return False
    if word.endswith("ing"):
        return bool((word_of(word[:-3]).flags | word_of(f"{word[:-3]}e").flags) & VERB)
    done = word.endswith("ed") and not word.endswith("eed") and (word_of(word[:-2]).flags | word_of(word[:-1]).flags)
    return bool(done & (VERB | RARER_VERB))


@cache
def _lists() -> dict[str, list[str]]:
    text = (resources.files("clew.analyze") / "data" / "general_words.json").read_text(encoding="utf-8")
    return {name: words.split() for name, words in json.loads(text).items()}


@cache
def _keys(name: str) -> frozenset[str]:
    """The keys of a list's words, under which their other forms are found."""
    return frozenset(map(fold, _lists()[name]))


@cache
def _times() -> frozenset[str]:
    days = WEEKDAYS.split()
    return frozenset((*days, *(f"{day}s" for day in days), *map(str.casefold, MONTHS), *SHORT_DATES.split()))


@cache
def _small_words() -> frozenset[str]:
    return frozenset((*_lists()["numbers"], *_lists()["adverbs"], *_lists()["participles"]))


@cache
def _adverbs() -> frozenset[str]:
    return frozenset(_lists()["adverbs"])


@cache
def _adjectives() -> frozenset[str]:
    return frozenset(_lists()["adjectives"])


@cache
def _only_adjectives() -> frozenset[str]:
    """The adjectives that are not nouns as well."""
    return _adjectives().difference(_lists()["nouns"])
