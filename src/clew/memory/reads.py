"""The methods of a memory that change no turn. Each checks its arguments and delegates."""

from collections.abc import Callable
from typing import Unpack

from clew.derive.entity_counts import entities_of, entity_page
from clew.derive.hierarchy import snapshots_of
from clew.errors import ClosedError, InputError, NotFoundError
from clew.ingest.encoding import escape_surrogates
from clew.maintain.verify import verify
from clew.memory.arguments import BUDGET, given_count, given_text
from clew.memory.statistics import stats_of
from clew.memory.wiring import Parts
from clew.rank.filter import RecallOptions, TurnFilters, filter_of, newest
from clew.rank.intent.time_window import End
from clew.rank.strategies import AUTO, checked
from clew.recall.chat_prompt import chat_prompt
from clew.recall.label_index import label_counts, labelled
from clew.recall.macro_history import domain_evolution, merged_domains, state_before_mention
from clew.recall.positions import one_position
from clew.recall.recall import RecallRequest, recall
from clew.recall.search import matching, quoting, search, stored_turn
from clew.recall.time_lookup import TimeRequest, remember
from clew.rows.annotations import TAG, annotations_of
from clew.rows.parameters import history
from clew.rows.pins import read_pins
from clew.structure.macro import Merged, Movement, StateBefore
from clew.text.counters import counter as counter_named
from clew.types import Context, Hit, Receipt, Stats, Turn, VerifyReport
from clew.types.annotation import Annotation
from clew.types.chunk import ContextSnapshot
from clew.types.entity import Entity, EntityPage
from clew.types.labels import LabelCount, Labelled
from clew.types.moments import Remembered
from clew.types.pins import Pin
from clew.types.tuning import Change

SESSION = "default"
"""The session of a chat whose caller names none."""


class MemoryReads:
    """The reads of one space. Threads may share it."""

    def __init__(self, parts: Parts) -> None:
        """Takes finished parts; `Memory.open` is the usual way."""
        self.parts, self.reads = parts, parts.reads
        self.space, self.config = parts.reads.space, parts.reads.config
        self.embedder = parts.models.embedder
        self.embedder_note: str | None = parts.models.note
        """Why there is no embedder, in one line; None when there is one, or none was asked for."""
        self.closed = False

    def _check_open(self) -> None:
        """Does nothing on an open memory.

        Raises:
            ClosedError: the memory is closed.
        """
        if self.closed:
            raise ClosedError

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
        in_window = given_count(
            how.pop("in_window", None) or 0, "in_window", "the number of newest turns in the prompt"
        )
        request = RecallRequest(
            None if budget is None else given_count(budget, "budget", BUDGET),
            counter_named(self.config.counter if counter is None else counter),
            one_position(position, context_position),
            strategy,
            window,
        )
        chosen = filter_of(how)
        shown = newest(self.reads.live.view(), chosen.session, in_window) if in_window else ()
        return recall(self.reads, given_text(query, "question"), request, chosen, shown)

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
        return search(self.reads, given_text(query, "question"), _given_limit(limit), filter_of(only), priced=False)

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
        return search(self.reads, given_text(query, "question"), _given_limit(limit), filter_of(only), priced=True)

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
        return matching(self.reads, filter_of({**only, "where": expression}), most)

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
        return stored_turn(self.reads, ref)

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
        request = TimeRequest(
            since=since,
            until=until,
            query=given_text(query or "", "question"),
            mode=mode,
            session=None if session is None else escape_surrogates(session),
            budget=given_count(self.config.budget if budget is None else budget, "budget", BUDGET),
            counter=counter_named(self.config.counter if counter is None else counter),
        )
        return remember(self.reads, request)

    def build_prompt(self, query: str, *, session: str = SESSION) -> str:
        """Context block, focus buffer and query, each under its heading; nothing in it appears twice.

        The buffer holds the last 10 messages of the session, as many of them as fit, the newest first to be chosen; the
        block, which is recalled from the whole space, takes what they leave of the budget in the settings. The query
        comes whole and is not counted.

        Raises:
            ConfigError: the counter in the settings is unknown; MissingExtra: its package is not installed.
        """
        self._check_open()
        return chat_prompt(self.reads, given_text(query, "question"), escape_surrogates(session))

    def explain(self, receipt: str | None = None) -> Receipt:
        """The receipt of a recall: what was considered, every signal's share, what was left out and why.

        Args:
            receipt: its name, as `Context.receipt_id` gives it; None for the newest of the space.

        Raises:
            NotFoundError: no such receipt, or it was dropped as one of the oldest.
        """
        self._check_open()
        return self.reads.receipts.newest() if receipt is None else self.reads.receipts.get(receipt)

    def stats(self) -> Stats:
        """What the space holds, in numbers."""
        self._check_open()
        return stats_of(self.parts)

    def annotations(self, ref: str) -> dict[str, Annotation]:
        """All annotations of a turn, by kind, sorted; kinds that were not computed, or not yet, are absent.

        Args:
            ref: the turn's id, or the id of a beat or chapter.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return annotations_of(reader, self.space, escape_surrogates(ref))

    def snapshots(self, session: str) -> list[ContextSnapshot]:
        """The closed beats of a session in their order, each with its turns as weighed chunks.

        The turns since the last closed beat are in none yet; a session that is unknown, or not analysed yet, has none.
        `drain` waits until all turns are analysed.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return snapshots_of(reader, self.space, escape_surrogates(session))

    def labels(self, namespace: str = TAG) -> list[LabelCount]:
        """What the space is about: its labels, the most frequent first; of equal ones by name.

        Args:
            namespace: `tag`, or `domain`.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return label_counts(reader, self.space, namespace)

    def labelled(self, name: str, namespace: str = TAG) -> list[Labelled]:
        """The beats and turns that a label marks, in the order of sessions and turns; none for an unknown one.

        Args:
            name: in any case or number; an alias finds what its label marks, a broad label also what its parts do, and
                `label/part` one part.

        Raises:
            InputError: the name is empty.
        """
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return labelled(reader, self.space, escape_surrogates(name), namespace)

    def entities(self) -> tuple[Entity, ...]:
        """The people, places and things that the turns name, the most named first; of equal ones by name.

        Turns are counted behind the acknowledgement; `drain` waits until all are. A nickname that was seen twice is
        counted for its bearer.
        """
        self._check_open()
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            return entities_of(reader, self.space, view)

    def entity(self, name: str) -> EntityPage:
        """One entity by any of its names, with its strongest neighbours and the newest turns that name it.

        Raises:
            NotFoundError: no turn names it.
        """
        self._check_open()
        view = self.reads.live.view()
        with self.reads.store.snapshot() as reader:
            page = entity_page(reader, self.space, view, escape_surrogates(name))
        if page is None:
            raise NotFoundError(f"no turn of space {self.space!r} names {name!r}; `entities` lists what is named")
        return page

    def state_before(self, session: str, concept: str) -> StateBefore | None:
        """What a conversation had been about before something was first mentioned in it.

        Args:
            concept: a word or phrase; the first turn that holds all of its terms counts.

        Returns:
            None when nothing in a closed beat mentions it.
        """
        self._check_open()
        return state_before_mention(self.reads, escape_surrogates(session), escape_surrogates(concept))

    def evolution(self, session: str) -> tuple[Movement, ...]:
        """How the domains of a conversation moved, closed beat by closed beat."""
        self._check_open()
        return domain_evolution(self.reads, escape_surrogates(session))

    def domains(self, *, current: str | None = None) -> Merged:
        """What all conversations of the space are about, old ones fading, so that they do not outvote the present.

        Args:
            current: the session that is going on; its beats do not fade.
        """
        self._check_open()
        return merged_domains(self.reads, None if current is None else escape_surrogates(current))

    def pins(self) -> list[Pin]:
        """What is pinned, the oldest first."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return read_pins(reader, self.space)

    def learned(self) -> list[Change]:
        """Every change of the learned values, the first one first; the last one holds."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return history(reader, self.space)

    def verify(self) -> VerifyReport:
        """Checks hashes, references, the index against the log, and the database file; changes nothing."""
        self._check_open()
        return verify(self.reads.store, self.space)


def _given_limit(limit: int) -> int:
    return given_count(limit, "limit", "the number of turns wanted")
