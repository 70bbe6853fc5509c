"""What a memory says of a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from datetime import time as clock_time
from typing import Any, Final

import numpy as np

from clew.assemble.receipt import receipt_id, timings_of
from clew.assemble.timeline_block import TimelineEntry, lay_out
from clew.assemble.timeline_receipt import TimelineResult, timeline_receipt
from clew.index.view import IndexView
from clew.ingest.encoding import escape_surrogates
from clew.memory.arguments import BUDGET, given_count, given_text
from clew.memory.wiring import Wired
from clew.rank.filter import Filter
from clew.rank.frame import Frame
from clew.rank.intent.time_window import End, TimeWindow, mode_of, time_window
from clew.rank.search import Ranking
from clew.rank.timeline import on_topic
from clew.recall.timeline import MOST, Places, Scene, days_of, offers
from clew.rows.pause import paused_since
from clew.store.rows import to_us
from clew.text.counters import counter as counter_named
from clew.types.moments import Remembered

_NONE: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What was found of a time; `TimelineResult` has the meaning of what it shares with it."""

    positions: Places
    lines: list[TimelineEntry]
    ranking: Ranking | None
    weights: dict[int, dict[str, float]]
    considered: int
    settings: dict[str, Any]
    paused: bool


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
        started, now = time.perf_counter(), self._clock()
        budget = given_count(self.config.budget if budget is None else budget, "budget", BUDGET)
        count = counter_named(self.config.counter if counter is None else counter)
        text = given_text(query or "", "question")
        session = None if session is None else escape_surrogates(session)
        window = time_window(since, until, text, now, days_of(self._live.view(), session))
        chosen = mode_of(mode, text, window)
        look = self._look(chosen, window, session, now)
        looked = time.perf_counter()
        packed, moments = lay_out(look.lines, budget, count)
        timings = timings_of(started, looked, time.perf_counter())
        found = Remembered(
            mode=chosen,
            turns=len(look.positions),
            text=packed.text,
            tokens=packed.tokens,
            budget=budget,
            moments=moments,
            left_out=len(look.lines) - len(moments),
            since=window.since,
            until=window.until,
            counted_from=_midnight(window.counted_from),
        )
        settings = {"budget": budget, "counter": count.name, "mode": chosen, "asked": _as_given(mode, since, until)}
        name = receipt_id(text, settings := settings | look.settings, now)
        if not look.paused:  # a receipt repeats the question
            told = TimelineResult(text, window.rest, look.considered, look.lines, packed, look.ranking, look.weights)
            self._receipts.keep(timeline_receipt(told, name, settings=settings, created_at=now, timings=timings))
        return replace(found, receipt_id=name)

    def _look(self, mode: str, window: TimeWindow, session: str | None, now: datetime) -> "_Look":
        """The lines about a time in the order in which they are to be shown, and what they were chosen from."""
        window = replace(window, since=None) if mode == "state_at_time" and window.began(now) else window
        frame = self._ranker.frame(window.rest, now, session=session) if window.about else None
        view = self._live.view() if frame is None else frame.view
        positions, ranking = self._in_window(view, frame, window, session)
        ranked = _NONE if ranking is None else ranking.positions if mode == "lookup" else on_topic(ranking)
        with self._store.snapshot() as reader:
            scene = Scene(reader, self.space, view, positions, ranked, frame)
            lines = offers(mode, scene)
            paused = paused_since(reader, self.space) is not None
        settings: dict[str, Any] = {"filter": Filter(session=session, since=window.since, until=window.until).to_dict()}
        settings |= {} if window.counted_from is None else {"counted_from": window.counted_from.isoformat()}
        settings |= {} if frame is None else self._ranked_by(frame)
        return _Look(
            positions=positions,
            lines=lines,
            ranking=ranking,
            weights=scene.weights,
            considered=len(view.turns.ordinal),
            settings={"in_time": len(positions), "offered": len(lines), **settings},
            paused=paused,
        )

    def _in_window(
        self, view: IndexView, frame: Frame | None, window: TimeWindow, session: str | None
    ) -> tuple[Places, Ranking | None]:
        """The turns of the time, and the best of them for the question; None without one."""
        mask = view.mask(session=session, since=to_us(window.since), until=to_us(window.until))
        shown = view.turns.chars > 0  # injected text has no characters in the index and is never a memory
        mask = shown if mask is None else mask & shown
        positions = np.flatnonzero(mask)
        if frame is None or not len(positions):
            return positions, None
        return positions, self._ranker.rank(frame, MOST, mask)


def _as_given(mode: str, since: End, until: End) -> dict[str, str]:
    """What was asked of which time, in the caller's words; an end that was not given is absent."""
    ends = {"since": since, "until": until}
    told = {name: end if isinstance(end, str) else end.isoformat() for name, end in ends.items() if end is not None}
    return {"mode": mode, **told}


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, clock_time(), UTC)
