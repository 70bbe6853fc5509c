"""What each beat is about, by the evidence of its turns and by what the other beats are about (empirical Bayes).

The tags of a beat are what its own turns say clearly. Faint evidence is lost in them: of a crossing of law and medicine
only the law, of a lesson in physics also the manual that it sounds like. So every beat keeps how well each combination
of domains describes it (`domain_states.state_levels`), and its subject is found by Bayes' rule: the likelihood of each
combination, times a prior that the other beats of the conversation give, by the turns that they are about each domain.

A manner and a subject can be read in two ways: as two domains that meet, or as a subject that is told in that manner.
The first takes a conversation in which the manner is a subject by itself, the second one that is told so elsewhere.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domain_states import MANNERS, STATES, Likelihoods, levels_read
from clew.analyze.domains import is_crossing
from clew.analyze.lexicon import DOMAINS
from clew.structure.conversation_context import BeatSubject

Matrix = NDArray[np.float64]

# Turns that every domain, and every manner of telling, is given besides those that the other beats have of it.
_UNSEEN: Final = 0.25
_UNTOLD: Final = 2.0
# In logits: what speaks for two domains at once beyond the prior of either, and for a beat about nothing.
_TOGETHER: Final = 0.5
_NOTHING: Final = -6.2
# How often the beats are read again with what was found of the others.
_ROUNDS: Final = 2
_DIGITS: Final = 6

_DOMAINS: Final = len(DOMAINS)
_TELLING: Final = tuple(domain for domain in DOMAINS if domain in MANNERS)
# Each reading of a beat: its state, what it is about, and in which of `_TELLING` it is told; None for no manner.
_READINGS: Final[tuple[tuple[int, tuple[str, ...], str | None], ...]] = (
    *((place, state, None) for place, state in enumerate(STATES)),
    *(
        (place, tuple([domain for domain in state if domain not in MANNERS]), manner)
        for manner in _TELLING
        for place, state in enumerate(STATES)
        if manner in state and not MANNERS.issuperset(state)
    ),
)
_STATE: Final = np.array([place for place, _, _ in _READINGS])
_ABOUT: Final[Matrix] = np.array([[float(domain in about) for domain in DOMAINS] for _, about, _ in _READINGS])
_SHARES: Final[Matrix] = _ABOUT / np.maximum(_ABOUT.sum(axis=1, keepdims=True), 1.0)
_TOLD: Final[Matrix] = np.array(
    [[float(bool(about) and told == manner) for manner in (None, *_TELLING)] for _, about, told in _READINGS]
)
_FIXED: Final = np.array([(_NOTHING, 0.0, _TOGETHER)[len(about)] for _, about, _ in _READINGS])
_CROSSING: Final = np.array([is_crossing(about) for _, about, _ in _READINGS])
# Readings about one domain; and those about two that go together, with the domains that they may count for: the subject
# of a manner, or else the likelier of the two.
_ONE: Final = _ABOUT * (_ABOUT.sum(axis=1, keepdims=True) == 1.0)
_COMPANIONS: Final = tuple(
    (place, [DOMAINS.index(domain) for domain in about if domain not in MANNERS or MANNERS.issuperset(about)])
    for place, (_, about, _) in enumerate(_READINGS)
    if len(about) > 1 and not is_crossing(about)
)


def subjects_by_evidence(beats: Sequence[tuple[str, int]]) -> list[BeatSubject]:
    """What each beat of a conversation is about.

    Args:
        beats: `BeatMap.states`, not empty, and the number of turns, of the beats in order.
    """
    if not beats:
        return []
    own = levels_read([states for states, _ in beats])[:, _STATE] + _FIXED
    turns = np.array([[turns] for _, turns in beats], np.float64)
    logs = own
    for _ in range(_ROUNDS):
        found = _posterior(logs)
        logs = own + _prior(found @ _SHARES * turns, _UNSEEN) @ _ABOUT.T
        logs += _prior(found @ _TOLD * turns, _UNTOLD) @ _TOLD.T
    return _subjects(_posterior(logs), logs)


def _posterior(logs: Likelihoods) -> Matrix:
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    posterior: Matrix = shares / shares.sum(axis=1, keepdims=True)
    return posterior


def _prior(counts: Matrix, besides: float) -> Matrix:
    """The logarithms of what the other beats' counts, in turns, make of each column's share in a beat."""
    elsewhere = np.maximum(counts.sum(axis=0) - counts, 0.0) + besides
    prior: Matrix = np.log(elsewhere / elsewhere.sum(axis=1, keepdims=True))
    return prior


def _subjects(posterior: Matrix, logs: Likelihoods) -> list[BeatSubject]:
    """The likeliest of no domain, each domain and a crossing, by the sum over the readings that mean it."""
    single = posterior @ _ONE
    for place, some in _COMPANIONS:
        likelier = np.array(some)[logs[:, [1 + domain for domain in some]].argmax(axis=1)]
        single[np.arange(len(single)), likelier] += posterior[:, place]
    nothing, crossing = posterior[:, 0], posterior[:, _CROSSING].sum(axis=1)
    best = np.column_stack([single, crossing, nothing]).round(_DIGITS).argmax(axis=1)
    strongest = (posterior @ _ABOUT).round(_DIGITS).argmax(axis=1)
    subjects = []
    for label, domain in zip(best.tolist(), strongest.tolist(), strict=True):
        crosses = label == _DOMAINS
        named = domain if crosses else label
        subjects.append(BeatSubject(DOMAINS[named] if named < _DOMAINS else None, crosses))
    return subjects
