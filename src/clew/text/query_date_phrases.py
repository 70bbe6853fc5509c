"""Finds the date phrases of a question: those of any text, and some that are recognised in questions only.

They are separate from `clew.text.date_phrases`, whose results for turns are stored in the index: adding a phrase here
changes no stored row. This module knows the wording, not the calendar.

    the week, weekend, month, quarter, year before last; over the weekend; a fortnight ago; half a year ago;
    a year and a half ago; the last N hours, fortnight; in Q1, in the second quarter

Dates in other languages are found by `clew.text.foreign_dates`.
"""

import re
from collections.abc import Callable
from typing import Final

from clew.text.date_phrases import Grain, Mention, RelativeDate, WrittenDate, mentions, without_overlaps
from clew.text.foreign_dates import foreign_mentions

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


def query_mentions(query: str) -> list[Mention]:
    """The date mentions of a question, in text order, without overlaps; of two at one position the longer one."""
    found = mentions(query, asking=True)
    foreign = foreign_mentions(query)
    if foreign:
        found = without_overlaps([*found, *foreign])
    lower = query.lower()
    if len(lower) != len(query) or not any(cue in lower for cue in _CUES):  # İ changes its length in lower case
        return found
    more = [read(match) for pattern, read in _RULES for match in pattern.finditer(lower)]
    return without_overlaps([*found, *more]) if more else found


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
