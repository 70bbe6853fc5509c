"""The days that the conversations of a space cover. A date without a year is looked for within them."""

from datetime import date
from typing import Final

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.store.rows import from_us

_ENDS: Final = CacheKey[tuple[int, ...]]("first and last time")
_DAYS: Final = CacheKey[tuple[date, date] | None]("first and last day")


def covered_days(view: IndexView) -> tuple[date, date] | None:
    """The first and the last day, in UTC, on which a turn was said; None when no turn has a time. Cached."""
    return view.derived(_DAYS, lambda: _covered_days(view))


def _covered_days(view: IndexView) -> tuple[date, date] | None:
    times = view.folded(_ENDS, lambda rows: _ends_of(view, rows), lambda one, other: _ends((*one, *other)))
    return (from_us(times[0]).date(), from_us(times[1]).date()) if times else None


def _ends_of(view: IndexView, rows: slice) -> tuple[int, ...]:
    """First and last known time of a slice of turns, in microseconds; empty when none is known."""
    at = view.turns.at[rows]
    times = at[at != view.NO_TIME]
    return _ends((int(times.min()), int(times.max()))) if len(times) else ()


def _ends(times: tuple[int, ...]) -> tuple[int, ...]:
    return (min(times), max(times)) if times else ()
