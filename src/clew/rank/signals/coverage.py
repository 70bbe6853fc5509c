"""Terms of the question in a turn's own words, without its neighbours: how many there are, and how rare they are."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import idf
from clew.rank.frame import Frame, Scores
from clew.rank.participants import agent_share, has_agents_work
from clew.rank.sparse_columns import FewTurns, distinct

FEW: Final = 5
"""Most turns with all words of a search for `exact` to tell them apart from the others."""

SELDOM: Final = 50
"""Most turns with the rarest word of a search; words that are all more frequent than that single out no turn."""

RARE: Final = 6.0
"""Inverse document frequency from which a term is rare: about one turn in 400, and none in a space of fewer turns."""


def coverage(frame: Frame) -> Scores | None:
    """The square of the share of the question's terms that a turn contains, by rarity, times the agent share.

    Sessions of agents repeat the same few words in hundreds of turns; the turn that has all of them together answers.
    None without known terms, and where all agent shares are 0.
    """
    if not frame.with_assistant or not frame.intent.terms or not has_agents_work(frame.view):
        return None
    frequencies = ((term, frame.view.document_frequency(term)) for term in frame.intent.telling)
    rarities = {term: idf(frame.size, df) for term, df in frequencies if df}
    return weight_share(frame, rarities) ** 2 * agent_share(frame.view) if rarities else None


def weight_share(frame: Frame, weights: Mapping[str, float]) -> Scores:
    """For each turn, the share of the terms' total weight that the turn itself contains; the weights are above 0."""
    contained = np.zeros(frame.size)
    for term, weight in weights.items():
        contained[turns_with(frame, term)] += weight  # several pieces of a turn add it once
    return contained / sum(weights.values())


def exact(frame: Frame) -> FewTurns | None:
    """1 for turns that contain every word of a search; None where more than `FEW` do, or the question is a sentence.

    Somebody who types two rare words wants the turn with both of them, whatever its length and whoever said it.
    """
    if not frame.intent.wants.exact or not frame.intent.terms:
        return None
    if min(map(frame.view.document_frequency, frame.intent.terms)) > SELDOM:
        return None
    every = distinct(turns_with(frame, frame.intent.terms[0]))
    for term in frame.intent.terms[1:]:
        every = np.intersect1d(every, distinct(turns_with(frame, term)), assume_unique=True)
    return FewTurns(frame.size, every, np.ones(len(every))) if 0 < len(every) <= FEW else None


def rare(frame: Frame) -> FewTurns | None:
    """The sum of the inverse document frequencies of a turn's rare terms of the question, each less `RARE`.

    In a large space thousands of turns share the common terms of a question, and together they outweigh its one name or
    identifier. None where no term of the question is rare.
    """
    frequencies = [(term, frame.view.document_frequency(term)) for term in frame.intent.telling]
    rarities = [(term, idf(frame.size, df) - RARE) for term, df in frequencies if df]
    if max((above for _, above in rarities), default=0.0) <= 0.0:
        return None
    rare_turns = [(turns_with(frame, term), above) for term, above in rarities if above > 0.0]
    positions = distinct(np.concatenate([turns for turns, _ in rare_turns]))
    values = np.zeros(len(positions))
    for turns, above in rare_turns:
        values[positions.searchsorted(turns)] += above
    return FewTurns(frame.size, positions, values)


def turns_with(frame: Frame, term: str) -> NDArray[np.intp]:
    """Positions of the turns that contain a term, ascending, once for each of their pieces that does."""
    return frame.view.pieces.turn[frame.view.lookup(term).pieces].astype(np.intp)
