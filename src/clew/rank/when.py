"""A question about a time -> which time, and what is wanted of it. Rules for English; everything else is a lookup.

Borders: looks at the question, the clock and the days of the conversation; never at turns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from itertools import zip_longest
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.rank.anchors import rarities
from clew.rank.filter import time_range
from clew.rank.query import Query
from clew.rank.search import Ranking
from clew.text.periods import Period, parse_period
from clew.text.query_dates import DateConstraint, counting_day, counting_moment, parse_query_dates
from clew.text.terms import query_terms
from clew.types.moments import MODES

T = TypeVar("T")
_FROM: Final = "from "
ON_TOPIC: Final = 1 / 3
"""Share of the best turn's words, or nearness, from which a turn is about a question; a choice, not a measurement."""
_NEAR: Final = ("dense", "dense_rewritten")
End = datetime | str | None

_CHANGE: Final = re.compile(
    r"\b(?:chang(?:e|ed|es|ing)|evol(?:ve[ds]?|ving|ution)|over (?:time|the (?:weeks|months|years))|progress(?:ed|ion)?"
    r"|shift(?:ed)?|history of|became|used to|differ\w*|compared (?:to|with)|since then|go from|went from"
    r"|how (?:has|have)|still)\b",
    re.IGNORECASE,
)
_SUMMARY: Final = re.compile(
    r"\b(?:summar\w+|recap\w*|sum up|catch (?:me|us) up|highlights?|wrap[- ]?up|review of"
    r"|what(?:['’]s| has| have| had)? (?:happened|been (?:going on|happening)|went on))\b",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"\b(?:as of|at (?:that|the|this) (?:time|point|moment|stage)|back then|by then|stat(?:e|us) of|at the end of"
    r"|what (?:was|were) (?:the|our|my|your|his|her|their)\b|which \w+ (?:was|were)\b"
    r"|(?:was|were) (?:we|i|you|they) (?:using|on)\b)",
    re.IGNORECASE,
)
_GENERIC: Final = frozenset(
    term
    for word in "talk talked speak spoke discuss discussed conversation chat chatted say said tell told mention "
    "mentioned happen happened go going cover covered do done work worked topic subject thing anything everything "
    "something summary summarize summarise recap overview highlight review sum catch time period then back".split()
    for term in query_terms(word)
)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time that is asked about.

    Attributes:
        since, until: in UTC, `until` the first moment after; None where it has no end.
        counted_from: the conversation's last day, when that stands for today.
        rest: the question, without the words for the time where they decided it.
    """

    since: datetime | None
    until: datetime | None
    counted_from: date | None
    rest: str

    def began(self, now: datetime) -> bool:
        """Whether the time does not lie wholly ahead."""
        return self.since is None or self.since <= now

    @property
    def about(self) -> bool:
        """Whether the question names something beside a time and the wish to hear of it."""
        return any(term not in _GENERIC for term in query_terms(self.rest))


def window_of(since: End, until: End, query: str, now: datetime, covered: tuple[date, date] | None) -> Window:
    """The time that is asked about: by the ends that are given, else by the question's own words, else all of it.

    Args:
        since: its beginning; an expression gives its first moment.
        until: its end; an expression gives its last day, that day included.
        covered: first and last day of the conversation, see `parse_period`.

    Raises:
        InputError: an expression names no time, or has no such end; or the range ends before it starts.
    """
    counted = counting_day(query, now, covered)
    asked = _stretch(query, now, covered) or parse_query_dates(query, counting_moment(query, now, covered), covered)
    rest = _without(query, asked)
    if since is None and until is None:
        if not asked:
            return Window(None, None, None, rest)
        first, after = _ends(asked[-1])
        return Window(first, after, None if counted == now.date() else counted, rest)
    first, start = _end_of(since, "since", now, covered)
    after, end = _end_of(until, "until", now, covered)
    first, after = time_range(first, after)
    return Window(first, after, start or end, query)


def mode_of(mode: str, query: str, window: Window) -> str:
    """What is wanted of a time: the mode that is given, or the one that the question's words ask for.

    In this order: words of change, of summing up, of a state; a time with nothing else is an overview; the rest a
    lookup.

    Raises:
        InputError: there is no such mode, or it needs a question.
    """
    if mode not in MODES:
        raise InputError(f"mode {mode!r} is unknown; expected one of {', '.join(MODES)}")
    if mode == "lookup" and not query.strip():
        raise InputError("mode 'lookup' needs a query; say what to look for, or ask for 'window_overview'")
    if mode != "auto":
        return mode
    if query.strip() and _CHANGE.search(query) and window.about:
        return "change_over_time"
    if _SUMMARY.search(query):
        return "summarize_over_time"
    if not window.about:
        return "window_overview"
    return "state_at_time" if _STATE.search(query) else "lookup"


def on_topic(ranking: Ranking) -> NDArray[np.int64]:
    """Positions of the turns that are themselves about the question, in the order of their ranks.

    About it is a turn whose own words, each by its rarity, or whose vector reach a third of what the best ranked turn
    reaches. A ranking goes on where that ends: with neighbours of what matches, and with whatever is short. Words
    that only say before or after what it was do not count.
    """
    positions = ranking.positions
    words = rarities(ranking.frame.view, _about(ranking.frame.query))[positions]
    near = np.asarray([sum(each.shares.get(name, 0.0) for name in _NEAR) for each in ranking[:]], dtype=np.float64)
    about = np.zeros(len(positions), dtype=bool)
    for values in (words, near):
        best = float(values.max(initial=0.0))
        about |= (values >= ON_TOPIC * best) & (best > 0)
    return positions[about]


def _about(query: Query) -> Sequence[str]:
    """The question's terms without those that only say before or after what; all, where nothing else is left."""
    spans = [place.span for place in query.places if place.kind in ("before", "after")]
    rest = set(query_terms(_cut(query.text, spans))) if spans else ()
    return [term for term in query.terms if term in rest] or query.terms


def by_period(days: Sequence[date | None]) -> list[str]:
    """The calendar's day, week, month or year of each day, whichever divides them into a dozen parts or so.

    Up to two weeks are told by the day, up to a quarter of a year by the week, up to two years by the month. The names
    sort by time; that of no day is empty.
    """
    known = [day for day in days if day is not None]
    span = (max(known) - min(known)).days if known else 0
    return ["" if day is None else _period_name(day, span) for day in days]


def _period_name(day: date, span: int) -> str:
    if span <= 14:
        return day.isoformat()
    if span <= 92:
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[:7] if span <= 731 else day.isoformat()[:4]


def in_turns(groups: Sequence[Sequence[T]]) -> list[T]:
    """The first of each group, then the second of each, and so on."""
    nothing = object()
    rounds = zip_longest(*groups, fillvalue=nothing)
    return [each for one in rounds for each in one if each is not nothing]  # type: ignore[misc]  # the filler is gone


def _end_of(
    end: End, name: str, now: datetime, covered: tuple[date, date] | None
) -> tuple[datetime | None, date | None]:
    if not isinstance(end, str):
        return end, None
    found: Period | None = parse_period(end, now, covered)
    moment = None if found is None else found.start if name == "since" else found.end
    if found is None or moment is None:
        what = "names no time" if found is None else "has no such end"
        raise InputError(
            f"{name} {end!r:.80} {what}; write a date such as 2023-05-07, or words such as 'last week' or 'March 2023'"
        )
    return moment, found.counted_from


def _ends(asked: DateConstraint) -> tuple[datetime | None, datetime | None]:
    start = None if asked.start is None else datetime.combine(asked.start, clock_time(), UTC)
    end = None if asked.end is None else datetime.combine(asked.end + timedelta(days=1), clock_time(), UTC)
    return start, end


def _stretch(query: str, now: datetime, covered: tuple[date, date] | None) -> list[DateConstraint]:
    """What a question asks about that is nothing but two dates: "2024-05-01 to 2024-05-07" needs no "from".

    Raises:
        InputError: the second date lies before the first.
    """
    words = query.strip()
    form = f"{_FROM}{words}"
    found = parse_query_dates(form, counting_moment(form, now, covered), covered)
    both = [each for each in found if each.relation == "between" and each.phrase_span == (len(_FROM), len(form))]
    if both:
        alone = parse_query_dates(words, now, covered)
        if alone and alone[0].end == both[-1].end and alone[0].start != alone[-1].start:
            raise InputError(f"the range {words!r:.80} ends before it starts; give the earlier date first")
    return [replace(each, phrase_span=(0, len(query))) for each in both]


def _without(query: str, asked: Sequence[DateConstraint]) -> str:
    """The question without the phrases that speak of times."""
    return _cut(query, {each.phrase_span for each in asked})


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text
