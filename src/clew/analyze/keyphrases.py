"""What a text is about, as a few phrases of its own words: no model, no corpus, the same result on every machine.

A phrase is a run of content words other than verbs, as in RAKE (Rose et al., 2010). A word is weighted by its frequency
and its kind: names, identifiers and domain words count more than others, words of feeling less.
"""

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from clew.analyze.foreign_tokens import content_tokens, is_short_word
from clew.analyze.lexicon import FUNCTION, INTERJECTION, NUMBER, SEPARATOR, VERB, fold
from clew.analyze.other_languages import language_of, script_language
from clew.analyze.words import word_of
from clew.text.scripts import MARKS
from clew.text.text_cache import cached_by_text, cached_by_word

MOST_WORDS: Final = 3
"""Of a phrase; a longer run is cut into phrases of this length at most."""

_READ: Final = 20_000  # characters, as everywhere in this package
_TOKEN = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?![\w,])|[^\W_](?:[\w{MARKS}.'/+#-]*[\w{MARKS}+#])?|[^\w\s{MARKS}]|\n")
_IDENTIFIER = re.compile(r"[\w-]*(?:[_/.]\w|\d)[\w./+#-]*|[a-z]+[A-Z]\w*|[A-Z]{2,}s?")
_JOINT = re.compile(r"[\s_-]+")
_NAME = re.compile(r"[A-Z][a-z]")
ARTICLES_IN_NAMES: Final = frozenset(("Los", "Las", "La", "El"))
"""Words that English has only in names, such as `Los Angeles`; likewise "New" within a sentence, as in `New York`."""
_ENDS: Final = frozenset(".!?\n")
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
"""What each further word adds to the weight of a phrase."""
_OFTEN: Final = (0.0, *(1 + log(count) for count in range(1, 64)))
_RANKED: Final = 6
"""Phrases of one text that are ranked and cached: as many as any stage asks for."""
TEXTS_KEPT: Final = 320
"""Texts whose phrases are cached: those of one batch, which several stages read one after the other."""
KEPT_CHARS: Final = 2_000
"""Length above which a text is not cached, so that the cache stays within a few megabytes."""


class Keyphrase(NamedTuple):
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
    """The strongest phrases of a text, strongest first; ties go to the first. Reads 20,000 characters of any text.

    A phrase whose words are all in a stronger one is left out.
    """
    return _ranked(text[:_READ])[:limit] if limit <= _RANKED else _strongest(_phrases(text[:_READ]), limit)


@cached_by_text(TEXTS_KEPT, KEPT_CHARS)
def _ranked(text: str) -> tuple[Keyphrase, ...]:
    return _strongest(_phrases(text), _RANKED)


def keyphrases_of(texts: Sequence[str], limit: int = 5) -> tuple[Keyphrase, ...]:
    """The strongest phrases of several texts together; cheap where each was just read by itself."""
    phrases: list[_Phrase] = []
    left = _READ
    for text in texts:
        if left <= 0:
            break
        phrases += _phrases(text[:left])
        left -= len(text) + 1
    return _strongest(phrases, limit)


def _strongest(phrases: "Sequence[_Phrase]", limit: int) -> tuple[Keyphrase, ...]:
    stems = [stem for _, parts in phrases for _, stem, _ in parts]
    are_single = len(set(stems)) == len(stems)
    weights = _single_weights(phrases) if are_single else _weights(phrases, stems)
    if not weights:
        return ()
    first = dict(reversed(phrases))
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)  # stable: equal ones stay in order
    most = weights[ranked[0]]
    shares_none = are_single and "-" not in "".join(stems)  # so that no phrase is within another
    chosen = ranked[:limit] if shares_none else _not_within(ranked, limit)
    return tuple([Keyphrase("-".join([form for form, _, _ in first[key]]), key, weights[key] / most) for key in chosen])


def _not_within(ranked: Sequence[str], limit: int) -> list[str]:
    """The first keys whose words are not all in one before them."""
    chosen: list[str] = []
    before: list[frozenset[str]] = []
    for key in ranked:
        if len(chosen) == limit:
            break
        words = frozenset(key.split("-"))
        if not any(map(words.issubset, before)):
            chosen.append(key)
            before.append(words)
    return chosen


def _single_weights(phrases: "Sequence[_Phrase]") -> dict[str, float]:
    """`_weights` of phrases in which no word occurs twice, as in most short texts."""
    weights: dict[str, float] = {}
    for key, parts in phrases:
        total = 0.0
        for _, _, weight in parts:
            total += weight
        size = len(parts)
        weights[key] = (1 + _LONGER * (size - 1)) * (total / size)
    return weights


def _weights(phrases: "Sequence[_Phrase]", stems: Sequence[str]) -> dict[str, float]:
    """The weight of each phrase by its key, in the order of the first of each; `stems` are those of all words."""
    often = {stem: _often(count) for stem, count in Counter(stems).items() if count > 1}
    keys = [key for key, _ in phrases]
    counts = {key: _often(count) for key, count in Counter(keys).items() if count > 1}
    weights: dict[str, float] = {}
    for key, parts in phrases:
        if key in weights:
            continue
        total = 0.0
        for _, stem, weight in parts:
            total += often.get(stem, 1.0) * weight
        size = len(parts)
        weights[key] = counts.get(key, 1.0) * (1 + _LONGER * (size - 1)) * (total / size)
    return weights


@cached_by_word(1 << 15)
def tag_key(name: str) -> str:
    """The key shared by all inflections and cases of a tag's name, such as `API-Keys` and `api key`."""
    plain = name.casefold()
    words = plain.split("-") if plain.replace("-", "").isalnum() else _JOINT.split(plain)
    return "-".join([fold(word) for word in words if word])


_ContentWord = tuple[str, str, float]
"""Of a word: itself in lower case, its key, its weight. Plain, as thousands are kept (`words`)."""

_Phrase = tuple[str, tuple[_ContentWord, ...]]
"""A key and the words."""


@cached_by_text(TEXTS_KEPT, KEPT_CHARS)
def _phrases(text: str) -> tuple[_Phrase, ...]:
    phrases: list[_Phrase] = []
    run: list[_ContentWord] = []
    opening, within = _opening, _within
    language = language_of(text) or script_language(text)
    opens = True
    for raw in _TOKEN.findall(text) if language is None else content_tokens(text, language, _TOKEN):
        token = opening(raw) if opens else within(raw)
        if token is not None:
            run.append(token)
            opens = False
            continue
        opens = raw in _ENDS
        if run:
            _cut(run, phrases)
            run = []
    if run:
        _cut(run, phrases)
    return tuple(phrases)


def _cut(run: list[_ContentWord], phrases: list[_Phrase]) -> None:
    """Cut a run into phrases of at most three words, from its end, because the last word is the head."""
    if len(run) == 1:
        (word,) = run
        phrases.append((word[1], (word,)))
        return
    if len(run) == 2:
        first, second = run
        phrases.append((f"{first[1]}-{second[1]}", (first, second)))
        return
    for end in range(len(run), 0, -MOST_WORDS):
        words = tuple(run[max(0, end - MOST_WORDS) : end])
        phrases.append(("-".join([key for _, key, _ in words]), words))


@cached_by_word(1 << 14)
def _opening(raw: str) -> _ContentWord | None:
    """The token of a word that opens a sentence and may be part of a phrase; None for any other word."""
    return _content(raw, opening=True)


@cached_by_word(1 << 14)
def _within(raw: str) -> _ContentWord | None:
    """The token of a word within a sentence that may be part of a phrase; None for any other word."""
    return _content(raw, opening=False)


def _content(raw: str, *, opening: bool) -> _ContentWord | None:
    if len(raw) == 1 and raw.isascii():
        return None
    form = raw.casefold().removesuffix("'s")
    if raw in ARTICLES_IN_NAMES or (raw == "New" and not opening):
        return form, form, _NAMED
    word = word_of(form)
    named = _IDENTIFIER.fullmatch(raw) is not None or (_NAME.match(raw) is not None and not opening)
    if word.flags & (FUNCTION | SEPARATOR | INTERJECTION) or form in _GENERIC or "'" in form:
        return None
    verb = (word.flags | word_of(fold(form)).flags) & VERB  # "trying" is not a subject, "planning" may be one
    if not named and (
        verb or word.flags & NUMBER or form.endswith("ly") or (len(form) < 3 and not is_short_word(form))
    ):
        return None
    weight = 1.0
    if named:
        weight *= _NAMED
    elif word.valence:
        weight *= _FEELING
    if word.domains:
        weight *= _SUBJECT
    return form, fold(form), weight


def _often(count: int) -> float:
    """The weight of a count: 1 plus its logarithm."""
    return _OFTEN[count] if count < len(_OFTEN) else 1 + log(count)
