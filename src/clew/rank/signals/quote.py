"""Turns that contain every word of a phrase that the question puts in quotation marks."""

import numpy as np

from clew.rank.frame import Frame, Scores
from clew.text.terms import quote_terms


def quote(frame: Frame) -> Scores | None:
    """1 where one piece of the turn contains all words of a quoted phrase; None when nothing is quoted."""
    phrases = [words for words in (dict.fromkeys(quote_terms(phrase)) for phrase in frame.intent.quotes) if words]
    if not phrases:
        return None
    scores = np.zeros(frame.size)
    owner = frame.view.pieces.turn
    for words in phrases:
        postings = [frame.view.postings(word)[0] for word in words]
        common = postings[0]
        for pieces in postings[1:]:
            common = np.intersect1d(common, pieces, assume_unique=True)
        scores[owner[common]] = 1.0
    return scores
