"""Describes what was said in a period, with or without a question. Start at `remember`."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from datetime import time as clock_time
from typing import Any, Final

import numpy as np

from clew.assemble.receipt import receipt_id, timings_of
from clew.assemble.timeline_block import TimelineEntry, lay_out
from clew.assemble.timeline_receipt import TimelineResult, timeline_receipt
from clew.index.view import IndexView
from clew.rank.filter import Filter
from clew.rank.frame import Frame
from clew.rank.intent.time_window import End, TimeWindow, mode_of, time_window
from clew.rank.ranker import RankingOptions
from clew.rank.search import Ranking
from clew.rank.timeline import on_topic
from clew.recall.masked_receipt import without_secrets
from clew.recall.read_path import ReadPath
from clew.recall.timeline import MOST, Places, Scene, days_of, offers
from clew.rows.pause import paused_since
from clew.text.counters import Counter
from clew.types.moments import Remembered

_NONE: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRequest:
    """A look at a stretch of time, checked.

    Attributes:
        since, until: as the caller gave them.
        query: the question; empty without one.
        session: only this conversation; None for all.
        project, branch: only conversations of this project folder, or on this git branch.
        budget: tokens of the block.
    """

    since: End
    until: End
    query: str
    mode: str
    session: str | None
    budget: int
    counter: Counter
    project: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    """What there is to show of a time; `TimelineResult` has the meaning of the fields that it shares."""

    positions: Places
    lines: list[TimelineEntry]
    ranking: Ranking | None
    weights: dict[int, dict[str, float]]
    considered: int
    settings: dict[str, Any]
    paused: bool


def remember(path: ReadPath, request: TimeRequest) -> Remembered:
    """What was said in a stretch of time, see `Memory.remember_when`."""
    started, now = time.perf_counter(), path.clock()
    text, session, count = request.query, request.session, request.counter
    window = time_window(request.since, request.until, text, now, days_of(path.live.view(), session))
    mode = mode_of(request.mode, text, window)
    of_project = Filter(session=session, project=request.project, branch=request.branch)
    findings = _findings(path, mode, window, of_project, now)
    looked = time.perf_counter()
    packed, moments = lay_out(findings.lines, request.budget, count)
    timings = timings_of(started, looked, time.perf_counter())
    remembered = Remembered(
        mode=mode,
        turns=len(findings.positions),
        text=packed.text,
        tokens=packed.tokens,
        budget=request.budget,
        moments=moments,
        left_out=len(findings.lines) - len(moments),
        since=window.since,
        until=window.until,
        excluded=window.excluded,
        counted_from=_midnight(window.counted_from),
    )
    settings = {"budget": request.budget, "counter": count.name, "mode": mode, "asked": _as_given(request)}
    name = receipt_id(text, settings := settings | findings.settings, now)
    if not findings.paused:  # a receipt repeats the question
        result = TimelineResult(
            text, window.rest, findings.considered, findings.lines, packed, findings.ranking, findings.weights
        )
        receipt = timeline_receipt(result, name, settings=settings, created_at=now, timings=timings)
        path.receipts.keep(without_secrets(receipt, path.config))
    return replace(remembered, receipt_id=name)


def _findings(path: ReadPath, mode: str, window: TimeWindow, sessions: Filter, now: datetime) -> _Findings:
    """The lines about a period in the order in which they are shown, and what they were chosen from."""
    window = replace(window, since=None) if mode == "state_at_time" and window.began(now) else window
    chosen = replace(sessions, since=window.since, until=window.until)
    frame = None
    if window.about:
        frame = path.ranker.frame(window.rest, now, RankingOptions(scope=path.selector.scope(chosen, now)))
    view = path.live.view() if frame is None else frame.view
    positions, ranking = _in_window(path, view, frame, chosen, window.excluded, now)
    ranked = _NONE if ranking is None else ranking.positions if mode == "lookup" else on_topic(ranking)
    with path.store.snapshot() as reader:
        scene = Scene(reader, path.space, view, positions, ranked, frame)
        lines = offers(mode, scene)
        paused = paused_since(reader, path.space) is not None
    settings: dict[str, Any] = {"filter": chosen.to_dict()}
    if window.excluded:
        settings["excluded"] = [[start.isoformat(), end.isoformat()] for start, end in window.excluded]
    settings |= {} if window.counted_from is None else {"counted_from": window.counted_from.isoformat()}
    settings |= {} if frame is None else path.ranked_by(frame)
    return _Findings(
        positions=positions,
        lines=lines,
        ranking=ranking,
        weights=scene.weights,
        considered=len(view.turns.ordinal),
        settings={"in_time": len(positions), "offered": len(lines), **settings},
        paused=paused,
    )


def _in_window(
    path: ReadPath,
    view: IndexView,
    frame: Frame | None,
    chosen: Filter,
    excluded: Sequence[tuple[datetime, datetime]],
    now: datetime,
) -> tuple[Places, Ranking | None]:
    """The turns of the period, and the ranking of those that answer the question, None without a question."""
    mask = path.selector.mask(view, chosen, now)
    shown = view.turns.chars > 0  # injected text has no characters in the index and is never a memory
    mask = shown if mask is None else mask & shown
    for start, end in excluded:
        left_out = Filter(since=start, until=end).mask(view)
        mask = mask if left_out is None else mask & ~left_out
    positions = np.flatnonzero(mask)
    if frame is None or not len(positions):
        return positions, None
    return positions, path.ranker.rank(frame, MOST, mask)


def _as_given(request: TimeRequest) -> dict[str, str]:
    """The question and the period in the caller's words; an end that was not given is absent."""
    ends = {"since": request.since, "until": request.until}
    given = {name: end if isinstance(end, str) else end.isoformat() for name, end in ends.items() if end is not None}
    return {"mode": request.mode, **given}


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, clock_time(), UTC)
