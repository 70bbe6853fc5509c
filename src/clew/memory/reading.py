"""What a memory gives back."""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, Unpack

from clew.assemble.context import POLICY, SIGMA, build_context
from clew.assemble.receipt import make_receipt, receipt_id, timings_of
from clew.errors import InputError, NotFoundError, StoreError
from clew.index.view import Mask
from clew.ingest.media import inline
from clew.learn.feedback import RECENT, note_restored
from clew.maintain.stats import gather_stats
from clew.memory.arguments import BUDGET, given_count, given_text
from clew.memory.wiring import Wired
from clew.rank.anchors import WeightedRange
from clew.rank.confidence import confidence
from clew.rank.filter import Filter, RecallOptions, TurnFilters, filter_of, newest, without
from clew.rank.frame import Frame
from clew.rank.quotes import find_quote
from clew.rank.search import Ranking
from clew.rank.strategies import AUTO, RecallPlan, checked, plan, rank_sigma
from clew.recall.positions import one_position, region_of
from clew.recall.required_pins import required
from clew.store.rows import turn_from_row
from clew.store.values import Row
from clew.text.counters import Counter
from clew.text.counters import counter as counter_named
from clew.types import (
    Context,
    Hit,
    Receipt,
    Stats,
    Turn,
    parse_turn_id,
    turn_id,
)
from clew.types.pins import Pin

log = logging.getLogger("clew.memory")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller wants of a recall, checked; `budget` None leaves it to the strategy and the setting."""

    budget: int | None
    counter: Counter
    place: int | None = None
    strategy: str = AUTO
    window: int | None = None


class Reading(Wired):
    """Recall, search, quotes, single turns and the reasons for what was recalled."""

    def recall(
        self,
        query: str,
        *,
        budget: int | None = None,
        counter: str | Callable[[str], int] | None = None,
        position: int | None = None,
        context_position: int | None = None,
        **how: Unpack[RecallOptions],
    ) -> Context:
        """The block of remembered turns to put before a model, within an exact budget.

        Args:
            budget: tokens of the whole block, headings included; None takes a share of `window` where that is given,
                else the setting.
            counter: name of a counter, or any function from text to tokens; None takes the setting.
            position: the beat whose turns, and whose neighbours' turns, come first: its `conversation_position`, or,
                when negative, how many beats ago it was. Of the session in `only`, else of the newest turn's.
            context_position: another name for `position`.
            how: restricts the turns, see `TurnFilters`; chooses the strategy, see `RecallOptions`.

        Raises:
            InputError: the budget, the window or `in_window` is negative, the strategy or the role is unknown, the time
                range ends before it starts, there is no beat at the position, or both names of it are given.
            ExpressionError: `where` cannot be read.
            ConfigError: no counter has that name; MissingExtra: its package is not installed.
        """
        self._check_open()
        strategy = checked(how.pop("strategy", AUTO), window := how.pop("window", None))
        held = given_count(how.pop("in_window", None) or 0, "in_window", "the number of newest turns in the prompt")
        wanted = Wanted(
            None if budget is None else given_count(budget, "budget", BUDGET),
            counter_named(self.config.counter if counter is None else counter),
            one_position(position, context_position),
            strategy,
            window,
        )
        chosen = filter_of(how)
        shown = newest(self._live.view(), chosen.session, held) if held else ()
        return self._recall(given_text(query, "question"), wanted, chosen, shown)

    def _recall(
        self,
        query: str,
        wanted: Wanted,
        chosen: Filter,
        shown: Collection[tuple[str, int]] = (),
    ) -> Context:
        """The same; `shown` are turns, by session and place in it, that the caller has in the prompt already."""
        started, now = time.perf_counter(), self._clock()
        region = () if wanted.place is None else self._region(chosen.session, wanted.place)
        asked_at = chosen.as_of or now
        frame = self._ranker.frame(query, asked_at, region, shown, chosen.session)
        mask = without(frame.view, self._chooser.mask(frame.view, chosen, asked_at), shown)
        kind = frame.intent.kind(placed=wanted.place is not None)
        planned = plan(kind, wanted.strategy, wanted.budget, wanted.window, self.config.budget)
        ranking = self._ranked(planned, frame, mask)
        circumstances = self._circumstances.at(self._live.version())
        must = self._required(circumstances.pins, ranking, mask, asked_at) if circumstances.pins else {}
        ranked = time.perf_counter()
        settings = {"budget": planned.budget, "counter": wanted.counter.name, "strategy": planned.strategy}
        settings |= {"intent": kind, **self._settings(frame, chosen, wanted.place)}
        settings |= {"in_window": len(shown)} if shown else {}
        with self._store.snapshot() as reader:
            context = build_context(
                ranking,
                lambda names: self._words(reader, names),
                budget=planned.budget,
                counter=wanted.counter,
                receipt_id=receipt_id(query, settings, now),
                must=must,
                policy=SIGMA if planned.strategy == "sigma" else POLICY,
            )
        if planned.strategy != "sigma":  # whose scores were not calibrated
            context = replace(context, confidence=confidence(ranking) if ranking and context.items else 0.0)
        timings = timings_of(started, ranked, time.perf_counter())
        if not circumstances.paused:
            self._receipts.keep(make_receipt(context, frame, settings=settings, created_at=now, timings=timings))
        return context

    def _ranked(self, planned: RecallPlan, frame: Frame, mask: Mask | None) -> Ranking:
        if planned.strategy == "sigma":
            return rank_sigma(frame, mask, lambda places: self._chooser.sigma(frame.view, places))
        limit = self.config.recall.limit
        return self._ranker.rank(frame, limit if planned.results is None else min(limit, planned.results), mask)

    def _required(self, pins: Sequence[Pin], ranking: Ranking, mask: Mask | None, now: datetime) -> dict[int, str]:
        """What is pinned and passes the caller's filter."""
        view = ranking.frame.view
        return required(pins, ranking, mask, lambda rule: self._chooser.mask(view, Filter(where=rule), now))

    def _settings(self, frame: Frame, chosen: Filter, place: int | None) -> dict[str, Any]:
        """What decided a ranking beside the question, for its receipt."""
        return {
            **self._ranked_by(frame),
            "filter": chosen.to_dict(),
            **({} if place is None else {"position": place}),
        }

    def _region(self, session: str | None, place: int) -> tuple[WeightedRange, ...]:
        with self._store.snapshot() as reader:
            return region_of(reader, self.space, session, place)

    def search(self, query: str, *, limit: int = 10, **only: Unpack[TurnFilters]) -> list[Hit]:
        """The best turns for a query, best first, each with what every signal added to its score.

        No budget is to be kept, so what a turn costs does not count, as it does in `ranked`.

        Args:
            only: restricts the turns, see `TurnFilters`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
            ExpressionError: `where` cannot be read.
        """
        return self._hits(query, limit, only, priced=False)

    def ranked(self, query: str, *, limit: int = 10, **only: Unpack[TurnFilters]) -> list[Hit]:
        """The turns in the order in which a recall prefers them, each with what every signal added to its score.

        As `search`, but what a turn costs counts: a long one may come after a short one that says less. A block takes
        them in this order as far as they fit, but for long ones that it shortens and for what is pinned.

        Args:
            only: restricts the turns, see `TurnFilters`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
            ExpressionError: `where` cannot be read.
        """
        return self._hits(query, limit, only, priced=True)

    def _hits(self, query: str, limit: int, only: TurnFilters, *, priced: bool) -> list[Hit]:
        self._check_open()
        limit = _checked_limit(limit)
        chosen = filter_of(only)
        asked_at = chosen.as_of or self._clock()
        frame = self._ranker.frame(given_text(query, "question"), asked_at, session=chosen.session)
        frame = frame if priced else frame.without_price
        ranking = self._ranker.rank(frame, limit, self._chooser.mask(frame.view, chosen, asked_at))
        with self._store.snapshot() as reader:
            found = list(zip(self._rows(reader, [(each.session, each.seq) for each in ranking]), ranking, strict=True))
        return [
            Hit(turn=turn_from_row(row), score=each.score, signals=each.shares)
            for row, each in found
            if row is not None  # forgotten since it was ranked
        ]

    def query(self, expression: str, *, limit: int | None = None, **only: Unpack[TurnFilters]) -> list[Turn]:
        """The turns for which an expression of the lattice algebra holds, in the order in which they came.

        `(O1 > 7) AND (O2 > 7)`; docs/query.md has all that may stand in one. It looks at all sessions of the space,
        unless `only` names one. Unknown is not false: of a turn that is not analysed yet no score holds, nor its
        contrary; `drain` waits for the analysis. Text that Clew injected is left out.

        Args:
            limit: how many turns at most; None for all.
            only: restricts the turns, see `TurnFilters`; `where` is the expression itself and cannot be given again.

        Raises:
            ExpressionError: the expression cannot be read; the message names the position.
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
        """
        self._check_open()
        if limit is not None:
            limit = _checked_limit(limit)
        if only.get("where") is not None:
            raise InputError("query takes one expression; join the two with AND instead of giving where as well")
        chosen = filter_of({**only, "where": expression})
        turns = self._chooser.turns(self._live.view(), chosen, chosen.as_of or self._clock())
        return list(islice((turn for turn in turns if turn.origin != "injected"), limit))

    def find_quote(self, text: str, *, limit: int = 10) -> list[Turn]:
        """Turns that hold a phrase word for word (case, accents and marks aside), newest first.

        Raises:
            InputError: the phrase has no letter or digit, or the limit is negative.
        """
        self._check_open()
        limit = _checked_limit(limit)
        view = self._live.view()  # not inside the snapshot, whose older state it would take for the newest
        with self._store.snapshot() as reader:
            return find_quote(
                view,
                lambda names: [_stored(row) for row in self._rows(reader, names)],
                given_text(text, "phrase"),
                limit,
            )

    def get(self, ref: str) -> Turn:
        """The stored turn of that id, as it is stored: large parts as pointers to blobs.

        Raises:
            InputError: that is no turn id.
            NotFoundError: no such turn.
        """
        self._check_open()
        session, seq = parse_turn_id(ref)
        with self._store.snapshot() as reader:
            turn = _stored(reader.get("turn", (self.space, session, seq)))
        if turn is None:
            name = turn_id(session, seq)
            raise NotFoundError(f"no turn {name!r} in space {self.space!r}; it may have been forgotten")
        return turn

    def restore(self, ref: str) -> Turn:
        """The turn of that id with every original back in place: images and long tool outputs, byte for byte.

        Raises:
            InputError: that is no turn id.
            NotFoundError: no such turn.
        """
        turn = self.get(ref)
        self._note_restored(turn)
        with self._store.snapshot() as reader:
            return inline(turn, lambda sha: _blob(reader.get_blob(self.space, sha), sha))

    def _note_restored(self, turn: Turn) -> None:
        """Counts it for the newest recall that named the turn; what cannot be written is no reason not to restore."""
        try:
            self._receipts.flush()
            note_restored(self._store, self.space, self._receipts.recent(RECENT), str(turn.id), self._clock())
        except StoreError as error:
            log.warning("that %s was restored is not recorded: %s", turn.id, error)

    def explain(self, receipt: str | None = None) -> Receipt:
        """The receipt of a recall: what was considered, every signal's share, what was left out and why.

        Args:
            receipt: its name, as `Context.receipt_id` gives it; None for the newest of the space.

        Raises:
            NotFoundError: no such receipt, or it was dropped as one of the oldest.
        """
        self._check_open()
        return self._receipts.newest() if receipt is None else self._receipts.get(receipt)

    def stats(self) -> Stats:
        """What the space holds, in numbers."""
        self._check_open()
        view = self._live.view()
        details = {
            "embedder": getattr(self.embedder, "name", None),
            "embedder_serving": getattr(self._ranker.serving(view), "name", None),
            "embedder_superseded_by": self._worker.superseded_by,
            "store": self._store.url,
            "embed_failed": self._worker.put_aside,
            "worker_failure": self._worker.failure,
            "llm": getattr(self._worker.models, "name", None),
            "llm_failure": getattr(self._worker.models, "failure", None),
        }
        if self._worker.recognition is not None:
            details |= self._worker.recognition.state()
        details["learned"] = self._learned.now().version
        return gather_stats(self._store, self.space, view, self._worker.pending(), details)


def _stored(row: Row | None) -> Turn | None:
    return None if row is None else turn_from_row(row)


def _checked_limit(limit: int) -> int:
    return given_count(limit, "limit", "the number of turns wanted")


def _blob(data: bytes | None, sha: str) -> bytes:
    if data is None:
        raise NotFoundError(f"blob {sha[:12]} is missing; `clew verify` says what else is")
    return data
