"""Resolves the dates in a text to days, relative to the day on which it was said, and to words for the index.

docs/text.md lists the rules. They work with calendar days, not clock times or time zones; the day of a datetime is the
day in its own zone. Words that are dates only by chance are ignored: "may" and "march" are months only with a capital,
and with a day, a year or a word such as "in" beside them. Weeks begin on Monday. Years range from 1900 to 2100; a day
that does not exist in the calendar is not a date.

    written     7 May 2023; May 7th, 2023; May 7-9; May 2023; 2023-05-07; 24.01.2024; Jan 5th; in May; in 2023; Q2 2025;
                1/24/2024: month first, and day first where the first number is over 12
    relative    today, tonight, this morning, yesterday, last night, tomorrow, the day before yesterday;
                last, past, this, next, coming + week, weekend, month, quarter, year, weekday, name of a month;
                N days, weeks, weekends, months, years ago; in N days, N days from now; (on) Monday

"Last Friday" and "next Friday" are the nearest before and after the day of speaking, "this Friday" the one of its week.
A weekday alone is the last one, or the next one where its clause speaks of the future. A date without a year is the one
nearest to the day of speaking.
"""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal

from clew.text.date_phrases import Grain, Mention, RelativeDate, WrittenDate, mentions, without_overlaps
from clew.text.foreign_dates import told_mentions

FIRST_YEAR, LAST_YEAR = 1900, 2100
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTHS_OF: dict[Grain, int] = {"month": 1, "quarter": 3, "year": 12}
_BETWEEN_LEAP_YEARS = 8  # at most: there was none between 1896 and 1904
_FIRST_DAY, _LAST_DAY = date(FIRST_YEAR, 1, 1).toordinal(), date(LAST_YEAR, 12, 31).toordinal()


@dataclass(frozen=True, slots=True)
class ResolvedDate:
    """A date found in a text.

    Attributes:
        start: first day.
        end: last day; equal to `start` for a single day.
        phrase_span: position of the phrase in the text, without a preposition before it.
        grain: precision of the phrase; a range of days ("May 7-9") has the grain day.
        guessed: what the phrase does not name and was chosen: the year of "in May", the week of "on Friday".
    """

    start: date
    end: date
    phrase_span: tuple[int, int]
    grain: Grain
    guessed: Literal["", "year", "week"] = ""


def resolve(text: str, at: datetime | None) -> list[ResolvedDate]:
    """The dates in a text, in text order, without overlaps.

    Args:
        text: any text; date phrases are recognised in English, and in the language that the text is in
            (`clew.text.foreign_dates`).
        at: when it was said; None leaves out relative dates.
    """
    today = None if at is None else at.date()
    said = mentions(text)
    if named := told_mentions(text):
        said = without_overlaps([*named, *(each for each in said if not _overlaps(each, named))])
    placed = (place(mention, today) for mention in said if not is_trailing(mention))
    return [found for found in placed if found is not None]


def _overlaps(mention: Mention, others: Sequence[Mention]) -> bool:
    return any(mention.span[0] < other.span[1] and other.span[0] < mention.span[1] for other in others)


def date_words(resolved: ResolvedDate) -> str:
    """The words under which a resolved date is indexed: "7 May 2023", "May 2023", "2023".

    A weekend or a range of days gives its first and last day; a week or a quarter gives the months it overlaps.
    """
    start, end = resolved.start, resolved.end
    if resolved.grain == "year":
        return str(start.year)
    if resolved.grain in {"day", "weekend"}:
        return " ".join(_day_words(day) for day in dict.fromkeys((start, end)))
    first, last = 12 * start.year + start.month - 1, 12 * end.year + end.month - 1
    return " ".join(f"{MONTHS[month % 12]} {month // 12}" for month in range(first, last + 1))


def date_text(at: datetime) -> str:
    """The day of a datetime in words for the index: "8 May 2023"."""
    return _day_words(at.date())


# ------------------------------------------------------------------------------------------------ what a phrase means


def is_trailing(mention: Mention) -> bool:
    """Whether the mention is a period up to now ("the last two weeks"), which does not date an event."""
    return isinstance(mention, RelativeDate) and mention.trailing


def place(mention: Mention, today: date | None) -> ResolvedDate | None:
    """The days that a mention means, relative to `today`; None if there are none, or if `today` is needed and None."""
    if isinstance(mention, RelativeDate):
        resolved = None if today is None else _place_relative(mention, today)
        return replace(resolved, guessed="week") if resolved and mention.bare else resolved
    if mention.year is not None:
        return place_written(mention, mention.year)
    return None if today is None else _nearest(mention, today, 1)


def place_asked(mention: Mention, today: date | None) -> ResolvedDate | None:
    """As `place`, for a question: 29 February without a year is that of the nearest leap year, however far it is."""
    resolved = place(mention, today)
    if resolved is None and today is not None and isinstance(mention, WrittenDate) and mention.year is None:
        return _nearest(mention, today, _BETWEEN_LEAP_YEARS)
    return resolved


def _nearest(mention: WrittenDate, today: date, years: int) -> ResolvedDate | None:
    """The days of a date without a year in whichever year they are nearest to today, of so many before and after."""
    candidates = [place_written(mention, today.year + step) for step in range(-years, years + 1)]
    nearest = min(
        (candidate for candidate in candidates if candidate),
        key=lambda candidate: _distance(candidate, today),
        default=None,
    )
    return replace(nearest, guessed="year") if nearest else None


def on_side(resolved: ResolvedDate, today: date, *, ahead: bool) -> ResolvedDate:
    """A date whose year or week was guessed, put in the nearest one that is not on the other side of today."""
    step = int(resolved.end < today) if ahead else -int(resolved.start > today)
    if not (resolved.guessed and step):
        return resolved
    start, end = resolved.start, resolved.end
    if resolved.guessed == "week":
        shift = _to_weekday(today, start.weekday(), step)
        other: ResolvedDate | None = replace(resolved, start=today + timedelta(shift), end=today + timedelta(shift))
    else:
        written = WrittenDate(resolved.phrase_span, resolved.grain, None, start.month, start.day, end.day)
        other = place_written(written, start.year + step)
    return replace(other, guessed=resolved.guessed) if other else resolved


def place_written(mention: WrittenDate, year: int) -> ResolvedDate | None:
    """The days of a written date in a given year; None if they do not exist in the calendar."""
    if not (FIRST_YEAR <= year <= LAST_YEAR and 1 <= mention.month <= 12):
        return None
    if mention.grain != "day":
        return _months(mention, mention.grain, 12 * year + mention.month - 1)
    last = mention.day if mention.last_day is None else mention.last_day
    if not 1 <= mention.day <= last <= monthrange(year, mention.month)[1]:
        return None
    return ResolvedDate(date(year, mention.month, mention.day), date(year, mention.month, last), mention.span, "day")


def _distance(resolved: ResolvedDate, today: date) -> int:
    """Days between today and the nearest day of a resolved date; 0 if today is one of its days."""
    return max((resolved.start - today).days, (today - resolved.end).days, 0)


def _place_relative(mention: RelativeDate, today: date) -> ResolvedDate | None:
    this_month = 12 * today.year + today.month - 1
    if mention.weekday is not None:
        of_week = mention.grain == "week"
        shift = 7 * mention.offset - today.weekday() + mention.weekday
        distance = shift if of_week else _to_weekday(today, mention.weekday, mention.offset)
        return _days(replace(mention, grain="day"), today, distance, 1)
    if mention.month is not None:
        shift = _to_month(today, mention.month, mention.offset)
        if mention.grain == "quarter":  # a season, which may have begun some months ago
            shift = _to_season(today, mention.month, mention.offset)
        return _months(mention, mention.grain, this_month + shift)
    match mention.grain:
        case "day":
            return _days(mention, today, mention.offset, 1)
        case "week":
            return _days(mention, today, 7 * mention.offset - today.weekday(), 7)
        case "weekend":
            return _days(mention, today, 7 * mention.offset - today.weekday() + 5, 2)
        case _:
            width = _MONTHS_OF[mention.grain]
            return _months(mention, mention.grain, this_month - this_month % width + width * mention.offset)


def _to_weekday(today: date, weekday: int, step: int) -> int:
    """Days from today to that day of the week: of this week, or the nearest one before or after today."""
    distance = weekday - today.weekday()
    return distance if step == 0 else (distance - 1) % 7 + 1 if step > 0 else -((-distance - 1) % 7 + 1)


def _to_month(today: date, month: int, step: int) -> int:
    """Months from this one to that month: of this year, or the nearest one before or after this month."""
    distance = month - today.month
    return distance if step == 0 else (distance - 1) % 12 + 1 if step > 0 else -((-distance - 1) % 12 + 1)


def _to_season(today: date, month: int, step: int) -> int:
    """Months from this one to the season that begins with that month: the one of now, or the last or next one.

    "This" is the season that goes on, or else the one of this year, and the nearer winter.
    """
    since = (today.month - month) % 12
    if since < _MONTHS_OF["quarter"]:
        return 12 * step - since
    if step == 0:
        return -since if month == 12 and since <= 7 else month - today.month
    return 12 - since if step > 0 else -since


def _days(mention: RelativeDate, today: date, shift: int, length: int) -> ResolvedDate | None:
    first = today.toordinal() + shift
    if not _FIRST_DAY <= first <= first + length - 1 <= _LAST_DAY:
        return None
    return ResolvedDate(date.fromordinal(first), date.fromordinal(first + length - 1), mention.span, mention.grain)


def _months(mention: Mention, grain: Grain, index: int) -> ResolvedDate | None:
    """The month, quarter or year that begins with the month of this index, counted from January of year 0."""
    if not FIRST_YEAR <= index // 12 <= LAST_YEAR:
        return None
    after = index + _MONTHS_OF[grain]
    last = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return ResolvedDate(date(index // 12, index % 12 + 1, 1), last, mention.span, grain)


def _day_words(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
