"""What was said in a stretch of time."""

from dataclasses import dataclass
from datetime import datetime
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
"""What may be asked of a time; `auto` decides by the question's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Record):
    """One line of what was said in a time.

    Attributes:
        kind: `turn`, or `beat`, `chapter` or `open` (the turns since the last closed beat) for an outline.
        ref: id of the turn, beat or chapter; of the first turn for `open`.
        turn_ids: the turns that it stands for: first and last for an outline.
        turns: how many of the time they are.
        text: the words shown.
        at: event time of the first of them; None when it is unknown.
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
    """What was said in a stretch of time, as a block within a budget.

    Attributes:
        mode: what was asked of the time, one of `MODES` but never `auto`.
        turns: how many turns lie in the time.
        text: the block; empty when nothing was said then, or nothing fits.
        tokens: exact count of `text` by the chosen counter; never more than `budget`.
        moments: what the block holds, in its order (by time).
        left_out: candidates that did not fit.
        since, until: the time; `until` is the first moment after it. None where it has no end.
        counted_from: midnight of the conversation's last day, when that stood for today: see `counting_day`.
        receipt_id: names the receipt that `Memory.explain` shows.
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
