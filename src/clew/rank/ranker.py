"""Ranks questions over the current index, and caches the vectors of recent questions. Start at `Ranker.frame`."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

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
from clew.rank.end_turns import TALKS, counted_talks, end_turns, last_talk, work_pointed
from clew.rank.filter import EVERYWHERE, SearchScope
from clew.rank.frame import (
    Frame,
    FrameParts,
    Scores,
    assistant_takes_part,
    covered_days,
    make_frame,
    without_price,
)
from clew.rank.graph_context import GraphContextReader
from clew.rank.information import UsedWords
from clew.rank.intent import Intent, read_intent
from clew.rank.intent.respelling import with_respelt_words
from clew.rank.intent.title_words import title_words
from clew.rank.intent.work_questions import WorkAsked
from clew.rank.intent.workplaces import Workplace, workplace
from clew.rank.labels import NO_LABELS, LabelLookup, QuestionLabels
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

The least of 271 development questions (LoCoMo, REALTALK, BEAM) was 0.358; of the same questions asked of another
conversation of the set, 33, 3 and 28 % lie below. Models not listed were not measured and have no limit.
"""

NO_LIMIT: Final = -1.0
"""The least that a cosine can be."""

_NOWHERE: Final = ("",)
"""Terms of a question that no turn matches."""


@dataclass(frozen=True, slots=True)
class RankingSources:
    """What a ranking reads beside the index. A source that is None is never asked, and its signals stay silent.

    Attributes:
        graph: the entity graph and the hierarchy of beats.
        labels: how far the labels of a question and of turns agree.
        importance: the importance of every turn of a view; NaN while unknown.
        texts: the words of turns, for the second look-up.
        outline: the turns of the beats or chapters that a question counts back to.
        titles: the beginnings of conversations whose titles have all of some words.
        workplaces: the conversations on a branch or in a project that a question names.
        facts: share of a question that the best fact of each turn answers.
        work: the turns with work of a kind in some sessions, of those that a mask lets through.
        talks: the sessions in which somebody talked; as a default any.
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

    def frame(
        self,
        text: str,
        now: datetime,
        region: tuple[WeightedRange, ...] = (),
        shown: Collection[tuple[str, int]] = (),
        scope: SearchScope = EVERYWHERE,
        view: IndexView | None = None,
        *,
        priced: bool = True,
    ) -> Frame:
        """Everything that ranking a question looks at.

        Args:
            region: where in the conversation the caller points.
            shown: turns, by session and place in it, that the caller has on the screen.
            scope: the session from which it counts, and the turns whose conversations have the ends that it asks for.
            view: the index from before the question was stored, which does for all that does not count from it; None
                for the present one.
            priced: what a turn costs counts.
        """
        before, view = view, self._live.view() if view is None else view
        with_assistant = assistant_takes_part(view)
        intent = read_intent(
            text,
            view.speakers,
            now,
            with_assistant=with_assistant,
            covered=covered_days(view),
            known_as=lambda words: nicknames(view, words),
        )
        intent = with_respelt_words(
            _with_joined_words(intent, view), view.document_frequency, view.similar_terms, UsedWords()
        )
        if before is not None and (intent.positions or intent.end is not None):
            return self.frame(text, now, region, shown, scope, priced=priced)
        cosines = self._cosines(view, intent)
        similarity = cosines if cosines is not None and self._is_near(view, cosines) else None
        config = self._config() if priced else without_price(self._config())
        labels = self._labels(view, intent, config, shown, near=similarity is not None)
        more: FrameParts = {"region": region}
        if self._sources.graph is not None:
            more["around"] = self._sources.graph.look(intent.text, config, view)
        if cosines is not None and (serving := self.serving(view)) is not None:
            more |= {"cosines": cosines[0], "alike": likeness(view, serving.name)}
        if self._sources.importance is not None and config.importance:
            more["importance"] = self._sources.importance(view)
        if intent.end is not None or intent.work is not None or (intent.positions and config.position):
            more["pointed"] = self._pointed(view, intent, now, scope, with_assistant=with_assistant)
        if self._sources.titles is not None and config.position:
            words = title_words(text, exact=intent.wants.exact)
            more |= {"titled": self._sources.titles(view, words)} if words else {}
        if self._sources.facts is not None and config.fact:
            more["facts"] = self._sources.facts(view, intent)
        if labels is not NO_LABELS:
            more["labels"] = labels
        frame = make_frame(intent, view, config, similarity, with_assistant=with_assistant, **more)
        if self._sources.workplaces is None or not config.position:
            return frame
        return self._with_workplace(frame, workplace(text, exact=intent.wants.exact))

    def _with_workplace(self, frame: Frame, place: Workplace | None) -> Frame:
        """The frame with the conversations on a branch or in a project that the question names."""
        look = self._sources.workplaces
        ranges = look(frame.view, place) if look is not None and place is not None else ()
        if not ranges or place is None:
            return frame
        if place.is_all:
            return replace(frame, titled=(*frame.titled, *ranges))
        pointed = replace(frame.pointed, stretches=(*frame.pointed.stretches, *ranges))
        return replace(frame, pointed=pointed)

    def _pointed(
        self, view: IndexView, intent: Intent, now: datetime, scope: SearchScope, *, with_assistant: bool
    ) -> PointedTurns:
        """The turns that the question's words point at, or the end of a conversation, where that alone is asked for.

        People's talk goes on from session to session, so that its beginning is that of the first one; what was asked of
        an assistant first is what the present session began with.
        """
        end, mask = intent.end, scope.mask(view)
        among = None if scope.session is not None or mask is None or not mask.any() else sessions_with(view, mask)
        talks = TalksByTime(view, now, scope.session, self._sources.talks, among)
        if intent.work is not None and (work := self._work(view, intent.work, talks, mask)):
            return work_pointed(intent.work, work)
        if end is None:
            return resolve_positions(view, intent.positions, talks, self._sources.outline)
        if end.counted is not None:
            return counted_talks(view, end.counted, talks)
        is_earliest = end.is_first and (end.is_ever or not with_assistant)
        sessions = talks.earliest(TALKS) if is_earliest else talks.latest(TALKS)
        if end.is_whole:
            return last_talk(view, sessions, now)
        return end_turns(view, end, intent.speakers, sessions, mask, with_assistant=with_assistant)

    def _work(
        self, view: IndexView, asked: WorkAsked, talks: TalksByTime, mask: Mask | None
    ) -> Sequence[WeightedRange]:
        """The turns with the work that alone is asked for; none where there is no such work."""
        look = self._sources.work
        return () if look is None or not len(view.turns.ordinal) else look(view, asked, talks.latest(LOOKED), mask)

    def _labels(
        self, view: IndexView, intent: Intent, config: RecallConfig, shown: Collection[tuple[str, int]], *, near: bool
    ) -> QuestionLabels:
        """What labels say, where a weight asks for it; `near` says that the question's vector is worth looking at."""
        if self._sources.labels is None or not (config.label or config.hub):
            return NO_LABELS
        embedder, vector = self.serving(view), None
        if near and embedder is not None:
            vector = embedder.name, self._embedded(embedder, _forms(intent))[0]
        return self._sources.labels(view, intent, vector, shown, hubs=config.hub > 0)

    def rank(self, frame: Frame, limit: int, mask: Mask | None) -> Ranking:
        """The best turns that the mask lets through, best first; None lets all through.

        A question that needs two steps is ranked again with what the first turns tell.
        """
        if self._sources.texts is not None and frame.intent.wants.hop and frame.config.hop:
            first = rank(frame, limit=FIRST, mask=mask)
            return rank(replace(frame, hop=seeds(first, self._sources.texts)), limit=limit, mask=mask, first=first)
        return rank(frame, limit=limit, mask=mask)

    def serving(self, view: IndexView) -> Embedder | None:
        """The embedder whose vectors rank a question: always one alone, also where two have vectors of one length."""
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
        """Takes in what was stored, so that the next question finds what depends on the turns alone ready.

        Returns:
            The view that is ready.
        """
        view = self._live.view()
        covered_days(view)
        nicknames(view, ())
        prepare_windows(view)
        asked = Intent("", _NOWHERE, (), (), (), "")
        frame = make_frame(asked, view, self._config(), None, with_assistant=assistant_takes_part(view))
        prepare(frame)
        prepare_confidence(frame)
        return view

    def forget(self) -> None:
        """Drops remembered questions: one may repeat words that were forgotten."""
        with self._lock:
            self._vectors.clear()

    def least_cosine(self, view: IndexView) -> float:
        """Cosine below which nearness to a question is noise; `NO_LIMIT` where that is not known."""
        embedder = self.serving(view)
        return NO_LIMIT if embedder is None else _near(embedder)

    def _is_near(self, view: IndexView, cosines: Scores) -> bool:
        """Whether some turn is so near to the question that the cosines can rank."""
        near = self.least_cosine(view)
        return near == NO_LIMIT or float(np.fmax.reduce(cosines, axis=None, initial=NO_LIMIT)) >= near

    def _cosines(self, view: IndexView, intent: Intent) -> Scores | None:
        """Cosines of both forms of the question; None without embedder, or when the model fails."""
        embedder = self.serving(view)
        if embedder is None or not intent.text.strip():
            return None
        try:
            cosines = cosine(view, embedder.name, self._embedded(embedder, _forms(intent)))
        except (ModelError, InputError) as error:  # the latter when the vectors that are stored are of another length
            log.warning("the question was ranked without vectors: %s", error)
            return None
        return cosines if len(cosines) == 2 else np.broadcast_to(cosines, (2, cosines.shape[1]))  # one form is both

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


def _forms(intent: Intent) -> tuple[str, ...]:
    """The texts whose vectors a question has: itself, and its second form where that is another."""
    asked = intent.about or intent.text
    return (asked,) if intent.rewritten == asked else (asked, intent.rewritten)


def _near(embedder: Embedder) -> float:
    return NEAR.get(embedder.name.partition("@")[0], NO_LIMIT)


def _with_joined_words(intent: Intent, view: IndexView) -> Intent:
    """The question with the terms of its neighbouring words written as one, as far as some turn has them so."""
    joined = joined_terms(
        intent.about or intent.text, lambda term: view.document_frequency(term) > 0, is_search=intent.wants.exact
    )
    return replace(intent, terms=tuple(dict.fromkeys((*intent.terms, *joined)))) if joined else intent
