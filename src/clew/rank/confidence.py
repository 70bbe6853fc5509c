"""How sure it is that the space can answer the question at all, from the evidence that some turn gives.

A logistic model of few parts, each explained in the receipt. Fitted on development questions of people, assistants and
agents, each asked of its own conversation and of another one, and on plausible questions whose answer was never told;
the constant puts 95 % of the answerable above 0.5. docs/recall.md tells how well it holds on kinds of conversations
that had no part in the fit.
"""

from dataclasses import dataclass, fields
from math import exp, isnan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import idf, score_bound
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import highest
from clew.rank.information import information, without_dates
from clew.rank.search import Ranking
from clew.rank.signals.coverage import held
from clew.text.names import capitalised_names
from clew.text.terms import terms

FIRST: Final = 5
"""Best ranked turns whose match is measured, and nearest turns whose cosines are averaged."""

WITHIN: Final = 0.25
"""The nearest turns count within this of the highest cosine."""


FREQUENT: Final = 0.1
"""Share of the turns above which a word does not count for `together`: it stands beside any other."""

FEW: Final = 20
"""A word in at most this many turns counts for `together`, whatever the size of the space."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the model sees of one recall. Shares are of the information that the question's words carry.

    Attributes:
        unknown: share in words that no turn contains.
        strange: share of the question's names that no turn contains.
        together: greatest share that a single turn holds.
        own: where one speaker is named, the greatest share that a turn of theirs holds, less that of anybody else; else
            0. Negative where somebody else said it.
        words: mean BM25F of the first ranked turns, as a share of the most that the question's terms could give.
        near: mean of the highest cosines of the question; 0 without vectors.
        thin: what the best turn's words lack of `ENOUGH` information, as a share of it, in a space of fewer than `FEW`
            turns, the more the fewer; else 0. Among few turns any word is rare, so that "something" would be evidence.
    """

    unknown: float = 0.0
    strange: float = 0.0
    together: float = 0.0
    own: float = 0.0
    words: float = 0.0
    near: float = 0.0
    thin: float = 0.0


_NAMES: Final = tuple(field.name for field in fields(Features))


@dataclass(frozen=True, slots=True)
class Model:
    """A constant, and the weight of each feature."""

    constant: float
    weights: Features


WITH_VECTORS: Final = Model(
    -2.6325, Features(unknown=-2.0827, strange=-1.7864, together=0.3233, own=4.0, words=3.9063, near=6.5214, thin=-5.0)
)
WITHOUT: Final = Model(
    -0.0124, Features(unknown=-2.8874, strange=-2.013, together=0.1929, own=4.0, words=7.0243, thin=-5.0)
)

ENOUGH: Final = 0.3
"""Information that makes a match more than chance: about what "hotel" tells, or "version" and "find" together."""

UNLIKELY: Final = 0.2
"""Confidence below which a block is kept short: about 1 in 100 answerable development questions are below it."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A probability, and what each part added to its log-odds.

    Attributes:
        value: 0 to 1, rounded to 0.001.
        parts: the constant and every feature that is not 0, rounded to 0.001; their sum is the log-odds of `value`.
    """

    value: float
    parts: dict[str, float]


NOTHING: Final = Confidence(0.0, {})
"""The confidence of a recall that found nothing."""


def confidence(ranking: Ranking) -> Confidence:
    """How sure it is that the space can answer; `NOTHING` when no turn was found."""
    if not len(ranking):
        return NOTHING
    model = WITHOUT if _known(ranking.frame) is None else WITH_VECTORS
    seen = features(ranking)
    added = {name: getattr(model.weights, name) * getattr(seen, name) for name in _NAMES}
    total = model.constant + sum(added.values())
    parts = {name: round(value, 3) for name, value in {"constant": model.constant, **added}.items() if value}
    return Confidence(round(1.0 / (1.0 + exp(-total)), 3), parts)


def features(ranking: Ranking) -> Features:
    """The features of a ranking that is not empty."""
    frame = ranking.frame
    if frame.titled:  # a title has every word of the question
        return Features(together=1.0, words=1.0, near=_near(frame))
    told = information(frame.intent)
    return Features(
        unknown=_unknown(frame, told),
        strange=_strange(frame),
        together=_together(frame, told),
        own=_own(frame),
        words=_words(ranking),
        near=_near(frame),
        thin=_thin(frame, told),
    )


def _unknown(frame: Frame, told: dict[str, float]) -> float:
    lost = sum(value for term, value in told.items() if not frame.view.document_frequency(term))
    return lost / sum(told.values()) if told else 0.0


def _together(frame: Frame, told: dict[str, float]) -> float:
    most = max(FEW, FREQUENT * frame.size)
    telling = {term: value for term, value in told.items() if frame.view.document_frequency(term) <= most}
    return float(held(frame, telling).max()) if telling else 1.0


def _thin(frame: Frame, told: dict[str, float]) -> float:
    if not told or frame.size >= FEW:
        return 0.0
    most = float(held(frame, told).max()) * sum(told.values())
    return max(0.0, 1.0 - most / ENOUGH) * (1.0 - frame.size / FEW)


def _strange(frame: Frame) -> float:
    """The share of the names in a question that no turn contains; names of speakers are known."""
    names = [set(terms(name)) for name in capitalised_names(without_dates(frame.intent))]
    asked = [name & set(frame.intent.terms) for name in names]
    lost = [bool(name) and not any(map(frame.view.document_frequency, name)) for name in asked]
    return sum(lost) / len(names) if names else 0.0


def _own(frame: Frame) -> float:
    mine = _named(frame)
    if mine is None or not frame.intent.terms:
        return 0.0
    frequencies = {term: frame.view.document_frequency(term) for term in frame.intent.terms}
    share = held(frame, {term: idf(frame.size, max(df, 1)) for term, df in frequencies.items()})
    return float(share[mine].max() - share[~mine].max())


def _named(frame: Frame) -> NDArray[np.bool_] | None:
    """The turns of the one speaker that the question names; None unless others speak too."""
    if len(frame.intent.speakers) != 1 or frame.with_assistant:
        return None
    mine = np.asarray(frame.view.turns.speaker == frame.intent.speakers[0])
    return mine if mine.any() and not mine.all() else None


def _words(ranking: Ranking) -> float:
    frame, first = ranking.frame, ranking.positions[:FIRST]
    if frame.piece_scores is None:
        return 0.0
    found_in = [frame.view.document_frequency(term) for term in frame.intent.terms]
    ceiling = score_bound(len(frame.view.turns.ordinal), found_in) or 1.0
    starts = frame.view.turns.first_piece
    pieces = [int(starts[position]) + frame.best_piece(position) for position in first.tolist()]
    return float(np.mean(frame.piece_scores[pieces])) / ceiling


def _near(frame: Frame) -> float:
    """The mean of the highest cosines; 0 without vectors."""
    known = _known(frame)
    if known is None:
        return 0.0
    first = highest(known, FIRST)
    return float(first[first >= first[-1] - WITHIN].mean())


def _known(frame: Frame) -> Scores | None:
    """The cosines of the turns that have a vector; None where no turn has one."""
    if frame.cosines is None or not isnan(np.sum(frame.cosines)):  # one sum is cheaper than a test of every value
        return frame.cosines
    known = frame.cosines[~np.isnan(frame.cosines)]
    return known if len(known) else None
