"""The words for time of other languages than English: those of CLDR, and what it lacks. Start at `grammar_of`.

CLDR gives one form of each phrase; other forms, function words and what stands before and after a date are our own.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from clew.text.scripts import MARKS, fold_accents

Phrase = tuple[str, int, int | None]
"""Unit (or "weekday"), units after the day of speaking, and number of the weekday, if it is one."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a language writes dates. All patterns see lower case.

    Attributes:
        near: phrases near the present by their folded text.
        near_pattern, weekday_pattern: find these phrases, and weekdays alone.
        months, long_months: month numbers by name, short ones too; and the names that are not short.
        day_pattern: a day and month, with or without a year: groups `day`, `month`, `year`.
        month_pattern: a month with a year, or alone: groups `month`, `year`.
        month_opens: what must precede a month alone.
        year_pattern: a year alone: group `year`.
        ago_pattern: "N units ago", and the last N units: groups `count` and `unit`, or `span_count` and `span_unit`.
        relations: what stands before or after a date that begins or ends a time, by relation.
        link, opens: what stands between two dates, and before the first one; None where nothing need stand there.
        first_day: the first day of "5 to 12 January" before the day that has the month; groups `opened`, `day`, `link`.
        last_day: the last day of "1月5日到12日" after it; group `day`.
        asking: a word of which questions about a time consist besides the time.
        not_before, not_after: what makes a phrase another word.
    """

    near: Mapping[str, Phrase]
    near_pattern: re.Pattern[str]
    not_before: re.Pattern[str]
    not_after: re.Pattern[str]
    weekdays: Mapping[str, int]
    weekday_pattern: re.Pattern[str]
    months: Mapping[str, int]
    long_months: frozenset[str]
    day_pattern: re.Pattern[str]
    month_pattern: re.Pattern[str]
    month_opens: re.Pattern[str]
    year_pattern: re.Pattern[str]
    ago_pattern: re.Pattern[str]
    units: Mapping[str, str]
    counts: Mapping[str, int]
    relations: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]
    link: re.Pattern[str]
    opens: re.Pattern[str] | None
    first_day: re.Pattern[str]
    last_day: re.Pattern[str]
    asking: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What CLDR lacks about a language: a member of `data/date_words.json`.

    Attributes:
        function: frequent words by which a text shows its language, without words that are dates in another one.
        asking: other words of which questions about a time consist, such as "what did we do"; a pattern in languages
            without spaces or with endings.
        empty: words that tell nothing of what a question is about, such as "where" and "of the", beside `function`; a
            pattern in languages without spaces or with endings.
        near: more phrases by unit and offset, such as `week-1`; a digit after a colon is a weekday.
        months, units: other forms of names.
        counts: words for one, two, three, ...; alternatives with "/".
        not_before, not_after: what makes a phrase another word: patterns.
        since, before, after, upto: what precedes a date; after a tilde, what follows it.
        span: what precedes, and after a tilde follows, the count of the last N units.
        behind: what may follow N units, instead of what CLDR has, to say that they are ago.
        link, opens: as in `Grammar`.
        month_opens, year_opens: what precedes a month, or a year, alone.
    """

    near: Mapping[str, str]
    counts: str
    since: str
    before: str
    after: str
    upto: str
    link: str
    function: str = ""
    asking: str = ""
    empty: str = ""
    behind: str = ""
    months: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    weekdays: Mapping[str, str] = field(default_factory=dict)
    not_before: str = ""
    not_after: str = ""
    span: str = ""
    opens: str = ""
    month_opens: str = ""
    year_opens: str = ""


@cache
def _words() -> Mapping[str, _Words]:
    text = (resources.files(__package__) / "data" / "date_words.json").read_text(encoding="utf-8")
    return {language: _Words(**given) for language, given in json.loads(text).items()}


LATIN: Final = ("de", "es", "fr", "it", "nl", "pt")
UNSPACED: Final = ("ja", "zh")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_ENDINGS: Final = ("ko",)
"""Languages whose words take endings: a phrase may go on in letters."""

_W: Final = rf"\w{MARKS}"
_YEAR: Final = "[0-9]{4}"  # also years that are none of the calendar, else 3. Mai 1789 would be a day of this year
_NONE: Final = r"(?!)"
_ALEFS: Final = str.maketrans(dict.fromkeys("اأإآ", "[اأإآ]"))
_TASHKEEL: Final = "[\u064b-\u0652\u0640]*"


@cache
def _cldr() -> Mapping[str, Any]:
    text = (resources.files(__package__) / "data" / "cldr_dates.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@cache
def grammar_of(language: str) -> Grammar:
    """How a language writes dates; compiled when it is first asked for.

    Args:
        language: ISO 639: a member of `data/date_words.json`.
    """
    words, cldr = _words()[language], _cldr()[language]
    near: dict[str, Phrase] = {
        _key(text): (each[0], each[1], each[2] if len(each) > 2 else None) for text, each in cldr["near"].items()
    }
    for where, texts in words.near.items():
        near |= {_key(text): _place(where) for text in texts.split("|")}
    if language in UNSPACED:  # "last week's Monday" is of that week, and not the nearest one
        near = {
            text: ("week day" if unit == "weekday" else unit, step, day) for text, (unit, step, day) in near.items()
        }
    months = {**cldr["months"], **cldr["short_months"]}
    months |= {name: int(number) for number, names in words.months.items() for name in _alternatives(names)}
    weekdays = {
        **cldr["weekdays"],
        **{name: int(n) for n, names in words.weekdays.items() for name in names.split("|")},
    }
    units = {form: unit for unit, forms in cldr["ago"]["units"].items() for form in forms}
    units |= {form: unit for unit, forms in words.units.items() for form in forms.split("|")}
    counts = {word: n + 1 for n, each in enumerate(words.counts.split()) for word in each.split("/")}
    edges = _Edges(language, words)
    return Grammar(
        near=near,
        near_pattern=edges.around(near),
        not_before=re.compile(words.not_before or _NONE),
        not_after=re.compile(words.not_after or _NONE),
        weekdays={_key(name): number for name, number in weekdays.items()},
        weekday_pattern=edges.around(weekdays),
        months={_key(name): number for name, number in months.items()},
        long_months=frozenset(
            _key(name) for name in months if name in cldr["months"] or name not in cldr["short_months"]
        ),
        **edges.dates(months, cldr["months"]),
        ago_pattern=edges.ago(units, counts, cldr["ago"]),
        units={_key(form): unit for form, unit in units.items()},
        counts={_key(word): number for word, number in counts.items()},
        relations=tuple(
            (name, *edges.beside(given))
            for name, given in (
                ("before", words.before),
                ("up to", words.upto),
                ("after", words.after),
                ("since", words.since),
            )
        ),
        link=re.compile(
            rf"\s*(?:{words.link})\s*(?:\w{{1,3}}\s+)?" if language in LATIN else rf"\s*(?:{words.link})\s*"
        ),
        opens=re.compile(rf"(?<![{_W}])(?:{words.opens})\s+(?:\w{{1,3}}\s+)?$") if words.opens else None,
        first_day=edges.first_day(),
        last_day=edges.last_day(),
        asking=edges.asking(),
    )


@cache
def function_words(language: str) -> frozenset[str]:
    """Frequent words by which a text shows its language, without words that are dates in another one."""
    return frozenset(_words()[language].function.split())


@cache
def empty_words(language: str) -> frozenset[str]:
    """The words of a language with spaces that tell nothing of what is talked about, in lower case."""
    words = _words()[language]
    return frozenset((*words.empty.split(), *words.function.split()))


@cache
def empty_pattern(language: str) -> re.Pattern[str]:
    """What in a question tells nothing of what it is about, in any of the languages. It sees lower case."""
    if language in {*UNSPACED, *_ENDINGS}:
        return re.compile(_words()[language].empty)
    every = sorted({form for word in empty_words(language) for form in _typed(word)}, key=len, reverse=True)
    return re.compile(rf"(?<![{_W}])(?:{'|'.join(map(re.escape, every))})(?![{_W}])")


def _typed(word: str) -> tuple[str, ...]:
    """A word, and how people type it on a keyboard without its letters: "für" as "fur" and "fuer"."""
    return (word, fold_accents(word), word.translate(_UMLAUTS))


@cache
def latin_cues(language: str) -> frozenset[str]:
    """Words without one of which a text has no date in the language; cheap, since nothing is compiled for it."""
    words, cldr = _words()[language], _cldr()[language]
    texts = [
        *cldr["near"],
        *cldr["months"],
        *cldr["short_months"],
        *cldr["weekdays"],
        words.year_opens.replace("|", " "),
    ]
    texts += [*words.near.values(), *words.units.values(), *words.weekdays.values()]
    texts += [form for forms in cldr["ago"]["units"].values() for form in forms]
    return frozenset(word for text in texts for word in re.findall(r"\w{3,}", text))


def near_key(text: str) -> str:
    """The form of a phrase in a text by which `Grammar` finds it."""
    return _key(text)


def _key(text: str) -> str:
    bare = re.sub(r"\s+", " ", text.replace("’", "'"))
    return re.sub(_TASHKEEL, "", re.sub("[أإآ]", "ا", bare)).strip().rstrip(".")


def _place(where: str) -> Phrase:
    """`week-1`, `weekday-1:3`."""
    match = re.fullmatch(r"(\w+?)([+-]?\d)(?::(\d))?", where)
    if match is None:
        raise ValueError(where)
    return match[1], int(match[2]), int(match[3]) if match[3] else None


def _alternatives(names: str) -> list[str]:
    return names.split() if names.isascii() or not names.startswith(("كانون", "تشرين")) else [names]


def _spelled(text: str, language: str) -> str:
    """A pattern for a phrase: any white space, either apostrophe, and in Arabic any vowel signs and forms of alef."""
    if language == "ar":
        return r"\s+".join(
            "".join(letter.translate(_ALEFS) + _TASHKEEL for letter in re.sub(_TASHKEEL, "", word))
            for word in text.split()
        )
    return r"\s+".join(re.escape(word).replace("'", "['’]") for word in text.split())


class _Edges:
    """Makes patterns whose ends are those of words in the language."""

    def __init__(self, language: str, words: _Words) -> None:
        self.language, self.words = language, words
        unspaced = language in UNSPACED
        self.start = "" if unspaced else rf"(?<![{_W}])"
        self.end = "" if unspaced or language in _ENDINGS else rf"(?![{_W}])"
        self.gap = r"\s*" if unspaced or language in _ENDINGS else r"\s{1,3}"

    def one_of(self, texts: Iterable[str]) -> str:
        """A pattern for one of several texts, the longest that is there."""
        return "|".join(_spelled(text, self.language) for text in sorted(texts, key=len, reverse=True))

    def around(self, texts: Iterable[str]) -> re.Pattern[str]:
        """One of several texts as whole words."""
        return re.compile(rf"{self.start}(?:{self.one_of(texts)}){self.end}")

    def beside(self, given: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What precedes a date, and what follows it."""
        before, _, after = given.partition("~")
        gap = r"\s*" if self.language in UNSPACED else r"\s+(?:\w{1,3}\s+)?"
        return (
            re.compile(rf"{self.start}(?:{before}){gap}$" if before else _NONE),
            re.compile(rf"\s*(?:{after})" if after else _NONE),
        )

    def dates(self, months: Iterable[str], long_months: Iterable[str]) -> dict[str, re.Pattern[str]]:
        """The patterns of written dates."""
        month, name = self.one_of(months), self.one_of(long_months)
        if self.language in {*UNSPACED, "ko"}:
            numbered = r"(?P<number>1[0-2]|0?[1-9])\s*[月월](?![亮份球饼])|(?P<month>" + name + ")"
            year = rf"(?:(?P<year>{_YEAR})\s*[年년]\s*)"
            return {
                "day_pattern": re.compile(
                    rf"(?<![0-9十]){year}?(?:{numbered})\s*(?P<day>[0-9]{{1,2}})\s*[日号號일](?![0-9本])"
                ),
                "month_pattern": re.compile(
                    rf"(?<![0-9十第]){year}?(?:{numbered})(?:份)?(?![0-9一二三四五六七八九十])"
                ),
                "month_opens": re.compile(""),
                "year_pattern": re.compile(rf"(?<![0-9])(?P<year>{_YEAR})\s*[年년](?![0-9前级級])"),
            }
        of = r"(?:de\s|del\s|di\s|г\.?\s)?"
        opens = self.words.month_opens
        years = self.words.year_opens
        return {
            "day_pattern": re.compile(
                rf"(?<![\w.,:/])(?P<day>[0-9]{{1,2}})(?:\.|er|º|°|-?го)?\s{{0,3}}{of}(?P<month>{month})\.?(?![{_W}])"
                rf"(?:,?\s{{1,3}}{of}(?P<year>{_YEAR})(?![0-9]))?"
            ),
            "month_pattern": re.compile(
                rf"{self.start}(?P<month>{month})(?![{_W}])(?:\.?,?\s{{1,3}}{of}(?P<year>{_YEAR})(?![0-9]))?"
            ),
            "month_opens": re.compile(rf"(?<![{_W}])(?:{opens})[\s-]{{1,3}}(?:\w{{1,3}}\s)?$" if opens else ""),
            "year_pattern": re.compile(
                rf"(?<![{_W}])(?:{years})\s{{1,3}}(?:\w{{1,3}}\s)?(?P<year>{_YEAR})(?![0-9\w]|[.,:/%-][0-9])"
                if years
                else _NONE
            ),
        }

    def ago(self, units: Iterable[str], counts: Iterable[str], ago: Mapping[str, str]) -> re.Pattern[str]:
        """N units ago, and the last N units."""
        unit, count = self.one_of(units), rf"[0-9]{{1,4}}|{self.one_of(counts)}"
        before = rf"{re.escape(ago['before'])}\s{{1,3}}" if ago["before"] else ""
        after = rf"{self.gap}{re.escape(ago['after'])}" if ago["after"] else ""
        gap = r"\s*" if self.language in {*UNSPACED, *_ENDINGS} else r"\s{1,3}"
        first, _, last = self.words.span.partition("~")
        past = rf"{self.start}{before}(?P<count>{count}){gap}(?P<unit>{unit}){after}{self.end if not after else ''}"
        if self.words.behind:
            behind = rf"{gap}{self.words.behind}"
            phrase = rf"{before}|(?=(?:{count}){gap}(?:{unit}){behind})"
            past = rf"{self.start}(?:{phrase})(?P<count>{count}){gap}(?P<unit>{unit})(?:{behind})?{self.end}"
        if not first:
            return re.compile(past)
        if self.language == "fr":
            middle, tail = rf"{gap}(?:{last}){gap}", ""
        else:
            middle, tail = gap, rf"\s*(?:{last})?" if last else ""
        span = rf"{self.start}(?:{first}){gap}(?P<span_count>{count}){middle}(?P<span_unit>{unit}){tail}{self.end}"
        return re.compile(rf"(?:{past})|(?:{span})")

    def first_day(self) -> re.Pattern[str]:
        """A day without its month, up to what links it with the day that has it."""
        opens = self.words.opens
        opened = rf"(?P<opened>(?<![{_W}])(?:{opens})\s+(?:\w{{1,3}}\s+)?)?" if opens else "(?P<opened>)"
        return re.compile(
            rf"{opened}(?<![\w.,:/-])(?P<day>[0-9]{{1,2}})(?:\.|er|º|°|-?го)?\s+(?P<link>{self.words.link})\s+(?:\w{{1,3}}\s+)?$"
        )

    def last_day(self) -> re.Pattern[str]:
        """What links a day with one that has no month, where the number is followed by the word for day."""
        return re.compile(
            rf"\s*(?:{self.words.link})\s*(?P<day>[0-9]{{1,2}})\s*[日号號일](?![0-9本])(?:まで|까지|为止|為止|之间|之間|の間)?"
        )

    def asking(self) -> re.Pattern[str]:
        """Words of asking; the longest that is there."""
        if self.language in {*UNSPACED, *_ENDINGS}:
            return re.compile(self.words.asking)
        return self.around({*self.words.asking.split(), *self.words.function.split()})
