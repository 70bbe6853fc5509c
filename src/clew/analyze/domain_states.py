"""What a run of turns is about: no domain, one, or two at once, by the evidence of all its turns together.

A turn of ten words seldom has enough evidence to name a domain, and one that has it may be an exception. Several turns
that have a little evidence for the same domain each are clear together. So each state (no domain, one of `DOMAINS`, or
two of them) gets a likelihood from every turn, the logarithms are summed over the turns, and the best state of the sum
is what the run is about. In a run about two domains, a turn may be about either or about both.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.lexicon import DOMAINS

Likelihoods = NDArray[np.float64]
"""Logarithms, relative to a run about no domain, in the order of `STATES`; one row for each turn."""

_PAIRS: Final = tuple(combinations(range(len(DOMAINS)), 2))
STATES: Final[tuple[tuple[str, ...], ...]] = (
    (),
    *((domain,) for domain in DOMAINS),
    *((DOMAINS[one], DOMAINS[two]) for one, two in _PAIRS),
)

MANNERS: Final = frozenset(("poetry", "narrative", "conversational"))
"""Domains that are a manner of speaking: whatever is told or discussed in them has a subject besides."""

# The evidence at which a turn is as likely about a domain as about another, in the order of `DOMAINS`, by the words
# alone and with a vector, whose evidence is stronger: a logistic regression for each domain on turns of sources left
# out (`python -m benchmarks.domain_levels` fits them again).
_EVEN: Final = np.array(
    [
        [0.48, 0.55, 0.58, 0.50, 0.41, 0.79, 0.54, 0.98, 0.72, 0.71],
        [0.83, 0.81, 0.90, 0.83, 0.82, 0.88, 0.92, 1.12, 0.97, 0.98],
    ]
)
# What a run needs above that, by words and with vectors, since what is about no domain has some evidence too, and how
# steeply the log odds rise with the evidence: half as steeply as in the regressions, because neighbouring turns repeat
# each other. These and what follows were chosen by the evaluations on sources left out (docs/evaluation.md).
_ABOVE: Final = np.array([0.35, 0.2])
_SLOPE: Final = 1.9
# Evidence of one turn counts up to this, so that a turn full of terms is not a run of its own.
_MOST: Final = 2.5
# How many turns of a run about two domains are about both.
_BOTH: Final = 0.45
# By the number of domains of a state.
_PRICES: Final = (5.0, 0.0, -0.1)
PRICES: Final = np.array([_PRICES[len(state)] for state in STATES])
"""What is taken off the sum over a run: one domain is the plain case."""
# A second domain is worth a tag where the run is nearly as well described by both domains: in logits, and where the
# first one is a manner of speaking and the second a subject.
_NEARLY: Final = 0.8
_SUBJECT_OF_MANNER: Final = 2.0
# Least value of the best state: below it the turns together say no more than nothing.
_LEAST: Final = -1.0

# Levels of `state_levels`: a step in logits, and characters that JSON leaves as they are.
_STEP: Final = 0.5
_TOP, _BOTTOM = 126, 93

_FIRST, _SECOND = np.array(_PAIRS).T


def beyond_even(
    evidence: Sequence[Sequence[float]] | NDArray[np.float64], vectors: Sequence[bool]
) -> NDArray[np.float64]:
    """How much more evidence there is in each turn for each domain than where it is as likely as another.

    Args:
        evidence: the evidence of each turn for each domain (`domains.Evidence`).
        vectors: whether the evidence of each turn has that of its vector.
    """
    rows = np.array(evidence, np.float64).reshape(-1, len(DOMAINS))
    difference: NDArray[np.float64] = np.minimum(rows, _MOST) - _EVEN[np.array(vectors, np.intp)]
    return difference


def likelihoods(beyond: NDArray[np.float64], vectors: Sequence[bool]) -> Likelihoods:
    """The likelihood of each state for each turn, from what `beyond_even` returns for the same turns."""
    logits = _SLOPE * (beyond - _ABOVE[np.array(vectors, np.intp)][:, None])
    odds = np.exp(logits)
    one, two = odds[:, _FIRST], odds[:, _SECOND]
    pairs = np.log((1.0 - _BOTH) / 2.0 * (one + two) + _BOTH * one * two)
    return np.hstack([np.zeros((len(logits), 1)), logits, pairs])


def state_levels(evidence: Sequence[Sequence[float]], vectors: Sequence[bool]) -> str:
    """How well each state describes a run, a character for each of `STATES`; `levels_read` decodes it.

    Args:
        evidence: the evidence of each turn, at least one.
        vectors: whether it has that of the turn's vector.
    """
    sums = likelihoods(beyond_even(evidence, vectors), vectors).sum(axis=0) - PRICES
    sums[0] = _LEAST
    below = ((sums.max() - sums) / _STEP).round().astype(np.int64)
    return bytes(np.maximum(_TOP - below, _BOTTOM).tolist()).decode("ascii")


def are_levels(text: str) -> bool:
    """Whether `levels_read` can read a text; another version may have kept others, and a row may be damaged."""
    return len(text) == len(STATES) and text.isascii()


def levels_read(levels: Sequence[str]) -> Likelihoods:
    """The logarithms of the likelihoods of `STATES`, relative to the best one, a row for each run.

    They come from what `state_levels` returned: in steps of half a logit, and no less than -16.5.
    """
    codes = np.frombuffer("".join(levels).encode("ascii"), np.uint8).reshape(-1, len(STATES))
    decoded: Likelihoods = (codes.astype(np.float64) - _TOP) * _STEP
    return decoded


def about(evidence: Sequence[Sequence[float]], vectors: Sequence[bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a run is about, and what else it touches.

    Args:
        evidence: the evidence of each turn.
        vectors: whether it has that of the turn's vector.

    Returns:
        The domains of the best state: none, one or two. Beside one, the domains that would describe the run nearly as
        well together with it, strongest first.
    """
    sums = (likelihoods(beyond_even(evidence, vectors), vectors).sum(axis=0) - PRICES).round(6)
    best = int(sums.argmax())
    state = STATES[best] if sums[best] >= _LEAST else ()
    if len(state) != 1:
        return state, ()
    near = [
        (-sums[place], other) for place, other, nearly in _PAIRS_WITH[state[0]] if sums[place] > sums[best] - nearly
    ]
    return state, tuple([other for _, other in sorted(near)])


def _nearly(domain: str, other: str) -> float:
    return _SUBJECT_OF_MANNER if domain in MANNERS and other not in MANNERS else _NEARLY


def _pairs_with(domain: str) -> list[tuple[int, str, float]]:
    """Place of each pair with a domain, the other one, and how much worse the pair may be than the domain alone."""
    pairs = [
        (place, state[state[0] == domain]) for place, state in enumerate(STATES) if len(state) == 2 and domain in state
    ]
    return [(place, other, _nearly(domain, other)) for place, other in pairs]


_PAIRS_WITH: Final = {domain: _pairs_with(domain) for domain in DOMAINS}
