"""The frame of one ranking: what the signals read, gathered once before the first of them is computed."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from clew.analyze.word_rarity import LEAST
from clew.config import RecallConfig
from clew.index.bm25 import bm25f
from clew.index.view import IndexView
from clew.rank.anchors import NOWHERE, PointedTurns, WeightedRange
from clew.rank.graph_context import NOTHING, GraphContext
from clew.rank.intent import Intent
from clew.rank.intent.respelling import WEIGHT
from clew.rank.labels import NO_LABELS, QuestionLabels
from clew.text.terms import terms

Scores = NDArray[np.float64]
"""One value per turn, in the order of the view; NaN where a signal has no value for a turn."""

EVERY: Final = slice(None)
"""The slice of all turns."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One question over one view of the index.

    Attributes:
        intent: the question as it was understood.
        config: the settings, with the weight of every signal.
        piece_scores: BM25F of each piece; None when the question has no term.
        similarity: cosine of each turn to the question (row 0) and to its rewritten form (row 1); NaN for a turn
            without a vector. None without an embedder, and where no turn is near enough for cosines to rank by.
        with_assistant: whether an assistant takes part in the conversations of the space.
        region: the turns at the beat to which the caller points; empty without one.
        pointed: the turns to which the question's own words point.
        titled: the beginnings of the conversations whose titles have the words of the question.
        around: the entity graph and the hierarchy around the question, as far as signals with a weight need them.
        hop: the terms of the second look-up; empty in the first one.
        labels: how far labels of the question and of turns agree, as far as signals with a weight need it.
        importance: importance of each turn, 1 to 10, NaN while unknown; None unless its weight is above 0.
        cosines: as row 0 of `similarity`, but also where no turn is near enough; None only without an embedder.
        alike: how alike the turns are by their vectors, see `likeness`; 0 without an embedder.
        facts: share of the question that the best fact of each turn answers; None where no fact is asked for.
    """

    intent: Intent
    view: IndexView
    config: RecallConfig
    piece_scores: Scores | None
    similarity: Scores | None
    with_assistant: bool
    region: tuple[WeightedRange, ...] = ()
    pointed: PointedTurns = NOWHERE
    titled: tuple[WeightedRange, ...] = ()
    around: GraphContext = NOTHING
    hop: tuple[str, ...] = ()
    labels: QuestionLabels = NO_LABELS
    importance: Scores | None = None
    cosines: Scores | None = None
    alike: float = 0.0
    facts: Scores | None = None

    @property
    def size(self) -> int:
        """Number of turns that are ranked."""
        return len(self.view.turns.ordinal)

    @property
    def matches(self) -> bool:
        """Whether some turn has a word of the question, or is near to it in meaning."""
        return self.similarity is not None or (self.piece_scores is not None and bool(self.piece_scores.any()))

    def best_piece(self, position: int) -> int:
        """Index in its turn, from 0, of the piece that matches the question's terms best; of equal pieces the first."""
        if self.view.turns.piece_count[position] == 1:
            return 0
        return int(np.argmax(np.round(self.scores_of_pieces(position), 6)))

    def scores_of_pieces(self, position: int) -> list[float]:
        """BM25F of each piece of a turn, in the order of the text; zeros when the question has no term."""
        first = int(self.view.turns.first_piece[position])
        count = int(self.view.turns.piece_count[position])
        if self.piece_scores is None:
            return [0.0] * count
        scores: list[float] = self.piece_scores[first : first + count].tolist()
        return scores

    def spans_of_pieces(self, position: int) -> list[tuple[int, int]]:
        """Start and end of each piece in the turn's text, of which the index keeps the lengths."""
        first = int(self.view.turns.first_piece[position])
        count = int(self.view.turns.piece_count[position])
        return list(pairwise(accumulate(self.view.pieces.chars[first : first + count].tolist(), initial=0)))


class FrameParts(TypedDict, total=False):
    """The optional fields of a frame, for `make_frame` and `dataclasses.replace`; see `Frame`."""

    region: tuple[WeightedRange, ...]
    pointed: PointedTurns
    titled: tuple[WeightedRange, ...]
    around: GraphContext
    labels: QuestionLabels
    importance: Scores | None
    cosines: Scores | None
    alike: float
    facts: Scores | None


def make_frame(
    intent: Intent,
    view: IndexView,
    config: RecallConfig,
    similarity: Scores | None,
    *,
    with_assistant: bool,
    **more: Unpack[FrameParts],
) -> Frame:
    """A frame with the BM25F of the question's terms, computed once for all signals."""
    pieces = bm25f(view, intent.terms, weights=_weights(intent)) if intent.terms else None
    return Frame(intent, view, config, pieces, similarity, with_assistant, **more)


def _weights(intent: Intent) -> list[float] | None:
    """The weight of each term, below 1 for words that were respelt or tell nothing; None where all weigh 1."""
    if not intent.respelt and not intent.empty:
        return None
    respelt = {term for _, word in intent.respelt for term in terms(word)}
    return [LEAST if term in intent.empty else WEIGHT if term in respelt else 1.0 for term in intent.terms]


@lru_cache(maxsize=16)
def without_price(config: RecallConfig) -> RecallConfig:
    """Settings with a weight of 0 for the cost of turns, for rankings without a budget."""
    return replace(config, cost=0.0, cost_assistant=0.0)
