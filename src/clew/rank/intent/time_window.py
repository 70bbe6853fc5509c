"""The stretch of time that `remember_when` is asked about, and the mode of answer that its question wants.

Rules for English; other languages have words of their own for dates and for asking. Borders: looks at the question, the
clock and the days of the conversation; never at turns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as clock_time
from itertools import pairwise
from typing import Final, cast

from clew.errors import InputError
from clew.rank.filter import time_range
from clew.rank.intent.position_phrases import cut_out
from clew.text.date_bounds import is_series
from clew.text.date_phrases import WrittenDate
from clew.text.dates import FIRST_YEAR, LAST_YEAR, place_written
from clew.text.foreign_dates import languages_of, shown_languages, without_asking
from clew.text.late_pattern import late_pattern
from clew.text.period_parts import narrowed
from clew.text.periods import Period, exact_period, parse_period
from clew.text.query_date_phrases import query_mentions
from clew.text.query_dates import DateConstraint, counting_day, counting_moment, exception_spans, parse_query_dates
from clew.text.terms import query_terms
from clew.types.exact import exact_choice
from clew.types.moments import MODES
from clew.types.turn import aware

_FROM: Final = "from "
End = datetime | str | None
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?\Z")

_MINUTES: Final = re.compile(
    r"\b(?:(?:in|during|over|within)\s)?(?P<words>(?:the )?(?:last|past) (?:\d{1,5} |few |couple of )?minutes?)\b",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"\b(?:ever since|since|till?|starting)\s{1,3}(?:the\s)?\Z", re.IGNORECASE)
_CHANGE: Final = late_pattern(
    r"\b(?:chang(?:e|ed|es|ing)|evol(?:ve[ds]?|ving|ution)|over (?:time|the (?:weeks|months|years))|progress(?:ed|ion)?"
    r"|shift(?:ed)?|history of|became|used to|differ\w*|compared (?:to|with)|since then|go from|went from"
    r"|how (?:has|have)|still)\b",
    re.IGNORECASE,
)
_RECAP: Final = late_pattern(
    r"\b(?:summar\w+|recap\w*|sum up|catch (?:me|us) up|highlights?|wrap[- ]?up|review of"
    r"|what(?:['’]s| has| have| had)? (?:happened|been (?:going on|happening)|went on))\b",
    re.IGNORECASE,
)
_STATE: Final = late_pattern(
    r"\b(?:as of|at (?:that|the|this) (?:time|point|moment|stage)|back then|by then|stat(?:e|us) of|at the end of"
    r"|what (?:was|were) (?:the|our|my|your|his|her|their)\b|which \w+ (?:was|were)\b"
    r"|(?:was|were) (?:we|i|you|they) (?:using|on)\b)",
    re.IGNORECASE,
)
_LEAP_YEAR: Final = 2024
_GENERIC: Final = frozenset(
    term
    for word in "talk talked speak spoke discuss discussed conversation chat chatted say said tell told mention "
    "mentioned happen happened go going cover covered do done work worked topic subject thing anything everything "
    "something summary summarize summarise recap overview highlight review sum catch time period then back change "
    "changed new".split()
    for term in query_terms(word)
)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The stretch of time that a question asks about.

    Attributes:
        since: its first moment in UTC; None where it has no beginning.
        until: the first moment after it in UTC; None where it has no end.
        counted_from: the conversation's last day, where "last week" was counted from there and not from today.
        rest: the question, without the words for the time where these decided it.
        languages: those other than English that the question shows.
        excluded: stretches that the question leaves out ("except last week"), each by its first moment and the first
            moment after it, in UTC.
    """

    since: datetime | None
    until: datetime | None
    counted_from: date | None
    rest: str
    languages: tuple[str, ...] = ()
    excluded: tuple[tuple[datetime, datetime], ...] = ()

    def began(self, now: datetime) -> bool:
        """Whether some of the window lies in the past or present."""
        return self.since is None or self.since <= now

    @property
    def about(self) -> bool:
        """Whether the question names a subject besides the time and the request itself."""
        rest = without_asking(self.rest, self.languages)
        return any(term not in _GENERIC for term in query_terms(rest))


def is_moment(end: End) -> bool:
    """Whether an argument can only be a moment: a datetime, or a date as ISO 8601 writes it."""
    return isinstance(end, datetime) or (isinstance(end, str) and _MOMENT.match(end.strip()) is not None)


def time_window(since: End, until: End, query: str, now: datetime, covered: tuple[date, date] | None) -> TimeWindow:
    """The time that is asked about: from `since` and `until`, else from the question's own words, else all of it.

    Args:
        since: its beginning; an expression gives its first moment.
        until: its end; an expression gives its last day, that day included.
        covered: first and last day of the conversation, see `parse_period`.

    Raises:
        InputError: an expression names no time, or has no such end; or the range ends before it starts.
    """
    counted = counting_day(query, now, covered)
    asked = _stretch(query, now, covered) or parse_query_dates(query, counting_moment(query, now, covered), covered)
    asked = [narrowed(query, each) for each in asked]
    named = [constraint for constraint in asked if constraint.relation != "except"]
    spans = {_with_word_before(query, constraint.phrase_span) for constraint in named}
    rest = cut_out(query, spans | exception_spans(query, asked))
    languages = shown_languages(query) or languages_of(query)
    if since is None and until is None:
        exact = _exact(query, now, covered)
        if exact is not None:
            return exact
        _check_calendar(query)
        if not asked:
            return TimeWindow(None, None, None, rest, languages)
        first, after = _whole(query, named, now.tzinfo) if named else (None, None)
        excluded = tuple(
            (start, end)
            for start, end in (_ends(each, now.tzinfo) for each in asked if each.relation == "except")
            if start and end
        )
        return TimeWindow(first, after, None if counted == now.date() else counted, rest, languages, excluded)
    first, start = _end_of(since, "since", now, covered)
    after, end = _end_of(until, "until", now, covered)
    first, after = time_range(first, after)
    return TimeWindow(first, after, start or end, query, languages)


def _with_word_before(query: str, span: tuple[int, int]) -> tuple[int, int]:
    """A time with the word that leads to it, which is a stop word or names no subject either."""
    match = _LEADING.search(query, 0, span[0])
    return span if match is None else (match.start(), span[1])


def _exact(query: str, now: datetime, covered: tuple[date, date] | None) -> TimeWindow | None:
    """The window of a question that is a moment or a year, or that names the last minutes."""
    words = " ".join(query.split()).rstrip("?.! ")
    recent = _MINUTES.search(query)
    period = exact_period(words, now) or (exact_period(recent["words"], now) if recent else None)
    if period is None or period.start is None or period.end is None:
        return None
    if covered is not None and period.start.date() > covered[1] and words.lower().rstrip("s").endswith("hour"):
        return None  # of a conversation that is over: counted from its end, in days
    rest = "" if recent is None else cut_out(query, {recent.span()})
    return TimeWindow(period.start.astimezone(UTC), period.end.astimezone(UTC), None, rest)


def last_moment_of(words: str, name: str, now: datetime) -> datetime:
    """The last moment of a time that is given in words, which is that of its last day; a moment as it stands.

    Args:
        name: of the argument, for the message.

    Raises:
        InputError: the words name no time, or none with an end.
    """
    period = _period(words, name, now, None)
    end = cast(datetime, aware(period.end, name))
    return end if period.start == period.end else end - datetime.resolution


def _check_calendar(query: str) -> None:
    """Raises InputError for a date that the calendar has not; without a year only where it is all that is asked."""
    for mention in query_mentions(query):
        if not isinstance(mention, WrittenDate) or mention.grain != "day":
            continue
        year = _LEAP_YEAR if mention.year is None else mention.year
        words = query[slice(*mention.span)]
        if mention.year is None and words != query.strip():
            continue  # "in March 45 users complained"
        if FIRST_YEAR <= year <= LAST_YEAR and place_written(mention, year) is None:
            raise InputError(
                f"the date {words!r:.80} is not in the calendar; correct it, or ask without it, or with since and until"
            )


def mode_of(mode: str, query: str, window: TimeWindow) -> str:
    """The mode of answer: the one that is given, or for `auto` the one that the question's words ask for.

    Words of change decide first, unless a time but no subject is named; then those of a recap; a time without a subject
    is an overview; then words of a state; everything else is a lookup.

    Raises:
        InputError: there is no such mode, or it needs a question.
    """
    mode = exact_choice(mode, "mode", MODES)
    if mode == "lookup" and not query.strip():
        raise InputError("mode 'lookup' needs a query; say what to look for, or ask for 'window_overview'")
    if mode != "auto":
        return mode
    if _CHANGE.search(query) and (window.about or (window.since is None and window.until is None)):
        return "change_over_time"
    if _RECAP.search(query):
        return "summarize_over_time"
    if not window.about:
        return "window_overview"
    return "state_at_time" if _STATE.search(query) else "lookup"


def _end_of(
    end: End, name: str, now: datetime, covered: tuple[date, date] | None
) -> tuple[datetime | None, date | None]:
    if not isinstance(end, str):
        return end, None
    period = _period(end, name, now, covered)
    return period.start if name == "since" else period.end, period.counted_from


def _period(words: str, name: str, now: datetime, covered: tuple[date, date] | None) -> Period:
    """The period that is given in words for an argument; it has a start for `since`, and an end for every other."""
    period = parse_period(words, now, covered)
    if period is None or (period.start if name == "since" else period.end) is None:
        what = "names no time" if period is None else "has no such end"
        raise InputError(
            f"{name} {words!r:.80} {what}; write a date such as 2023-05-07, or words: 'last week', 'March 2023'"
        )
    return period


def _whole(query: str, named: Sequence[DateConstraint], zone: tzinfo | None) -> tuple[datetime | None, datetime | None]:
    """The time of the last date that a question names, and of those in a series with it ("in May and in June").

    Of the years that a date without one may mean, the last counts.
    """
    latest = {constraint.phrase_span: constraint for constraint in named}
    dates = list(latest.values())
    start, end = _ends(dates[-1], zone)
    for date_before, later in reversed(list(pairwise(dates))):
        if not is_series(query[date_before.phrase_span[1] : later.phrase_span[0]]):
            break
        first, after = _ends(date_before, zone)
        start, end = first and start and min(first, start), after and end and max(after, end)
    return start, end


def _ends(asked: DateConstraint, zone: tzinfo | None) -> tuple[datetime | None, datetime | None]:
    """The first moment of the days asked about, and the first one after them, in UTC."""
    start = None if asked.start is None else datetime.combine(asked.start, clock_time(), zone).astimezone(UTC)
    day_after = None if asked.end is None else asked.end + timedelta(days=1)
    return start, None if day_after is None else datetime.combine(day_after, clock_time(), zone).astimezone(UTC)


def _stretch(query: str, now: datetime, covered: tuple[date, date] | None) -> list[DateConstraint]:
    """The range of a question that is nothing but two dates: "2024-05-01 to 2024-05-07" needs no "from".

    Raises:
        InputError: the second date lies before the first.
    """
    words = query.strip()
    form = f"{_FROM}{words}"
    constraints = parse_query_dates(form, counting_moment(form, now, covered), covered)
    both = [
        constraint
        for constraint in constraints
        if constraint.relation == "between" and constraint.phrase_span == (len(_FROM), len(form))
    ]
    if both:
        first = parse_query_dates(words[: query_mentions(words)[-1].span[0]], now, covered)
        if first and first[0].end == both[-1].end and first[0].start != both[-1].start:
            raise InputError(f"the range {words!r:.80} ends before it starts; give the earlier date first")
    return [replace(constraint, phrase_span=(0, len(query))) for constraint in both]
