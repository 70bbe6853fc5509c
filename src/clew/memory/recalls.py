"""The questions to a memory that return turns and receipts. Start at `open_recalls`.

Borders: imports nothing that stores, derives or maintains, so that a program which only asks starts quickly.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Unpack, cast

from clew.condense.recap import BUDGET as RECAP_BUDGET
from clew.condense.recap import Recap
from clew.condense.wires.protocol import checked_list
from clew.errors import ClosedError, InputError
from clew.forks import see_that_it_is_ours
from clew.memory.arguments import (
    BUDGET,
    IN_WINDOW,
    WINDOW,
    given_count,
    given_flag,
    given_moment,
    given_name,
    given_place,
    given_session,
    given_text,
)
from clew.memory.opening import Clock, Models, open_home
from clew.memory.signatures import listing_options
from clew.models.protocol import Embedder
from clew.rank.filter import Filter, RecallOptions, SessionFilters, TurnFilters, filter_of, newest
from clew.rank.intent.time_window import End, is_moment
from clew.rank.strategies import AUTO, checked
from clew.recall.brief import brief
from clew.recall.chat_prompt import chat_prompt
from clew.recall.insurance import insurance
from clew.recall.positions import one_position
from clew.recall.read_path import ReadPath, read_path
from clew.recall.recall import RecallRequest, recall
from clew.recall.recap import STYLES, Style, recap_of
from clew.recall.search import matching, quoting, search, stored_turn
from clew.recall.sessions import list_sessions
from clew.recall.shown import shown_of
from clew.recall.time_lookup import TimeRequest, remember
from clew.recall.timeline import with_moments
from clew.rows.compactions import receipt_of_compaction
from clew.rows.turn_log import stored_turns
from clew.store.open import IN_MEMORY
from clew.store.protocol import Store
from clew.text.counters import Counter, Counting
from clew.text.counters import counter as counter_named
from clew.types import Context, Hit, Receipt, Turn
from clew.types.moments import Remembered
from clew.types.session import SessionInfo
from clew.types.shown import Shown
from clew.types.turn import aware

SESSION = "default"
"""The session of a chat whose caller names none."""


INSURANCE_BUDGET: Final = 2_000
"""Tokens that bring back what a client's history lost, if nothing else is asked for (DESIGN 10)."""


class MemoryRecalls:
    """The questions to one space that return turns and receipts. Threads may share it."""

    def __init__(self, reads: ReadPath, models: Models) -> None:
        """Takes finished parts; `Memory.open` and `open_recalls` are the usual ways."""
        self.reads = reads
        self.space, self.config = reads.space, reads.config
        self.embedder = models.embedder
        self.embedder_note: str | None = models.note
        """Why there is no embedder, in one line; None when there is one, or none was asked for."""
        self.closed = False
        self._process = os.getpid()

    def _check_open(self) -> None:
        """Does nothing on an open memory.

        Raises:
            ClosedError: the memory is closed, or was opened before this process was forked.
        """
        if self.closed:
            raise ClosedError
        if self._is_inherited():
            see_that_it_is_ours(self._process)

    def _is_inherited(self) -> bool:
        """Whether another process, which forked this one, opened the memory; one without a file is a copy."""
        return self._process != os.getpid() and self.reads.store.url != IN_MEMORY

    def _filter(self, only: TurnFilters) -> Filter:
        """The caller's filters, checked, with words for a time as moments."""
        if isinstance(only.get("since"), str) or isinstance(only.get("until"), str):
            only = cast(TurnFilters, with_moments(self.reads.live.view(), self.reads.clock(), only))
        for name in ("as_of", "known_at"):
            if only.get(name) is not None:
                moment = given_moment(only.get(name), name, self.reads.clock())
                only = cast(TurnFilters, {**only, name: moment})
        return filter_of(only)

    @property
    def is_writable(self) -> bool:
        """Whether this process may write the home; if not, what would change it raises StoreReadOnly."""
        return self.reads.store.writable

    @property
    def is_empty(self) -> bool:
        """Whether the space has no turns."""
        return not len(self.reads.live.outline().turns.ordinal)

    def warm_up(self) -> None:
        """Loads the index and the embedder's model now, so that the first question is answered as fast as any other.

        Optional: without it the first question loads them (0.1 s for 100,000 turns, 0.3 s for the local model). A model
        that cannot be loaded is logged, as at a recall.
        """
        self._check_open()
        self.reads.ranker.warm_up()

    @listing_options(RecallOptions, strategy=AUTO)
    def recall(
        self,
        query: str,
        *,
        budget: int | None = None,
        counter: Counting | None = None,
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
        strategy, window, in_window = how.pop("strategy", AUTO), how.pop("window", None), how.pop("in_window", None)
        request = RecallRequest(
            None if budget is None else given_count(budget, "budget", BUDGET),
            self._counter(counter),
            one_position(position, context_position),
            checked(strategy),
            None if window is None else given_count(window, "window", WINDOW),
        )
        count = 0 if in_window is None else given_count(in_window, "in_window", IN_WINDOW)
        chosen = self._filter(how)
        shown = newest(self.reads.live.view(), chosen.session, count) if count else ()
        return recall(self.reads, given_text(query, "question"), request, chosen, shown)

    @listing_options(TurnFilters)
    def search(self, query: str, *, limit: int = 10, **only: Unpack[TurnFilters]) -> list[Hit]:
        """The best turns for a query, best first, each with what every signal added to its score.

        No budget is to be kept, so what a turn costs does not count, as it does in `ranked`.

        Args:
            only: restricts the turns, see `TurnFilters`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
            ExpressionError: `where` cannot be read.
        """
        self._check_open()
        return search(self.reads, given_text(query, "question"), _given_limit(limit), self._filter(only), priced=False)

    @listing_options(TurnFilters)
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
        self._check_open()
        return search(self.reads, given_text(query, "question"), _given_limit(limit), self._filter(only), priced=True)

    @listing_options(TurnFilters)
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
        most = None if limit is None else _given_limit(limit)
        if only.get("where") is not None:
            raise InputError("query takes one expression; join the two with AND instead of giving where as well")
        only = {**only, "where": given_text(expression, "expression")}
        return matching(self.reads, self._filter(only), most)

    def find_quote(self, text: str, *, limit: int = 10) -> list[Turn]:
        """Turns that hold a phrase word for word (case, accents and marks aside), newest first.

        Raises:
            InputError: the phrase has no letter or digit, or the limit is negative.
        """
        self._check_open()
        return quoting(self.reads, given_text(text, "phrase"), _given_limit(limit))

    def get(self, ref: str) -> Turn:
        """The stored turn of that id, as it is stored: large parts as pointers to blobs.

        Raises:
            InputError: that is no turn id.
            NotFoundError: no such turn.
        """
        self._check_open()
        return stored_turn(self.reads, given_name(ref, "turn id"))

    @listing_options(SessionFilters)
    def remember_when(
        self,
        query: End = None,
        since: End = None,
        until: End = None,
        mode: str = "auto",
        *,
        budget: int | None = None,
        counter: Counting | None = None,
        **only: Unpack[SessionFilters],
    ) -> Remembered:
        """What was said in a stretch of time, without a model: turns, and the titles of beats and chapters.

        The modes: `lookup` gives the best turns for the question in the time; `state_at_time` the latest of them before
        its end; `change_over_time` the best of each beat from the first to the last; `summarize_over_time` what each
        day, week, month or year was about; `window_overview` what all of it was about. `auto` decides (docs/time.md).

        Args:
            query: the question; the times that it names count where neither end is given. When a moment stands here (a
                datetime, or a date such as "2024-03-01" with an end after it), the first three are since, until, query.
            since: beginning of the time: a moment, or an expression such as "last week", of which the first moment
                counts; turns without an event time are left out of any time that has an end.
            until: its end: the first moment after it, or an expression, of which the last day is included.
            budget: tokens of the block; None takes the setting.
            counter: as for `recall`.
            only: restricts the conversations: `session`, `project` and `branch`, see `TurnFilters`.

        Raises:
            InputError: the mode is unknown, or `lookup` without a question; an expression names no time; the time ends
                before it starts; the budget is negative.
        """
        self._check_open()
        chosen = filter_of(cast(TurnFilters, only))
        if isinstance(query, datetime) or (since is not None and is_moment(query)):
            query, since, until = until, query, since
        request = TimeRequest(
            since=since,
            until=until,
            query=given_text("" if query is None else query, "question"),
            mode=mode,
            session=chosen.session,
            budget=given_count(self.config.budget if budget is None else budget, "budget", BUDGET),
            counter=self._counter(counter),
            project=chosen.project,
            branch=chosen.branch,
        )
        return remember(self.reads, request)

    def recap(
        self,
        session: str,
        *,
        budget: int = RECAP_BUDGET,
        style: Style = "auto",
        counter: Counting | None = None,
        until_now: bool = False,
    ) -> Recap:
        """A session on a page or two: goal, state, decisions, open tasks, turning points, and the values needed again.

        Made without a model from the session's own words, each line with the number of its turn; the same session and
        budget give the same bytes. A session that was condensed is recapped up to its last compaction, without reading
        its turns.

        Args:
            budget: tokens by `counter`; the text never has more.
            style: `quest` for work with tools and files, `chat` for talk; `auto` decides by SIGMA's score.
            counter: as for `recall`.
            until_now: tell of the turns after the last compaction too: for a reader who does not see them, as those
                in a prompt are. Such a recap changes with every turn.

        Raises:
            ConfigError: no counter has that name; MissingExtra: its package is not installed.
            InputError: the budget is negative, or there is no such style.
            NotFoundError: there is no such session.
        """
        self._check_open()
        if style not in STYLES:
            raise InputError(f"style {style!r} is unknown; expected one of {', '.join(STYLES)}")
        most = given_count(budget, "budget", "tokens of the recap")
        count = self._counter(counter)
        name = given_name(session, "session")
        return recap_of(self.reads, name, count, budget=most, style=style, until_now=given_flag(until_now, "until_now"))

    def shown(self, session: str) -> list[Shown]:
        """What stands for which turns of a session now, in the order of their first turns.

        Turns that no compaction covers stand for themselves, as do the important ones; the others are shown by
        summaries of topics, the oldest by digests or titles. The recap comes on top. `restore` gives each turn in full.

        Raises:
            NotFoundError: there is no such session.
        """
        self._check_open()
        return shown_of(self.reads, given_name(session, "session"), counter_named(self.config.counter))

    def insure(
        self,
        session: str,
        messages: Sequence[dict[str, Any]],
        *,
        budget: int = INSURANCE_BUDGET,
        counter: Counting | None = None,
    ) -> Recap:
        """What a client's history has lost of a session since it was cut or compacted, as a recap within a budget.

        A stored turn is lost if the texts of the messages hold no part of it. Open tasks, decisions, turning points and
        values that the messages do not mention are brought back, each with the number of its turn.

        Args:
            messages: the history that the client sends now, in any of the four wire formats.
            budget: tokens by `counter`; the text never has more. It is empty when nothing was lost.
            counter: as for `recall`.

        Raises:
            ConfigError: no counter has that name; MissingExtra: its package is not installed.
            InputError: the budget is negative, or `messages` is not a list of objects.
            NotFoundError: there is no such session.
        """
        self._check_open()
        most = given_count(budget, "budget", "tokens of what is brought back")
        count = self._counter(counter)
        return insurance(self.reads, given_name(session, "session"), checked_list(messages), count, budget=most)

    def turns(self, session: str | None = None) -> list[Turn]:
        """The turns of a conversation, or of the whole space, as they were stored, in order of arrival.

        Args:
            session: name of the conversation, in full; an unknown one has no turns.
        """
        self._check_open()
        return stored_turns(self.reads.store, self.space, None if session is None else given_session(session))

    def sessions(
        self,
        *,
        project: str | None = None,
        branch: str | None = None,
        since: End = None,
        limit: int | None = None,
    ) -> list[SessionInfo]:
        """The conversations with title, project folder, git branch, client, start, end and length, the latest first.

        Args:
            project: name of the project folder, or a path that contains it.
            branch: git branch at the first or last turn.
            since: only conversations with a turn at or after this moment, or since a time such as "last week".

        Raises:
            InputError: the limit is negative, or `since` names no time.
        """
        self._check_open()
        most = None if limit is None else given_count(limit, "limit", "the number of sessions wanted")
        place = given_place(project, branch)
        view = self.reads.live.view()
        earliest = aware(with_moments(view, self.reads.clock(), {"since": since})["since"], "since")
        with self.reads.store.snapshot() as reader:
            return list_sessions(reader, self.space, view, **place, since=earliest, limit=most)

    def brief(self, *, project: str | None = None, branch: str | None = None) -> str:
        """The last session of a project, what it was about and what stayed open, as text; empty if there is none.

        Args:
            project: name of the project folder, or a path that contains it; None for all.
            branch: git branch at the first or last turn of a session.
        """
        self._check_open()
        return brief(self.reads, **given_place(project, branch))

    def _counter(self, chosen: Counting | None) -> Counter:
        """The counter that a caller chose, else that of the settings."""
        return counter_named(self.config.counter if chosen is None else chosen)

    def build_prompt(self, query: str, *, session: str = SESSION) -> str:
        """Context block, focus buffer and query, each under its heading; nothing in it appears twice.

        The buffer holds the last 10 messages of the session, as many of them as fit, the newest first to be chosen; the
        block, which is recalled from the whole space, takes what they leave of the budget in the settings. The query
        comes whole and is not counted.

        Raises:
            ConfigError: the counter in the settings is unknown; MissingExtra: its package is not installed.
        """
        self._check_open()
        return chat_prompt(self.reads, given_text(query, "question"), given_session(session))

    def explain(self, receipt_id: str | None = None) -> Receipt:
        """The receipt of a recall or compaction: what was considered, every signal's share, what was left out and why.

        Args:
            receipt_id: its name, as `Context.receipt_id` gives it; None for the newest of the space.

        Raises:
            NotFoundError: no such receipt, or it was dropped as one of the oldest.
        """
        self._check_open()
        if receipt_id is None:
            return self.reads.receipts.newest()
        name = given_name(receipt_id, "receipt")
        with self.reads.store.snapshot() as reader:
            compacted = receipt_of_compaction(reader, self.space, name)
        return self.reads.receipts.get(name) if compacted is None else compacted


@contextmanager
def open_recalls(
    path: str | Path | Store | None = None,
    *,
    space: str = "default",
    embedder: str | Embedder | None = None,
    clock: Clock | None = None,
) -> Iterator[MemoryRecalls]:
    """Opens a home for questions only: no background work is started, and receipts are written at the end.

    The arguments and errors are those of `Memory.open`.
    """
    home = open_home(path, space=space, embedder=embedder, clock=clock)
    with closing(home.store) if home.owns_store else nullcontext():
        reads = read_path(
            home.store, space, home.config, home.clock, home.models.embedder, home.models.previous, home.settings_given
        )
        try:
            yield MemoryRecalls(reads, home.models)
        finally:
            reads.receipts.close()


def _given_limit(limit: int) -> int:
    return given_count(limit, "limit", "the number of turns wanted")
