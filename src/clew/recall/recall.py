"""Question -> context: rank, choose what fits the budget, and keep a receipt of both. Start at `recall`."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from clew.assemble.context import POLICY, SIGMA, PackingPolicy, build_context
from clew.assemble.first_lines import NO_LINES, WHOLE, FirstLines
from clew.assemble.headlines import most_called
from clew.assemble.overview import kept_for_overview
from clew.assemble.receipt import receipt_id, receipt_maker, timings_of
from clew.config import NO_FLOOR, Config
from clew.index.view import IndexView, Mask
from clew.rank.anchors import WeightedRange
from clew.rank.confidence import UNLIKELY, Confidence, confidence
from clew.rank.end_turns import only_meant
from clew.rank.filter import Filter, without, without_positions
from clew.rank.frame import Frame
from clew.rank.information import information
from clew.rank.keywords import is_keyword_search, without_noise
from clew.rank.search import Ranking
from clew.rank.strategies import AUTO, RecallPlan, plan, rank_sigma
from clew.recall.beats_in_short import beats_in_short, beats_of_all
from clew.recall.fact_query import FactQuery
from clew.recall.masked_receipt import without_secrets
from clew.recall.positions import region_of
from clew.recall.query_facts import FactMatcher
from clew.recall.read_path import ReadPath
from clew.recall.required_facts import asks_for_facts, asks_for_now, outdated_facts, required_facts
from clew.recall.required_pins import required
from clew.recall.required_tasks import required_tasks
from clew.recall.session_ends import session_ends
from clew.recall.sessions import headlines
from clew.recall.shown_turns import words_of
from clew.rows.receipts import PendingReceipt
from clew.store.protocol import Reader
from clew.text.counters import Counter
from clew.types import Context, Receipt
from clew.types.pins import Pin
from clew.types.record import changed, copier

SHORTER: Final = 4
"""What the budget is divided by where nothing relevant was found: the nearest turns are still shown."""

LEAST: Final = 250
"""Tokens that a block may take in any case."""

BEST: Final = 40
"""Candidates whose sessions may be called by their titles."""

HITS: Final = 4
"""Facts nearest to a question about the present that are looked at for what has changed."""

TELLING: Final = 1.0
"""What the words of a question must tell, as `information` counts, before not finding them cuts a block short: a few
common words ("What is my job?") are often answered in others, as long as one of them occurs at all."""


_allowing: Final = copier(PackingPolicy, "allowed")
_with_lines: Final = copier(PackingPolicy, "first", "called")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What a caller wants of a recall beside the question and the filter, checked.

    Attributes:
        budget: tokens of the block; None leaves it to the strategy and the setting.
        place: the beat that the caller points at, see `Memory.recall`.
        window: tokens of the model's whole window, of which a strategy takes a share.
        asked_in: session in which the question is asked; while it is paused, no receipt is kept.
        view: the index from before the question was stored, see `Ranker.frame`; None for the present one.
        floor: what a turn must score by the question's own signals, unless it or a turn beside it has a word of it;
            of an overview nothing is left out, since every turn belongs to it.
    """

    budget: int | None
    counter: Counter
    place: int | None = None
    strategy: str = AUTO
    window: int | None = None
    asked_in: str | None = None
    view: IndexView | None = None
    floor: float = NO_FLOOR


def recall(
    path: ReadPath, query: str, request: RecallRequest, chosen: Filter, shown: Collection[tuple[str, int]] = ()
) -> Context:
    """The block of remembered turns for a question.

    Args:
        shown: turns, by session and place in it, that the caller has in the prompt already; they are left out.
    """
    started, now = time.perf_counter(), path.clock()
    region = () if request.place is None else _region(path, chosen.session, request.place)
    asked_at = chosen.as_of or now
    scope = path.selector.scope(chosen, asked_at)
    frame = path.ranker.frame(query, asked_at, region, shown, scope, request.view)
    mask = only_meant(frame, without(frame.view, scope.mask(frame.view), shown))
    kind = frame.intent.kind(placed=request.place is not None)
    planned = plan(kind, request.strategy, request.budget, request.window, path.config.budget)
    first = _first_lines(path, frame, mask, chosen, asked_at, planned.budget)
    mask = without_positions(frame.view, mask, first.instead)
    ranking = _ranked(path, planned, frame, mask)
    if request.floor > NO_FLOOR and not frame.intent.wants.overview:
        ranking = ranking.evident(request.floor)
    offered = len(ranking.positions)
    if planned.strategy != "sigma" and is_keyword_search(frame):
        ranking = without_noise(ranking, path.ranker.least_cosine(frame.view))
    status = path.status.at(path.live.version())
    must = _required(path, status.pins, ranking, mask, asked_at) if status.pins else {}
    sure = confidence(ranking) if _is_by_words(planned, frame, first) else None
    ranked = time.perf_counter()
    settings = {"budget": planned.budget, "counter": request.counter.name, "strategy": planned.strategy}
    settings |= {"intent": kind, **_settings(path, frame, chosen, request.place)}
    settings |= {"in_window": len(shown)} if shown else {}
    budget = planned.budget if must or first.lines else _room(planned.budget, sure, frame)
    with path.store.snapshot() as reader:
        policy = SIGMA if planned.strategy == "sigma" else _policy(path, reader, ranking, mask, budget, asked_at)
        called = headlines(reader, path.space, frame.view, _sessions(ranking, budget))
        context = build_context(
            ranking,
            partial(words_of, reader, path.space, frame.view),
            budget=budget,
            counter=request.counter,
            receipt_id=receipt_id(query, settings, now),
            must=must,
            policy=_with_lines(policy, first, called) if first.lines or called else policy,
        )
    if sure is not None:
        context = changed(context, budget=planned.budget, confidence=sure.value if context.text else 0.0)
    timings = timings_of(started, ranked, time.perf_counter())
    settings |= _early_end(offered - len(ranking.positions), planned.budget, budget)
    if not status.paused and request.asked_in not in status.paused_sessions:
        make = receipt_maker(context, frame, settings=settings, created_at=now, timings=timings, sure=sure)
        masked = partial(_masked, make, path.config)
        path.receipts.keep_pending(PendingReceipt(context.receipt_id, now, masked))
    return context


def _is_by_words(planned: RecallPlan, frame: Frame, first: FirstLines) -> bool:
    """Whether the words of the question choose the turns, so that the ranking tells whether they are answered."""
    wants = frame.intent.wants
    return not (
        planned.strategy == "sigma"
        or frame.pointed.alone
        or wants.overview
        or wants.decisions
        or (wants.open_tasks and first.lines)
        or first.share == WHOLE
    )


def _policy(
    path: ReadPath, reader: Reader, ranking: Ranking, mask: Mask | None, budget: int, now: datetime
) -> PackingPolicy:
    """How candidates are packed: with beats in short where the question asks for an overview and there is room."""
    wants = ranking.frame.intent.wants
    if not wants.summary or not kept_for_overview(budget, of_all=wants.overview):
        return _allowing(POLICY, mask)
    if wants.overview:
        beats = beats_of_all(reader, path.space, ranking, mask, now)
    else:
        beats = beats_in_short(reader, path.space, ranking, mask)
    return replace(POLICY, allowed=mask, beats=beats)


def _first_lines(
    path: ReadPath, frame: Frame, mask: Mask | None, chosen: Filter, now: datetime, budget: int
) -> FirstLines:
    """The lines that go before all turns: open tasks, the ends of a session of which an overview is wanted, or facts.

    What is done is told by turns that the caller's filter may leave out, unless they came later.
    """
    wants = frame.intent.wants
    if wants.open_tasks:
        every = replace(chosen, since=None, role=None, speaker=None, where=None)
        told = path.selector.mask(frame.view, every, now)
        with path.store.snapshot() as reader:
            return required_tasks(reader, path.space, frame.view, mask, told)
    if wants.overview:
        with path.store.snapshot() as reader:
            return session_ends(reader, path.space, frame.view, mask, budget, now)
    if asks_for_facts(frame.intent.text):
        with path.store.snapshot() as reader:
            times = FactQuery(as_of=chosen.as_of, known_at=chosen.known_at)
            return required_facts(reader, path.space, frame.intent.text, frame.view, mask, (times, now))
    if asks_for_now(frame.intent.text) and chosen.as_of is chosen.known_at is None:
        hits = FactMatcher(path.store, path.space).hits(frame.view, frame.intent, HITS)
        with path.store.snapshot() as reader:
            return outdated_facts(reader, path.space, hits, frame.view, mask, now)
    return NO_LINES


def _masked(make: Callable[[], Receipt], config: Config) -> Receipt:
    return without_secrets(make(), config)


def _room(budget: int, sure: Confidence | None, frame: Frame) -> int:
    """The tokens of a block: few of a large budget where nothing is relevant, since the rest would be noise."""
    if sure is None or sure.value >= UNLIKELY or _may_be_told_otherwise(frame):
        return budget
    return min(budget, max(LEAST, budget // SHORTER))


def _early_end(unrelated: int, asked: int, room: int) -> dict[str, int]:
    """Why a block ends before its budget, for the receipt: what the words do not lead to, or little relevance."""
    found = {"unrelated": unrelated, "room": room if room < asked else 0}
    return {name: value for name, value in found.items() if value}


def _may_be_told_otherwise(frame: Frame) -> bool:
    """Whether a question tells little, and not in words that are all unknown: then nothing leads to other ones."""
    told = information(frame.intent)
    known = not told or any(frame.view.document_frequency(term) for term in told)
    return known and sum(told.values()) < TELLING


def _sessions(ranking: Ranking, budget: int) -> list[str]:
    """The sessions of the best candidates, as many as may be called by their titles; none where there is one."""
    view = ranking.frame.view
    codes = dict.fromkeys(view.turns.session[ranking.positions[:BEST]].tolist())
    return [] if len(codes) < 2 else [view.sessions[code] for code in list(codes)[: most_called(budget)]]


def _ranked(path: ReadPath, planned: RecallPlan, frame: Frame, mask: Mask | None) -> Ranking:
    if planned.strategy == "sigma" and not frame.pointed.alone:
        return rank_sigma(frame, mask, lambda places: path.selector.sigma(frame.view, places))
    limit = path.config.recall.limit
    return path.ranker.rank(frame, limit if planned.results is None else min(limit, planned.results), mask)


def _required(
    path: ReadPath, pins: Sequence[Pin], ranking: Ranking, mask: Mask | None, now: datetime
) -> dict[int, str]:
    """The pinned turns that pass the caller's filter."""
    view = ranking.frame.view
    return required(pins, ranking, mask, lambda rule: path.selector.mask(view, Filter(where=rule), now))


def _settings(path: ReadPath, frame: Frame, chosen: Filter, place: int | None) -> dict[str, Any]:
    """What decided a ranking beside the question, for its receipt."""
    return {
        **path.ranked_by(frame),
        "filter": chosen.to_dict(),
        **({} if place is None else {"position": place}),
    }


def _region(path: ReadPath, session: str | None, place: int) -> tuple[WeightedRange, ...]:
    with path.store.snapshot() as reader:
        return region_of(reader, path.space, session, place)
