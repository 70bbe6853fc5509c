"""What a text is about, as a few phrases of its own words: no model, no corpus, the same on every machine.

A phrase is a run of content words that are no verbs, as RAKE cuts them (Rose et al., 2010); a word counts by how often
it stands there and by what is known of it: names, identifiers and the words of a subject say more than others, words
of feeling less.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from clew.analyze.lexicon import FUNCTION, INTERJECTION, NUMBER, SEPARATOR, VERB, fold
from clew.analyze.words import word_of

MOST_WORDS: Final = 3
"""Of a phrase; a longer run is cut into phrases of this length at most."""

_READ: Final = 20_000  # characters, as everywhere in this package
_TOKEN = re.compile(r"[^\W_](?:[\w.'/+#-]*[\w+#])?|[^\w\s]|\n")
_IDENTIFIER = re.compile(r"[\w-]*(?:[_/.]\w|\d)[\w./+#-]*|[a-z]+[A-Z]\w*|[A-Z]{2,}s?")
_NAME = re.compile(r"[A-Z][a-z]")
_GENERIC: Final = frozenset(
    """
    thing something anything everything nothing stuff way lot bit kind sort type part side point case time day
    week month year today tomorrow yesterday morning evening night hour minute moment people person someone anyone
    everyone guy folk man woman one ones two three first second last next new old good great nice bad big small
    long little best better worse well really actually maybe probably definitely absolutely totally pretty super
    sure okay right wrong true false thank thanks please hello hey example number place end start back top bottom
    left same different many much other another able available possible important interesting amazing awesome
    wonderful beautiful cool fun hard easy ready together always never often sometimes usually again already yet
    soon later early now then here there yes no yeah yep nope hmm wow haha lol gonna wanna idea question answer
    problem issue fact reason matter word name
    """.split()
)
_SUBJECT: Final = 1.5
_NAMED: Final = 1.6
_FEELING: Final = 0.35
_LONGER: Final = 0.35
"""What each further word adds to a phrase's weight."""


@dataclass(frozen=True, slots=True)
class Keyphrase:
    """One phrase.

    Attributes:
        name: its words in lower case, joined by hyphens.
        key: the same for all inflections and cases of the phrase.
        weight: 0 to 1; the strongest phrase of a text has 1.
    """

    name: str
    key: str
    weight: float


def keyphrases(text: str, limit: int = 5) -> tuple[Keyphrase, ...]:
    """The strongest phrases of a text, strongest first; of equal ones the first said. Total; reads 20,000 characters.

    A phrase that is part of a stronger one and stands nowhere else is left out.
    """
    found = list(_phrases(text[:_READ]))
    if not found:
        return ()
    words = Counter(word.key for phrase in found for word in phrase)
    counts = Counter(_key(phrase) for phrase in found)
    first: dict[str, tuple[_Token, ...]] = {}
    for phrase in found:
        first.setdefault(_key(phrase), phrase)
    weights = {
        key: (1 + log(counts[key])) * (1 + _LONGER * (len(phrase) - 1)) * _mean(phrase, words)
        for key, phrase in first.items()
    }
    ranked = sorted(first, key=lambda key: -weights[key])  # stable: equal ones stay in order
    chosen: list[str] = []
    for key in ranked:
        if len(chosen) == limit:
            break
        inside = [other for other in chosen if set(key.split("-")) <= set(other.split("-"))]
        if not inside:
            chosen.append(key)
    top = weights[ranked[0]]
    return tuple(Keyphrase(_name(first[key]), key, weights[key] / top) for key in chosen)


@lru_cache(maxsize=1 << 15)
def tag_key(name: str) -> str:
    """What all inflections and cases of a tag's name have in common: `API-Keys` and `api key` are one."""
    return "-".join(fold(word) for word in re.split(r"[\s_-]+", name.casefold()) if word)


@dataclass(frozen=True, slots=True)
class _Token:
    form: str
    key: str
    weight: float


def _phrases(text: str) -> Iterator[tuple[_Token, ...]]:
    run: list[_Token] = []
    opening = True
    for raw in _TOKEN.findall(text):
        token = _content(raw, opening)
        opening = raw in ".!?\n"
        if token is not None:
            run.append(token)
            continue
        yield from _cut(run)
        run = []
    yield from _cut(run)


def _cut(run: list[_Token]) -> Iterator[tuple[_Token, ...]]:
    """A run as phrases of at most three words, counted from its end: the last word is what it is about."""
    while run:
        yield tuple(run[-MOST_WORDS:])
        run = run[:-MOST_WORDS]


@lru_cache(maxsize=1 << 14)
def _content(raw: str, opening: bool) -> _Token | None:
    """The word, if it may stand in a phrase."""
    if len(raw) == 1 and raw.isascii():
        return None
    form = raw.casefold().removesuffix("'s")
    word = word_of(form)
    named = _IDENTIFIER.fullmatch(raw) is not None or (_NAME.match(raw) is not None and not opening)
    if word.flags & (FUNCTION | SEPARATOR | INTERJECTION) or form in _GENERIC or "'" in form:
        return None
    verb = (word.flags | word_of(fold(form)).flags) & VERB  # "trying" is no subject, "planning" may be one
    if not named and (verb or word.flags & NUMBER or form.endswith("ly") or len(form) < 3):
        return None
    weight = 1.0
    if named:
        weight *= _NAMED
    elif word.valence:
        weight *= _FEELING
    if word.domains:
        weight *= _SUBJECT
    return _Token(form, fold(form), weight)


def _mean(phrase: tuple[_Token, ...], words: Counter[str]) -> float:
    return sum((1 + log(words[word.key])) * word.weight for word in phrase) / len(phrase)


def _key(phrase: tuple[_Token, ...]) -> str:
    return "-".join(word.key for word in phrase)


def _name(phrase: tuple[_Token, ...]) -> str:
    return "-".join(word.form for word in phrase)
