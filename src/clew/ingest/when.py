"""Parses dates as sources write them into aware UTC; never fills in an incomplete date from today's."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

from dateutil import parser

from clew.text.iso_time import parse_iso, split_moment

_EARLIEST = 1e8  # 1973; a smaller number counts something else: seconds from a start, a position, a year
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))  # epoch seconds until the year 5138, then ms, us, ns
_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?$")
_WORDS = re.compile(r"\d.*(?:\d{4}|[-/.']\d\d\b)|\d{4}.*\d", re.DOTALL)
_OFFSET = re.compile(r"\b(?:GMT|UTC) ?([+-])(\d\d?):?(\d\d)?\b.*", re.DOTALL)  # how JavaScript prints a date
_DOTTED = re.compile(r"(?<![\d.])\d{1,2}\. ?\d{1,2}\. ?(?:\d{4}|\d\d)(?![\d.])")
_YEAR_FIRST = re.compile(r"(?<![\d./-])\d{4}(?P<mark>[./-])\d{1,2}(?P=mark)\d{1,2}(?!\d)")
_LONGEST = 100
_FILLERS = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2004, 2, 2, tzinfo=UTC))
_ZONES = {  # RFC 5322 section 4.3, in hours; other letters do not say which zone they mean
    **dict.fromkeys(("UT", "UTC", "GMT", "Z"), 0),
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
}


def parse_when(value: Any, *, day_first: bool | None = None) -> datetime | None:
    """The time that a source's date stands for; None if the value cannot be read.

    Reads ISO 8601, seconds, milliseconds, microseconds or nanoseconds since 1970 (told apart by their size), RFC 5322,
    and dates as people write them if day, month and year are all given. No zone means UTC.

    Args:
        day_first: whether 03/04/2024 is 3 April. None decides by the marks: 03.04.2024 is 3 April, 03/04/2024 March 4.
            After a year of four digits the month comes next, whatever this says.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    if isinstance(value, datetime):
        return _utc(value)
    return _from_text(value.strip(), day_first=day_first) if isinstance(value, str) else None


def _from_text(text: str, *, day_first: bool | None) -> datetime | None:
    if not 8 <= len(text) <= _LONGEST:
        return None
    if _NUMBER.match(text):
        return _from_number(float(text))
    try:
        return parse_iso(text)
    except ValueError:
        plain, more = split_moment(text)
        return later(_from_words(plain, day_first=day_first), more)


def later(moment: datetime | None, more: timedelta) -> datetime | None:
    """A moment and a time after it; None if the moment is not known, or the sum is beyond the year 9999."""
    try:
        return None if moment is None else moment + more
    except OverflowError:
        return None


def _from_number(number: int | float) -> datetime | None:
    if not number >= _EARLIEST:  # also false for NaN
        return None
    unit = next((unit for limit, unit in _UNITS if number < limit), None)
    if unit is None:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(number) / unit)


def _from_words(text: str, *, day_first: bool | None) -> datetime | None:
    """Parses twice with different defaults: if the results differ, the text is not a complete date."""
    if text.startswith(("-", "+")) or not _WORDS.search(text):
        return None  # years before Christ, or of five digits
    if _YEAR_FIRST.search(text):
        day_first = False
    elif day_first is None:
        day_first = _DOTTED.search(text) is not None
    text = _OFFSET.sub(lambda match: f"{match[1]}{match[2]:0>2}:{match[3] or '00'}", text)
    try:
        first, second = (parser.parse(text, dayfirst=day_first, default=day, tzinfos=_zone) for day in _FILLERS)
    except (ValueError, OverflowError, TypeError, AttributeError, IndexError):
        return None  # what dateutil raises for text that holds no date
    return _utc(first.replace(tzinfo=first.tzinfo or UTC)) if first == second else None


def _zone(name: str | None, seconds: int | None) -> tzinfo | None:
    if name is None:
        return timezone(timedelta(seconds=seconds or 0))
    if name not in _ZONES or seconds:
        raise ValueError(f"zone {name!r} may be one of several")
    return timezone(timedelta(hours=_ZONES[name]))


def _utc(moment: datetime) -> datetime | None:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None  # outside the years 1 to 9999 in UTC
