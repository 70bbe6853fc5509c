"""What a memory says of a time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from datetime import time as clock_time
from typing import Final

import numpy as np

from clew.assemble.moments import lay_out
from clew.index.view import IndexView
from clew.ingest.encoding import escape_surrogates
from clew.memory.given import BUDGET, given_count, given_text
from clew.memory.wiring import Wired
from clew.pipeline.remember import MOST, Places, Scene, days_of, offers
from clew.recall.frame import Frame
from clew.recall.when import End, Window, mode_of, on_topic, window_of
from clew.store.rows import to_us
from clew.text.counters import counter as counter_named
from clew.types.moments import Remembered

_NONE: Final = np.zeros(0, dtype=np.int64)


class Times(Wired):
    """Questions about a stretch of time."""

    def remember_when(
        self,
        since: End = None,
        until: End = None,
        query: str | None = None,
        mode: str = "auto",
        *,
        session: str | None = None,
        budget: int | None = None,
        counter: str | Callable[[str], int] | None = None,
    ) -> Remembered:
        """What was said in a stretch of time, without a model: turns, and the titles of beats and chapters.

        The modes: `lookup` gives the best turns for the question in the time; `state_at_time` the latest of them before
        its end; `change_over_time` the best of each beat from the first to the last; `summarize_over_time` what each
        day, week, month or year was about; `window_overview` what all of it was about. `auto` decides (docs/time.md).

        Args:
            since: beginning of the time: a moment, or an expression such as "last week", of which the first moment
                counts; turns without an event time are left out of any time that has an end.
            until: its end: the first moment after it, or an expression, of which the last day is included.
            query: the question; the times that it names count where neither end is given.
            session: only this conversation.
            budget: tokens of the block; None takes the setting.
            counter: as for `recall`.

        Raises:
            InputError: the mode is unknown, or `lookup` without a question; an expression names no time; the time ends
                before it starts; the budget is negative.
        """
        self._check_open()
        budget = given_count(self.config.budget if budget is None else budget, "budget", BUDGET)
        count = counter_named(self.config.counter if counter is None else counter)
        text, now = given_text(query or "", "question"), self._clock()
        session = None if session is None else escape_surrogates(session)
        view = self._live.view()
        window = window_of(since, until, text, now, days_of(view, session))
        chosen = mode_of(mode, text, window)
        frame = self._ranker.frame(window.rest, now) if window.about else None
        view = view if frame is None else frame.view
        whole = replace(window, since=None) if chosen == "state_at_time" and window.began(now) else window
        positions, ranked = self._in_window(view, frame, whole, session, lookup=chosen == "lookup")
        with self._store.snapshot() as reader:
            lines = offers(chosen, Scene(reader, self.space, view, positions, ranked, frame))
        packed, moments = lay_out(lines, budget, count)
        counted = window.counted_from
        return Remembered(
            mode=chosen,
            turns=len(positions),
            text=packed.text,
            tokens=packed.tokens,
            budget=budget,
            moments=moments,
            left_out=len(lines) - len(moments),
            since=window.since,
            until=window.until,
            counted_from=None if counted is None else datetime.combine(counted, clock_time(), UTC),
        )

    def _in_window(
        self, view: IndexView, frame: Frame | None, window: Window, session: str | None, *, lookup: bool
    ) -> tuple[Places, Places]:
        """The turns of the time, and the best of them for the question."""
        mask = view.mask(session=session, since=to_us(window.since), until=to_us(window.until))
        shown = view.turns.chars > 0  # injected text has no characters in the index and is never a memory
        mask = shown if mask is None else mask & shown
        positions = np.flatnonzero(mask)
        if frame is None or not len(positions):
            return positions, _NONE
        ranking = self._ranker.rank(frame, MOST, mask)
        return positions, ranking.positions if lookup else on_topic(ranking)
