"""How sure it is that the space can answer the question at all, from how well the best turns match.

A logistic model of few features, each between about 0 and 1. Fitted on development questions of people, assistants
and agents, each asked of its own conversation and of another one; the constant puts 95 % of the former above 0.5.
docs/recall.md tells how well it holds on kinds of conversations that had no part in the fit.
"""

from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np

from clew.index.bm25 import NeighbourWindow, bm25f, score_bound, turn_scores
from clew.rank.frame import Frame, Scores
from clew.rank.search import Ranking

FIRST: Final = 5
"""Best ranked turns whose match is measured."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the model sees of one recall.

    Attributes:
        unknown: share of the question's terms that no turn contains.
        words: mean BM25F of the first ranked turns, as a share of the most that the question's terms could give.
        likeness: mean cosine of the first ranked turns to the rewritten question; 0 without vectors.
        own_words: where one speaker is named, by how much that speaker's best turn matches better by its own words than
            the best turn of anybody else, as such a share; else 0. Negative where another speaker said it.
        own_likeness: the corresponding difference of cosines.
    """

    unknown: float = 0.0
    words: float = 0.0
    likeness: float = 0.0
    own_words: float = 0.0
    own_likeness: float = 0.0


WITH_VECTORS: Final = (
    -2.4883,
    Features(unknown=-4.3597, words=5.3333, likeness=10.271, own_words=5.5, own_likeness=1.7332),
)
"""Constant and weights of the model where there are vectors."""

WITHOUT: Final = (-0.1897, Features(unknown=-4.7616, words=12.5082, own_words=5.5))
"""Constant and weights of the model where there are no vectors."""


def confidence(ranking: Ranking) -> float:
    """How sure it is that the space can answer, 0 to 1, rounded to 0.001; 0 when nothing was found."""
    if not len(ranking):
        return 0.0
    constant, weights = WITHOUT if ranking.frame.similarity is None else WITH_VECTORS
    found = features(ranking)
    total = constant + sum(getattr(weights, name) * getattr(found, name) for name in Features.__slots__)
    return round(1.0 / (1.0 + exp(-total)), 3)


def features(ranking: Ranking) -> Features:
    """The features of a ranking that is not empty."""
    frame, first = ranking.frame, ranking.positions[:FIRST]
    terms = frame.intent.terms
    found_in = [frame.view.document_frequency(term) for term in terms]
    ceiling = score_bound(len(frame.view.turns.ordinal), found_in) or 1.0
    known = len(terms) - found_in.count(0)
    likeness = 0.0 if frame.similarity is None else _mean(frame.similarity[1][first])
    words = 0.0
    if frame.piece_scores is not None:
        starts = frame.view.turns.first_piece
        pieces = [int(starts[position]) + frame.best_piece(position) for position in first.tolist()]
        words = _mean(frame.piece_scores[pieces]) / ceiling
    named = _named(frame)
    own_words = own_likeness = 0.0
    if named is not None:
        if terms:
            own_words = (
                _ahead(turn_scores(frame.view, bm25f(frame.view, terms, NeighbourWindow.none())), named) / ceiling
            )
        if frame.similarity is not None:
            own_likeness = _ahead(frame.similarity[1], named)
    return Features(1.0 - known / len(terms) if terms else 0.0, words, likeness, own_words, own_likeness)


def _named(frame: Frame) -> np.ndarray[tuple[int], np.dtype[np.bool_]] | None:
    """The turns of the one speaker that the question names; None unless others speak too."""
    if len(frame.intent.speakers) != 1 or frame.with_assistant:
        return None
    mine = np.asarray(frame.view.turns.speaker == frame.intent.speakers[0])
    return mine if mine.any() and not mine.all() else None


def _ahead(values: Scores, mine: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    best, other = _top(values[mine]), _top(values[~mine])
    return 0.0 if best is None or other is None else best - other


def _top(values: Scores) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


def _mean(values: Scores) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0
