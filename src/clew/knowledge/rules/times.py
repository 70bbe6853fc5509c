"""The phrases of a text that say when, how often and at what hour; what a date means for what is dated.

Dates are those of `clew.text.dates`, joined with the hour beside them, and ranges of years ("from 2015 to 2019").
"""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from clew.text.dates import FIRST_YEAR, LAST_YEAR, MONTHS, ResolvedDate, resolve
from clew.text.late_pattern import late_pattern
from clew.types.facts import FactStatus

Span = tuple[int, int]

_UNIT: Final = (
    r"(?:day|night|week|weekend|month|year|morning|evening|afternoon|hour|quarter|season|summer|winter|spring|fall"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_OFTEN: Final = late_pattern(
    rf"(?i)\b(?:(?:every|each) (?:other |single |second |third )?{_UNIT}s?(?: or so)?"
    rf"|(?:once|twice|(?:\w+|\w+ or \w+|\d+-\d+) (?:times|hours|days|nights|minutes)) (?:an?|per|every|each) {_UNIT}"
    rf"|(?:on|at) (?:the )?(?:weekends|weekdays|nights|\w+days)|in the (?:mornings|evenings|afternoons))\b"
)
_OFTEN_CUES: Final = (
    "every ",
    "each ",
    "once a",
    "twice a",
    " times ",
    " per ",
    "s a ",
    "days",
    "ends",
    "ings",
    "noons",
)
_CLOCK: Final = r"(?:\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o['’]clock)|\d{1,2}:\d\d|noon|midnight)(?!\w)"
_CLOCK_BEFORE: Final = late_pattern(rf"(?i)(?<![\w:]){_CLOCK},? (?:on )?(?:the )?$")
_CLOCK_AFTER: Final = late_pattern(rf"(?i)^,? (?:at|around|by) {_CLOCK}")
_CLOCK_ALONE: Final = late_pattern(
    rf"(?i)\b(?:(?:at|around|by|after|before|until) {_CLOCK}|the other (?:day|night|week|weekend)\b)"
)
_MAY_BE_HOUR: Final = late_pattern(r"\d(?: ?[ap]\.?m|:\d| ?o['’]clock)|noon|midnight|the other")
"""What every hour has, in lower case."""
_HOURS: Final = ("noon", "midnight", "the other")
_DIGIT: Final = late_pattern(r"\d")
_SEASONS: Final = ("spring", "summer", "autumn", "winter", "fall")
_SEASON: Final = late_pattern(
    r"(?i)\b(?:(?:in|by|until|since|during)(?: the)?|this|next|last)(?: early| late)?"
    r" (?:spring|summer|autumn|fall|winter)"
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:and|but|because|with|for|to|so|after|before|when)\b)"
)
"""A season that says when; no quality of something, as in "in winter boots"."""
_YEARS: Final = late_pattern(r"\b(?:from|between) ((?:19|20)\d\d) (?:to|until|till|and) ((?:19|20)\d\d)\b")
_RANGE: Final = ("from ", "between ")
_BEFORE: Final = 16

_SINCE: Final = frozenset(("since", "from"))
_UNTIL: Final = frozenset(("until", "till", "til", "through"))


TO_DATE: Final = frozenset(("to", "till", "until", "for"))
"""What stands before the date to which something is moved."""


@dataclass(frozen=True, slots=True)
class TimePhrases:
    """What a text, or a part of it, says of time.

    Attributes:
        dates: its dates, in order.
        often: where it says how often.
        hours: where it names an hour or a season without a date.
    """

    dates: tuple[ResolvedDate, ...] = ()
    often: tuple[Span, ...] = ()
    hours: tuple[Span, ...] = ()

    def within(self, start: int, end: int) -> "TimePhrases":
        """Those that begin between two offsets."""
        if not (self.dates or self.often or self.hours):
            return self
        return TimePhrases(
            tuple([resolved for resolved in self.dates if start <= resolved.phrase_span[0] < end]),
            tuple([span for span in self.often if start <= span[0] < end]),
            tuple([span for span in self.hours if start <= span[0] < end]),
        )

    def moved(self, text: str) -> "TimePhrases":
        """With the date to which something is moved before that from which it is: "from Tuesday to Thursday"."""
        if len(self.dates) < 2 or word_before(text, self.dates[0]) != "from":
            return self
        to = next((resolved for resolved in self.dates if word_before(text, resolved) in TO_DATE), None)
        rest = tuple([resolved for resolved in self.dates if resolved is not to])
        return self if to is None else replace(self, dates=(to, *rest))

    def spans(self) -> list[Span]:
        """All places, in no order."""
        return [*(resolved.phrase_span for resolved in self.dates), *self.often, *self.hours]


def time_phrases(text: str, at: datetime | None) -> TimePhrases:
    """What a text that was said at a time says of time."""
    dates = [_with_hour(text, resolved) for resolved in resolve(text, at) if not _is_ending(text, resolved)]
    if "19" in text or "20" in text:
        dates = _with_ranges(text, dates)
    low = text.lower()
    if "from " in low and at is not None:
        dates = _with_months(text, at, dates)
    often = tuple([match.span() for match in _OFTEN.finditer(text)]) if any(map(low.__contains__, _OFTEN_CUES)) else ()
    dates = [resolved for resolved in dates if not any(_meet(resolved.phrase_span, span) for span in often)]
    hours: list[Span] = []
    if (any(map(low.__contains__, _HOURS)) or _DIGIT.search(low)) and _MAY_BE_HOUR.search(low) is not None:
        hours = [match.span() for match in _CLOCK_ALONE.finditer(text)]
    if any(map(low.__contains__, _SEASONS)):
        hours = sorted([*hours, *(match.span() for match in _SEASON.finditer(text))])
    taken = [resolved.phrase_span for resolved in dates]
    return TimePhrases(
        tuple(dates), often, tuple([span for span in hours if not any(_meet(span, piece) for piece in taken)])
    )


def _is_ending(text: str, resolved: ResolvedDate) -> bool:
    """Whether a date does not say when something is so: it ends then ("a flat ending in June"), or as a number does.

    "The card ending in 2076" has no date at all.
    """
    low = resolved.phrase_span[0]
    before = text[max(0, low - _BEFORE) : low].rstrip().lower()  # no more: a text may have thousands of dates
    return before.endswith(("ending in", "ending with", "ends in", "ending"))


def _meet(first: Span, second: Span) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def _with_hour(text: str, resolved: ResolvedDate) -> ResolvedDate:
    """The date with the hour beside it: "3 pm on Friday", "Friday at 3 pm"."""
    start, end = resolved.phrase_span
    before = _CLOCK_BEFORE.search(text, max(0, start - _BEFORE), start)
    after = _CLOCK_AFTER.match(text[end : end + _BEFORE])
    if before is None and after is None:
        return resolved
    return replace(resolved, phrase_span=(before.start() if before else start, end + after.end() if after else end))


def _with_ranges(text: str, dates: list[ResolvedDate]) -> list[ResolvedDate]:
    for match in _YEARS.finditer(text):
        first, last = int(match[1]), int(match[2])
        if FIRST_YEAR <= first <= last <= LAST_YEAR:
            span = ResolvedDate(date(first, 1, 1), date(last, 12, 31), match.span(), "year")
            dates = [resolved for resolved in dates if not _meet(resolved.phrase_span, match.span())]
            dates = sorted([*dates, span], key=lambda each: each.phrase_span)
    return dates


_MONTH: Final = rf"(?:{'|'.join(MONTHS)}|Jan|Feb|Sept?|Oct|Nov|Dec)(?![\w'’])"
_FROM_MONTH: Final = late_pattern(
    rf"\b[Ff]rom (?P<first>{_MONTH})"
    rf"(?: ?(?:to|until|till|through|[-–]) ?(?P<second>{_MONTH})|(?P<on> on(?:wards?)?\b))?"
)
_LEADS_IN: Final = late_pattern(r"(?i)(?:^|[.!?,;:\n(–-] ?|\b(?:and|but|so|then|that|because) )$")
_LED_IN: Final = late_pattern(r" ?(?:$|[,.!?;]|(?:I|we|he|she|they|it|my|our|his|her|their|the|this|that)\b)")
_AFTER_VERB: Final = late_pattern(
    r"(?i)\b(?:(?:at|in|for|as|with) (?:(?:an?|the|my|our) )?[\w.'’-]+"
    r"|(?:start|begin|work|live|stay|run|appl|count)(?:s|ies|y|ing|ning)?"
    r"|valid|available|open|closed|away|off|here|there|free|home|effective|out|on leave) $"
)
_WIDE: Final = 40


def _with_months(text: str, at: datetime, dates: list[ResolvedDate]) -> list[ResolvedDate]:
    """The dates with months from which on something is so: "From July I work at Vela"; not "a letter from July"."""
    for match in _FROM_MONTH.finditer(text):
        if not match["second"] and not match["on"] and not _dates_clause(text, match):
            continue
        first, second = (resolve(f"since {match[name]}", at) if match[name] else [] for name in ("first", "second"))
        if not first:
            continue
        begin, end, span = first[0].start, first[0].end, match.span("first")
        if second:
            months = (second[0].start.month - begin.month) % 12
            last = begin.month - 1 + months
            year, month = begin.year + last // 12, last % 12 + 1
            end, span = date(year, month, monthrange(year, month)[1]), match.span()
        dates = [resolved for resolved in dates if not _meet(resolved.phrase_span, span)]
        dates = sorted([*dates, ResolvedDate(begin, end, span, "month", "year")], key=lambda each: each.phrase_span)
    return dates


def _dates_clause(text: str, match: re.Match[str]) -> bool:
    """Whether "from" with a month says when all of a clause is so; a month that people are called by leads it in."""
    before = text[max(0, match.start() - _WIDE) : match.start()]
    if _LEADS_IN.search(before) is not None:
        return match["first"] not in _ALSO_PEOPLE or _LED_IN.match(text, match.end()) is not None
    return match["first"] not in _ALSO_PEOPLE and _AFTER_VERB.search(before) is not None


_ALSO_PEOPLE: Final = frozenset(("April", "May", "June", "August", "Jan"))


@dataclass(frozen=True, slots=True)
class Validity:
    """When a statement holds, as its text states it: from, and the first moment after; None where it states nothing."""

    start: datetime | None = None
    end: datetime | None = None


def word_before(text: str, resolved: ResolvedDate) -> str:
    """The word right before a date, in lower case: "in", "since"; empty if there is none."""
    before = text[max(0, resolved.phrase_span[0] - _BEFORE) : resolved.phrase_span[0]].lower().split()
    return before[-1] if before else ""


def validity(text: str, resolved: ResolvedDate, status: FactStatus, *, lasts: bool = False) -> Validity:
    """What a date says of when something of a status holds or happens.

    Args:
        text: the text in which the date was found.
        lasts: whether it is a state, which an event in the past began: "moved to Rome in May".
    """
    start, end = (datetime.combine(day, time(), UTC) for day in (resolved.start, resolved.end + timedelta(days=1)))
    link = word_before(text, resolved)
    if link in _UNTIL:
        return Validity(None, end)
    if text[resolved.phrase_span[0] :].lower().startswith(_RANGE):
        return Validity(start, end)
    state = lasts or status in (FactStatus.ACTIVE, FactStatus.RECURRING)
    return Validity(start, None) if link in _SINCE or state else Validity(start, end)


def after(resolved: ResolvedDate) -> datetime:
    """The first moment after a date."""
    return datetime.combine(resolved.end + timedelta(days=1), time(), UTC)


def is_last(text: str, resolved: ResolvedDate) -> bool:
    """Whether a date says until when something is so: "works nights until July"."""
    return word_before(text, resolved) in _UNTIL


def is_season(phrase: str) -> bool:
    """Whether a phrase in lower case names a season."""
    return phrase.endswith(_SEASONS)


def appointed(text: str, resolved: ResolvedDate) -> Validity:
    """When something takes place that is due on a date, from the hour that is named; nothing for an hour in doubt."""
    phrase = text[slice(*resolved.phrase_span)].lower()
    day = validity(text, resolved, FactStatus.PLANNED)
    if day.start is None or re.search(_CLOCK, phrase) is None:
        return day
    hour = next((hour for name, hour in _NAMED_HOURS.items() if name in phrase), None)
    clock = _HOUR.search(phrase)
    if hour is None and clock is not None:
        half = clock["half"]
        hour = int(clock["hour"]) % 12 + 12 * (half == "p") if half else int(clock["hour"])
    minute = int(clock["minute"] or 0) if clock else 0
    known = hour is not None and hour < 24 and minute < 60
    return Validity(day.start + timedelta(hours=hour or 0, minutes=minute), day.end) if known else Validity()


_HOUR: Final = late_pattern(r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?: ?(?P<half>[ap])\.?m|(?<=:\d\d))")
_NAMED_HOURS: Final = {"noon": 12, "midnight": 0}


_ONES: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_COUNTS: Final = (
    {word: float(number) for number, word in enumerate(_ONES, 1)}
    | {word: 10.0 * number for number, word in enumerate(_TENS, 2)}
    | {"a": 1, "an": 1, "half a": 0.5, "half an": 0.5}
)
_LASTING: Final = late_pattern(
    r"(?i)\bfor (?:(?:the|past|last|about|around|almost|nearly|over|roughly|some|more than|at least|like|well) )*"
    rf"(?P<count>\d{{1,2}}(?:\.\d)?|(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_ONES[:9])})|{'|'.join(_COUNTS)}"
    r"|(?:a )?(?:couple|few)(?: of)?|many|several)?(?:\+|(?P<half> and a half))? ?"
    r"(?P<unit>decade|year|month|week|day|hour|minute)s?\b(?! old)"
)


def _number(words: str) -> float:
    """A number in words; 0 for "a couple" and whatever else is none."""
    tens, _, ones = words.replace("-", " ").partition(" ")
    return _COUNTS.get(words, 0) or (_COUNTS[tens] + _COUNTS[ones] if tens in _TENS else 0)


_MONTHS: Final = {"decade": 120, "year": 12, "month": 1}


def lasting(words: str, today: date | None) -> tuple[str, datetime | None]:
    """The words that say how long something lasts, and the day on which it began if it lasts until today.

    Both are empty where the words hold no length of time; the day is None where it is not told in numbers.
    """
    match = _LASTING.search(words)
    if match is None:
        return "", None
    count, unit = (match["count"] or "").lower(), match["unit"].lower()
    number = float(count) if count[:1].isdigit() else _number(count)
    number += 0.5 if number and match["half"] else 0
    if not number or today is None or unit in ("hour", "minute"):
        return match[0], None
    if unit not in _MONTHS:
        begin = today - timedelta(days=round(number * (7 if unit == "week" else 1)))
    else:
        months = today.year * 12 + today.month - 1 - round(number * _MONTHS[unit])
        year, month = divmod(months, 12)
        begin = date(year, month + 1, min(today.day, 28))
    return match[0], datetime.combine(begin, time(), UTC)
