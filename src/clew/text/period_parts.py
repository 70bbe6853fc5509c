"""Parts of a year or month, and weeks by one of their days: "early 2023", "mid January 2026", "weekend of 24 May".

Also in German, French, Spanish, Italian, Dutch, Portuguese and Russian ("Anfang Januar", "fin mars 2024").

Of a month, the beginning is its first ten days, the middle the next ten, and the end the rest; its first and last week
are its first and last seven days, and the second half begins with the 16th. Of a quarter or a season, each of the three
is one of its months; of a year, four months.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from clew.text.date_phrases import Grain
from clew.text.late_pattern import late_pattern
from clew.text.query_dates import DateConstraint

_PART: Final = late_pattern(
    r"\b(?:the\s+)?(?:(?P<first>first\s+week\s+of)|(?P<last>last\s+week\s+of)|(?P<begin>early(?:\s+in)?|(?:beginning|start)\s+of"
    r"|anfang|début|(?:a\s+)?principios\s+de|(?:all['’]\s?)?inizio(?:\s+di)?|begin|(?:no\s+)?início\s+de|(?:в\s+)?начале)"
    r"|(?P<mid>mid|(?:the\s+)?middle\s+of|mitte|mi|(?:a\s+)?mediados\s+de|(?:a\s+)?metà|medio|(?:em\s+)?meados\s+de"
    r"|(?:в\s+)?середине)|(?P<end>late(?:\s+in)?|end\s+of|ende|fin|(?:a\s+)?(?:finales|fines)\s+de|(?:a\s+)?fine|eind"
    r"|(?:no\s+)?(?:fim|final)\s+de|(?:в\s+)?конце)|(?P<half>(?:first|1st)\s+half\s+of|h1(?:\s+(?:of|in))?)"
    r"|(?P<rest>(?:second|2nd|last|latter|other)\s+half\s+of|h2(?:\s+(?:of|in))?))[\s-]+(?:the\s+)?$",
    re.IGNORECASE,
)
_WEEK_OF: Final = late_pattern(r"\b(?:the\s+)?(?P<unit>week|weekend)\s+of\s+(?:the\s+)?$", re.IGNORECASE)
_MONTHS_OF: Final[dict[Grain, int]] = {"month": 1, "quarter": 3, "year": 12}
_DAYS: Final[dict[str, Callable[[int], tuple[int, int]]]] = {
    "begin": lambda _: (1, 10),
    "mid": lambda _: (11, 20),
    "end": lambda last: (21, last),
    "half": lambda _: (1, 15),
    "rest": lambda last: (16, last),
}
"""First and last day of a part of a month, by its last day."""
_OF_LONGER: Final = {"begin": (0, 4), "mid": (4, 8), "end": (8, 12), "half": (0, 6), "rest": (6, 12)}
"""Where a part of a quarter or year begins and ends, in twelfths."""
_WEEK: Final = timedelta(days=6)
_LONGEST: Final = 40


def narrowed(text: str, asked: DateConstraint) -> DateConstraint:
    """The days asked about; where the words before them name a part of the period, or the week of a day, its days."""
    start, end, at = asked.start, asked.end, asked.phrase_span[0]
    if asked.relation not in {"on", "except"} or start is None or end is None:
        return asked
    before = text[max(0, at - _LONGEST) : at]
    if asked.grain in _MONTHS_OF:
        part = _PART.search(before)
        days = None if part is None else _days_of(part.lastgroup or "", asked.grain, start, end)
        if part is None or days is None:
            return asked
        span = (at - len(before) + part.start(), asked.phrase_span[1])
        return replace(asked, start=days[0], end=days[1], phrase_span=span)
    match = _WEEK_OF.search(before) if start == end else None
    if match is None:
        return asked
    span = (at - len(before) + match.start(), asked.phrase_span[1])
    monday = start.toordinal() - start.weekday()
    first, last = (monday + 5, monday + 6) if match["unit"].lower() == "weekend" else (monday, monday + 6)
    if not 1 <= first <= last < date.max.toordinal():
        return asked
    return replace(asked, start=date.fromordinal(first), end=date.fromordinal(last), grain="week", phrase_span=span)


def _days_of(part: str, grain: Grain, start: date, end: date) -> tuple[date, date] | None:
    if part == "first":
        return start, start + _WEEK
    if part == "last":
        return end - _WEEK, end
    if grain == "month":
        if (start.year, start.month) != (end.year, end.month):
            return None  # "the last 4 months" are no month of the calendar, whose parts are known
        first, last = _DAYS[part](end.day)
        return start.replace(day=first), start.replace(day=last)
    begins, ends = (twelfths * _MONTHS_OF[grain] / 12 for twelfths in _OF_LONGER[part])
    if not (begins.is_integer() and ends.is_integer()):
        return None  # half a quarter has no name in months
    return start + relativedelta(months=int(begins)), start + relativedelta(months=int(ends), days=-1)
