"""The methods of a memory that return turns, contexts and receipts. Start at `open_recalls`.

Imports nothing that stores, derives or maintains, so that a program that only asks questions starts quickly.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NoReturn, Unpack, cast

from clew.condense.recap import BUDGET as RECAP_BUDGET
from clew.condense.recap import Recap
from clew.condense.wires.protocol import checked_list
from clew.errors import ClosedError, InputError
from clew.forks import refuse_inherited
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
from clew.types.exact import exact_choice
from clew.types.moments import Remembered
from clew.types.session import SessionInfo
from clew.types.shown import Shown
from clew.types.turn import aware

SESSION = "default"
"""The session of a chat for which the caller gives no name."""

_NEWEST: Final = "last"
"""In place of a receipt's id, as on the command line."""

INSURANCE_BUDGET: Final = 2_000
"""Default budget of `insure`, in tokens."""


class MemoryRecalls:
    """Questions to one space that return turns, contexts and receipts. Threads may share it."""

    def __init__(self, reads: ReadPath, models: Models) -> None:
        """Takes finished parts; `Memory.open` and `open_recalls` are the usual ways."""
        self.reads = reads
        self.space, self.config = reads.space, reads.config
        self.embedder = models.embedder
        self.embedder_note: str | None = models.note
        """Why there is no embedder, in one line; None when there is one, or none was asked for."""
        self.closed = False
        self._process = os.getpid()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<{type(self).__name__} of space {self.space!r} in {self.reads.store.url}, {state}>"

    def __reduce__(self) -> NoReturn:
        raise InputError(
            f"{self!r} holds an open home and cannot be copied or pickled; threads may share it, and each process "
            "calls Memory.open"
        )

    def _check_open(self) -> None:
        """Does nothing on an open memory.

        Raises:
            ClosedError: the memory is closed, or was opened before this process was forked.
        """
        if self.closed:
            raise ClosedError
        if self._is_inherited():
            refuse_inherited(self._process)

    def _is_inherited(self) -> bool:
        """Whether the process that forked this one opened the memory. A memory without a file is copied by a fork."""
        return self._process != os.getpid() and self.reads.store.url != IN_MEMORY

    def _filter(self, only: TurnFilters) -> Filter:
        """The caller's filters, checked, with expressions of time replaced by moments."""
        if isinstance(only.get("since"), str) or isinstance(only.get("until"), str):
            only = cast(TurnFilters, with_moments(self.reads.live.view(), self.reads.clock(), only))
        for name in ("as_of", "known_at"):
            if only.get(name) is not None:
                moment = given_moment(only.get(name), name, self.reads.clock())
                only = cast(TurnFilters, {**only, name: moment})
        return filter_of(only)

    @property
    def is_writable(self) -> bool:
        """Whether this process may write the home; if not, methods that would change it raise StoreReadOnly."""
        return self.reads.store.writable

    @property
    def is_empty(self) -> bool:
        """Whether the space has no turns."""
        return not len(self.reads.live.outline().turns.ordinal)

    def warm_up(self) -> None:
        """Loads the index and the embedder's model now, so that the first question is answered as fast as any other.

        Without this call the first question loads them (0.1 s for 100,000 turns, 0.3 s for the local model). A model
        that cannot be loaded is logged, not raised.
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
        """Finds the turns that answer a question and renders them as a block of text within an exact budget.

        Args:
            budget: tokens of the whole block, headings included; None takes a share of `window` if that is given,
                otherwise the setting `budget`.
            counter: name of a token counter, or a function from text to tokens; None takes the setting `counter`.
            position: the beat (topic segment) whose turns, and whose neighbours' turns, are preferred: its
                `conversation_position`, or, if negative, how many beats ago it was. It is a beat of the option
                `session`, or of the newest turn's session.
            context_position: another name for `position`.
            how: options that restrict the turns and choose the strategy, see `RecallOptions`.

        Raises:
            InputError: the budget, the window or `in_window` is negative, the strategy or the role is unknown, the time
                range ends before it starts, no beat has this position, or both names of `position` are given.
            ExpressionError: `where` cannot be parsed.
            ConfigError: there is no counter of this name.
            MissingExtra: the counter's package is not installed.
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
        """Returns the best turns for a query, best first, each with the share of every signal in its score.

        The length of a turn does not matter, since there is no budget; `ranked` counts it.

        Args:
            only: options that restrict the turns, see `TurnFilters`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
            ExpressionError: `where` cannot be parsed.
        """
        self._check_open()
        return search(self.reads, given_text(query, "question"), _given_limit(limit), self._filter(only), priced=False)

    @listing_options(TurnFilters)
    def ranked(self, query: str, *, limit: int = 10, **only: Unpack[TurnFilters]) -> list[Hit]:
        """Returns turns in the order in which `recall` takes them, each with the share of every signal in its score.

        Unlike `search`, it takes the tokens of a turn into account: a long turn may rank below a shorter and less
        relevant one. A block takes turns in this order while they fit, shortens long ones, and adds the pinned ones.

        Args:
            only: options that restrict the turns, see `TurnFilters`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
            ExpressionError: `where` cannot be parsed.
        """
        self._check_open()
        return search(self.reads, given_text(query, "question"), _given_limit(limit), self._filter(only), priced=True)

    @listing_options(TurnFilters)
    def query(self, expression: str, *, limit: int | None = None, **only: Unpack[TurnFilters]) -> list[Turn]:
        """Returns the turns for which an expression such as `(O1 > 7) AND (O2 > 7)` holds, in order of arrival.

        docs/query.md describes expressions. All sessions of the space are searched, unless the option `session` names
        one. For a turn that is not analysed yet a score is unknown: neither a condition on it nor the negation holds;
        `drain` waits for the analysis. Text that Clew injected is left out.

        Args:
            limit: the most turns to return; None for all.
            only: options that restrict the turns, see `TurnFilters`; `where` cannot be given beside the expression.

        Raises:
            ExpressionError: the expression cannot be parsed; the message names the position.
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
        """
        self._check_open()
        most = None if limit is None else _given_limit(limit)
        if only.get("where") is not None:
            raise InputError("query takes one expression; join the two with AND instead of giving where as well")
        only = {**only, "where": given_text(expression, "expression")}
        return matching(self.reads, self._filter(only), most)

    def find_quote(self, text: str, *, limit: int = 10) -> list[Turn]:
        """Returns the turns that contain a phrase, newest first; case, accents and punctuation are ignored.

        Raises:
            InputError: the phrase has no letter or digit, or the limit is negative.
        """
        self._check_open()
        return quoting(self.reads, given_text(text, "phrase"), _given_limit(limit))

    def get(self, ref: str) -> Turn:
        """Returns a turn as it is stored, with pointers in place of large parts; `restore` puts these back.

        Raises:
            InputError: `ref` is not a turn's id.
            NotFoundError: there is no such turn.
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
        """Tells what was said in a period, without a model: turns, and the titles of beats and chapters.

        The mode `lookup` returns the turns of the period that answer the question best; `state_at_time` the latest good
        answers before its end; `change_over_time` the best of each beat, in order of time; `summarize_over_time` what
        each day, week, month or year was about; `window_overview` what all of it was about; `auto` decides
        (docs/time.md).

        Args:
            query: the question; if neither `since` nor `until` is given, the times it names are the period. If the
                first argument is a moment (a datetime, or a date such as "2024-03-01" followed by an end), the first
                three arguments are read as since, until, query.
            since: start of the period: a moment, or an expression such as "last week", whose first moment counts. Turns
                without an event time belong to no period that has a start or an end.
            until: end of the period: the first moment after it, or an expression, whose last day is included.
            budget: tokens of the block; None takes the setting.
            counter: as for `recall`.
            only: options that restrict the conversations: `session`, `project` and `branch`, see `TurnFilters`.

        Raises:
            InputError: the mode is unknown, `lookup` has no question, an expression names no time, the period ends
                before it starts, or the budget is negative.
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
        """Sums up a session on a page or two: goal, state, decisions, open tasks, turning points, values needed again.

        It is made without a model from the session's own words; each line has the number of its turn. The same session
        and budget always give the same text. The recap of a condensed session ends at the last compaction and is made
        without reading the turns.

        Args:
            budget: the most tokens of the text, by `counter`.
            style: `quest` for work with tools and files, `chat` for conversation; `auto` decides by SIGMA's score.
            counter: as for `recall`.
            until_now: include the turns after the last compaction, for a reader who does not have them in a prompt.
                Such a recap changes with every turn.

        Raises:
            ConfigError: there is no counter of this name.
            MissingExtra: the counter's package is not installed.
            InputError: the budget is negative, or there is no such style.
            NotFoundError: there is no such session.
        """
        self._check_open()
        chosen = exact_choice(style, "style", STYLES)
        most = given_count(budget, "budget", "tokens of the recap")
        count = self._counter(counter)
        name = given_name(session, "session")
        return recap_of(
            self.reads, name, count, budget=most, style=chosen, until_now=given_flag(until_now, "until_now")
        )

    def shown(self, session: str) -> list[Shown]:
        """Lists what a prompt shows for the turns of a session, in the order of their first turns.

        Important turns, and those after the last compaction, are shown as they are; the others by a summary of their
        topic, the oldest by a digest or a title. The recap is not listed. `restore` returns each turn in full.

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
        """Recaps what a client's history has lost of a session since the client cut or compacted it.

        A stored turn is lost if the messages contain no part of its text. The recap has the open tasks, decisions,
        turning points and values of such turns that the messages do not mention, each with the number of its turn.

        Args:
            messages: the history that the client sends now, in any of the four wire formats.
            budget: the most tokens of the text, by `counter`; the text is empty if nothing was lost.
            counter: as for `recall`.

        Raises:
            ConfigError: there is no counter of this name.
            MissingExtra: the counter's package is not installed.
            InputError: the budget is negative, or `messages` is not a list of objects.
            NotFoundError: there is no such session.
        """
        self._check_open()
        most = given_count(budget, "budget", "tokens of what is brought back")
        count = self._counter(counter)
        return insurance(self.reads, given_name(session, "session"), checked_list(messages), count, budget=most)

    def turns(self, session: str | None = None) -> list[Turn]:
        """Returns the stored turns of a session, or of the whole space, in order of arrival.

        Args:
            session: its full name; an unknown session has no turns.
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
        """Lists the sessions with title, project folder, git branch, client, start, end and length, latest first.

        Args:
            project: name of the project folder, or a path that contains it.
            branch: git branch at the first or last turn.
            since: only sessions with a turn since this moment, or since a time such as "last week".
            limit: the most sessions to return; None for all.

        Raises:
            InputError: the limit is negative, or `since` names no time.
        """
        self._check_open()
        most = None if limit is None else given_count(limit, "limit", "the number of sessions wanted")
        chosen = given_place(project, branch)
        view = self.reads.live.view()
        earliest = aware(with_moments(view, self.reads.clock(), {"since": since})["since"], "since")
        with self.reads.store.snapshot() as reader:
            return list_sessions(reader, self.space, view, chosen, since=earliest, limit=most)

    def brief(self, *, project: str | None = None, branch: str | None = None) -> str:
        """Describes the last session of a project, what it was about and what stayed open; empty if there is none.

        Args:
            project: name of the project folder, or a path that contains it; None for any.
            branch: git branch at the first or last turn of a session.
        """
        self._check_open()
        return brief(self.reads, given_place(project, branch))

    def _counter(self, chosen: Counting | None) -> Counter:
        """The counter that the caller chose, or that of the settings."""
        return counter_named(self.config.counter if chosen is None else chosen)

    def build_prompt(self, query: str, *, session: str = SESSION) -> str:
        """Builds a prompt: the recalled block, the latest messages of the session, and the query, each under a heading.

        The latest messages are at most 10, the newest of those that fit into the budget of the settings. The block is
        recalled from the whole space within what they leave, and repeats none of them. The query is not counted.

        Raises:
            ConfigError: the counter in the settings is unknown.
            MissingExtra: the counter's package is not installed.
        """
        self._check_open()
        return chat_prompt(self.reads, given_text(query, "question"), given_session(session))

    def explain(self, receipt_id: str | None = None) -> Receipt:
        """Returns the receipt of a recall or compaction: what was considered, each signal's share, what was left out.

        Args:
            receipt_id: as in `Context.receipt_id`; None or `last` for the newest receipt of the space.

        Raises:
            NotFoundError: there is no such receipt, or it was dropped because newer ones took its place.
        """
        self._check_open()
        name = _NEWEST if receipt_id is None else given_name(receipt_id, "receipt")
        if name == _NEWEST:
            return self.reads.receipts.newest()
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
    """Opens a home for questions only: no background work is started, and receipts are written when it is closed.

    The arguments and errors are those of `Memory.open`.
    """
    home = open_home(path, space=space, embedder=embedder, clock=clock)
    with closing(home.store) if home.owns_store else nullcontext():
        models = home.models
        reads = read_path(
            *(home.store, home.space, home.config, home.clock, models.embedder, models.previous, home.settings_given)
        )
        try:
            yield MemoryRecalls(reads, models)
        finally:
            reads.receipts.close()


def _given_limit(limit: int) -> int:
    return given_count(limit, "limit", "the number of turns wanted")
