"""The result of asking what was said in a period."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from clew.types.record import Record

MODES: Final = (
    "auto",
    "lookup",
    "state_at_time",
    "change_over_time",
    "summarize_over_time",
    "window_overview",
)
"""The modes of a recall by time; `auto` chooses one by the words of the question."""

_INSTANT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Record):
    """One entry of a recall by time.

    Attributes:
        kind: `turn`, or in an outline `beat`, `chapter` or `open` (the turns since the last closed beat).
        ref: id of the turn, beat or chapter; for `open` the id of the first turn.
        turn_ids: the turn, or in an outline the first and last turn covered.
        turns: number of turns covered that lie in the period.
        text: the words shown.
        at: event time of the first turn; None if unknown.
    """

    kind: str
    ref: str
    session: str
    turn_ids: tuple[str, ...]
    turns: int
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered(Record):
    """What was said in a period, as a block within a token budget.

    Attributes:
        mode: the mode used, one of `MODES` but never `auto`.
        turns: number of turns in the period.
        text: the block; empty if nothing was said in the period, or nothing fits.
        tokens: exact token count of `text` by the chosen counter; never more than `budget`.
        moments: the entries of the block, in its order (by time).
        left_out: number of candidates that did not fit.
        since: start of the period; None if it has none.
        until: first moment after the period; None if it has no end.
        counted_from: midnight of the conversation's last day, if relative dates were counted from that day and not
            from today: see `clew.text.query_dates.counting_day`.
        receipt_id: id of the receipt, for `Memory.explain`.
        excluded: stretches that the question left out ("except last week"), each by its first moment and the first
            moment after it.
    """

    mode: str
    turns: int
    text: str
    tokens: int
    budget: int
    moments: tuple[Moment, ...]
    left_out: int
    since: datetime | None = None
    until: datetime | None = None
    counted_from: datetime | None = None
    receipt_id: str = ""
    excluded: tuple[tuple[datetime, datetime], ...] = ()

    def excluded_days(self) -> list[str]:
        """The stretches left out by their first and last day, `2025-01-01 to 2025-01-31`; a single day once."""
        spans = [(start.date(), max(start, end - _INSTANT).date()) for start, end in self.excluded]
        return [f"{first}" if first == last else f"{first} to {last}" for first, last in spans]
