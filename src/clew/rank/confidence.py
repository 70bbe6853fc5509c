"""How sure it is that the space can answer the question at all, from the evidence that some turn gives.

A logistic model of few parts, each explained in the receipt. Fitted on development questions of people, assistants and
agents, each asked of its own conversation and of another one, and on plausible questions whose answer was never told;
the constant puts 95 % of the answerable above 0.5. docs/recall.md tells how well it holds on kinds of conversations
that had no part in the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import exp, isnan, log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import idf, score_bound
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores, agent_share, answers
from clew.rank.information import information, without_dates
from clew.rank.search import Ranking
from clew.rank.signals.coverage import held, turns_with
from clew.text.names import capitalised_names
from clew.text.terms import terms

Turns = NDArray[np.intp]
"""Positions of turns."""

_TELLING: Final = CacheKey[tuple[Turns, Turns]]("turns that tell of their speaker")

FIRST: Final = 5
"""Best ranked turns whose match is measured."""

FEW: Final = 20
"""Turns of a space that is too small for rarity to mean anything."""

NEXT: Final = 1
"""Turns on either side that count for `together`: a question and its answer, or a point made in two messages."""

SCENE: Final = 8
"""Turns on either side that count for `scene`."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the model sees of one recall. Shares are of the information of the question's words, times their rarity.

    Attributes:
        strange: share of the question's names that no turn contains.
        together: greatest share that a turn and its two neighbours hold.
        scene: greatest share that a turn and the eight turns on either side hold.
        own: where one speaker is named, the greatest share that they told of themselves in one turn, less that of
            anybody else; else 0. Negative where it is somebody else's story.
        words: mean BM25F of the first ranked turns, as a share of the most that the question's terms could give.
        near: the highest cosine of the question; 0 without vectors.
        worded: how high the turn nearest to the question stands by words, from 0 to 1; 0 without vectors. A turn that
            shares the words is near whatever it says, and tells less than one that is near without them.
        agent: how far the space is an agent's work, from 0 to 1: its turns are less like questions about them.
        thin: what the best turn's words lack of `ENOUGH` information, as a share of it, in a space of fewer than `FEW`
            turns, the more the fewer; else 0. Among few turns any word is rare, so that "something" would be evidence.
    """

    strange: float = 0.0
    together: float = 0.0
    scene: float = 0.0
    own: float = 0.0
    words: float = 0.0
    near: float = 0.0
    worded: float = 0.0
    agent: float = 0.0
    thin: float = 0.0


_NAMES: Final = tuple(field.name for field in fields(Features))


@dataclass(frozen=True, slots=True)
class Model:
    """A constant, and the weight of each feature."""

    constant: float
    weights: Features


WITH_VECTORS: Final = Model(
    -4.6404,
    Features(
        strange=-1.9804,
        together=1.0579,
        scene=1.8622,
        own=5.0,
        near=8.2885,
        worded=-0.8668,
        agent=1.0484,
        thin=-5.0,
    ),
)
WITHOUT: Final = Model(-1.5951, Features(strange=-2.6539, scene=2.1925, own=5.0, words=6.1889, thin=-5.0))

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
        return Features(together=1.0, scene=1.0, words=1.0, near=_near(frame))
    told = information(frame.intent)
    found = {term: frame.view.document_frequency(term) for term in told}
    rarities = [idf(frame.size, max(df, 1)) for df in found.values()]
    often = max(FEW, frame.size // 2 - 1)  # a word of more turns stands around any turn, and its postings are long
    places = [turns_with(frame, term) if df <= often else None for term, df in found.items()]
    together, scene = _gathered(
        frame, places, [value * rare for value, rare in zip(told.values(), rarities, strict=True)]
    )
    return Features(
        strange=_strange(frame),
        together=together,
        scene=scene,
        own=_own(frame, places, rarities),
        words=_words(ranking),
        near=_near(frame),
        worded=_worded(frame),
        agent=float(agent_share(frame.view).mean()) if frame.with_assistant else 0.0,
        thin=_thin(frame, told),
    )


def _gathered(frame: Frame, places: Sequence[Turns | None], weights: Sequence[float]) -> tuple[float, float]:
    """The greatest share of the terms' weights that stands around one turn: within `NEXT` and within `SCENE` turns.

    Args:
        places: the turns with each term, None for a term that stands around any turn; without terms the share is 1.
    """
    if not places:
        return 1.0, 1.0
    total = sum(weights)
    known = [(turns, weight) for turns, weight in zip(places, weights, strict=True) if turns is not None and len(turns)]
    base = sum(weight for turns, weight in zip(places, weights, strict=True) if turns is None)
    if not known:
        return base / total, base / total
    counts = [len(turns) for turns, _ in known]
    turns = np.concatenate([turns for turns, _ in known])
    steps = turns[1:] - turns[:-1]
    steps[np.cumsum(counts)[:-1] - 1] = frame.size + 2 * SCENE + 2  # from one term to the next
    values = np.repeat([weight for _, weight in known], counts)
    together, scene = (base + _highest(turns, steps, values, reach) for reach in (NEXT, SCENE))
    return together / total, scene / total


def _highest(turns: Turns, steps: Turns, values: Scores, reach: int) -> float:
    """The highest pile of the stretches that terms have around their turns.

    Args:
        turns: those of the first term in order, then those of the second, and so on.
        steps: from each turn to the next; above any reach where the next one is of another term.
        values: what the term of each turn weighs.
    """
    ends = np.flatnonzero(steps > 2 * reach + 1)  # the last turns of stretches that do not touch the next
    count = len(ends) + 1
    first, last = np.zeros(count, dtype=np.intp), np.empty(count, dtype=np.intp)
    first[1:], last[:-1], last[-1] = ends + 1, ends, len(turns) - 1
    borders = np.concatenate((2 * (turns[first] - reach) + 1, 2 * (turns[last] + reach + 1)))  # at one turn, ends first
    weight = values[first]
    return float(np.cumsum(np.concatenate((weight, -weight))[np.argsort(borders)]).max())


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


def _own(frame: Frame, places: Sequence[Turns | None], rarities: Sequence[float]) -> float:
    mine = _named(frame)
    if mine is None or not places:
        return 0.0
    turns, before = frame.view.derived(_TELLING, lambda: _telling(frame.view))
    share = np.zeros(len(turns))
    for place, rarity in zip(places, rarities, strict=True):
        if place is not None and len(place):
            has = np.zeros(frame.size + 1, dtype=np.bool_)
            has[place] = True
            share += rarity * (has[turns] | has[before])
    own = mine[turns]
    return float(share[own].max(initial=0.0) - share[~own].max(initial=0.0)) / sum(rarities)


def _telling(view: IndexView) -> tuple[Turns, Turns]:
    """Turns in the first person that are statements, and the question of somebody else that each follows.

    A question contains the words of what somebody else did, so it tells nothing of its speaker; the answer need not
    repeat them. Where no question precedes, the position is one beyond the last turn.
    """
    turns = view.turns
    asked = np.full(len(turns.speaker), len(turns.speaker), dtype=np.intp)
    after, question = answers(view)
    others = turns.speaker[after] != turns.speaker[question]
    asked[after[others]] = question[others]
    telling = np.flatnonzero(turns.first_person & (2 * turns.stated >= turns.chars))
    return telling, asked[telling]


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
    """The highest cosine; 0 without vectors."""
    known = _known(frame)
    return 0.0 if known is None else float(known.max())


def _worded(frame: Frame) -> float:
    """1 where no piece matches the question's words better than the turn nearest to it does, 0 where all do."""
    if frame.cosines is None or frame.piece_scores is None or _known(frame) is None:
        return 0.0
    nearest = int(np.nanargmax(frame.cosines))
    own = max(frame.scores_of_pieces(nearest), default=0.0)
    above = int(np.count_nonzero(frame.piece_scores > own))
    return 1.0 - log1p(above) / log1p(len(frame.piece_scores))


def _known(frame: Frame) -> Scores | None:
    """The cosines of the turns that have a vector; None where no turn has one."""
    if frame.cosines is None or not isnan(np.sum(frame.cosines)):  # one sum is cheaper than a test of every value
        return frame.cosines
    known = frame.cosines[~np.isnan(frame.cosines)]
    return known if len(known) else None
