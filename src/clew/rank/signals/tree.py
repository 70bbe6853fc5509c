"""The hierarchy: a turn's own match together with that of its beat and chapters.

Every turn gets the score that a search down the tree would give it, so that no turn is hidden; a turn that is in no
beat yet gets its own match alone.
"""

import numpy as np

from clew.rank.frame import Frame, Scores
from clew.rank.graph_context import inherited
from clew.structure.tree import INHERITED, OWN


def tree(frame: Frame) -> Scores | None:
    """0.7 of the turn's own cosine and 0.3 of its beat's score; None without vectors or without beats."""
    if frame.similarity is None or not frame.around.nodes:
        return None
    own = frame.similarity[1]
    above = inherited(frame.view, frame.around.nodes, own)
    return np.asarray(np.where(np.isnan(above), own, OWN * own + INHERITED * above))
