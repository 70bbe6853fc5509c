"""Meaning: cosine between the question's vector and a turn's. A turn without a vector yet is NaN, never 0."""

import numpy as np

from clew.recall.frame import Frame, Scores, answers
from clew.recall.fusion import centred


def dense(frame: Frame) -> Scores | None:
    """The question as asked."""
    return None if frame.similarity is None else frame.similarity[0]


def dense_rewritten(frame: Frame) -> Scores | None:
    """The question with names, or request words, taken out."""
    return None if frame.similarity is None else frame.similarity[1]


def answer(frame: Frame) -> Scores | None:
    """What `dense_rewritten` gives the turn before, as a z-score, where that turn asks; 0 elsewhere.

    Between people an answer is often too short to be alike to any question ("In San Francisco!"), and what it answers
    is not. An assistant asks out of habit; None where one takes part.
    """
    if frame.similarity is None or frame.with_assistant:
        return None
    replies, asked = answers(frame.view)
    mean, spread = centred(frame.similarity[1])
    values = np.zeros(frame.size)
    values[replies] = np.nan_to_num((frame.similarity[1][asked] - mean) / spread)
    return values
