"""Prunes what the proxy keeps beside turns, after `serve.keep_days`: hashes of messages, blocks, the log of requests.

Turns are not touched. Of a conversation that nobody has gone on with for so long the hashes of its messages go, unless
its session was forgotten: they are what keeps that from coming back. One with a name is known by it still, and its
history is then aligned by what it says. Blocks go so long after they stopped being put back; others
stay.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from clew.maintain.retention import swept_at
from clew.rows.conversations import drop_messages, unused_conversations
from clew.rows.injections import drop_retired
from clew.rows.request_log import drop_logged
from clew.store.protocol import Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.rows import to_us
from clew.store.selections import META_VALUE
from clew.store.tables import CONVERSATION, META, REQUEST_LOG

MOST: Final = 500
"""Conversations, blocks or requests that go in one step."""

EVERY: Final = timedelta(days=1)
"""How long after a sweep the next one is due."""

_SWEPT: Final = "pruned"
"""Row of META: when the last sweep ended, in microseconds since 1970, and the days that it kept."""


class ProxyRetention:
    """The sweeps of one space. One thread at a time calls `step`; several processes may."""

    def __init__(self, store: Store, space: str, keep_days: int, clock: Callable[[], datetime]) -> None:
        """0 days keep everything."""
        self._store, self._space = store, space
        self._days, self._clock = keep_days, clock
        self._swept: datetime | None = None

    def due(self) -> bool:
        """Whether a sweep is due, or unfinished."""
        now = self._clock()
        if self._cutoff(now) is None or self._is_recent(now):
            return False
        key = (self._space,)
        with self._store.snapshot() as reader:
            swept = META_VALUE.get(reader, (self._space, _SWEPT))
            is_used = any(table.scan(reader, key, key, limit=1) for table in (CONVERSATION, REQUEST_LOG))
        self._swept = swept_at(swept, self._days)
        if not is_used:
            self._swept = now  # looked at again after a day
        return not self._is_recent(now)

    def step(self) -> bool:
        """Does one step of a sweep that is due; returns whether there was one."""
        if not self.due():
            return False
        now = self._clock()
        cutoff = self._cutoff(now) or 0
        if not self._store.transaction(lambda tx: self._drop(tx, cutoff)):
            row = MetaRow(self._space, _SWEPT, f"{to_us(now)} {self._days}")
            self._store.transaction(lambda tx: META.put(tx, [row]), durable=False)
            self._swept = now
        return True

    def _drop(self, tx: Transaction, cutoff: int) -> int:
        """Deletes some of what is too old; returns how many rows."""
        old = unused_conversations(tx, self._space, cutoff, MOST)
        dropped = drop_messages(tx, self._space, old)
        return dropped + drop_retired(tx, self._space, cutoff, MOST) + drop_logged(tx, self._space, cutoff, MOST)

    def _is_recent(self, now: datetime) -> bool:
        return self._swept is not None and abs(now - self._swept) < EVERY

    def _cutoff(self, now: datetime) -> int | None:
        """The time before which rows are deleted, in microseconds since 1970; None when none are."""
        try:
            return to_us(now - timedelta(days=self._days)) if self._days else None
        except OverflowError:
            return None  # before the first year there is nothing
