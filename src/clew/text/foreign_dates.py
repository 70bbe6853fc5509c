"""Finds the dates of a question that is not in English. The language is decided by the question itself.

Words that look alike mean different things: French "hier" is yesterday, German "hier" is here. So a question in Latin
letters shows its language by its function words; English ones keep other languages out. A text without any, such as
"letzte Woche", is taken by every language that has its words. Other scripts speak for themselves.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from clew.text.date_languages import (
    LATIN,
    UNSPACED,
    Grammar,
    empty_pattern,
    function_words,
    grammar_of,
    latin_cues,
    near_key,
)
from clew.text.date_phrases import Grain, Mention, RelativeDate, WrittenDate, without_overlaps
from clew.text.late_pattern import late_pattern
from clew.text.scripts import MARKS
from clew.text.stopwords import STOPWORDS

_WORD: Final = late_pattern(rf"[^\W\d_][\w{MARKS}]*")
_SCRIPTS: Final = (
    ("ja", late_pattern(r"[\u3041-\u30ff]"), None),
    ("ko", late_pattern(r"[\uac00-\ud7a3]"), None),
    ("ar", late_pattern(r"[\u0620-\u064a]"), late_pattern(r".*[پچژگکی]")),
    ("hi", late_pattern(r"[\u0904-\u0939]"), None),
    ("ru", late_pattern(r"[а-яё]"), late_pattern(r".*[іїєґ]")),
    ("zh", late_pattern(r"[\u4e00-\u9fff]"), None),
)
"""Letters by which a text shows its language, the first that fits, and what they do not count before in a line: letters
of Persian, Urdu and Ukrainian, which are none of these languages."""

_OWN_LETTERS: Final = late_pattern(r"[\u3041-\u30ff\uac00-\ud7a3\u0620-\u064a\u0904-\u0939а-яё\u4e00-\u9fff]")
"""All of these letters: one search where a text has none."""

_DAY_SIGNS: Final = frozenset((*UNSPACED, "ko"))
"""Languages that have a word for day after its number."""

_AND: Final = frozenset("und y et e en и و और".split())
"""Links of two dates that link other things as well, so that something must open the range."""

_HINDI_FUTURE: Final = late_pattern(rf"(?:गा|गी|(?<!आ)गे)(?![\w{MARKS}])")
"""Endings of verbs in the future: Hindi has one word for yesterday and tomorrow."""

SHOWN: Final = 2
"""Function words by which a text shows its language."""
FEW: Final = 12
"""Words of a text that one function word is enough for."""
ALONE: Final = 4
"""Words of a text that needs none."""

_ALONE: Final = late_pattern(r"\s*(?:(?:in|from)\s*)?")
"""What may stand before a month that is the whole text; the words are put there by `parse_period`."""

_NOTHING: Final = late_pattern(r"[ .?!]*")
"""What may stand behind it."""

_BLANK: Final = late_pattern(r"\s*")

LONGEST_OPENING: Final = 64
"""Characters before a date in which the words that open it are looked for: more than these have."""


@lru_cache(maxsize=16)  # few, since a turn may have many megabytes
def languages_of(text: str) -> tuple[str, ...]:
    """The languages, other than English, in which the dates of a text are to be read; usually none or one."""
    words = frozenset(_WORD.findall(text.lower()))
    shown = shown_languages(text)
    if not shown and not any(words & function_words(language) for language in LATIN):
        return () if words & STOPWORDS - {"in", "from"} else tuple(name for name in LATIN if words & latin_cues(name))
    return tuple(name for name in shown if name not in LATIN or words & latin_cues(name))


@lru_cache(maxsize=16)
def shown_languages(text: str) -> tuple[str, ...]:
    """The languages, other than English, that a text shows by its letters or its function words."""
    lower = text.lower()
    if not lower.isascii():
        own = next((language for language, letters, others in _SCRIPTS if _shows(lower, letters, others)), None)
        if own is not None:  # Japanese can do without Kana, and writes most of the words of Chinese alike
            return ("zh", "ja") if own == "zh" else (own,)
    words = frozenset(_WORD.findall(lower))
    if words.isdisjoint(_other_words()) and not words.isdisjoint(_english_words()):
        return ()  # as nearly all English: fewer words are of any other language alone than of English alone
    scores = {language: len(words & function_words(language)) for language in LATIN}
    best = max(scores.values())
    if not best:
        return ()
    return tuple(name for name, score in scores.items() if score == best and _beats_english(words, name))


@lru_cache(maxsize=1)
def _other_words() -> frozenset[str]:
    """Function words of languages with Latin letters, as far as English has not the same."""
    return _function_words() - STOPWORDS


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    """Function words of languages with Latin letters other than English."""
    return frozenset().union(*map(function_words, LATIN))


@lru_cache(maxsize=1)
def _english_words() -> frozenset[str]:
    """Function words of English that none of those languages has."""
    return STOPWORDS.difference(*map(function_words, LATIN))


def _shows(lower: str, letters: re.Pattern[str], others: re.Pattern[str] | None) -> bool:
    """Whether a text has one of the letters; where `others` are given, behind the last of those in its line."""
    if letters.search(lower) is None:
        return False
    if others is None:
        return True
    for line in lower.split("\n"):
        last = others.match(line)
        if letters.search(line, 0 if last is None else last.end()):
            return True
    return False


def without_asking(text: str, languages: Iterable[str]) -> str:
    """A text without the words of which a question about a time consists in these languages."""
    lower = text.lower()
    for language in languages:
        lower = grammar_of(language).asking.sub(" ", lower)
    return lower


def without_empty_words(text: str, languages: Iterable[str]) -> str:
    """A text without the words of these languages that tell nothing of what it is about; in lower case."""
    lower = text.lower()
    for language in languages:
        lower = empty_pattern(language).sub(" ", lower)
    return lower


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days in one month, of which one end is a date and the other a mere number.

    Attributes:
        span: position of the range in the text.
        first, last: its days; 0 for the one that is the date's.
        year: the year behind the number; 0 for none.
    """

    span: tuple[int, int]
    first: int = 0
    last: int = 0
    year: int = 0


def day_range(text: str, span: tuple[int, int]) -> DayRange | None:
    """The range of days that the date at `span` ends or begins, if any."""
    lower = _lower(text)
    if len(lower) != len(text):
        return None
    for language in languages_of(text):
        grammar = grammar_of(language)
        first = grammar.first_day.search(lower, max(0, span[0] - LONGEST_OPENING), span[0])
        if first and (first["opened"] or (first["link"] not in _AND and _BLANK.fullmatch(lower, 0, first.start()))):
            return DayRange((first.start(), span[1]), first=int(first["day"]))
        if language in _DAY_SIGNS and (last := grammar.last_day.match(lower, span[1])):
            return DayRange((span[0], last.end()), last=int(last["day"]))
    return None


def foreign_mentions(text: str) -> list[Mention]:
    """The date mentions of a text in the languages that it may be in, in text order, without overlaps."""
    lower = text.lower()
    if len(lower) != len(text):
        return []
    result: list[Mention] = []
    for language in languages_of(text):
        result += _mentions(text, lower, language)
    return without_overlaps(result)


def told_mentions(text: str) -> list[Mention]:
    """The date mentions of a text that tells something, in the language that it shows; none where that is English.

    Stricter than `foreign_mentions`, since a question is short and about a time, and a turn may be a log or code: Latin
    letters need two function words, or one in a text of few words; a text of nothing but a date needs none.
    """
    lower = text.lower()
    if len(lower) != len(text):
        return []
    if lower.isascii() or not _OWN_LETTERS.search(lower):
        if _signs().isdisjoint(lower.split()):  # as in nearly all English
            return []
        words = _WORD.findall(lower)
        known = _function_words().intersection(words)
        shown = max(len(known & function_words(language)) for language in LATIN)
        if shown < SHOWN and len(words) > (FEW if shown else ALONE):
            return []
    return foreign_mentions(text)


@lru_cache(maxsize=1)
def _signs() -> frozenset[str]:
    """Words of which a text in a language with Latin letters other than English has one."""
    every = frozenset().union(*map(function_words, LATIN), *map(latin_cues, LATIN))
    return every - STOPWORDS


def relation_of(text: str, span: tuple[int, int]) -> str:
    """What the words beside a date say of it: "before", "up to", "after", "since", or "on"."""
    lower = _lower(text)
    for language in languages_of(text):
        for name, before, after in grammar_of(language).relations:
            if before.search(lower, max(0, span[0] - 30), span[0]) or after.match(lower, span[1]):
                return name
    return "on"


def linked(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two dates are the ends of a range."""
    lower = _lower(text)
    between, before = lower[first[1] : second[0]], lower[max(0, first[0] - 30) : first[0]]
    grammars = map(grammar_of, languages_of(text))
    return any(
        grammar.link.fullmatch(between) is not None
        and (grammar.opens is None or grammar.opens.search(before) is not None)
        for grammar in grammars
    )


@lru_cache(maxsize=16)
def _lower(text: str) -> str:
    """A text in small letters; a long question with many dates is looked at once for each of them."""
    return text.lower()


def _beats_english(words: frozenset[str], language: str) -> bool:
    """Whether no more words are English alone than are of the language alone."""
    own = function_words(language)
    return len(words & own - STOPWORDS) >= len(words & STOPWORDS - own)


def _mentions(text: str, lower: str, language: str) -> Iterator[Mention]:
    grammar = grammar_of(language)
    yield from _near(text, lower, language, grammar)
    for match in grammar.ago_pattern.finditer(lower):
        is_span = "span_count" in match.re.groupindex and match["span_count"] is not None
        count, unit = (match["span_count"], match["span_unit"]) if is_span else (match["count"], match["unit"])
        number = int(count) if count.isdecimal() else grammar.counts[near_key(count)]
        yield RelativeDate(match.span(), cast(Grain, grammar.units[near_key(unit)]), -number, trailing=is_span)
    for match in grammar.day_pattern.finditer(lower):
        year = match["year"]
        yield WrittenDate(match.span(), "day", int(year) if year else None, _month(match, grammar), int(match["day"]))
    for match in grammar.month_pattern.finditer(lower):
        year = match["year"]
        if year or language in _DAY_SIGNS or _stands_as_month(lower, match, grammar):
            yield WrittenDate(match.span(), "month", int(year) if year else None, _month(match, grammar))
    for match in grammar.year_pattern.finditer(lower):
        yield WrittenDate(match.span("year"), "year", int(match["year"]))


def _near(text: str, lower: str, language: str, grammar: Grammar) -> Iterator[Mention]:
    """Phrases near the present, and weekdays alone: the last one."""
    is_future = language == "hi" and _HINDI_FUTURE.search(lower) is not None
    blocked = {_next_letter(lower, match.end()) for match in grammar.not_before.finditer(lower)}
    for match in grammar.near_pattern.finditer(lower):
        if match.start() not in blocked and not grammar.not_after.match(lower, match.end()):
            unit, step, day = grammar.near[near_key(match[0])]
            if is_future and unit == "day" and step < 0:
                step = -step
            if unit.startswith("week") and day is not None:
                yield RelativeDate(match.span(), "day" if unit == "weekday" else "week", step, weekday=day)
            else:
                yield RelativeDate(match.span(), cast(Grain, unit), step)
    for match in grammar.weekday_pattern.finditer(lower):
        is_name = language in LATIN and language != "de" and match.start() and text[match.start()].isupper()
        if not is_name and not grammar.not_after.match(lower, match.end()):
            yield RelativeDate(match.span(), "day", -1, weekday=grammar.weekdays[near_key(match[0])])


def _next_letter(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _month(match: re.Match[str], grammar: Grammar) -> int:
    if "number" in match.re.groupindex and match["number"]:
        return int(match["number"])
    return grammar.months[near_key(match["month"])]


def _stands_as_month(lower: str, match: re.Match[str], grammar: Grammar) -> bool:
    """Whether the name of a month without a year is one: short forms are words of their own, such as Spanish "ago"."""
    if near_key(match["month"]) not in grammar.long_months:
        return False
    if _ALONE.fullmatch(lower, 0, match.start()) and _NOTHING.fullmatch(lower, match.end()):
        return True
    return grammar.month_opens.search(lower, max(0, match.start() - LONGEST_OPENING), match.start()) is not None
