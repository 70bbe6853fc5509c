"""Ranks questions over the current index, and caches the vectors of recent questions. Start at `Ranker.frame`."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np

from clew.config import RecallConfig
from clew.errors import InputError, ModelError
from clew.index.bm25 import prepare_windows
from clew.index.live import LiveIndex
from clew.index.vectors import cosine, likeness
from clew.index.view import IndexView, Mask
from clew.models.checked_calls import embed_checked, warm_up
from clew.models.protocol import Embedder, Matrix
from clew.rank.anchors import LOOKED, FindNodes, PointedTurns, WeightedRange, resolve_positions
from clew.rank.confidence import prepare_confidence
from clew.rank.covered_days import covered_days
from clew.rank.end_turns import TALKS, counted_talks, end_turns, last_talk, work_pointed
from clew.rank.filter import EVERYWHERE, SearchScope
from clew.rank.frame import Frame, FrameParts, Scores, make_frame, without_price
from clew.rank.graph_context import GraphContextReader
from clew.rank.information import UsedWords
from clew.rank.intent import Intent, read_intent
from clew.rank.intent.respelling import with_respelt_words
from clew.rank.intent.title_words import title_words
from clew.rank.intent.work_questions import WorkAsked
from clew.rank.intent.workplaces import Workplace, workplace
from clew.rank.labels import LabelLookup, QuestionLabels
from clew.rank.participants import assistant_takes_part
from clew.rank.search import Ranking, prepare, rank
from clew.rank.second_lookup import FIRST, ReadTexts, seeds
from clew.rank.session_order import FindTalks, TalksByTime, any_sessions, sessions_with
from clew.structure.nicknames import nicknames
from clew.text.terms import joined_terms

log = logging.getLogger("clew.rank")

KEPT_QUESTIONS: Final = 256
"""Questions whose vectors are cached, so that asking again costs no embedding."""

NEAR: Final = {"minilm-l6-int8": 0.32, "minilm-l6-fp32": 0.32}
"""Cosine that the turn nearest to a question must reach, by model; below it the cosines are noise and are ignored.

The lowest such cosine of 271 development questions (LoCoMo, REALTALK, BEAM) was 0.358; of the same questions asked of
another conversation of the set, 33, 3 and 28 % lie below. Models not listed were not measured and have no limit.
"""

NO_LIMIT: Final = -1.0
"""The lowest possible cosine, as a limit that every turn reaches."""

_NO_MATCH: Final = ("",)
"""The terms of a question that no turn matches."""


@dataclass(frozen=True, slots=True)
class RankingSources:
    """What a ranking reads beside the index. A source that is None is never asked, and its signals stay silent.

    Attributes:
        graph: reads the entity graph and the hierarchy of beats.
        labels: compares the labels of a question with those of the turns.
        importance: returns the importance of every turn of a view; NaN while unknown.
        texts: reads the text of turns, for the second look-up.
        outline: finds the turns of the beats or chapters that a question counts back to.
        titles: finds the beginnings of the conversations whose titles contain all of some words.
        workplaces: finds the conversations on a branch or in a project that a question names.
        facts: returns the share of a question that the best fact of each turn answers.
        work: finds the turns with work of a kind in some sessions, among the turns that a mask lets through.
        talks: chooses the sessions in which somebody talked; by default, every session counts.
    """

    graph: GraphContextReader | None = None
    labels: LabelLookup | None = None
    importance: Callable[[IndexView], Scores] | None = None
    texts: ReadTexts | None = None
    outline: FindNodes | None = None
    titles: Callable[[IndexView, frozenset[str]], tuple[WeightedRange, ...]] | None = None
    workplaces: Callable[[IndexView, Workplace], tuple[WeightedRange, ...]] | None = None
    facts: Callable[[IndexView, Intent], Scores | None] | None = None
    work: Callable[[IndexView, WorkAsked, Sequence[str], Mask | None], Sequence[WeightedRange]] | None = None
    talks: FindTalks = any_sessions


NO_SOURCES: Final = RankingSources()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """How a question is to be ranked, beside its words and its time.

    Attributes:
        region: turns at the place in the conversation to which the caller points; empty where it points to none.
        shown: turns that the caller has on the screen, as (session, seq). Labels that they have raise no turn.
        scope: the session from which the question counts, and the turns that the caller's filters let through.
        view: the index as it was before the question was stored. It is used unless the question counts from its own
            place ("three turns ago"), which needs the current index. None for the current index in any case.
        priced: whether long turns lose for the tokens they cost; False for rankings without a budget.
    """

    region: tuple[WeightedRange, ...] = ()
    shown: Collection[tuple[str, int]] = ()
    scope: SearchScope = EVERYWHERE
    view: IndexView | None = None
    priced: bool = True


NO_OPTIONS: Final = RankingOptions()


class _Reading(NamedTuple):
    """A question as it was read over a view.

    Attributes:
        is_near: whether some turn is near enough to the question for its vector to count.
    """

    intent: Intent
    view: IndexView
    config: RecallConfig
    with_assistant: bool
    is_near: bool


class Ranker:
    """Ranks the turns of one space. Threads may share it."""

    def __init__(
        self,
        live: LiveIndex,
        embedder: Embedder | None,
        config: Callable[[], RecallConfig],
        previous: Embedder | None = None,
        sources: RankingSources = NO_SOURCES,
    ) -> None:
        """`previous` serves for as long as its vectors are there: until those of `embedder` cover every turn.

        Args:
            config: returns the settings that hold when a question is asked.
            sources: what is read beside the index.
        """
        self._live = live
        self._embedder = embedder
        self._previous = previous
        self._config = config
        self._sources = sources
        self._vectors: OrderedDict[tuple[str, ...], Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def frame(self, text: str, now: datetime, options: RankingOptions = NO_OPTIONS) -> Frame:
        """Gathers everything that the ranking of one question looks at.

        Args:
            now: when the question is asked; times such as "last week" are counted from it.
        """
        view = self._live.view() if options.view is None else options.view
        with_assistant = assistant_takes_part(view)
        intent = _read(text, now, view, with_assistant=with_assistant)
        if options.view is not None and (intent.positions or intent.end is not None):
            return self.frame(text, now, replace(options, view=None))
        cosines = self._cosines(view, intent)
        similarity = cosines if cosines is not None and self._is_near(view, cosines) else None
        config = self._config() if options.priced else without_price(self._config())
        reading = _Reading(intent, view, config, with_assistant, similarity is not None)
        parts = self._parts(reading, options, now)
        if cosines is not None and (serving := self.serving(view)) is not None:
            parts |= {"cosines": cosines[0], "alike": likeness(view, serving.name)}
        frame = make_frame(intent, view, config, similarity, with_assistant=with_assistant, **parts)
        return self._with_workplace(frame)

    def _parts(self, reading: _Reading, options: RankingOptions, now: datetime) -> FrameParts:
        """What the sources say about the question, as far as a signal with a weight needs it."""
        intent, view, config, sources = reading.intent, reading.view, reading.config, self._sources
        parts: FrameParts = {"region": options.region}
        if sources.graph is not None:
            parts["around"] = sources.graph.look(intent.text, config, view)
        if sources.importance is not None and config.importance:
            parts["importance"] = sources.importance(view)
        if intent.end is not None or intent.work is not None or (intent.positions and config.position):
            parts["pointed"] = self._pointed(reading, now, options.scope)
        if sources.titles is not None and config.position:
            words = title_words(intent.text, exact=intent.wants.exact)
            parts |= {"titled": sources.titles(view, words)} if words else {}
        if sources.facts is not None and config.fact:
            parts["facts"] = sources.facts(view, intent)
        if sources.labels is not None and (config.label or config.hub):
            parts["labels"] = self._labels(reading, sources.labels, options.shown)
        return parts

    def _with_workplace(self, frame: Frame) -> Frame:
        """The frame with the conversations on the branch or in the project that the question names, if it names one."""
        find = self._sources.workplaces
        if find is None or not frame.config.position:
            return frame
        place = workplace(frame.intent.text, exact=frame.intent.wants.exact)
        ranges = () if place is None else find(frame.view, place)
        if not ranges or place is None:
            return frame
        if place.is_all:
            return replace(frame, titled=(*frame.titled, *ranges))
        pointed = replace(frame.pointed, stretches=(*frame.pointed.stretches, *ranges))
        return replace(frame, pointed=pointed)

    def _pointed(self, reading: _Reading, now: datetime, scope: SearchScope) -> PointedTurns:
        """The turns to which the words of the question point.

        Where the question asks for nothing but work of a kind, or the end of a conversation, these turns are the
        answer. Conversations between people continue from session to session, so "the beginning" is that of the first
        session; beside an assistant it is that of the current session.
        """
        view, intent, mask = reading.view, reading.intent, scope.mask(reading.view)
        among = None if scope.session is not None or mask is None or not mask.any() else sessions_with(view, mask)
        talks = TalksByTime(view, now, scope.session, self._sources.talks, among)
        if intent.work is not None and (work := self._work(view, intent.work, talks, mask)):
            return work_pointed(intent.work, work)
        end = intent.end
        if end is None:
            return resolve_positions(view, intent.positions, talks, self._sources.outline)
        if end.counted is not None:
            return counted_talks(view, end.counted, talks)
        is_earliest = end.is_first and (end.is_ever or not reading.with_assistant)
        sessions = talks.earliest(TALKS) if is_earliest else talks.latest(TALKS)
        if end.is_whole:
            return last_talk(view, sessions, now)
        return end_turns(view, end, intent.speakers, sessions, mask, with_assistant=reading.with_assistant)

    def _work(
        self, view: IndexView, asked: WorkAsked, talks: TalksByTime, mask: Mask | None
    ) -> Sequence[WeightedRange]:
        """The turns with the kind of work that the question asks for; empty when there is no such work."""
        find = self._sources.work
        return () if find is None or not len(view.turns.ordinal) else find(view, asked, talks.latest(LOOKED), mask)

    def _labels(self, reading: _Reading, lookup: LabelLookup, shown: Collection[tuple[str, int]]) -> QuestionLabels:
        """The labels of the question compared with those of the turns.

        The vector of the question takes part only if some turn is near to it.
        """
        embedder, vector = self.serving(reading.view), None
        if reading.is_near and embedder is not None:
            vector = embedder.name, self._embedded(embedder, _forms(reading.intent))[0]
        return lookup(reading.view, reading.intent, vector, shown, hubs=reading.config.hub > 0)

    def rank(self, frame: Frame, limit: int, mask: Mask | None) -> Ranking:
        """The best `limit` turns that the mask lets through, best first; the mask None lets all turns through.

        A question that needs two steps is ranked twice: the second time with terms from the best turns of the first.
        """
        if self._sources.texts is not None and frame.intent.wants.hop and frame.config.hop:
            first = rank(frame, limit=FIRST, mask=mask)
            return rank(replace(frame, hop=seeds(first, self._sources.texts)), limit=limit, mask=mask, first=first)
        return rank(frame, limit=limit, mask=mask)

    def serving(self, view: IndexView) -> Embedder | None:
        """The embedder whose vectors rank a question; None without one.

        The vectors of two embedders are never mixed, even if they have the same length: the previous embedder serves
        as long as it has vectors in the view.
        """
        if self._embedder is not None and self._previous is not None and self._previous.name in view.vectors:
            return self._previous
        return self._embedder

    def warm_up(self) -> None:
        """Loads the index and the model that embeds questions; a model that fails is logged."""
        embedder = self.serving(self._live.view())
        if embedder is not None:
            try:
                warm_up(embedder)
            except ModelError as error:
                log.warning("the embedder could not be loaded: %s", error)

    def refresh(self) -> IndexView:
        """Reads what was stored since, and prepares what depends on no question, so that the next recall is fast.

        Returns:
            The new view.
        """
        view = self._live.view()
        covered_days(view)
        nicknames(view, ())
        prepare_windows(view)
        no_question = Intent("", _NO_MATCH, (), (), (), "")
        frame = make_frame(no_question, view, self._config(), None, with_assistant=assistant_takes_part(view))
        prepare(frame)
        prepare_confidence(frame)
        return view

    def forget(self) -> None:
        """Drops the cached vectors of questions, since a question may repeat words that are being forgotten."""
        with self._lock:
            self._vectors.clear()

    def least_cosine(self, view: IndexView) -> float:
        """The cosine that a turn must reach to be near a question; `NO_LIMIT` where the model was not measured."""
        embedder = self.serving(view)
        return NO_LIMIT if embedder is None else _near(embedder)

    def _is_near(self, view: IndexView, cosines: Scores) -> bool:
        """Whether some turn reaches the least cosine, so that cosines tell turns apart."""
        least = self.least_cosine(view)
        return least == NO_LIMIT or float(np.fmax.reduce(cosines, axis=None, initial=NO_LIMIT)) >= least

    def _cosines(self, view: IndexView, intent: Intent) -> Scores | None:
        """The cosine of each turn to both forms of the question, a row for each form.

        None without an embedder, or when the model fails, which is logged.
        """
        embedder = self.serving(view)
        if embedder is None or not intent.text.strip():
            return None
        try:
            cosines = cosine(view, embedder.name, self._embedded(embedder, _forms(intent)))
        except (ModelError, InputError) as error:  # InputError: the stored vectors have another length
            log.warning("the question was ranked without vectors: %s", error)
            return None
        return (
            cosines if len(cosines) == 2 else np.broadcast_to(cosines, (2, cosines.shape[1]))
        )  # both forms are the same text

    def _embedded(self, embedder: Embedder, texts: tuple[str, ...]) -> Matrix:
        key = (embedder.name, *texts)
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
                return self._vectors[key]
        vectors = embed_checked(embedder, texts)
        with self._lock:
            self._vectors[key] = vectors
            while len(self._vectors) > KEPT_QUESTIONS:
                self._vectors.popitem(last=False)
        return vectors


def _read(text: str, now: datetime, view: IndexView, *, with_assistant: bool) -> Intent:
    """Reads a question, with words that no turn has respelt, and adjacent words also looked up as one."""
    intent = read_intent(
        text,
        view.speakers,
        now,
        with_assistant=with_assistant,
        covered=covered_days(view),
        known_as=lambda words: nicknames(view, words),
    )
    intent = _with_joined_words(intent, view)
    return with_respelt_words(intent, view.document_frequency, view.similar_terms, UsedWords())


def _forms(intent: Intent) -> tuple[str, ...]:
    """The texts whose vectors stand for a question: the question, and its rewritten form if that differs."""
    plain = intent.about or intent.text
    return (plain,) if intent.rewritten == plain else (plain, intent.rewritten)


def _near(embedder: Embedder) -> float:
    return NEAR.get(embedder.name.partition("@")[0], NO_LIMIT)


def _with_joined_words(intent: Intent, view: IndexView) -> Intent:
    """The question with further terms: its adjacent words written as one word, where some turn contains that word."""
    joined = joined_terms(
        intent.about or intent.text, lambda term: view.document_frequency(term) > 0, is_search=intent.wants.exact
    )
    return replace(intent, terms=tuple(dict.fromkeys((*intent.terms, *joined)))) if joined else intent
