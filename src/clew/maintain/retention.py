"""Forgets turns that are older than `keep_days`, in bounded steps, through `forget`.

A turn's age is counted from its event time, or from the time of storing if that is unknown. Only the present clock
counts: a clock that is set back deletes nothing, and one that is set forward by mistake deletes what is too old by
then.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, cast

from clew.errors import InputError
from clew.maintain.forget import Selection
from clew.store.protocol import Reader, Store
from clew.store.row_types import MetaRow
from clew.store.rows import from_us, to_us
from clew.store.selections import META_VALUE
from clew.store.tables import META, SPACE
from clew.store.turn_selections import TURN_TIMES
from clew.types.ids import turn_id
from clew.types.reports import ForgetReport

STRETCH: Final = 2_000
"""Turns that one step looks at, and so the most that it forgets."""

EVERY: Final = timedelta(hours=1)
"""How long after a sweep through the space the next one is due."""

_SWEPT: Final = "swept"
"""Row of META: when the last sweep ended, in microseconds since 1970, and the days that it kept."""

Forget = Callable[[Selection], ForgetReport]


def swept_at(text: str | None, days: int) -> datetime | None:
    """When the last sweep with this number of days ended.

    Args:
        text: the row of META; None without one.

    Returns:
        None if there was no such sweep, or the row cannot be read.
    """
    try:
        last, kept = (text or "").split()
        return from_us(int(last)) if int(kept) == days else None
    except (ValueError, OverflowError):
        return None


class Retention:
    """The retention sweeps of one space. One thread at a time calls `step`; several processes may."""

    def __init__(self, store: Store, space: str, keep_days: int, clock: Callable[[], datetime], forget: Forget) -> None:
        """`forget` deletes the turns of a selection for good; 0 days keep everything."""
        self._store, self._space = store, space
        self._days, self._clock, self._forget = keep_days, clock, forget
        self._after = 0  # the ordinal with which the sweep goes on

    def expired(self) -> Selection:
        """The turns that are too old now.

        Raises:
            InputError: the space keeps turns for ever.
        """
        cutoff = self._cutoff(self._clock())
        if cutoff is None:
            raise InputError("no turn expires: the setting keep_days is 0; set the days that turns are kept")
        return Selection(older_than=cutoff)

    def due(self) -> bool:
        """Whether a sweep is due, or unfinished."""
        now = self._clock()
        if self._cutoff(now) is None:
            return False
        with self._store.snapshot() as reader:
            swept = META_VALUE.get(reader, (self._space, _SWEPT))
            if SPACE.get(reader, (self._space,)) is None:
                return False
        at = swept_at(swept, self._days)
        return at is None or abs(now - at) >= EVERY

    def step(self) -> bool:
        """Does one step of a sweep that is due; returns whether there was one."""
        if not self.due():
            return False
        now = self._clock()
        cutoff = cast(datetime, self._cutoff(now))
        with self._store.snapshot() as reader:
            names, after = _stretch(reader, self._space, self._after, to_us(cutoff))
        if names:
            self._forget(Selection(turn_ids=names, older_than=cutoff))
        self._after = after or 0
        if after is None:
            row = MetaRow(self._space, _SWEPT, f"{to_us(now)} {self._days}")
            self._store.transaction(lambda tx: META.put(tx, [row]), durable=False)
        return True

    def _cutoff(self, now: datetime) -> datetime | None:
        """The time before which turns are deleted; None when none are."""
        try:
            return now - timedelta(days=self._days) if self._days else None
        except OverflowError:
            return None  # before the first year there is nothing


def _stretch(reader: Reader, space: str, after: int, cutoff: int) -> tuple[tuple[str, ...], int | None]:
    """Ids of turns from before the cutoff among the next ones by ordinal, and where to go on; None at the end."""
    rows = TURN_TIMES.scan(reader, (space, after), (space,), index="ordinal", limit=STRETCH)
    old = [row for row in rows if (row.ingested_at if row.at is None else row.at) < cutoff]
    names = tuple(turn_id(row.session, row.seq) for row in old)
    return names, None if len(rows) < STRETCH else rows[-1].ordinal + 1
