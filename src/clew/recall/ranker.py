"""Question -> frame and ranked candidates, over the index as it is now. Holds the vectors of recent questions."""

import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clew.config import RecallConfig
from clew.errors import ModelError
from clew.index.live import LiveIndex
from clew.index.vectors import cosine
from clew.index.view import IndexView
from clew.models.protocol import Embedder, Matrix
from clew.recall.frame import Frame, Scores, assistant_takes_part, covered_days, make_frame
from clew.recall.query import Query, understand
from clew.recall.search import Ranking, rank
from clew.store.rows import to_us
from clew.types.record import Record

log = logging.getLogger("clew.recall")

KEPT_QUESTIONS: Final = 256
"""Questions whose vectors are remembered, so that asking again costs no embedding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Record):
    """What the caller restricts the ranking to; None is no restriction.

    Attributes:
        since: event time from here on; turns without a time are left out.
        until: event time before this moment; likewise.
    """

    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    role: str | None = None
    speaker: str | None = None


class Ranker:
    """Ranks the turns of one space. Threads may share it."""

    def __init__(self, live: LiveIndex, embedder: Embedder | None, config: RecallConfig) -> None:
        self._live = live
        self._embedder = embedder
        self._config = config
        self._vectors: OrderedDict[tuple[str, str], Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def frame(self, text: str, now: datetime) -> Frame:
        """Everything that ranking a question looks at."""
        view = self._live.view()
        with_assistant = assistant_takes_part(view)
        query = understand(text, view.speakers, now, with_assistant=with_assistant, covered=covered_days(view))
        return make_frame(query, view, self._config, self._similarity(view, query), with_assistant=with_assistant)

    def rank(self, frame: Frame, chosen: Filter, limit: int) -> Ranking:
        """The best turns that the filter lets through, best first."""
        mask = frame.view.mask(
            session=chosen.session,
            since=to_us(chosen.since),
            until=to_us(chosen.until),
            role=chosen.role,
            speaker=chosen.speaker,
        )
        return rank(frame, limit=limit, mask=mask)

    def forget(self) -> None:
        """Drops remembered questions: one may repeat words that were forgotten."""
        with self._lock:
            self._vectors.clear()

    def _similarity(self, view: IndexView, query: Query) -> Scores | None:
        """Cosines of both forms of the question; None without embedder, without vectors, or when the model fails."""
        embedder = self._embedder
        if embedder is None or not query.text.strip():
            return None
        try:
            vectors = self._embedded(embedder, (query.text, query.rewritten))
        except ModelError as error:
            log.warning("the question was ranked without vectors: %s", error)
            return None
        return cosine(view, embedder.name, vectors)

    def _embedded(self, embedder: Embedder, texts: tuple[str, str]) -> Matrix:
        with self._lock:
            if texts in self._vectors:
                self._vectors.move_to_end(texts)
                return self._vectors[texts]
        vectors = embedder.embed(texts)
        with self._lock:
            self._vectors[texts] = vectors
            while len(self._vectors) > KEPT_QUESTIONS:
                self._vectors.popitem(last=False)
        return vectors
