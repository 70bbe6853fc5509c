"""Answers a question with a block of turns: ranks, chooses what fits the budget, keeps a receipt. Start at `recall`."""

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
from clew.rank.ranker import RankingOptions
from clew.rank.search import Ranking
from clew.rank.strategies import AUTO, RecallPlan, rank_sigma
from clew.rank.strategies import plan as plan_recall
from clew.recall.beats_in_short import beats_in_short, beats_of_all
from clew.recall.block_words import words_of
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
from clew.rows.receipts import PendingReceipt
from clew.store.protocol import Reader
from clew.text.counters import Counter
from clew.types import Context, Receipt
from clew.types.pins import Pin
from clew.types.record import changed, copier

SHORTER: Final = 4
"""What the budget is divided by if nothing relevant was found: the nearest turns are still shown."""

LEAST: Final = 250
"""Tokens that a block may take even then."""

BEST: Final = 40
"""How many candidates may have their sessions called by their titles."""

HITS: Final = 4
"""How many facts near to a question about the present are examined for changes."""

TELLING: Final = 1.0
"""Information (see `information`) that the words of a question must carry for a block to be cut short when they are not
found. A question of a few common words ("What is my job?") is often answered in other words."""

_allowing: Final = copier(PackingPolicy, "allowed")
_with_lines: Final = copier(PackingPolicy, "first", "called")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The checked options of a recall, apart from the question and the filter.

    Attributes:
        budget: tokens of the block; None leaves it to the strategy and the setting.
        place: position of the beat whose turns are preferred, see `Memory.recall`.
        window: tokens of the model's whole window, of which a strategy takes a share.
        asked_in: session in which the question is asked; while it is paused, no receipt is kept.
        view: the index from before the question was stored, see `Ranker.frame`; None for the present one.
        floor: the score that a turn must reach by the signals of the question, unless it or a neighbour contains a word
            of it. Overviews ignore it.
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
    search = _search(path, query, request, chosen, shown, chosen.as_of or now)
    plan, first, frame = search.plan, search.first, search.ranking.frame
    status = path.status.at(path.live.version())
    pinned = _pinned(path, status.pins, search) if status.pins else {}
    sure = confidence(search.ranking) if _is_by_words(search) else None
    ranked = time.perf_counter()
    budget = plan.budget if pinned or first.lines else _useful_budget(plan.budget, sure, frame)
    settings = _settings(path, search, request, chosen, len(shown))
    with path.store.snapshot() as reader:
        context = build_context(
            search.ranking,
            partial(words_of, reader, path.space, frame.view),
            budget=budget,
            counter=request.counter,
            receipt_id=receipt_id(query, settings, now),
            must=pinned,
            policy=_policy(path, reader, search, budget),
        )
    if sure is not None:
        context = changed(context, budget=plan.budget, confidence=sure.value if context.text else 0.0)
    timings = timings_of(started, ranked, time.perf_counter())
    settings |= _early_end(search.unrelated, plan.budget, budget)
    if not status.paused and request.asked_in not in status.paused_sessions:
        make = receipt_maker(context, frame, settings=settings, created_at=now, timings=timings, sure=sure)
        masked = partial(_masked, make, path.config)
        path.receipts.keep_pending(PendingReceipt(context.receipt_id, now, masked))
    return context


@dataclass(frozen=True, slots=True)
class _Search:
    """What was found for a question, and how.

    Attributes:
        mask: the turns that may be in the block; None for all.
        first: lines that go before all turns.
        unrelated: turns that were ranked, and taken out since the words of the question do not lead to them.
        asked_at: the moment as of which the question is asked.
    """

    plan: RecallPlan
    ranking: Ranking
    mask: Mask | None
    first: FirstLines
    unrelated: int
    asked_at: datetime


def _search(
    path: ReadPath,
    query: str,
    request: RecallRequest,
    chosen: Filter,
    shown: Collection[tuple[str, int]],
    asked_at: datetime,
) -> _Search:
    """Ranks the turns for a question."""
    region = () if request.place is None else _region(path, chosen.session, request.place)
    scope = path.selector.scope(chosen, asked_at)
    frame = path.ranker.frame(
        query, asked_at, RankingOptions(region=region, shown=shown, scope=scope, view=request.view)
    )
    mask = only_meant(frame, without(frame.view, scope.mask(frame.view), shown))
    kind = frame.intent.kind(placed=request.place is not None)
    plan = plan_recall(kind, request.strategy, request.budget, request.window, path.config.budget)
    first = _first_lines(path, frame, mask, chosen, asked_at, plan.budget)
    mask = without_positions(frame.view, mask, first.instead)
    ranking = _ranked(path, plan, frame, mask)
    if request.floor > NO_FLOOR and not frame.intent.wants.overview:
        ranking = ranking.evident(request.floor)
    count = len(ranking.positions)
    if plan.strategy != "sigma" and is_keyword_search(frame):
        ranking = without_noise(ranking, path.ranker.least_cosine(frame.view))
    return _Search(plan, ranking, mask, first, count - len(ranking.positions), asked_at)


def _is_by_words(search: _Search) -> bool:
    """Whether the words of the question select the turns, so that the ranking shows whether they are answered."""
    frame, first = search.ranking.frame, search.first
    wants = frame.intent.wants
    return not (
        search.plan.strategy == "sigma"
        or frame.pointed.alone
        or wants.overview
        or wants.decisions
        or (wants.open_tasks and first.lines)
        or first.share == WHOLE
    )


def _policy(path: ReadPath, reader: Reader, search: _Search, budget: int) -> PackingPolicy:
    """How candidates are packed, with the lines and the headlines that go before them."""
    view, first = search.ranking.frame.view, search.first
    policy = SIGMA if search.plan.strategy == "sigma" else _packing(path, reader, search, budget)
    called = headlines(reader, path.space, view, _sessions(search.ranking, budget))
    return _with_lines(policy, first, called) if first.lines or called else policy


def _packing(path: ReadPath, reader: Reader, search: _Search, budget: int) -> PackingPolicy:
    """The policy for turns, with beats in short if the question asks for an overview and there is room for it."""
    wants, mask = search.ranking.frame.intent.wants, search.mask
    if not wants.summary or not kept_for_overview(budget, of_all=wants.overview):
        return _allowing(POLICY, mask)
    if wants.overview:
        beats = beats_of_all(reader, path.space, search.ranking, mask, search.asked_at)
    else:
        beats = beats_in_short(reader, path.space, search.ranking, mask)
    return replace(POLICY, allowed=mask, beats=beats)


def _first_lines(
    path: ReadPath, frame: Frame, mask: Mask | None, chosen: Filter, now: datetime, budget: int
) -> FirstLines:
    """The lines that go before all turns: open tasks, the ends of a session of which an overview is wanted, or facts.

    Whether a task is done is read from all turns up to the filter's end, also from those that the filter leaves out.
    """
    wants = frame.intent.wants
    if wants.open_tasks:
        until = replace(chosen, since=None, role=None, speaker=None, where=None)
        read = path.selector.mask(frame.view, until, now)
        with path.store.snapshot() as reader:
            return required_tasks(reader, path.space, frame.view, mask, read)
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


def _useful_budget(budget: int, sure: Confidence | None, frame: Frame) -> int:
    """The tokens to fill: only a part of a large budget if nothing relevant was found, to keep noise out."""
    if sure is None or sure.value >= UNLIKELY or _may_be_said_otherwise(frame):
        return budget
    return min(budget, max(LEAST, budget // SHORTER))


def _early_end(unrelated: int, asked: int, filled: int) -> dict[str, int]:
    """The settings by which the receipt says that the block is short on purpose, if it is."""
    reasons = {"unrelated": unrelated, "room": filled if filled < asked else 0}
    return {name: value for name, value in reasons.items() if value}


def _may_be_said_otherwise(frame: Frame) -> bool:
    """Whether the question has only common words, so that its answer may be worded differently."""
    values = information(frame.intent)
    known = not values or any(frame.view.document_frequency(term) for term in values)
    return known and sum(values.values()) < TELLING


def _sessions(ranking: Ranking, budget: int) -> list[str]:
    """The sessions of the best candidates, which may get a headline; empty if there is only one session."""
    view = ranking.frame.view
    codes = dict.fromkeys(view.turns.session[ranking.positions[:BEST]].tolist())
    return [] if len(codes) < 2 else [view.sessions[code] for code in list(codes)[: most_called(budget)]]


def _ranked(path: ReadPath, plan: RecallPlan, frame: Frame, mask: Mask | None) -> Ranking:
    if plan.strategy == "sigma" and not frame.pointed.alone:
        return rank_sigma(frame, mask, lambda places: path.selector.sigma(frame.view, places))
    limit = path.config.recall.limit
    return path.ranker.rank(frame, limit if plan.results is None else min(limit, plan.results), mask)


def _pinned(path: ReadPath, pins: Sequence[Pin], search: _Search) -> dict[int, str]:
    """The pinned turns that pass the caller's filter."""
    view = search.ranking.frame.view

    def matching(rule: str) -> Mask | None:
        return path.selector.mask(view, Filter(where=rule), search.asked_at)

    return required(pins, search.ranking, search.mask, matching)


def _settings(
    path: ReadPath, search: _Search, request: RecallRequest, chosen: Filter, in_window: int
) -> dict[str, Any]:
    """What decided a block beside the question, for its receipt."""
    plan = search.plan
    return {
        "budget": plan.budget,
        "counter": request.counter.name,
        "strategy": plan.strategy,
        "intent": plan.kind,
        **path.ranked_by(search.ranking.frame),
        "filter": chosen.to_dict(),
        **({} if request.place is None else {"position": request.place}),
        **({"in_window": in_window} if in_window else {}),
    }


def _region(path: ReadPath, session: str | None, place: int) -> tuple[WeightedRange, ...]:
    with path.store.snapshot() as reader:
        return region_of(reader, path.space, session, place)
