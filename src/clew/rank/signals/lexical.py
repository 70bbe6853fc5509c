"""Words: BM25F over pieces, each together with its neighbours; a turn gets the score of its best piece."""

from clew.index.bm25 import turn_scores
from clew.rank.frame import Frame, Scores


def lexical(frame: Frame) -> Scores | None:
    """BM25F of the question's terms; None when the question has no term."""
    return None if frame.piece_scores is None else turn_scores(frame.view, frame.piece_scores)
