"""Meaning: cosine between the question's vector and a turn's. A turn without a vector yet is NaN, never 0."""

from clew.recall.frame import Frame, Scores


def dense(frame: Frame) -> Scores | None:
    """The question as asked."""
    return None if frame.similarity is None else frame.similarity[0]


def dense_rewritten(frame: Frame) -> Scores | None:
    """The question with names, or request words, taken out."""
    return None if frame.similarity is None else frame.similarity[1]
