"""What two stretches of conversation have in common, by the evidence of their beats and by how related they are.

The tags of a beat are what its own turns say clearly, and what joins two subjects is often faint on one side: a tale of
a hare that oversleeps, and what its race teaches about virtue. Whoever reads both knows by their words that they belong
together, and looks for what they share; and takes no faint likeness of two texts that have nothing to do with each
other for a common subject.

So two beats are read together, by how well each combination of domains describes either (`domain_states.state_levels`):
how likely it is beforehand that they share a domain depends on how related their turns are (a logistic regression), and
Bayes' rule does the rest. What is clear stays clear: two lawsuits are both about the law without a word in common.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domain_states import STATES, are_levels, levels_read, state_levels
from clew.analyze.lexicon import DOMAINS
from clew.analyze.novelty import Vector
from clew.analyze.word_rarity import rarities
from clew.structure.conversation_context import named_shares, present
from clew.structure.features import READ_CHARS, frequent_terms
from clew.structure.snapshot import BeatMap
from clew.types.record import Record

Matrix = NDArray[np.float64]

# Log odds that two beats share a domain, by their turns alone: a constant, for the likeness of their words, and for
# that of their vectors (on MiniLM's scale). Logistic regressions on pairs of texts of sources left out, half of which
# shared one; two stretches share one less often than that, and the constants are lower by 1.2 (docs/evaluation.md).
_BY_WORDS: Final = (-2.6, 36.0, 0.0)
_BY_VECTORS: Final = (-5.2, 25.0, 21.0)
# No surer than this either way, in logits: two turns in the same words may still be about different domains.
_SUREST: Final = 4.0
# The cosine of two beats' terms grows with their number, whatever they are about: that of unrelated ones is as high for
# 8 turns as for 24 if it is multiplied by the usual number of terms over the number of terms, to this power.
_USUAL_TERMS, _GROWTH = 40.0, 0.7
# What a term counts for one that begins or ends with it (sleep, oversleep), and its letters at least.
_KINDRED, _LEAST_LETTERS = 0.5, 4
# Terms whose products are summed at once: a matrix of as many columns for each side, whatever the number of terms.
_AT_ONCE: Final = 256
_OVER: Final = 2.0  # more than the rarity of any term
# In logits: what speaks for two domains at once beside the prior of either, with which the other readings are even.
_TOGETHER: Final = 1.0
_DIGITS: Final = 4
_LEAST: Final = 1e-9

_HAVING: Final[Matrix] = np.array([[float(domain in state) for domain in DOMAINS] for state in STATES])
_SHARING: Final[Matrix] = (_HAVING @ _HAVING.T > 0.0).astype(np.float64)
_FIXED: Final = np.array([_TOGETHER * (len(state) == 2) for state in STATES])
_PRIOR: Final = np.exp(_FIXED) / np.exp(_FIXED).sum()
_BEFOREHAND: Final[Matrix] = _PRIOR @ _HAVING
"""How likely a beat of which nothing is known is about each domain."""
_TELLING: Final = 5
"""Turns that say much by saying nothing: more need not be counted."""
_BY_CHANCE: Final = float(_PRIOR @ _SHARING @ _PRIOR)
"""How likely two beats of any readings share a domain."""


@dataclass(frozen=True, slots=True)
class StretchBeat:
    """What is compared of one beat of a stretch.

    Attributes:
        node: its id: a beat that is in both stretches is not read in its own light.
        beat: as it was frozen.
        terms: how many of its turns have each search term.
        rarities: 0..1, how seldom the word of each term is used at large (`word_rarity`); 1 for one that it lacks.
        vector: mean of the directions of its turns' vectors; None if none has one.
    """

    node: str
    beat: BeatMap
    terms: Mapping[str, int]
    rarities: Mapping[str, float]
    vector: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class InCommon(Record):
    """What two stretches of conversation are about in each other's light, and what they share.

    Attributes:
        first, second: how much of either stretch is about each domain, by its turns, strongest first, from a tenth on;
            since a beat may be about two domains, shares may sum to more than 1.
        shared: the smaller of both shares of each domain, in the same way.
        related: 0..1, how likely two beats of them share a domain by their words and vectors alone, in the mean.
    """

    first: dict[str, float]
    second: dict[str, float]
    shared: dict[str, float]
    related: float


@dataclass(frozen=True, slots=True)
class _Readings:
    """The posterior of the states of each beat by itself, the number of its turns, and what they were named."""

    states: Matrix
    turns: Matrix
    named: Matrix
    known: NDArray[np.bool_]

    @property
    def weights(self) -> Matrix:
        """Each beat's part of the turns."""
        parts: Matrix = self.turns / self.turns.sum()
        return parts


def stretch_beat(node: str, beat: BeatMap, said: Iterable[tuple[str, Vector | None]]) -> StretchBeat:
    """A beat with what is compared of it, from the text and the vector of each of its turns that is still stored."""
    counts: Counter[str] = Counter()
    directions = []
    read = []
    for text, vector in said:
        counts.update(sorted(frequent_terms(text)))
        read.append(text[:READ_CHARS])
        length = 0.0 if vector is None else float(np.linalg.norm(vector))
        if vector is not None and length > 0.0:
            directions.append(vector.astype(np.float64) / length)
    rare = rarities("\n".join(read))
    return StretchBeat(node, beat, counts, rare, np.mean(directions, axis=0) if directions else None)


def in_common(first: Sequence[StretchBeat], second: Sequence[StretchBeat]) -> InCommon:
    """What two stretches have in common; each has at least one beat.

    A domain that no beat of either speaks for is left out: what remains of its share is what is expected of any beat.

    A beat that was frozen before states were kept, or whose states cannot be read, has the domains that it names.
    """
    odds = _odds(first, second)
    same = np.equal.outer(*(np.array([beat.node for beat in beats], np.object_) for beats in (first, second)))
    mine, theirs = _read(first), _read(second)
    worth = odds * ((1.0 - _BY_CHANCE) / _BY_CHANCE)
    worth[same | ~mine.known[:, None] | ~theirs.known] = 1.0
    told = _told(mine) | _told(theirs)
    here = _about(mine, theirs, worth) * told
    there = _about(theirs, mine, worth.T) * told
    return InCommon(
        first=_shares(here),
        second=_shares(there),
        shared=_shares(np.minimum(here, there)),
        related=round(float(mine.weights @ (odds / (1.0 + odds)) @ theirs.weights), _DIGITS),
    )


def _odds(first: Sequence[StretchBeat], second: Sequence[StretchBeat]) -> Matrix:
    """How likely each beat of one stretch and each of the other share a domain by their turns alone, as odds."""
    words = _likeness_of_words(first, second)
    scores = _BY_WORDS[0] + _BY_WORDS[1] * words
    ours, theirs = ([place for place, each in enumerate(beats) if each.vector is not None] for beats in (first, second))
    if ours and theirs:
        mine, others = (
            np.array([beat.vector for beat in beats if beat.vector is not None]) for beats in (first, second)
        )
        both = np.ix_(ours, theirs)
        constant, by_words, by_vectors = _BY_VECTORS
        scores[both] = constant + by_words * words[both] + by_vectors * (mine @ others.T)
    odds: Matrix = np.exp(np.clip(scores, -_SUREST, _SUREST))
    return odds


def _likeness_of_words(first: Sequence[StretchBeat], second: Sequence[StretchBeat]) -> Matrix:
    """The cosine of each two beats' terms, weighed by their rarity, over its usual growth with the number of terms.

    Of two terms of which one begins or ends with the other, the product counts in part. It goes term by term through
    the beats that have it: pair by pair, a thousand beats on each side took over a minute.
    """
    rare: dict[str, float] = {}
    for beat in (*first, *second):
        _keep_commonest(rare, beat.rarities)
    here, there = _beats_by_term(first), _beats_by_term(second)
    same = ((term, term, 1.0) for term in here if term in there)
    pairs = chain(same, _kindred(here, there))
    shared = np.zeros((len(first), len(second)))
    while some := list(islice(pairs, _AT_ONCE)):
        ours, theirs = np.zeros((len(first), len(some))), np.zeros((len(second), len(some)))
        for place, (term, other, _) in enumerate(some):
            for roots, (beats, values) in ((ours, here[term]), (theirs, there[other])):
                roots[beats, place] = values
        worth = [share * sqrt(rare.get(term, 1.0) * rare.get(other, 1.0)) for term, other, share in some]
        shared += (ours * worth) @ theirs.T
    (count, weight), (others, weights) = (_number_and_weight(beats, rare) for beats in (first, second))
    sizes, lengths = np.sqrt(np.multiply.outer(count, others)), np.sqrt(np.multiply.outer(weight, weights))
    likeness: Matrix = shared / lengths * (_USUAL_TERMS / sizes) ** _GROWTH
    return likeness


def _number_and_weight(beats: Sequence[StretchBeat], rare: Mapping[str, float]) -> tuple[Matrix, Matrix]:
    """How many terms each beat has, at least 1, and their rarities together, more than 0."""
    counts = [sum(beat.terms.values()) for beat in beats]
    weights = [sum([count * rare.get(term, 1.0) for term, count in beat.terms.items()]) for beat in beats]
    return np.maximum(np.array(counts, np.float64), 1.0), np.maximum(np.array(weights), _LEAST)


def _keep_commonest(rare: dict[str, float], more: Mapping[str, float]) -> None:
    """Adds rarities of terms to those that are known; of two words with one term the commoner counts."""
    for term, rarity in more.items():
        if rarity < rare.get(term, _OVER):
            rare[term] = rarity


def _kindred(here: Collection[str], there: Collection[str]) -> Iterator[tuple[str, str, float]]:
    """Pairs of terms of which one begins or ends with the other, and what they count beside equal ones."""
    yield from ((term, part, _KINDRED) for term, part in _parts_among(here, there))
    yield from ((part, term, _KINDRED) for term, part in _parts_among(there, here))


def _parts_among(some: Collection[str], others: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each word of some terms with each of others that it begins or ends with, in a fixed order."""
    for term in some:
        for size in range(_LEAST_LETTERS, len(term)):
            if (head := term[:size]) in others and head.isalpha():
                yield term, head
            if (tail := term[-size:]) in others and tail != head and tail.isalpha():
                yield term, tail


def _beats_by_term(beats: Sequence[StretchBeat]) -> dict[str, tuple[list[int], list[float]]]:
    """The places of the beats that have each term, and the roots of how often they have it."""
    places: dict[str, tuple[list[int], list[float]]] = {}
    for place, beat in enumerate(beats):
        for term, count in beat.terms.items():
            if (known := places.get(term)) is None:
                places[term] = ([place], [sqrt(count)])
            else:
                known[0].append(place)
                known[1].append(sqrt(count))
    return places


def _read(beats: Sequence[StretchBeat]) -> _Readings:
    known = np.array([are_levels(beat.beat.states) for beat in beats])
    logs = np.zeros((len(beats), len(STATES)))
    if known.any():
        logs[known] = levels_read([beat.beat.states for beat in beats if are_levels(beat.beat.states)])
    states = np.exp(logs + _FIXED)
    turns = np.array([len(beat.beat.pieces) for beat in beats], np.float64)
    named = [named_shares(beat.beat.domain_summary) for beat in beats]
    return _Readings(
        states=states / states.sum(axis=1, keepdims=True),
        turns=turns,
        named=np.array([[shares.get(domain, 0.0) for domain in DOMAINS] for shares in named]),
        known=known,
    )


def _told(readings: _Readings) -> NDArray[np.bool_]:
    """Which domains a beat of a stretch speaks for, by itself.

    They are likelier after it was read than before, and than after as many turns that say nothing: by rounding, one or
    two of those may make a domain a little likelier.
    """
    likelier = readings.states @ _HAVING > np.array([_silent(min(int(count), _TELLING)) for count in readings.turns])
    told = np.where(readings.known[:, None], likelier, readings.named > 0.0)
    return np.asarray(np.any(told, axis=0), np.bool_)


@cache
def _silent(turns: int) -> Matrix:
    """How likely each domain is at most where turns say nothing."""
    silence = state_levels([[0.0] * len(DOMAINS)] * turns, [False] * turns)
    states = np.exp(levels_read([silence]) + _FIXED)
    likely: Matrix = np.maximum(_BEFOREHAND, (states / states.sum() @ _HAVING)[0]) + _LEAST
    return likely


def _about(mine: _Readings, theirs: _Readings, worth: Matrix) -> Matrix:
    """The share of each domain in a stretch whose beats are each read in the light of each beat of the other one.

    Args:
        worth: by how much likelier readings of two beats are that share a domain than those that share none, as far as
            their turns tell; a row for each of the stretch's beats and a column for each of the other's.
    """
    meeting = theirs.states @ _SHARING
    more = worth - 1.0
    parts = theirs.weights / (1.0 + more * (mine.states @ meeting.T))
    states = mine.states * (parts.sum(axis=1)[:, None] + (more * parts) @ meeting)
    about = np.where(mine.known[:, None], states @ _HAVING, mine.named)
    shares: Matrix = (mine.weights @ about).round(_DIGITS)
    return shares


def _shares(found: Matrix) -> dict[str, float]:
    shares = dict(zip(DOMAINS, found.tolist(), strict=True))
    return {domain: shares[domain] for domain in sorted(present(shares), key=lambda each: (-shares[each], each))}
