"""The people, places and things that one text names, by rule: names by capitals and cues, concepts by phrases.

This module sees one text at a time, so the same turn always names the same entities. What depends on many texts is
decided over their counts (`clew.structure.graph`): an entity's type, and whether a form of address is a nickname.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Final, NamedTuple

from clew.analyze.addresses import without_addresses
from clew.analyze.concepts import SHORT_DATES, WEEKDAYS, is_listed_adverb, is_sound, names_nothing
from clew.analyze.keyphrases import ARTICLES_IN_NAMES, keyphrases
from clew.analyze.lexicon import FUNCTION, INTERJECTION, VERB
from clew.analyze.lexicon import fold as stem
from clew.analyze.other_languages import (
    function_words,
    is_before_name,
    is_german_noun,
    is_given_name_elsewhere,
    is_noun_after,
    language_of,
    titles,
    without_elisions,
)
from clew.analyze.tags import is_name
from clew.analyze.words import word_of
from clew.text.dates import MONTHS
from clew.text.late_pattern import late_pattern
from clew.text.names import greeting_aliases
from clew.text.normalise import fold
from clew.text.text_cache import cached_by_word
from clew.types.entity import NodeType

MOST_NAMES: Final = 24
"""Most names taken from one text; a table of names is not conversation."""

CONCEPTS: Final = 3
"""Concepts taken from a short text; a long one has one more per `CONCEPT_CHARS` characters, up to `MOST_CONCEPTS`."""
CONCEPT_CHARS: Final = 600
MOST_CONCEPTS: Final = 6

_READ: Final = 20_000  # characters, as everywhere in this package
_LONGEST: Final = 5
"""Words of a name; a longer run of capitals is a heading."""

_WORD = late_pattern(r"[^\W\d_](?:[\w'’&+-]*\w)?")
_CAPITAL = late_pattern(r"(?<![A-Za-z])(?=[A-Za-z])(?=[\w'&+-]*[A-Z])[A-Za-z](?:[\w'&+-]*\w)?", re.ASCII)
"""A word that contains a capital, in an ASCII text."""
_STARTS = late_pattern(r"(?:^|[.!?…:\n}]|\b\d{1,2}\))[\s\"'“‘(*_•>\u2060\u200b\ufeff-]*$")
"""What stands before the first word of a sentence, of an entry of a list, or behind a mark such as `{pause}`."""
_POSSESSIVE = late_pattern(r"['’](?:s|S)?$")
_MIXED = late_pattern(r"[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
_ACRONYM = late_pattern(r"[A-Z][A-Z&-]*[A-Z]\d*s?")
_BETWEEN = late_pattern(r" (?:of the |(?:of|de|del|la|van|von|der|den|da|di|bin|al|&) )?")
_BEFORE = late_pattern(r"([^\W\d_]+) $")
_AFTER = late_pattern(r" ([a-z]+)")
_LOOK_BEHIND: Final = 24
_FARTHEST: Final = 8
_LOOK_BACK: Final = 8
_INITIALS: Final = 3
"""Letters of a word in capitals that may be initials rather than a name: "EVA"."""
_PLAIN_NAME = late_pattern(r"[^\W\d_](?:[^\W\dA-Z_]|(?<=Mc)[A-Z]|['’-][A-Z]?)*")
"""A word as places are written: with one capital, and neither a digit nor a sign of code."""
_NEAR_PLACE: Final = frozenset(("in", "at", "near", "from", "to", "around", "across", "through", "visit", "visited"))
_SURE_PLACE: Final = frozenset(("in", "near", "around", "across", "visit", "visited"))
_LINE = late_pattern(r"[^\n]+")
_PARTS = late_pattern(r"[\s/]+")
_HEADING: Final = 6
_SHORT: Final = 3
_HEADING_SHARE: Final = 0.7
"""A line of at least `_HEADING` long words, more than this share of them capitalised, is a heading without names."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of an entity in a text.

    Attributes:
        key: the same for all spellings, see `entity_key`.
        name: as written; a concept is in lower case.
        start: offset of its first character in the text; -1 for a concept and for the speaker.
    """

    key: str
    name: str
    type: NodeType
    start: int = -1


@dataclass(frozen=True, slots=True)
class NamedEntities:
    """The entities of one turn.

    Attributes:
        mentions: each key once, names in order, then concepts, the strongest first.
        addressed: names by which the speaker addresses the listener.
        self_named: names by which the speaker introduces themself.
    """

    mentions: tuple[Mention, ...] = ()
    addressed: tuple[str, ...] = ()
    self_named: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 14)
def entity_key(name: str) -> str:
    """The key shared by all spellings of a name, such as `Golden  Retrievers` and `golden-retriever`; may be empty."""
    return "-".join(map(stem, fold(name).casefold().split()))


def entities_in(text: str) -> NamedEntities:
    """The entities of a text. Accepts any string and reads its first 20,000 characters.

    Names are runs of capitalised words. A single word that opens a sentence counts only if a list or another mention
    confirms it. Months, weekdays and holidays are not names. Concepts are the strongest phrases that share no word with
    a name.
    """
    text = text[:_READ]
    names = {mention.key: mention for mention in reversed(_names(text)[:MOST_NAMES]) if mention.key}
    called = greeting_aliases(text)
    addressed = tuple(dict.fromkeys(alias.name for alias in called if alias.of == "listener"))
    own = tuple(dict.fromkeys(alias.name for alias in called if alias.of == "speaker"))
    for name in (*addressed, *own):
        key = entity_key(name)
        names[key] = Mention(key, name, NodeType.PERSON, names[key].start if key in names else text.find(name))
    mentions = sorted(names.values(), key=lambda mention: mention.start)
    taken = {word for mention in mentions for word in mention.key.split("-")}
    limit = min(MOST_CONCEPTS, CONCEPTS + len(text) // CONCEPT_CHARS)
    concepts: dict[str, Mention] = {}
    for phrase in keyphrases(text, MOST_CONCEPTS):
        name = phrase.name.replace("-", " ")
        key = entity_key(name)
        if len(concepts) == limit:
            break
        if (
            key
            and key not in names
            and is_name(phrase.name)
            and taken.isdisjoint(key.split("-"))
            and not names_nothing(name)
        ):
            concepts[key] = Mention(key, name, NodeType.CONCEPT)
    return NamedEntities((*mentions, *concepts.values()), addressed, own)


@cached_by_word(1 << 12)
def is_no_name(name: str) -> bool:
    """Whether a supposed name consists only of months, weekdays, holidays and very common words."""
    words = _PARTS.split(name)
    return not any(_may_name(word.casefold().replace("’", "'"), word) for word in words)


def _may_name(plain: str, word: str) -> bool:
    if plain in _no_names() or is_sound(plain):
        return False
    common = word_of(plain).flags & (FUNCTION | INTERJECTION) and plain not in _lists()["given_names"]
    return not common or (word.isupper() and len(word) > 1 and plain in ("us", "who"))


class _Capitalised(NamedTuple):
    """A capitalised word of a text; a plain tuple because many are made."""

    word: str  # without a possessive ending
    plain: str  # in lower case
    start: int
    end: int
    opens: bool  # a sentence
    named: bool  # may be part of a name
    possessive: bool
    called: bool = False  # a comma stands after it


def _names(text: str) -> list[Mention]:
    blank = without_addresses(text)
    mentions: list[Mention] = []
    language = language_of(text)
    if language in ("fr", "it"):
        blank = without_elisions(blank)
    lines = [(_capitals(blank, *line.span())) for line in _LINE.finditer(blank)]
    if language is not None:
        lines = [_names_alone(blank, tokens, language, heading=heading) for tokens, heading in lines]
    known = {token.plain for tokens, _ in lines for token in tokens if not token.opens and token.named}
    for tokens, heading in lines:
        for low, high in _runs(blank, tokens, articles=language is None):
            run = tokens[low:high]
            for part in _trimmed(run, known, whole=heading, foreign=language is not None):
                if len(part) == len(part[0].word) == 1:
                    continue  # a letter
                before = _BEFORE.search(blank, max(0, part[0].start - _LOOK_BEHIND), part[0].start)
                after = _AFTER.match(blank, part[-1].end)
                place = before is not None and _leads_to_place(blank, before, part)
                beside = before[1].casefold() if before is not None else ""
                mention = _mention(text, part, beside, after[1] if after else "", place=place)
                if mention.type is NodeType.NAME and _is_label(blank, run, part):
                    continue
                if language and mention.type is NodeType.NAME and is_given_name_elsewhere(part[0].plain):
                    mention = replace(mention, type=NodeType.PERSON)
                mentions.append(mention)
    return mentions


def _leads_to_place(text: str, before: re.Match[str], part: list[_Capitalised]) -> bool:
    """Whether a name stands where a place does: "in Vlora", not "in SSL", "majoring in Economics", "In Progress"."""
    if before[1].casefold() not in _SURE_PLACE or names_nothing(part[-1].plain):
        return False
    if not all(_PLAIN_NAME.fullmatch(token.word) or (at and len(token.word) == 2) for at, token in enumerate(part)):
        return False  # but "Portland OR" is a place
    above = _BEFORE.search(text, max(0, before.start() - _LOOK_BEHIND), before.start())
    return above is None or above[1].casefold() not in _lists()["no_place_before_in"]


def _is_label(text: str, run: list[_Capitalised], part: list[_Capitalised]) -> bool:
    """Whether a single word is the rest of a label ("Error Handling:"), or opens a sentence and names nothing."""
    word = part[0]
    if len(part) > 1 or not names_nothing(word.plain):
        return False
    return word.opens or run[0].opens or word.start > run[0].start or f" {word.plain} " in text


def _capitals(text: str, start: int, end: int) -> tuple[list[_Capitalised], bool]:
    """The capitalised words of a line, and whether the line is a heading: of Markdown, or most words have capitals."""
    tokens: list[_Capitalised] = []
    high = 0
    for match in (_CAPITAL if text.isascii() else _WORD).finditer(text, start, end):
        raw = match[0]
        if raw.islower():
            continue
        spelling = _spelling(raw)
        if spelling.capital:
            high += len(raw) > _SHORT
            tokens.append(_token(text, spelling, *match.span()))
    if text.startswith("#", start):
        return tokens, True
    if high <= _HEADING_SHARE * _HEADING:
        return tokens, False
    long = len([word for word in _WORD.findall(text, start, end) if len(word) > _SHORT])
    return tokens, long >= _HEADING and high > _HEADING_SHARE * long


def _names_alone(
    text: str, tokens: list[_Capitalised], language: str, *, heading: bool
) -> tuple[list[_Capitalised], bool]:
    """The capitalised words of a line in another language, where those that name nothing are marked so."""
    common = function_words(language)
    made = [token._replace(named=token.named and token.plain not in common, called=False) for token in tokens]
    return (made, heading) if language != "de" else (_german_names(text, made), False)


def _german_names(text: str, tokens: list[_Capitalised]) -> list[_Capitalised]:
    """The capitalised words of a German line, where nouns are marked as naming nothing.

    A word that no list knows must be a part of a longer name, or stand behind a title, a noun or a bare preposition:
    "mein Hund Balu", "in Bochum".
    """
    nouns = [token.named and _is_german_noun(text, token) for token in tokens]
    names = [token.named and not noun for token, noun in zip(tokens, nouns, strict=True)]
    made = []
    for at, token in enumerate(tokens):
        beside = [
            text[left.end : right.start] == " " and names[near]
            for left, right, near in (
                *([(tokens[at - 1], token, at - 1)] if at else ()),
                *([(token, tokens[at + 1], at + 1)] if at + 1 < len(tokens) else ()),
            )
        ]
        behind = at > 0 and text[tokens[at - 1].end : token.start] == " " and nouns[at - 1]
        sure = token.opens or any(beside) or behind or _is_sure_in_german(text, token)
        made.append(token._replace(named=names[at] and sure))
    return made


def _is_sure_name(token: _Capitalised) -> bool:
    """Whether a word of a German text is listed as a name, or spelled as no noun is."""
    if token.plain in _listed() or is_given_name_elsewhere(token.plain):
        return True
    return bool(_MIXED.fullmatch(token.word) or _ACRONYM.fullmatch(token.word))


def _is_sure_in_german(text: str, token: _Capitalised) -> bool:
    """Whether a word is listed, spelled like a product, or stands where German nouns have an article."""
    if _is_sure_name(token):
        return True
    before = _BEFORE.search(text, max(0, token.start - _LOOK_BEHIND), token.start)
    return before is not None and is_before_name(before[1].casefold())


def _is_german_noun(text: str, token: _Capitalised) -> bool:
    """Whether a German word with a capital is a common noun: a known one, or one behind an article."""
    if _is_sure_name(token):
        return False
    before = _BEFORE.search(text, max(0, token.start - _LOOK_BEHIND), token.start)
    before_it = before[1].casefold() if before is not None else ""
    return before_it not in titles() and (is_noun_after(before_it) or is_german_noun(token.plain))


def _mention(text: str, part: list[_Capitalised], before: str, after: str, *, place: bool) -> Mention:
    first, last = part[0], part[-1]
    name = " ".join(text[first.start : last.start + len(last.word)].split())
    kind = _type_of([token.plain for token in part], before, after, name, place=place)
    return Mention(entity_key(name), name, kind, first.start)


class _Spelling(NamedTuple):
    """What is known of a word as written, wherever it occurs; see `_Capitalised`."""

    word: str
    plain: str
    capital: bool
    possessive: bool
    named: bool  # may be part of a name


@cached_by_word(1 << 14)
def _spelling(raw: str) -> _Spelling:
    word = _POSSESSIVE.sub("", raw) or raw
    capital = word[0].isupper() or _MIXED.fullmatch(word) is not None
    plain = word.casefold().replace("’", "'")
    named = capital and not plain.startswith(("i-", "i'")) and _may_name(plain, word)
    return _Spelling(word, plain, capital, len(word) < len(raw), named)


def _token(text: str, spelling: _Spelling, start: int, end: int) -> _Capitalised:
    word, plain, capital, possessive, named = spelling
    opens = capital and _STARTS.search(text[max(0, start - _LOOK_BACK) : start]) is not None
    called = opens and text.startswith(",", end)
    return _Capitalised(word, plain, start, end, opens, named, possessive, called)


def _runs(text: str, tokens: list[_Capitalised], *, articles: bool) -> Iterator[tuple[int, int]]:
    """Start and end (exclusive) of each run of words that may be one name.

    Args:
        articles: whether a name may begin with a Spanish article, as `Los Angeles` does in English.
    """
    low = 0
    while low < len(tokens):
        high = low + 1
        if tokens[low].named or (articles and _is_article_of_name(text, tokens, low)):
            while high < len(tokens) and _goes_on(text, tokens[high - 1], tokens[high]):
                high += 1
            yield low, high
        low = high


def _is_article_of_name(text: str, tokens: list[_Capitalised], at: int) -> bool:
    """Whether a word is the article with which a name begins, as in `Los Angeles`."""
    is_article = tokens[at].word in ARTICLES_IN_NAMES and at + 1 < len(tokens)
    return is_article and _goes_on(text, tokens[at], tokens[at + 1])


def _goes_on(text: str, left: _Capitalised, right: _Capitalised) -> bool:
    """Whether a name continues from one capitalised word to the next."""
    if left.possessive or right.start - left.end > _FARTHEST:
        return False
    between = text[left.end : right.start]
    title = left.plain in _lists()["titles"] or len(left.word) == 1
    return (_BETWEEN.fullmatch(between) is not None or (title and between == ". ")) and right.named


def _trimmed(run: list[_Capitalised], known: set[str], *, whole: bool, foreign: bool) -> list[list[_Capitalised]]:
    """A run without the word that opens a sentence, unless that is a name; only listed names where all is capitals."""
    if whole or all(token.word.isupper() and len(token.word) > 3 for token in run) or len(run) > _LONGEST:
        sure = [token for token in run if token.plain in _listed()]
        return [[token] for token in sure]
    first = run[0]
    is_article = not foreign and first.word in ARTICLES_IN_NAMES
    if not first.opens or is_article or first.plain in _listed() or (first.plain in known and len(run) == 1):
        return [run]
    rest = run[1:]
    if foreign and is_given_name_elsewhere(first.plain):
        return [run]
    if foreign and rest and is_given_name_elsewhere(rest[0].plain):
        return [rest]  # behind a word that only opens the sentence
    if _is_ordinary(first.plain) or not rest:
        kept = rest if rest and rest[0].named else rest[1:]
        alone = _MIXED.fullmatch(first.word) or (_ACRONYM.fullmatch(first.word) and len(first.word) <= 5)
        alone = alone or (first.called and not (_is_ordinary(first.plain) or is_listed_adverb(first.plain)))
        return [[first]] if alone and not rest else [kept] if kept else []
    return [run]


def _is_ordinary(plain: str) -> bool:
    """Whether a word is known as one that is not a name, or has the form of a verb or adverb."""
    word = word_of(plain)
    return bool(
        word.flags & (FUNCTION | INTERJECTION | VERB)
        or word.valence
        or word.domains
        or plain.endswith(("ing", "ly", "ed"))
    )


def _type_of(words: list[str], before: str, after: str, name: str, *, place: bool) -> NodeType:
    """The type of a name from its words and the two words beside it; the first clue that holds decides.

    Args:
        place: whether the words before it lead to a place.
    """
    lists, whole, several = _lists(), " ".join(words), len(words) > 1
    last = words[-1] if several else ""
    made = last in lists["product_words"] and (words[0] in lists["products"] or words[0] in lists["organizations"])
    given = words[0] in lists["given_names"] and not (len(name) <= _INITIALS and name.isupper())
    clues = (
        (NodeType.PLACE, whole in lists["places"] or last in lists["place_words"]),
        (NodeType.ORGANIZATION, whole in lists["organizations"] or last in lists["organization_words"]),
        (NodeType.ORGANIZATION, several and words[0] in lists["organization_words"]),
        (NodeType.PRODUCT, whole in lists["products"] or made),
        (NodeType.PERSON, words[0] in lists["titles"] or given or before in _person_words()),
        (NodeType.WORK, before in lists["work_words"] or before == "called"),
        (NodeType.PLACE, place),
        (NodeType.PRODUCT, _MIXED.fullmatch(name) is not None),
        (NodeType.PERSON, len(words) <= 2 and after in lists["person_verbs"] and before not in _NEAR_PLACE),
    )
    return next((kind for kind, holds in clues if holds), NodeType.NAME)


@cache
def _person_words() -> frozenset[str]:
    return _lists()["kin"] | titles()


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (resources.files(__package__) / "data" / "entities.json").read_text(encoding="utf-8")
    return {name: frozenset(words.split(",")) for name, words in json.loads(text).items()}


@cache
def _listed() -> frozenset[str]:
    """Words that are names by themselves, wherever they occur."""
    lists = _lists()
    both = lists["given_names"] | lists["places"] | lists["organizations"] | lists["products"]
    return frozenset(word for word in both if " " not in word and not word_of(word).flags & (FUNCTION | VERB))


@cached_by_word(1 << 12)
def listed_type(plain: str) -> NodeType | None:
    """The type of a lower-case word that is a name wherever it occurs; None for any other word."""
    if plain not in _listed():
        return None
    kinds = (
        ("given_names", NodeType.PERSON),
        ("places", NodeType.PLACE),
        ("organizations", NodeType.ORGANIZATION),
        ("products", NodeType.PRODUCT),
    )
    return next(kind for name, kind in kinds if plain in _lists()[name])


@cache
def _no_names() -> frozenset[str]:
    months = (month.casefold() for month in MONTHS)
    days = WEEKDAYS.split()
    return _lists()["no_names"] | frozenset(
        (*months, *days, *(f"{day}s" for day in days), *SHORT_DATES.split(), "i'm", "i've", "i'd", "i'll", "i")
    )
