"""Meaning: cosine of the question's vector and a turn's. A turn without a vector has NaN, never 0."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from clew.index.incremental_cache import CacheKey
from clew.rank.adjacent_turns import answers, neighbours
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion, centred

_WINDOW_COUNTS: Final = CacheKey[Scores]("window counts")


def dense(frame: Frame) -> Scores | None:
    """The question as asked."""
    return None if frame.similarity is None else frame.similarity[0]


def dense_rewritten(frame: Frame) -> Scores | None:
    """The question with names, or request words, taken out."""
    return None if frame.similarity is None else frame.similarity[1]


def answer(frame: Frame) -> Scores | None:
    """The z-score of `dense_rewritten` for the turn before, where that turn is a question; 0 elsewhere.

    Between people an answer is often too short to resemble any question ("In San Francisco!"), but the question that it
    answers does. None where an assistant takes part, since assistants ask out of habit.
    """
    if frame.similarity is None or frame.with_assistant:
        return None
    replies, asked = answers(frame.view)
    mean, spread = centred(frame.similarity[1])
    values = np.zeros(frame.size)
    values[replies] = np.nan_to_num((frame.similarity[1][asked] - mean) / spread)
    return values


def unembedded(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """For turns without a vector, the z-score of `lexical` times the weights of both cosines; None if all have vectors.

    While vectors are missing, words stand in for them, so that a turn is not ranked by how soon it was embedded.
    """
    words = known.get("lexical")
    if frame.similarity is None or words is None or not np.isnan(np.sum(frame.similarity[1])):
        return None
    missing = np.isnan(frame.similarity[1])
    cosines = frame.config.dense + frame.config.dense_rewritten
    return np.where(missing, words.shares() * (cosines / words.weight), 0.0)


def window(frame: Frame) -> Scores | None:
    """The best mean of `dense_rewritten` over three adjacent turns of which the turn is one.

    Between people a thing is often told in several short turns, each of which says little. The mean of the cosines
    approximates the cosine of the window; turns without a vector are left out of it. None where an assistant takes
    part, since its neighbours are the person's turns.
    """
    if frame.similarity is None or frame.with_assistant:
        return None
    own, beside = frame.similarity[1], neighbours(frame.view)
    if np.isnan(np.sum(own)):  # one sum is cheaper than a test of every value
        known = np.where(np.isnan(own), 0.0, 1.0)
        counts = beside.combined(known, 0.0, np.add)
        own = np.nan_to_num(own)
    else:
        counts = frame.view.derived(_WINDOW_COUNTS, lambda: beside.combined(np.ones(frame.size), 0.0, np.add))
    means = beside.combined(own, 0.0, np.add)
    with np.errstate(invalid="ignore"):  # 0 / 0 where no turn of the window has a vector
        means /= counts
    return beside.combined(means, np.nan, np.fmax)
