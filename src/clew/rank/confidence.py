"""Estimates how likely the space can answer a question at all, from the evidence that its turns give.

A logistic model of few parts, each explained in the receipt. Fitted on development questions of people, assistants and
agents, each asked of its own conversation and of another one, and on plausible questions whose answer was never told;
the constant puts 95 % of the answerable above 0.5. docs/recall-figures.md tells how well it holds on kinds of
conversations that had no part in the fit.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from math import exp, isnan, log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import idf, score_bound
from clew.index.incremental_cache import CacheKey
from clew.index.kernel import in_c
from clew.index.view import IndexView
from clew.rank.adjacent_turns import answers
from clew.rank.frame import Frame, Scores
from clew.rank.information import information, without_dates
from clew.rank.participants import agent_share
from clew.rank.search import Ranking
from clew.rank.signals.coverage import turns_with, weight_share
from clew.text.names import capitalised_names
from clew.text.terms import terms

Turns = NDArray[np.intp]
"""Positions of turns."""

_Sets = NDArray[np.uint8]

_TELLING: Final = CacheKey[tuple[Turns, Turns]]("turns that tell of their speaker")
_AGENT: Final = CacheKey[float]("how far all is an agent's work")

FIRST: Final = 5
"""Best ranked turns whose match is measured."""

FEW: Final = 20
"""Turns of a space that is too small for rarity to mean anything."""

ALIKE: Final = 0.3
"""Mean cosine of two turns up to which they are alike because they are about one subject.

The turns of 25 development spaces in English have 0.05 to 0.36, those of a chat in seven languages that the model does
not know 0.43 (German) to 0.77 (Hindi).
"""

MOSTLY: Final = 0.5
"""Agent share from which a space is an agent's work: that of a desk agent that looks things up."""

NEXT: Final = 1
"""Turns on either side that count for `together`: a question and its answer, or a point made in two messages."""

SCENE: Final = 8
"""Turns on either side that count for `scene`."""

_BITS: Final = 8
"""Terms that are looked at together, a bit of a byte each."""

_MANY: Final = 32_768
"""Turns up to which all are looked at, also for words of few of them."""

_BLOCK: Final = 8192
"""Stretches that are weighed together: few enough that their weights stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Features:
    """The inputs of the model. A share is of the information of the question's words, each multiplied by its rarity.

    Attributes:
        strange: share of the question's names that no session has whole.
        together: greatest share that a turn and its two neighbours hold.
        scene: greatest share that a turn and the eight turns on either side hold.
        own: where one speaker is named, the greatest share that they told of themselves in one turn, less that of
            anybody else; else 0. Negative where it is somebody else's story.
        words: mean BM25F of the first ranked turns, as a share of the most that the question's terms could give.
        near: the highest cosine of the question, above what the likeness of all turns gives to any question; 0 without
            vectors.
        worded: how high the turn nearest to the question stands by words, from 0 to 1; 0 without vectors. A turn that
            shares the words is near whatever it says, and tells less than one that is near without them.
        agent: how far the space is an agent's work, from 0 to `MOSTLY`: its turns are less like questions about them.
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
_ALL: Final = Features(*(1.0 for _ in _NAMES))


@dataclass(frozen=True, slots=True)
class Model:
    """A constant, and the weight of each feature."""

    constant: float
    weights: Features


WITH_VECTORS: Final = Model(
    -4.5411,
    Features(
        strange=-2.2292,
        together=1.0693,
        scene=1.7313,
        own=5.0,
        near=8.2169,
        worded=-0.9145,
        agent=1.6976,
        thin=-5.0,
    ),
)
WITHOUT: Final = Model(-1.5842, Features(strange=-2.7846, scene=2.2037, own=5.0, words=6.1625, thin=-5.0))

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
    """The probability that the space can answer the question; `NOTHING` when no turn was found."""
    if not len(ranking):
        return NOTHING
    nearest = None if _is_unembedded(ranking) else _nearest(ranking.frame)
    model = WITHOUT if nearest is None else WITH_VECTORS
    seen = _weighted_features(ranking, nearest, model.weights)
    added = {name: weight * getattr(seen, name) for name in _NAMES if (weight := getattr(model.weights, name))}
    total = model.constant + sum(added.values())
    parts = {name: round(value, 3) for name, value in {"constant": model.constant, **added}.items() if value}
    return Confidence(round(1.0 / (1.0 + exp(-total)), 3), parts)


def _is_unembedded(ranking: Ranking) -> bool:
    """Whether the best turn has no vector yet. Cosines of other turns say nothing about it, so words alone decide."""
    cosines = ranking.frame.cosines
    return cosines is not None and isnan(cosines[int(ranking.positions[0])])


def features(ranking: Ranking) -> Features:
    """All features of a ranking that has at least one turn."""
    return _weighted_features(ranking, _nearest(ranking.frame), _ALL)


def _weighted_features(ranking: Ranking, nearest: int | None, weights: Features) -> Features:
    """The features that have a weight in the model; all others are 0.

    Args:
        nearest: position of the turn with the highest cosine; None without vectors.
    """
    frame = ranking.frame
    near = 0.0 if nearest is None or frame.cosines is None else _near(frame, float(frame.cosines[nearest]))
    if frame.titled:  # a title has every word of the question
        return Features(together=1.0, scene=1.0, words=1.0, near=near)
    values = information(frame.intent)
    frequencies = {term: frame.view.document_frequency(term) for term in values}
    rarities = [idf(frame.size, max(df, 1)) for df in frequencies.values()]
    often = max(FEW, frame.size // 2 - 1)  # a word of more turns stands around any turn, and its postings are long
    places = [turns_with(frame, term) if df <= often else None for term, df in frequencies.items()]
    weights_of_terms = [value * rare for value, rare in zip(values.values(), rarities, strict=True)]
    together, scene = gathered(frame.size, places, weights_of_terms)
    return Features(
        strange=_strange(frame),
        together=together,
        scene=scene,
        own=_own(frame, places, rarities),
        words=_words(ranking) if weights.words else 0.0,
        near=near,
        worded=_worded(frame, nearest) if weights.worded else 0.0,
        agent=_agent(frame.view) if frame.with_assistant and weights.agent else 0.0,
        thin=_thin(frame, values),
    )


def prepare_confidence(frame: Frame) -> None:
    """Computes and caches all that the confidence needs of a view beside the question."""
    if frame.with_assistant and frame.view.vectors:
        _agent(frame.view)


def _agent(view: IndexView) -> float:
    return view.derived(_AGENT, lambda: min(MOSTLY, float(agent_share(view).mean())))


def gathered(size: int, places: Sequence[Turns | None], weights: Sequence[float]) -> tuple[float, float]:
    """The greatest share of the terms' weights around one turn: within `NEXT` turns, and within `SCENE` turns.

    Args:
        size: number of turns.
        places: the turns with each term, None for a term that stands around any turn; without terms the share is 1.
    """
    if not places:
        return 1.0, 1.0
    total = sum(weights)
    known = [(turns, weight) for turns, weight in zip(places, weights, strict=True) if turns is not None and len(turns)]
    base = sum(weight for turns, weight in zip(places, weights, strict=True) if turns is None)
    length, near = _drawn_together(size, [turns for turns, _ in known])
    if not known:
        return base / total, base / total
    together, scene = richest_stretches(length, list(near), [weight for _, weight in known], (NEXT, SCENE))
    return (base + together) / total, (base + scene) / total


@in_c
def richest_stretches(
    size: int, places: list[Turns], weights: list[float], reaches: tuple[int, int]
) -> tuple[float, float]:
    """The greatest weight of the terms that are within some turns of one turn, for a smaller and a larger reach.

    Args:
        size: number of turns.
        places: the turns with each term.
    """
    starts = range(0, len(places), _BITS)
    worths = [_worth_of_sets(weights[start : start + _BITS]) for start in starts]
    sets = [_sets_around(size, places[start : start + _BITS], reaches) for start in starts]
    together, scene = (_highest(term_sets, worths) for term_sets in zip(*sets, strict=True))
    return together, scene


def _drawn_together(size: int, places: Sequence[Turns]) -> tuple[int, Sequence[Turns]]:
    """The number of turns and the turns with each term, with long gaps closed if few of many turns have a term.

    Turns that are further apart than a scene stay so; all others keep their distance.
    """
    if size <= _MANY or not places or sum(map(len, places)) * (2 * SCENE + 1) > size:
        return size, places
    every, which = np.unique(np.concatenate(places), return_inverse=True)
    moved = np.cumsum(np.minimum(np.diff(every, prepend=every[0]), 2 * SCENE + 1))
    return int(moved[-1]) + 1, np.split(moved[which], np.cumsum([len(turns) for turns in places])[:-1])


def _worth_of_sets(weights: Sequence[float]) -> Scores:
    """The weight of each set of terms; the bits of its index say which terms are in the set."""
    sums = [0.0]
    for weight in weights:
        sums += [total + weight for total in sums]
    return np.array(sums)


def _sets_around(size: int, places: Sequence[Turns], reaches: Sequence[int]) -> list[_Sets]:
    """The terms in each stretch of 2 * reach + 1 turns, by its last turn, for each of these reaches, which ascend.

    Stretches around the first and last turns are cut off there, and are parts of others that end in the space.

    Args:
        places: the turns with each term, of `_BITS` terms at most.
    """
    terms_around = np.zeros(size, dtype=np.uint8)  # of each turn, a bit for each term
    for bit, turns in enumerate(places):
        terms_around[turns] |= 1 << bit
    sets, width = [], 1
    for reach in reaches:
        while width < 2 * reach + 1:
            step = min(width, 2 * reach + 1 - width)
            terms_around[step:] |= terms_around[:-step]
            width += step
        sets.append(terms_around.copy())
    return sets


def _highest(sets: Sequence[_Sets], worths: Sequence[Scores]) -> float:
    """The greatest weight of the terms in one stretch.

    Args:
        sets: of each stretch the set of its terms, for some terms after the others.
        worths: what each of these sets weighs.
    """
    pairs = list(zip(sets, worths, strict=True))
    blocks = (
        reduce(np.add, [worth.take(term_sets[low : low + _BLOCK]) for term_sets, worth in pairs])
        for low in range(0, len(sets[0]), _BLOCK)
    )
    return max(float(block.max()) for block in blocks)


def _thin(frame: Frame, values: dict[str, float]) -> float:
    if not values or frame.size >= FEW:
        return 0.0
    most = float(weight_share(frame, values).max()) * sum(values.values())
    return max(0.0, 1.0 - most / ENOUGH) * (1.0 - frame.size / FEW)


def _strange(frame: Frame) -> float:
    """The share of the names in a question that no session has whole; names of speakers are known.

    A surname that goes with another first name is somebody else's. Names are often told in parts, so the parts need not
    be in one turn.
    """
    names = [set(terms(name)) for name in capitalised_names(without_dates(frame.intent))]
    asked = [name & set(frame.intent.terms) for name in names]
    return sum(bool(name) and not _in_a_session(frame, name) for name in asked) / len(names) if names else 0.0


def _in_a_session(frame: Frame, name: Collection[str]) -> bool:
    """Whether one session has all words of a name."""
    if not all(map(frame.view.document_frequency, name)):
        return False
    if len(name) == 1:
        return True
    places = (frame.view.turns.session[turns_with(frame, word)] for word in name)
    return bool(set.intersection(*(set(np.unique(sessions).tolist()) for sessions in places)))


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
    """The statements in the first person, and for each the question of another speaker that it follows.

    A question contains the words of what somebody else did, so it says nothing about its own speaker, and the answer
    need not repeat them. For a statement that follows no question, the position is the number of turns.
    """
    turns = view.turns
    asked = np.full(len(turns.speaker), len(turns.speaker), dtype=np.intp)
    after, question = answers(view)
    others = turns.speaker[after] != turns.speaker[question]
    asked[after[others]] = question[others]
    telling = np.flatnonzero(turns.first_person & (2 * turns.stated >= turns.chars))
    return telling, asked[telling]


def _named(frame: Frame) -> NDArray[np.bool_] | None:
    """The turns of the one speaker whom the question names; None unless there are other speakers."""
    if len(frame.intent.speakers) != 1 or frame.with_assistant:
        return None
    mine = np.asarray(frame.view.turns.speaker == frame.intent.speakers[0])
    return mine if mine.any() and not mine.all() else None


def _words(ranking: Ranking) -> float:
    frame, first = ranking.frame, ranking.positions[:FIRST]
    if frame.piece_scores is None:
        return 0.0
    found_in = [frame.view.document_frequency(term) for term in frame.intent.telling]
    ceiling = score_bound(len(frame.view.turns.ordinal), found_in) or 1.0
    starts = frame.view.turns.first_piece
    pieces = [int(starts[position]) + frame.best_piece(position) for position in first.tolist()]
    return float(np.mean(frame.piece_scores[pieces])) / ceiling


def _nearest(frame: Frame) -> int | None:
    """The turn with the highest cosine; None where no turn has a vector."""
    if frame.cosines is None:
        return None
    place = int(frame.cosines.argmax())
    if not isnan(frame.cosines[place]):
        return place
    known = np.flatnonzero(~np.isnan(frame.cosines))  # the first cosine that is missing counts as the highest
    return int(known[frame.cosines[known].argmax()]) if len(known) else None


def _near(frame: Frame, highest: float) -> float:
    """The highest cosine, as far as it exceeds the likeness of all turns.

    To a model that cannot read the turns, such as an English one that is given Chinese, all turns are alike, and near
    to any question in that language. So likeness up to `ALIKE` is ignored, likeness beyond it is subtracted, and the
    rest is scaled to end at 1 again. In a space of few turns, likeness may be chance and counts less.
    """
    if frame.alike <= ALIKE:
        return highest
    base = (frame.alike - ALIKE) / (1.0 - ALIKE) * min(1.0, frame.size / FEW)
    return max(0.0, highest - base) / (1.0 - base) if base < 1.0 else 0.0


def _worded(frame: Frame, nearest: int | None) -> float:
    """How well the turn nearest to the question matches its words: 1 if no piece matches better, 0 if all do."""
    if nearest is None or frame.piece_scores is None:
        return 0.0
    own = max(frame.scores_of_pieces(nearest), default=0.0)
    above = int(np.count_nonzero(frame.piece_scores > own))
    return 1.0 - log1p(above) / log1p(len(frame.piece_scores))
