"""Finds the days that a question asks about: "in May 2023", "before June", "between March and May 2024", "last month".

How turns on, near or outside of these days are scored is decided in ranking.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Literal

from dateutil.relativedelta import relativedelta

from clew.text.compound_dates import compounded
from clew.text.date_bounds import exclusion_start, is_joint, length_compared, side_before
from clew.text.date_phrases import Grain, Mention, RelativeDate, WrittenDate, anchored
from clew.text.dates import ResolvedDate, place, place_asked, place_written
from clew.text.foreign_dates import DayRange, day_range, linked, relation_of
from clew.text.late_pattern import late_pattern
from clew.text.query_date_phrases import query_mentions
from clew.text.seasons import is_winter

Relation = Literal["on", "before", "after", "between", "except"]


@dataclass(frozen=True, slots=True)
class DateConstraint:
    """Days that a question asks about.

    Attributes:
        start: first day asked about; None if unbounded.
        end: last day asked about; None if unbounded.
        grain: precision of the date; the coarser one of two dates.
        relation: `on` the named days, `before` or `after` them, `between` two dates, both included, or all days
            `except` the named ones.
        phrase_span: position of the phrase in the question.
    """

    start: date | None
    end: date | None
    grain: Grain
    relation: Relation
    phrase_span: tuple[int, int]


_GRAINS: tuple[Grain, ...] = ("day", "weekend", "week", "month", "quarter", "year")
_PART = r"(?:the\s+)?(?:(?:early|late|mid|(?:beginning|start|middle|end)\s+of)[\s-]+(?:the\s+)?)?"
_LINK = late_pattern(rf"\s+(?:(?P<and>and)|to|until|till|through)\s+{_PART}|\s?[-–]\s?", re.IGNORECASE)
_OPENS = late_pattern(rf"\b(?:between|from)\s+{_PART}$", re.IGNORECASE)
_NTH = "(?:st|nd|rd|th)?"
_DAY_OPENS = late_pattern(
    rf"(?:\b(?P<open>between|from)\s+)?(?:\bthe\s+)?(?<![\w.,:/$€£-])(?P<day>[0-9]{{1,2}}){_NTH}"
    r"\s+(?(open)(?:and|to|until|till|through)|(?:to|until|till|through))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_DAY_ENDS = late_pattern(
    rf"(?:\s+(?P<link>and|to|until|till|through)\s+(?:the\s+)?)(?P<day>[0-9]{{1,2}}){_NTH}(?:,?\s+(?P<year>[0-9]{{4}}))?"
    r"(?=\s*(?:[?!;,)]|\.(?!\d)|$))",
    re.IGNORECASE,
)
_ONWARDS = late_pattern(r"\s+(?:on|onwards?)\b(?!\s+\w)", re.IGNORECASE)
_LONGEST_BEFORE = 40
_ONE_DAY, _ONE_WEEK = timedelta(days=1), timedelta(days=7)
_DAYS_OF: dict[Grain, int] = {"day": 1, "week": 7, "weekend": 7}
_MONTHS_OF: dict[Grain, int] = {"month": 1, "quarter": 3, "year": 12}


def parse_query_dates(
    query: str, now: datetime | None = None, covered: tuple[date, date] | None = None
) -> list[DateConstraint]:
    """The days that a question asks about.

    Args:
        query: the question, in English or a language of `clew.text.date_languages`.
        now: when it is asked, to which relative dates refer. If None, they refer to a day that the question itself
            names ("last Friday on 23 January, 2022"), or else to the last day covered.
        covered: first and last day of the conversation. A date without a year ("on Jan 5th") then stands for every year
            in which it is between them; if there is none, or `covered` is None, for the year nearest to `now`.

    Returns:
        The constraints in the order of the question. Several are alternatives, but for exceptions, which all hold.
        Empty if the question asks for no date, or its date cannot be resolved.
    """
    mentions = query_mentions(query)
    when = _DateReference(_today(mentions, now, covered), covered)
    combined = compounded(query, mentions, when.today)
    constraints: list[DateConstraint] = []
    previous: Mention | None = None
    for mention in combined:
        ends = _candidates(mention, when)
        counted = anchored(query, mention)
        if counted:
            while constraints and constraints[-1].phrase_span[1] > counted.span[0]:
                constraints.pop()
            constraints += (_on(at) for end in ends if (at := _count_from(counted, end)))
        elif previous and _linked(query, previous, mention):
            while constraints and constraints[-1].phrase_span[0] >= previous.span[0]:
                constraints.pop()
            constraints += filter(None, (_between(previous, mention, end, when) for end in ends))
        else:
            constraints += (
                _day_range(query, mention, end) or _compared(query, mention, end, when) or _single(query, end)
                for end in ends
            )
        previous = mention
    return _intervals(query, constraints)


def counting_day(query: str, now: datetime, covered: tuple[date, date] | None) -> date:
    """The day to which a question's relative dates refer: today, or the last day of a conversation that has ended.

    The latter applies if, counted from today, all relative dates of the question would lie after the conversation's
    end, when nothing can have been said. Dates in the future always refer to today.
    """
    today = now.date()
    if covered is None or today <= covered[1]:
        return today
    relative = [mention for mention in query_mentions(query) if isinstance(mention, RelativeDate)]
    placed = [_trailing(mention, today) if mention.trailing else place(mention, today) for mention in relative]
    starts = [resolved.start for resolved in placed if resolved is not None]
    return covered[1] if starts and covered[1] < min(starts) and max(starts) <= today else today


def counting_moment(query: str, now: datetime, covered: tuple[date, date] | None) -> datetime:
    """`now`, or midnight of the conversation's last day if `counting_day` is that day."""
    day = counting_day(query, now, covered)
    return now if day == now.date() else datetime.combine(day, time(), now.tzinfo)


@dataclass(frozen=True, slots=True)
class _DateReference:
    """What dates are counted from: the day of asking, and the days of the conversation."""

    today: date | None
    covered: tuple[date, date] | None


def _today(spoken: Sequence[Mention], now: datetime | None, covered: tuple[date, date] | None) -> date | None:
    if now is not None:
        return now.date()
    named = (place(mention, None) for mention in spoken if mention.grain == "day")
    return next((day.start for day in named if day), covered[1] if covered else None)


def _candidates(mention: Mention, when: _DateReference) -> list[ResolvedDate]:
    if when.covered and isinstance(mention, WrittenDate) and mention.year is None:
        first, last = when.covered
        placed = (place_written(mention, year) for year in range(first.year, last.year + 1))
        inside = [resolved for resolved in placed if resolved and resolved.start <= last and first <= resolved.end]
        if inside:
            return inside
    if when.covered and is_winter(mention) and (earlier := _winter_before(mention, when.covered)):
        return [earlier]
    trailing = isinstance(mention, RelativeDate) and mention.trailing
    resolved = _trailing(mention, when.today) if trailing else place_asked(mention, when.today)
    return [resolved] if resolved else []


def _winter_before(winter: WrittenDate, covered: tuple[date, date]) -> ResolvedDate | None:
    """The winter that ends in the named year, if the conversation has days of it and none of the one that begins."""
    if winter.year is None:
        return None
    ending, beginning = (
        resolved and resolved.start <= covered[1] and covered[0] <= resolved.end and resolved
        for resolved in (place_written(winter, winter.year - 1), place_written(winter, winter.year))
    )
    return None if beginning else ending or None


def _count_from(counted: RelativeDate, anchor: ResolvedDate) -> ResolvedDate | None:
    return place(counted, anchor.start if counted.offset < 0 else anchor.end)


def _on(resolved: ResolvedDate) -> DateConstraint:
    return DateConstraint(resolved.start, resolved.end, resolved.grain, "on", resolved.phrase_span)


def _trailing(mention: Mention, today: date | None) -> ResolvedDate | None:
    """The last two weeks: from the same day two weeks ago up to today."""
    if today is None or not isinstance(mention, RelativeDate) or not mention.offset:
        return None  # the last 0 days are none
    days, months = _DAYS_OF.get(mention.grain, 0), _MONTHS_OF.get(mention.grain, 0)
    try:
        start = today + relativedelta(days=days * mention.offset, months=months * mention.offset)
    except (ValueError, OverflowError):
        return None  # before the first year of the calendar: no such day
    if start == date.min or today == date.max:
        return None  # "before" and "after" such days would be outside of the calendar
    return ResolvedDate(start, today, mention.span, mention.grain)


def _linked(query: str, first: Mention, second: Mention) -> bool:
    """Whether two dates are the ends of a range: after "from" or "between", or as in "March 28 to April 2"."""
    link = _LINK.fullmatch(query, first.span[1], second.span[0])
    if link is not None:
        is_plain = link["and"] is None and first.grain == second.grain and type(first) is type(second)
        if is_plain or _OPENS.search(_text_before(query, first.span[0])) is not None:
            return True
    return linked(query, first.span, second.span)


def _between(first: Mention, second: Mention, end: ResolvedDate, when: _DateReference) -> DateConstraint | None:
    """From the earlier date to the later one; a first one without a year takes it from the second."""
    start = place_asked(first, when.today)
    if isinstance(first, WrittenDate) and first.year is None:
        years = (end.start.year, end.start.year - 1)
        start = next((at for year in years if (at := place_written(first, year)) and at.start <= end.end), None)
    if start is None:
        return None
    if isinstance(second, RelativeDate) and second.weekday is not None and end.end < start.start:
        end = replace(end, start=end.start + _ONE_WEEK, end=end.end + _ONE_WEEK)  # from Monday to Wednesday
    grain = max(start.grain, end.grain, key=_GRAINS.index)
    days = (min(start.start, end.start), max(start.end, end.end))
    return DateConstraint(*days, grain, "between", (first.span[0], end.phrase_span[1]))


def _day_range(query: str, mention: Mention, end: ResolvedDate) -> DateConstraint | None:
    """From 3 to 5 May, from May 3 to 5: one of the two days is a mere number."""
    if not isinstance(mention, WrittenDate) or mention.grain != "day" or mention.last_day is not None:
        return None
    phrase = _english_range(query, end.phrase_span) or day_range(query, end.phrase_span)
    if phrase is None:
        return None
    whole = replace(mention, day=phrase.first or mention.day, last_day=phrase.last or mention.day)
    placed = place_written(whole, phrase.year or end.start.year)
    return None if placed is None else DateConstraint(placed.start, placed.end, "day", "between", phrase.span)


def _english_range(query: str, span: tuple[int, int]) -> DayRange | None:
    before = _text_before(query, span[0])
    if opened := _DAY_OPENS.search(before):
        return DayRange((span[0] - len(opened[0]), span[1]), first=int(opened["day"]))
    ends, opens = _DAY_ENDS.match(query, span[1]), _OPENS.search(before)
    if ends is None or (opens is None and ends["link"].lower() == "and"):
        return None
    start = span[0] - (len(opens[0]) if opens else 0)
    return DayRange((start, ends.end()), last=int(ends["day"]), year=int(ends["year"] or 0))


def _compared(query: str, mention: Mention, resolved: ResolvedDate, when: _DateReference) -> DateConstraint | None:
    """More, or less, than two weeks ago: counted to the day, as for the last two weeks."""
    if not isinstance(mention, RelativeDate) or mention.offset >= 0 or mention.trailing or mention.weekday is not None:
        return None
    than = length_compared(_text_before(query, mention.span[0])) if query.endswith("ago", 0, mention.span[1]) else ""
    since = _trailing(mention, when.today) if than else None
    if since is None:
        return None
    if than == "more":
        return DateConstraint(None, since.start - _ONE_DAY, resolved.grain, "before", resolved.phrase_span)
    return DateConstraint(since.start, since.end, resolved.grain, "on", resolved.phrase_span)


def _single(query: str, resolved: ResolvedDate) -> DateConstraint:
    before = _text_before(query, resolved.phrase_span[0])
    word = side_before(before)
    if word == "on":
        word = relation_of(query, resolved.phrase_span)
    if word == "on" and _ONWARDS.match(query, resolved.phrase_span[1]):
        word = "since"
    if word == "on" and exclusion_start(before) is not None:
        return DateConstraint(resolved.start, resolved.end, resolved.grain, "except", resolved.phrase_span)
    start, end, relation = _WINDOWS[word](resolved)
    return DateConstraint(start, end, resolved.grain, relation, resolved.phrase_span)


def _intervals(query: str, constraints: list[DateConstraint]) -> list[DateConstraint]:
    """Joins one side of a date and the other side of the next one: "after March but before June"."""
    joined: list[DateConstraint] = []
    last: list[DateConstraint] = []
    for span, group in groupby(constraints, key=lambda constraint: constraint.phrase_span):
        these = list(group)
        sides = {constraint.relation for constraint in (*last, *these)}
        if last and sides == {"before", "after"} and len({constraint.relation for constraint in these}) == 1:
            gap = query[last[0].phrase_span[1] : span[0]]
            both = _overlaps(last, these) if is_joint(gap) else []
            if both:
                joined[-len(last) :] = both
                last = both
                continue
        joined += these
        last = these
    return joined


def _overlaps(some: Sequence[DateConstraint], others: Sequence[DateConstraint]) -> list[DateConstraint]:
    """For each first day of one side of two dates, the stretch to the first end behind it."""
    opening, closing = (some, others) if some[0].relation == "after" else (others, some)
    spans = [constraint.phrase_span for constraint in (*some, *others)]
    span = (min(start for start, _ in spans), max(end for _, end in spans))
    overlaps = []
    for first in opening:
        ends = [last for last in closing if first.start and last.end and first.start <= last.end]
        if ends:
            last = min(ends, key=lambda constraint: constraint.end or date.max)
            grain = max(first.grain, last.grain, key=_GRAINS.index)
            overlaps.append(DateConstraint(first.start, last.end, grain, "between", span))
    return overlaps


_WINDOWS: dict[str, Callable[[ResolvedDate], tuple[date | None, date | None, Relation]]] = {
    "on": lambda found: (found.start, found.end, "on"),
    "before": lambda found: (None, found.start - _ONE_DAY, "before"),
    "up to": lambda found: (None, found.end, "before"),
    "after": lambda found: (found.end + _ONE_DAY, None, "after"),
    "since": lambda found: (found.start, None, "after"),
}


def exception_spans(query: str, constraints: Iterable[DateConstraint]) -> set[tuple[int, int]]:
    """Positions of the dates that are excluded, each with the words that exclude it."""
    spans = set()
    for start, end in {constraint.phrase_span for constraint in constraints if constraint.relation == "except"}:
        before = _text_before(query, start)
        spans.add((start - len(before) + (exclusion_start(before) or 0), end))
    return spans


def _text_before(query: str, end: int) -> str:
    return query[max(0, end - _LONGEST_BEFORE) : end]
