"""Time: turns said on the day, month or year that the question names, and turns whose words name it.

The steps are RETRIEVAL's date match: people talk about a day on that day or soon after it, seldom before.
"""

from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.entry import date_marks
from clew.rank.frame import Frame, Scores
from clew.text.query_dates import DateConstraint

DAY_US: Final = 86_400_000_000

DAY_STEPS: Final = ((-2, -1, 0.3), (0, 0, 1.0), (1, 2, 0.6), (3, 7, 0.4))
"""(first, last, value): days after the named day, and the value of a turn said then."""

SPAN_VALUES: Final = {"weekend": 0.8, "week": 0.8, "month": 0.7, "quarter": 0.5, "year": 0.3}
"""Value of a turn said within a longer span; the same length of time after a month counts half."""

OPEN_VALUE: Final = 0.3
"""Value of a turn that is before or after the date, or not of it, as the question asks."""

EXCEPTED: Final = -1.0
"""Value of a turn of the time that a question leaves out: it loses what a turn of a day that is asked for gets."""

NAMED_VALUES: Final = {"day": 1.2, "week": 0.8, "month": 1.0}
"""Value of a turn whose words name the time itself, by the question's grain."""


def time(frame: Frame) -> Scores | None:
    """The best match of the question's times with a turn's own or named time; None when it names no time."""
    constraints = frame.intent.dates
    if not constraints:
        return None
    best = np.zeros(frame.size)
    exceptions = [constraint for constraint in constraints if constraint.relation == "except"]
    if len(exceptions) == len(constraints):
        best[frame.view.turns.at != frame.view.NO_TIME] = OPEN_VALUE
    for constraint in constraints:
        if constraint.relation != "except":
            np.maximum(best, _told(frame, constraint), out=best)
            _raise_named(frame, constraint, best)
    for constraint in exceptions:
        best[_within(frame, constraint)] = EXCEPTED
    return best


def _within(frame: Frame, constraint: DateConstraint) -> NDArray[np.bool_]:
    """Which turns were said on the days of a constraint that has both ends."""
    if constraint.start is None or constraint.end is None:
        return np.zeros(frame.size, dtype=bool)
    at = frame.view.turns.at
    return (at >= _us(constraint.start)) & (at < _us(constraint.end) + DAY_US)


def _told(frame: Frame, constraint: DateConstraint) -> Scores:
    """Values by event time; turns without an event time get 0."""
    at = frame.view.turns.at
    known = at != frame.view.NO_TIME
    values = np.zeros(frame.size)
    if constraint.start is None or constraint.end is None:
        side = np.ones(frame.size, dtype=bool)
        if constraint.start is not None:
            side = at >= _us(constraint.start)
        if constraint.end is not None:
            side = side & (at < _us(constraint.end) + DAY_US)
        values[known & side] = OPEN_VALUE
        return values
    start, end = _us(constraint.start), _us(constraint.end) + DAY_US
    if constraint.grain == "day" and end - start <= DAY_US:
        day = (at - start) // DAY_US
        for low, high, value in DAY_STEPS:
            values[known & (day >= low) & (day <= high)] = value
        return values
    value = SPAN_VALUES.get(constraint.grain, SPAN_VALUES["week"])
    values[known & (at >= start) & (at < end)] = value
    if constraint.grain == "month":
        values[known & (at >= end) & (at < end + (end - start))] = value / 2
    return values


def _raise_named(frame: Frame, constraint: DateConstraint, best: Scores) -> None:
    value = NAMED_VALUES.get(constraint.grain)
    if value is None or constraint.relation != "on" or constraint.start is None or constraint.end is None:
        return
    owner = frame.view.pieces.turn
    for mark in date_marks(
        _midnight(constraint.start), _midnight(constraint.end) + timedelta(days=1), constraint.grain
    ):
        positions = owner[frame.view.postings(mark)[0]]
        best[positions] = np.maximum(best[positions], value)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, clock(), UTC)


def _us(day: date) -> int:
    return (day - date(1970, 1, 1)).days * DAY_US
