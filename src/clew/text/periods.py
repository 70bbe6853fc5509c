"""Parses a period of time: "last week", "since March", "3 hours ago", "2023-05-07T10:00+02:00".

The whole text must be one time expression; `query_dates` finds the dates in a longer question. Days are those of the
clock's time zone.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Final

from clew.text.dates import MONTHS
from clew.text.iso_time import parse_iso
from clew.text.period_parts import narrowed
from clew.text.query_dates import DateConstraint, counting_day, counting_moment, parse_query_dates

_HOURS: Final = re.compile(
    r"(?P<last>(?:in )?(?:the )?(?:last|past) )?"
    r"(?:(?P<count>\d{1,5}|half an|an?|one|two|three|(?:a )?(?:few|couple of)) )?"
    r"(?P<unit>minute|hour)s?(?P<ago> ago)?",
    re.IGNORECASE,
)
_COUNTS: Final = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "half an": 0.5}
_COUPLE: Final = 2.0
_FEW: Final = 3.0
_ISO_MONTH: Final = re.compile(r"(?:19|20)\d{2}-(?:0[1-9]|1[0-2])")
_YEAR: Final = re.compile(r"(?:19|20)\d{2}")
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:?\d{2}.*)?")


@dataclass(frozen=True, slots=True)
class Period:
    """A period of time.

    Attributes:
        start: its first moment, with time zone; None if it has no start ("before June").
        end: the first moment after it; None if it has no end ("since June"). Equal to `start` for a single moment.
        counted_from: the last day of the conversation, if relative dates were counted from it: see `counting_day`.
    """

    start: datetime | None
    end: datetime | None
    counted_from: date | None = None


def parse_period(expression: str, now: datetime, covered: tuple[date, date] | None = None) -> Period | None:
    """Parses a time expression; None if it is not one.

    Args:
        expression: an ISO month, date or moment (one without a zone is UTC), "now", hours or minutes ago, or whatever
            `parse_query_dates` finds, with or without the preposition before it.
        now: the current time, with time zone, to which relative dates refer.
        covered: first and last day of the conversation. A date without a year is then the latest one between them, and
            "last week" is counted from the conversation's end if it would otherwise lie wholly after that end.
    """
    words = " ".join(expression.split())
    if _ISO_MONTH.fullmatch(words):
        words = f"{MONTHS[int(words[5:]) - 1]} {words[:4]}"
    period = _moment(words) or _clock(words, now)
    if period is not None:
        return period
    for form in (f"from {words}", words, f"in {words}"):
        counted = counting_day(form, now, covered)
        asked = parse_query_dates(form, counting_moment(form, now, covered), covered)
        asked = [constraint for constraint in asked if constraint.relation != "except"]
        if form.startswith("from ") and not any(constraint.relation == "between" for constraint in asked):
            continue
        if asked:
            return _period(_whole(form, asked), now, counted)
    return None


def _whole(form: str, asked: list[DateConstraint]) -> DateConstraint:
    """The days from the first to the last of what is joined ("Q1 and Q2 2023").

    Of the alternatives for one phrase the last counts: for a date without a year, that is the latest year.
    """
    latest = {constraint.phrase_span: constraint for constraint in asked}
    narrow = [narrowed(form, constraint) for constraint in latest.values()]
    starts, ends = (
        [day for day in days if day]
        for days in zip(*((constraint.start, constraint.end) for constraint in narrow), strict=True)
    )
    if len(narrow) == 1 or min(len(starts), len(ends)) < len(narrow):
        return narrow[-1]
    return replace(narrow[-1], start=min(starts), end=max(ends))


def exact_period(words: str, now: datetime) -> Period | None:
    """The minute of a moment as ISO 8601 writes it, the last minutes or hours, or a year alone; None otherwise."""
    if _YEAR.fullmatch(words):
        return parse_period(words, now)
    if not _ISO.fullmatch(words):
        period = _clock(words, now)
        return None if period is None or period.start == period.end else period
    period = _moment(words)
    if period is None or period.start is None or period.start != period.end:
        return None
    try:
        return Period(period.start, period.start + timedelta(minutes=1))
    except OverflowError:
        return period


def _period(asked: DateConstraint, now: datetime, counted: date) -> Period:
    start = None if asked.start is None else _midnight(asked.start, now)
    end = None if asked.end is None else _midnight(asked.end + timedelta(days=1), now)
    return Period(start, end, None if counted == now.date() else counted)


def _moment(words: str) -> Period | None:
    if not _ISO.fullmatch(words):
        return None
    try:
        moment = parse_iso(words)
    except ValueError:
        return None  # not a calendar day, but it may still be another time expression
    if len(words) > len("2023-05-07"):
        return Period(moment, moment)
    try:
        return Period(moment, moment + timedelta(days=1))
    except OverflowError:
        return Period(moment, None)  # the last day of the calendar


def _clock(words: str, now: datetime) -> Period | None:
    if words.lower() in ("now", "right now"):
        return Period(now, now)
    match = _HOURS.fullmatch(words)
    if match is None or (match["last"] is None) == (match["ago"] is None):
        return None
    if match["last"] and match["count"] is not None and not match["count"].strip("0"):
        return None  # the last 0 hours are none
    count = (match["count"] or "a").lower()
    number = float(count) if count.isdecimal() else _COUNTS.get(count, _COUPLE if "couple" in count else _FEW)
    try:
        then = now.astimezone(UTC) - timedelta(**{f"{match['unit'].lower()}s": number})  # hours do not follow the clock
    except OverflowError:
        return None  # before the first year
    then = then.astimezone(now.tzinfo)
    return Period(then, now if match["last"] else then)


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, clock_time(), now.tzinfo)
