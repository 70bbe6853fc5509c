"""The entity graph: turns that name what lies near the entities of the question."""

from functools import reduce

import numpy as np

from clew.rank.frame import Frame, Scores
from clew.text.terms import quote_terms


def graph(frame: Frame) -> Scores | None:
    """The summed energy of the entities that a turn names within one of its pieces; None when none was reached.

    The question's own entities are left out, since its words already find their turns.
    """
    if not frame.around.near:
        return None
    scores = np.zeros(frame.size)
    owner = frame.view.pieces.turn
    for names, energy in frame.around.near:
        named = np.zeros(frame.size, dtype=bool)
        for name in names:
            postings = [frame.view.postings(term)[0] for term in dict.fromkeys(quote_terms(name))]
            if postings:
                named[owner[reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), postings)]] = True
        scores[named] += energy
    return scores
