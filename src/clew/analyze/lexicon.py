"""The lexicon: one record per word, built once from the word lists in `data/`.

`cues.json` and `domains.json` are our own lists; `tone.tsv.gz` is the VADER lexicon cut down to plain words and their
mean valence (see `data/NOTICE`). The lists are English, but for the function words, which cover the languages named
there. This module knows nothing of sentences.
"""

import gzip
import json
import re
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from clew.text.text_cache import cached_by_word

# Properties of a word as bits of `Word.flags`; a word may have several ("may": function word, auxiliary).
FUNCTION: Final = 1 << 0  # belongs to the grammar, not to the subject
ENGLISH: Final = 1 << 1  # a function word of English, the language whose verbs the lists know
ARTICLE: Final = 1 << 2  # asks for a noun after it
PREPOSITION: Final = 1 << 3
CONJUNCTION: Final = 1 << 4  # begins a clause or joins two; none stands between an article and its noun
AUXILIARY: Final = 1 << 5
VERB: Final = 1 << 6  # may be a finite main verb
PAST: Final = 1 << 7
FIRST_PERSON: Final = 1 << 8
SECOND_PERSON: Final = 1 << 9
GENDERED: Final = 1 << 10  # he, she and their forms
NEUTER: Final = 1 << 11  # it, they and their forms
PERSON: Final = 1 << 12  # a noun that a gendered pronoun can stand for
INTERJECTION: Final = 1 << 13
SEPARATOR: Final = 1 << 14  # not a word: a comma, bracket or dash
NUMBER: Final = 1 << 15
UNSPACED: Final = 1 << 16  # cut from a script that does not part words by spaces
UNLISTED: Final = 1 << 17  # of a script whose function words no list here knows
NEGATION: Final = 1 << 18
BOOSTER: Final = 1 << 19
DAMPENER: Final = 1 << 20
DIRECTIVE: Final = 1 << 21  # a verb that gives an instruction when it opens a clause
DIRECTIVE_LEAD: Final = 1 << 22  # what may stand before such a verb ("please", "then")
GRIEF: Final = 1 << 23
GRIEF_STRONG: Final = 1 << 24
UNSPEAKABLE: Final = 1 << 26  # spelled as no language with Latin letters spells: "xcvb", "qlekz"
RARER_VERB: Final = 1 << 25  # may be a finite main verb as well; a verb for the patterns over kinds alone
PRONOUN: Final = FIRST_PERSON | SECOND_PERSON | GENDERED | NEUTER
NOT_CONTENT: Final = FUNCTION | SEPARATOR | INTERJECTION

# `Word.kind`: the grammatical category of a word as one letter, so that patterns can match a sentence. Capitals are
# function words. The first row whose flags a word has in full is its kind.
_KINDS: Final = (
    (SEPARATOR, ","),
    (UNSPACED | FUNCTION, "U"),
    (UNSPACED, "u"),
    (UNLISTED, "o"),
    (ARTICLE, "A"),
    (AUXILIARY, "X"),
    (FIRST_PERSON, "I"),
    (SECOND_PERSON, "Y"),
    (GENDERED, "H"),
    (NEUTER, "T"),
    (PREPOSITION, "P"),
    (CONJUNCTION, "S"),
    (ENGLISH, "F"),
    (FUNCTION, "G"),
    (INTERJECTION, "j"),
    (PAST, "w"),
    (VERB, "v"),
    (RARER_VERB, "v"),
    (0, "c"),
)

_LISTS: Final = {
    "first_person": FIRST_PERSON | FUNCTION,
    "second_person": SECOND_PERSON | FUNCTION,
    "gendered": GENDERED | FUNCTION,
    "neuter": NEUTER | FUNCTION,
    "article": ARTICLE | FUNCTION | ENGLISH,
    "preposition": PREPOSITION | FUNCTION,
    "conjunction": CONJUNCTION | FUNCTION | ENGLISH,
    "auxiliary": AUXILIARY | FUNCTION,
    "verb": VERB,
    "verb_irregular": VERB | PAST,
    "negation": NEGATION | FUNCTION,
    "booster": BOOSTER,
    "dampener": DAMPENER,
    "directive": DIRECTIVE | VERB,
    "directive_noun": DIRECTIVE,
    "directive_lead": DIRECTIVE_LEAD,
    "grief": GRIEF,
    "grief_strong": GRIEF_STRONG | GRIEF,
    "interjection": INTERJECTION,
}
# One stem for all forms of a pronoun; capitals, so that no word has it.
_PRONOUN_STEMS: Final = ((FIRST_PERSON, "I"), (SECOND_PERSON, "YOU"), (GENDERED, "HE"), (NEUTER, "IT"))
PRONOUNS: Final = tuple(stem for _, stem in _PRONOUN_STEMS)
_CONTRACTED: Final = frozenset(("s", "re", "m", "ve", "ll", "d", "t"))
_VOWELS: Final = frozenset("aeiouy")
# Three letters without a vowel, five consonants together, a q before what never follows it, pairs of rare letters.
_UNSPEAKABLE: Final = re.compile(
    "^[b-df-hj-np-tv-xz]{3,}$|(?!ngths)[b-df-hj-np-tv-xz]{5}|q[^uais]|[jvwxz][jqx]|[qj][b-df-hj-np-rvwxz]|x[jkrvz]"
    "|[fkpv][qjvxz]"
)


class Word(NamedTuple):
    """The lexicon's record of one word.

    `kind` is its letter in `_KINDS`; `stem` identifies it across its inflected forms; `flags` are the bits above;
    `valence` is -4..4, 0 for a neutral or unknown word; `domains` are `(index into DOMAINS, weight 1..3)`; `tie` is the
    stem again if layer 1 ties the word to others (content words and pronouns), else empty.
    """

    kind: str
    form: str
    stem: str
    flags: int
    valence: float
    domains: tuple[tuple[int, float], ...]
    tie: str


# The subjects and registers of the HSCA vocabulary, in its order; `cross_domain` and `unclassified` are conclusions.
DOMAINS: Final = (
    "physics",
    "mathematics",
    "legal",
    "medical",
    "poetry",
    "narrative",
    "technical_prose",
    "conversational",
    "philosophical",
    "historical",
)


def describe(token: str) -> Word:
    """The record of one lower-case token: a word with an optional apostrophe part, a number, or a separator."""
    first, listed = token[0], _flags()
    if not (first.isalnum() or first == "_"):
        return bare(token, SEPARATOR)
    flags = listed.get(token, 0)
    base = token
    if "'" in token:
        base, _, ending = token.partition("'")
        if not flags and ending in _CONTRACTED:
            flags = listed.get(base, 0)
            if flags & FUNCTION:
                flags |= AUXILIARY
    if first.isdigit():
        flags |= NUMBER
    stem = next((name for bits, name in _PRONOUN_STEMS if flags & bits), base) if flags & FUNCTION else fold(base)
    flags |= _inflected_flags(base, flags)
    if not flags and base.isascii() and _UNSPEAKABLE.search(base):
        flags = UNSPEAKABLE
    tie = _tie(stem, flags)
    return Word(kind_of(flags), token, stem, flags, _tone().get(token, 0.0), _domains().get(stem, ()), tie)


def bare(token: str, flags: int, stem: str | None = None) -> Word:
    """The record of a token that is in no list; the stem is the token itself unless given."""
    return Word(kind_of(flags), token, stem or token, flags, 0.0, (), _tie(stem or token, flags))


def _tie(stem: str, flags: int) -> str:
    return stem if flags & PRONOUN or not flags & NOT_CONTENT else ""


@cache  # of few combinations
def kind_of(flags: int) -> str:
    """The letter of the first kind all of whose flags are set."""
    return next(letter for bits, letter in _KINDS if flags & bits == bits)


@cached_by_word(1 << 15)
def fold(word: str) -> str:
    """The stem shared by a lower-case word's inflections: plural, -ing, -ed and a silent final e are removed.

    Not a dictionary form ("caches", "cached", "caching" -> "cach"); words of fewer than four letters stay as they are.
    """
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    if word.endswith(("ing", "ed")):
        root = word[:-3] if word[-1] == "g" else word[:-2]
        if len(root) > 2 and not _VOWELS.isdisjoint(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "ls" else root
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _inflected_flags(base: str, flags: int) -> int:
    """Flags from the ending of a word that is in no list: whether it may be a finite verb, and a past form."""
    if flags & (FUNCTION | VERB):
        return 0
    if base.endswith("ed") and len(base) > 4:
        return VERB | PAST
    listed = _flags()
    plain = 0
    if base.endswith("s"):
        plain = listed.get(base[:-1], 0) | listed.get(base[:-2], 0)
    if base.endswith("ies"):
        plain |= listed.get(base[:-3] + "y", 0)
    return VERB if plain & VERB else plain & RARER_VERB


@cache
def _flags() -> dict[str, int]:
    lists = json.loads(_read("cues.json"))
    table = dict.fromkeys(_read("verbs.txt").split(), RARER_VERB)
    for word in _read("persons.txt").split():
        table[word] = table.get(word, 0) | PERSON
    for language, words in lists["function"].items():
        bits = FUNCTION | ENGLISH if language == "en" else FUNCTION
        for word in words.split():
            table[word] = table.get(word, 0) | bits
    for name, bits in _LISTS.items():
        for word in lists[name].split():
            contracted = ENGLISH if bits & FUNCTION and "'" in word else 0  # "it's" is nothing but English
            table[word] = table.get(word, 0) | bits | contracted
    return table


@cache
def _domains() -> dict[str, tuple[tuple[int, float], ...]]:
    lists = json.loads(_read("domains.json"))
    table: dict[str, dict[int, float]] = {}
    for index, domain in enumerate(DOMAINS):
        for weight, words in lists[domain].items():
            for word in words.split():
                stem = word if _flags().get(word, 0) & FUNCTION else fold(word)
                entry = table.setdefault(stem, {})
                entry[index] = max(entry.get(index, 0.0), float(weight))
    return {stem: tuple(sorted(entry.items())) for stem, entry in table.items()}


@cache
def _tone() -> dict[str, float]:
    factual = frozenset(json.loads(_read("cues.json"))["factual"].split())
    rows = (line.split("\t") for line in _unpacked("tone.tsv.gz").splitlines())
    return {word: float(valence) for word, valence in rows if word not in factual}


def _read(name: str) -> str:
    return (resources.files(__package__) / "data" / name).read_text(encoding="utf-8")


def _unpacked(name: str) -> str:
    """A list that is read by the program alone, and packed since the core has a limit of size."""
    return gzip.decompress((resources.files(__package__) / "data" / name).read_bytes()).decode()
