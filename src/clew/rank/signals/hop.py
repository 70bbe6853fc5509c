"""The second look-up: turns that contain further terms of the turns found first."""

from clew.index.bm25 import NeighbourWindow, bm25f, turn_scores
from clew.rank.frame import Frame, Scores


def hop(frame: Frame) -> Scores | None:
    """BM25F of the terms of `clew.rank.second_lookup` in the turn's own words; None without a second look-up."""
    return turn_scores(frame.view, bm25f(frame.view, frame.hop, NeighbourWindow.none())) if frame.hop else None
