"""Words: BM25F over pieces, each together with its neighbours; a turn gets the score of its best piece."""

from typing import Final

from clew.index.bm25 import turn_scores
from clew.rank.frame import Frame, Scores

ALONE: Final = 1.35
"""Factor of words where there are no vectors: boosts, whose weights assume both, would outweigh words alone."""


def lexical(frame: Frame) -> Scores | None:
    """BM25F of the question's terms; None when the question has no term."""
    return None if frame.piece_scores is None else turn_scores(frame.view, frame.piece_scores)
