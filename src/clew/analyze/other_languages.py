"""What little is known of languages other than English: which one a text is in, its function words, German nouns.

English rules take a capital within a sentence for a name and know English function words alone. In German every noun
has a capital, and in the other languages the first words of sentences were taken for names or labels.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Final

from clew.text.ascii_runs import LETTERS, runs
from clew.text.date_languages import LATIN, empty_words
from clew.text.foreign_dates import shown_languages
from clew.text.late_pattern import late_pattern
from clew.text.stopwords import STOPWORDS
from clew.text.text_cache import cached_by_text, cached_by_word

LANGUAGES: Final = ("de", "fr", "es", "nl", "sv", "it", "pt")

_READ: Final = 600
"""Characters of a text by which its language is told."""

_SURE: Final = 3
"""Function words that only English has, from which a text is in English."""

_FEW: Final = 8
"""Words of a text in which one function word in lower case tells the language."""

_BY_SCRIPT: Final = ("ru", "ar", "hi")
"""Languages with spaces that their script tells, and whose function words are known."""

_OWN_LETTERS = late_pattern(
    r"[\u0400-\u052f\u0620-\u064a\u0904-\u0939\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_SOUTH_EAST = late_pattern(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

_WORD = late_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NO_LETTER = late_pattern(r"[^a-z]")
_ELIDED = late_pattern(
    r"\b(?:[ldjmtsnc]|qu|lorsqu|puisqu|jusqu|quoiqu|dell|nell|sull|all|un)['’](?=[^\W\d_]{2})", re.IGNORECASE
)
_SHORTENED = late_pattern(r"['’](?:m|s|re|ve|ll|t|d)$")
"""How English shortens a word behind another."""

_SURNAMES: Final = frozenset("mann berg feld hof wald stein bach dorf baum haus land stadt platz brücke busch".split())
"""Nouns with which German names of people and places end."""

_BEFORE_NAMES: Final = frozenset("in nach aus bei von mit für über gegen namens heißt heiße".split())

_SHORTEST: Final = 4
"""Letters of a noun that tells a compound."""


@cache
def _data() -> dict[str, frozenset[str]]:
    text = (resources.files(__package__) / "data" / "other_languages.json").read_text(encoding="utf-8")
    return {name: frozenset(words.split()) for name, words in json.loads(text).items()}


@cache
def _common() -> dict[str, frozenset[str]]:
    """The words of each language that name nothing: those that tell nothing in a question, and others."""
    return {
        language: _data()[language] | (empty_words(language) if language in LATIN else frozenset())
        for language in LANGUAGES
    }


@cache
def _telling() -> dict[str, frozenset[str]]:
    """The function words of each language that are not words of English, and no letters."""
    english = _data()["en"] | _data()["english_too"] | STOPWORDS
    return {
        language: frozenset(word for word in words if len(word) > 1 and word not in english)
        for language, words in _common().items()
    }


@cache
def _telling_any() -> frozenset[str]:
    """The same words of all languages."""
    return frozenset().union(*_telling().values())


@cache
def _telling_runs() -> frozenset[str]:
    """The longest part of each of these words: a text in ASCII without any of them has none of the words."""
    return frozenset([max(_NO_LETTER.split(word), key=len) for word in _telling_any() if word.isascii()])


@cache
def _only_english() -> frozenset[str]:
    """Function words of English that no other of these languages has."""
    return _data()["en"].difference(*_common().values())


def language_of(text: str) -> str | None:
    """The code of the language of a text, by its function words; None for English and for any that is not known."""
    return _language(text[:_READ])


@cached_by_text(512, _READ)
def _language(text: str) -> str | None:
    low, telling = text.lower(), _telling()
    found = runs(low, LETTERS) if low.isascii() else None
    if found is not None and _telling_runs().isdisjoint(found):
        return None
    if len(_only_english().intersection(low.split())) >= _SURE:
        return None
    words = set(_WORD.findall(low) if found is None or "'" in low else found)
    tell = words & _telling_any()
    if not tell:
        return None  # as most English texts do, and nothing below would find a language
    told = {language: len(tell & telling[language]) for language in LANGUAGES}
    best = max(LANGUAGES, key=told.__getitem__)
    english = len((words & _data()["en"]) - _common()[best])
    if "'" in low or "’" in low:
        english += any(_SHORTENED.search(word) for word in words)
    if told[best] >= 2 and told[best] > english:
        return best
    if english or told[best] != 1 or len(words) > _FEW:
        return None
    (word,) = tell & telling[best]
    alone = sum(word in telling[language] for language in LANGUAGES) == 1
    return best if alone and len(word) > 2 and word in text.split() else None


def may_be_in_another_language(words: Iterable[str]) -> bool:
    """Whether words in lower case may be of another language, for `is_in_another_language` to tell."""
    return not _telling_any().isdisjoint(words)


def is_in_another_language(text: str) -> bool:
    """Whether a text is surely in another language than English: it has two of its function words in small letters.

    One alone may be English at heart: Dutch "met" is what English says of a meeting.
    """
    language = language_of(text)
    return language is not None and len(_common()[language].intersection(_WORD.findall(text)) - STOPWORDS) > 1


def script_language(text: str) -> str | None:
    """The code of the language that the letters of a text belong to alone, such as Cyrillic for Russian; else None.

    Chinese and Thai stand for all that is written in Han characters without Kana, or in scripts of South-East Asia.
    """
    if text.isascii() or _OWN_LETTERS.search(text) is None:
        return None
    return "th" if _SOUTH_EAST.search(text) else next(iter(shown_languages(text[:_READ])), None)


def function_words(language: str | None) -> frozenset[str]:
    """The words of a language that name nothing, titles of people among them; none for English."""
    if language in _BY_SCRIPT:
        return empty_words(language)
    return _common().get(language, frozenset()) if language else frozenset()


def titles() -> frozenset[str]:
    """The words before a name in other languages that say that somebody is meant."""
    return _data()["titles"]


def is_given_name_elsewhere(plain: str) -> bool:
    """Whether a word in lower case is a common given name in one of these languages."""
    return plain in _data()["given_names"]


def without_elisions(text: str) -> str:
    """A French or Italian text with blanks for what is cut before a vowel, as in "d'Anna"; of the same length."""
    return _ELIDED.sub(lambda found: " " * len(found[0]), text) if "'" in text or "’" in text else text


def is_noun_after(before: str) -> bool:
    """Whether what follows a German word in lower case is a noun, and no name: "die Rechnung"."""
    return before in _data()["german_before"]


def is_before_name(before: str) -> bool:
    """Whether a German word in lower case is a title, or a preposition behind which a noun mostly has an article."""
    return before in _BEFORE_NAMES or before in titles()


@cached_by_word(1 << 13)
def is_german_noun(plain: str) -> bool:
    """Whether a German word in lower case is a common noun, alone or as the last part of a compound."""
    nouns = _data()["german_nouns"]
    if any(plain.endswith(ending) and len(plain) > len(ending) + 2 for ending in _data()["german_endings"]):
        return True
    for ending in ("", "e", "n", "en", "s", "es", "er", "ern"):
        stem = plain.removesuffix(ending) if ending else plain
        if (ending and stem == plain) or len(stem) < _SHORTEST - 1:
            continue
        if stem in nouns:
            return True
        parts = (stem[at:] for at in range(3, len(stem) - _SHORTEST + 1))
        if any(part in nouns and part not in _SURNAMES for part in parts):
            return True
    return False
