"""Parts of a month, and weeks by one of their days: "mid January 2026", "the last week of March", "weekend of 24 May".

Also in German, French, Spanish, Italian, Dutch, Portuguese and Russian ("Anfang Januar", "fin mars").

Of a month, the beginning is its first ten days, the middle the next ten, and the end the rest; its first and last week
are its first and last seven days.
"""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from clew.text.query_dates import DateConstraint

_PART: Final = re.compile(
    r"\b(?:the\s+)?(?:(?P<first>first\s+week\s+of)|(?P<last>last\s+week\s+of)|(?P<begin>early|(?:beginning|start)\s+of"
    r"|anfang|début|(?:a\s+)?principios\s+de|(?:all['’]\s?)?inizio(?:\s+di)?|begin|(?:no\s+)?início\s+de|(?:в\s+)?начале)"
    r"|(?P<mid>mid|(?:the\s+)?middle\s+of|mitte|mi|(?:a\s+)?mediados\s+de|(?:a\s+)?metà|medio|(?:em\s+)?meados\s+de"
    r"|(?:в\s+)?середине)|(?P<end>late|end\s+of|ende|fin|(?:a\s+)?(?:finales|fines)\s+de|(?:a\s+)?fine|eind"
    r"|(?:no\s+)?(?:fim|final)\s+de|(?:в\s+)?конце))[\s-]+(?:the\s+)?$",
    re.IGNORECASE,
)
_WEEK_OF: Final = re.compile(r"\b(?:the\s+)?(?P<unit>week|weekend)\s+of\s+(?:the\s+)?$", re.IGNORECASE)
_DAYS: Final = {"first": (1, 7), "begin": (1, 10), "mid": (11, 20)}
_LONGEST: Final = 40


def narrowed(text: str, asked: DateConstraint) -> DateConstraint:
    """The days asked about; where the words before them name a part of the month, or the week of a day, its days."""
    start, end, at = asked.start, asked.end, asked.phrase_span[0]
    if asked.relation != "on" or start is None or end is None:
        return asked
    before = text[max(0, at - _LONGEST) : at]
    found = _PART.search(before) if asked.grain == "month" else _WEEK_OF.search(before) if start == end else None
    if found is None:
        return asked
    span = (at - len(before) + found.start(), asked.phrase_span[1])
    if asked.grain == "month":
        first, last = _days_of(found.lastgroup or "", end)
        return replace(asked, start=start.replace(day=first), end=start.replace(day=last), phrase_span=span)
    monday = start.toordinal() - start.weekday()
    first, last = (monday + 5, monday + 6) if found["unit"].lower() == "weekend" else (monday, monday + 6)
    if not 1 <= first <= last < date.max.toordinal():
        return asked
    return replace(asked, start=date.fromordinal(first), end=date.fromordinal(last), grain="week", phrase_span=span)


def _days_of(part: str, end: date) -> tuple[int, int]:
    return _DAYS[part] if part in _DAYS else (((end - timedelta(days=6)).day if part == "last" else 21), end.day)
