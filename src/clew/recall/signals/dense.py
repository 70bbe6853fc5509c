"""Meaning: cosine between the question's vector and a turn's. A turn without a vector yet is NaN, never 0."""

import numpy as np

from clew.recall.frame import Frame, Scores, answers, beside
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


def window(frame: Frame) -> Scores | None:
    """The best window of three turns that holds the turn: the mean of what `dense_rewritten` gives those three.

    Between people a thing is told in several short turns, each of which alone says little. The mean of the cosines
    stands for the window's own; turns without a vector are left out of it. None where an assistant takes part, whose
    neighbours are the person's turns.
    """
    if frame.similarity is None or frame.with_assistant:
        return None
    before, after = beside(frame.view)
    own = np.append(frame.similarity[1], np.nan)
    known = ~np.isnan(own)
    own[~known] = 0.0
    counts = known[:-1].astype(np.float64) + known[before] + known[after]
    with np.errstate(invalid="ignore"):  # no turn of the window has a vector: nothing is known of it
        means = np.append((own[:-1] + own[before] + own[after]) / counts, np.nan)
    best: Scores = np.fmax(means[:-1], np.fmax(means[before], means[after]))
    return best
