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

# A turn is as likely about a domain as about another where its evidence is this, in the order of `DOMAINS`, and the log
# odds rise by `_SLOPE` for 1 more. Fitted by a logistic regression for each domain on turns of sources left out, from
# the evidence of rules and of vectors; the slopes found there are twice as steep, but neighbouring turns repeat each
# other. `_SLOPE` and what follows were chosen by the evaluations on sources left out (docs/evaluation.md).
_EVEN: Final = np.array([0.93, 0.99, 1.04, 0.95, 0.86, 1.27, 1.02, 1.45, 1.12, 1.19])
_SLOPE: Final = 1.9
# Evidence of one turn counts up to this, so that a turn full of terms is not a run of its own.
_MOST: Final = 2.5
# How many turns of a run about two domains are about both.
_BOTH: Final = 0.45
# By the number of domains of a state.
_PRICES: Final = (5.0, 0.0, -0.1)
PRICES: Final = np.array([_PRICES[len(state)] for state in STATES])
"""What is taken off the sum over a run: one domain is the plain case."""
# A second domain is worth a tag where the run is nearly as well described by both domains.
_NEARLY: Final = 1.3
# Least value of the best state: below it the turns together say no more than nothing.
_LEAST: Final = -1.0

_FIRST, _SECOND = np.array(_PAIRS).T


def likelihoods(evidence: Sequence[Sequence[float]] | NDArray[np.float64]) -> Likelihoods:
    """The likelihood of each state for each turn, from its evidence for each domain (`domains.Evidence`)."""
    rows = np.array(evidence, np.float64).reshape(-1, len(DOMAINS))
    logits = _SLOPE * (np.minimum(rows, _MOST) - _EVEN)
    odds = np.exp(logits)
    one, two = odds[:, _FIRST], odds[:, _SECOND]
    pairs = np.log((1.0 - _BOTH) / 2.0 * (one + two) + _BOTH * one * two)
    return np.hstack([np.zeros((len(rows), 1)), logits, pairs])


def about(evidence: Sequence[Sequence[float]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a run is about, and what else it touches.

    Returns:
        The domains of the best state: none, one or two. Beside one, the domains that would describe the run nearly as
        well together with it, strongest first.
    """
    sums = (likelihoods(evidence).sum(axis=0) - PRICES).round(6)
    best = int(sums.argmax())
    state = STATES[best] if sums[best] >= _LEAST else ()
    if len(state) != 1:
        return state, ()
    near = [(-sums[place], other) for place, other in _PAIRS_WITH[state[0]] if sums[place] > sums[best] - _NEARLY]
    return state, tuple([other for _, other in sorted(near)])


_PAIRS_WITH: Final = {
    domain: [
        (place, state[state[0] == domain]) for place, state in enumerate(STATES) if len(state) == 2 and domain in state
    ]
    for domain in DOMAINS
}
