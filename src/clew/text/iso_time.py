"""Reads dates and times in ISO 8601, with what Python's own reader leaves out: the end of a day, and leap seconds."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_MIDNIGHT: Final = re.compile(r"(?<=\d[T ])24(?P<rest>:?00(?::?00(?:[.,]0+)?)?)(?![\d:.,])")
"""The end of a day, `24:00`, which is the beginning of the next one."""

_LEAP: Final = re.compile(r"(?<=[T ]\d\d:[0-5]\d:)60(?:[.,]\d+)?(?!\d)")
"""A leap second, which UTC of computers does not have: the beginning of the next minute."""

_DAY_OF_YEAR: Final = re.compile(r"(?P<year>\d{4})-(?P<day>\d{3})(?=$|[T ])")


def split_moment(text: str) -> tuple[str, timedelta]:
    """A text in which the clock time is one that every reader knows, and what is to be added to the moment it names."""
    text, days = _MIDNIGHT.subn(r"00\g<rest>", text, count=1)
    text, seconds = _LEAP.subn("59", text, count=1)
    return text, timedelta(days=days, seconds=seconds)


def parse_iso(text: str) -> datetime:
    """The moment in UTC; without a zone it is in UTC.

    Raises:
        ValueError: the text is not a date or time in ISO 8601, or it is outside the years 1 to 9999 in UTC.
    """
    plain, more = split_moment(text.strip())
    try:
        moment = datetime.fromisoformat(_DAY_OF_YEAR.sub(_calendar_day, plain))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment + more
    except OverflowError as error:
        raise ValueError(f"{text!r} is outside the years 1 to 9999 in UTC") from error


def _calendar_day(match: re.Match[str]) -> str:
    """The day with that number in its year; the text as it is where the year has none."""
    day = datetime(int(match["year"]) or 1, 1, 1, tzinfo=UTC) + timedelta(days=int(match["day"]) - 1)
    return day.date().isoformat() if day.year == int(match["year"]) else match[0]
