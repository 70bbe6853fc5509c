"""Dates of a question that say only together when something was: "March or April last year", "5 and 6 May 2023".

    March last year, last year in March, Tuesday of last week      a part of a relative whole
    March and April 2023, spring, summer and fall of 2022, Q1 or Q2 last year      what is joined shares the year
    March 5 and 6, 2023, on the 5th and 6th of March      what is joined shares the month

Ranges ("March to May 2023") are put together in `clew.text.query_dates`. Questions only: what is stored of turns does
not change.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Final, TypeGuard

from clew.text.date_phrases import Mention, RelativeDate, WrittenDate, without_overlaps
from clew.text.late_pattern import late_pattern

_JOIN: Final = r"(?:,?\s(?:and|or|&)|,|\s?/)\s?(?:(?:in|on|the|early|late|mid)[\s-])*"
_JOINED: Final = late_pattern(_JOIN, re.IGNORECASE)
_OF_WHOLE: Final = late_pattern(r",?\s(?:(?:of|in|during)\s)?", re.IGNORECASE)
_IN_WHOLE: Final = late_pattern(r",?\s(?:in|on|during)\s(?:(?:the|early|late|mid)[\s-])*", re.IGNORECASE)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NAME: Final = (
    r"(?<![\w-])(?P<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter|[Qq][1-4])"
)
"""Months with a capital: "may" and "march" are verbs."""
_NAME_JOINED: Final = late_pattern(rf"{_NAME}(?i:{_JOIN})$")
_NAME_OF_WHOLE: Final = late_pattern(rf"{_NAME}(?:,?\s(?:of\s)?)$")
_NTH: Final = r"(?:st|nd|rd|th)?"
_DAY_BEFORE: Final = late_pattern(
    rf"(?<!between )(?<!from )(?:(?<=\bon )|(?<=\bthe )|(?<=, ))(?P<day>[0-9]{{1,2}}){_NTH}{_JOIN}$", re.IGNORECASE
)
_DAY_AFTER: Final = late_pattern(
    rf"(?:,?\s(?:and|or|&))\s(?:the\s)?(?P<date>(?P<day>[0-9]{{1,2}}){_NTH}(?:,?\s(?P<year>(?:19|20)[0-9]{{2}}))?)(?=\s*(?:[?!;,)]|\.(?!\d)|$))",
    re.IGNORECASE,
)
_LONGEST: Final = 40
_MOST: Final = 4
"""Names that are joined before one date, at most."""
_HALF_A_YEAR: Final = 6


def compounded(query: str, mentions: Sequence[Mention], today: date | None) -> list[Mention]:
    """The mentions of a question, with what each takes from its neighbours.

    Args:
        mentions: in text order.
        today: the day to which relative dates refer; without one, parts of relative wholes stay as they are.

    Returns:
        The mentions in text order, without overlaps; spans grow with what a date takes.
    """
    if not mentions:
        return []
    whole = _with_days(query, _with_names(query, mentions, joined=False))
    whole = whole if today is None else _parts(query, whole, today)
    return _with_years(query, _with_names(query, whole, joined=True))


def _parts(query: str, mentions: Sequence[Mention], today: date) -> list[Mention]:
    """Puts dates without a year, and weekdays, into the year or week that is named beside them."""
    combined: list[Mention] = []
    for mention in mentions:
        before = combined[-1] if combined else None
        part = None if before is None else _part(query, before, mention, today)
        if part is None:
            combined.append(mention)
        else:
            combined[-1] = part
    return combined


def _part(query: str, first: Mention, second: Mention, today: date) -> Mention | None:
    gap = query[first.span[1] : second.span[0]]
    span = (first.span[0], second.span[1])
    for part, whole, link in ((first, second, _OF_WHOLE), (second, first, _IN_WHOLE)):
        if not isinstance(whole, RelativeDate) or whole.trailing or whole.month or whole.weekday is not None:
            continue
        if link.fullmatch(gap) is None:
            continue
        if whole.grain == "year" and _lacks_year(part):
            return replace(part, span=span, year=today.year + whole.offset)
        if whole.grain == "week" and isinstance(part, RelativeDate) and part.bare and part.weekday is not None:
            return RelativeDate(span, "week", whole.offset, weekday=part.weekday)
    return None


def _with_years(query: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Gives dates without a year that of the date to which they are joined, and weekdays the week; the last first."""
    dated: list[Mention] = []
    for mention in reversed(mentions):
        after = dated[-1] if dated else None
        is_joined = after is not None and _JOINED.fullmatch(query, mention.span[1], after.span[0]) is not None
        dated.append(_joined_to(after, mention) if after is not None and is_joined else mention)
    return dated[::-1]


def _joined_to(after: Mention, mention: Mention) -> Mention:
    """A date with what it takes from the one that it is joined to."""
    if _lacks_year(mention) and _has_year(after):
        turns = mention.month - after.month >= _HALF_A_YEAR  # December and January 2024
        return replace(mention, year=(after.year or 0) - turns)
    if isinstance(mention, RelativeDate) and mention.bare and isinstance(after, RelativeDate) and after.grain == "week":
        return mention if after.weekday is None else replace(after, span=mention.span, weekday=mention.weekday)
    return mention


def _with_names(query: str, mentions: Sequence[Mention], *, joined: bool) -> list[Mention]:
    """Adds the months, seasons and quarters that are joined to a date, or stand before a relative year."""
    more: list[Mention] = list(mentions)
    for mention in mentions:
        is_whole = isinstance(mention, RelativeDate) and mention.grain == "year" and not mention.trailing
        pattern = _NAME_JOINED if joined else _NAME_OF_WHOLE
        at = mention.span[0]
        for _ in range(
            _MOST if joined and _has_year(mention) and mention.grain != "day" else int(is_whole and not joined)
        ):
            name = pattern.search(query, max(0, at - _LONGEST), at)
            if name is None:
                break
            at = name.start("name")
            more.append(_named(name))
    return _unique(more)


def _named(match: re.Match[str]) -> WrittenDate:
    name = match["name"].lower()
    if name[0] == "q":
        return WrittenDate(match.span("name"), "quarter", None, 3 * int(name[1]) - 2)
    if name in _SEASONS:
        return WrittenDate(match.span("name"), "quarter", None, _SEASONS[name])
    return WrittenDate(match.span("name"), "month", None, _MONTHS.index(name[:3]) + 1)


def _with_days(query: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Adds the day that is joined, as a mere number, before or after a day of a month."""
    more: list[Mention] = []
    for mention in mentions:
        if not isinstance(mention, WrittenDate) or mention.grain != "day" or mention.last_day is not None:
            more.append(mention)
            continue
        if before := _DAY_BEFORE.search(query, max(0, mention.span[0] - _LONGEST), mention.span[0]):
            more.append(replace(mention, span=before.span("day"), day=int(before["day"])))
        after = _DAY_AFTER.match(query, mention.span[1]) if mention.year is None else None
        if after is None:
            more.append(mention)
            continue
        year = int(after["year"]) if after["year"] else None
        more += (
            replace(mention, year=year),
            replace(mention, span=after.span("date"), day=int(after["day"]), year=year),
        )
    return _unique(more)


def _unique(mentions: list[Mention]) -> list[Mention]:
    """The mentions in text order; of overlapping ones the first, or the longer of two at one position."""
    ordered = sorted(mentions, key=lambda mention: mention.span)
    overlap = any(first.span[1] > second.span[0] for first, second in pairwise(ordered))
    return without_overlaps(mentions) if overlap else ordered


def _lacks_year(mention: Mention) -> TypeGuard[WrittenDate]:
    return isinstance(mention, WrittenDate) and mention.year is None


def _has_year(mention: Mention) -> TypeGuard[WrittenDate]:
    return isinstance(mention, WrittenDate) and mention.year is not None and mention.grain != "year"
