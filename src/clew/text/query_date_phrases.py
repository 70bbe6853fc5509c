"""Finds the date phrases of a question: those of any text, and some that are recognised in questions only.

They are separate from `clew.text.date_phrases`, whose results for turns are stored in the index: adding a phrase here
changes no stored row. This module knows the wording, not the calendar.

    the week, weekend, month, quarter, year before last; over the weekend; a fortnight ago; half a year ago;
    a year and a half ago; the last N hours, fortnight; in Q1, in the second quarter; between march and may

Dates in other languages are found by `clew.text.foreign_dates`, seasons by `clew.text.seasons`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from clew.text.date_phrases import Grain, Mention, RelativeDate, WrittenDate, mentions, without_overlaps
from clew.text.foreign_dates import foreign_mentions
from clew.text.late_pattern import late_pattern
from clew.text.seasons import season_mentions

_GRAIN: Final[dict[str, Grain]] = {
    "week": "week",
    "weekend": "weekend",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
}
_QUARTERS: Final = ("first", "second", "third", "fourth")
_CUES: Final = ("last", "past", "weekend", "fortnight", "half", "quarter", "hour", "q1", "q2", "q3", "q4")

_BEFORE_LAST: Final = re.compile(r"(?<!\w)the\s(?P<unit>week|weekend|month|quarter|year)\sbefore\slast(?!\w)")
_WEEKEND: Final = re.compile(r"(?<!\w)(?:over|on|at|during)\sthe\s(?P<unit>weekend)(?!\w|\s(?:of|before|after))")
_FORTNIGHT: Final = re.compile(r"(?<!\w)(?:a\sfortnight\sago|(?P<span>(?:last|past)\sfortnight))(?!\w)")
_HALF: Final = re.compile(
    r"(?<!\w)(?:half\sa\syear|(?P<more>a\syear\sand\sa\shalf|one\sand\sa\shalf\syears))\sago(?!\w)"
)
_HOURS: Final = re.compile(r"(?<!\w)(?:last|past)\s(?P<count>[0-9]{1,4}|few|couple\sof|couple)\shours(?!\w)")
_QUARTER: Final = re.compile(
    r"(?<!\w)(?:in|during|since|until|before|after|by)\s(?:q(?P<digit>[1-4])|the\s(?P<word>first|second|third|fourth)"
    r"\squarter)(?!\w|,?\s(?:of\s|in\s)?[0-9]{4})"
)
_HOURS_A_DAY: Final = 24
_LINK: Final = r"(?:\s(?:to|until|till|through)\s|\s?[-–]\s?)"
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)(?!\w)"
)
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_RANGE: Final = late_pattern(
    rf"(?<![\w/-])(?:(?P<month>{_MONTH})\.?{_LINK}(?P<last_month>{_MONTH})(?:\.?,?\s(?P<of>{_YEAR}))?"
    rf"|(?<!s\s)(?<![$€£.,:#])(?P<year>{_YEAR}){_LINK}(?P<last_year>{_YEAR}))(?![\w%/-]|[.,:]\w)"
)
"""Two months, written with capitals, or two years that count no things before them ("lines 2000 to 2020")."""
_PLAIN_RANGE: Final = late_pattern(
    rf"(?<!\w)(?:between|from)\s(?P<month>{_MONTH.lower()})\s(?:and|to|until|till|through)\s(?P<last_month>{_MONTH.lower()})"
    rf"(?:,?\s(?P<of>{_YEAR}))?(?!\w)"
)
"""Two months in small letters, of which "march" and "may" are words of their own elsewhere."""
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@lru_cache(maxsize=64)  # reading one question asks twice
def query_mentions(query: str) -> tuple[Mention, ...]:
    """The date mentions of a question, in text order, without overlaps; of two at one position the longer one."""
    return tuple(_mentions(query))


def _mentions(query: str) -> list[Mention]:
    spoken = mentions(query, asking=True)
    foreign = foreign_mentions(query)
    if foreign:
        spoken = without_overlaps([*spoken, *foreign])
    ranges = [mention for match in _RANGE.finditer(query) for mention in _ends(match)] if _may_be_range(query) else ()
    if ranges:
        spoken = without_overlaps([*spoken, *ranges])
    lower = query.lower()
    if len(lower) != len(query):  # İ changes its length in lower case
        return spoken
    if "between " in lower or "from " in lower:
        plain = [mention for match in _PLAIN_RANGE.finditer(lower) for mention in _ends(match)]
        spoken = without_overlaps([*plain, *spoken]) if plain else spoken
    seasons = season_mentions(lower)
    if seasons:
        spoken = without_overlaps([*seasons, *spoken])
    if not any(cue in lower for cue in _CUES):
        return spoken
    more = [read(match) for pattern, read in _RULES for match in pattern.finditer(lower)]
    return without_overlaps([*spoken, *more]) if more else spoken


def _may_be_range(query: str) -> bool:
    """Whether a question may name two months or years; the pattern itself is tried at every place."""
    return "19" in query or "20" in query or any(month in query for month in _MONTHS)


def _ends(match: re.Match[str]) -> list[Mention]:
    """Both ends of a range of months or years; none where the years run backwards."""
    if match["month"] is None:
        years = int(match["year"]), int(match["last_year"])
        if years[0] >= years[1]:
            return []
        return [WrittenDate(match.span(name), "year", int(match[name])) for name in ("year", "last_year")]
    year = int(match["of"]) if match["of"] else None
    months = [_MONTHS.index(match[name][:3].title()) + 1 for name in ("month", "last_month")]
    last = WrittenDate((match.start("last_month"), match.end("of" if year else "last_month")), "month", year, months[1])
    return [WrittenDate(match.span("month"), "month", None, months[0]), last]


def _before_last(match: re.Match[str]) -> Mention:
    return RelativeDate(match.span(), _GRAIN[match["unit"]], -2)


def _weekend(match: re.Match[str]) -> Mention:
    return RelativeDate(match.span(), "weekend", -1)


def _fortnight(match: re.Match[str]) -> Mention:
    return RelativeDate(match.span(), "week", -2, trailing=match["span"] is not None)


def _half(match: re.Match[str]) -> Mention:
    return RelativeDate(match.span(), "month", -18 if match["more"] else -6)


def _hours(match: re.Match[str]) -> Mention:
    count = int(match["count"]) if match["count"].isdigit() else 1
    return RelativeDate(match.span(), "day", -max(1, -(-count // _HOURS_A_DAY)), trailing=True)


def _quarter(match: re.Match[str]) -> Mention:
    number = int(match["digit"]) if match["digit"] else _QUARTERS.index(match["word"]) + 1
    start = match.start("digit") - 1 if match["digit"] else match.start("word")
    return WrittenDate((start, match.end()), "quarter", None, 3 * number - 2)


_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Mention]], ...]] = (
    (_BEFORE_LAST, _before_last),
    (_WEEKEND, _weekend),
    (_FORTNIGHT, _fortnight),
    (_HALF, _half),
    (_HOURS, _hours),
    (_QUARTER, _quarter),
)
