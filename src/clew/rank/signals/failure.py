"""Turns in which something fails, for a question about why something failed."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.text.terms import terms

WORDS: Final = (
    "error failed failure cannot unable invalid rejected refused exception traceback denied unavailable insufficient"
    " impossible sorry unfortunately unsupported forbidden aborted undefined"
)
"""Words of turns that report a failure."""

_FAILURES: Final = CacheKey[NDArray[np.float64]]("failures")


def failure(frame: Frame) -> Scores | None:
    """1 for turns with a word of `WORDS` where an assistant is asked why something failed.

    The answer to "why was it refused?" often has no word of the question ("Error: not enough seats"). None for other
    questions, and where nothing in the space is like the question.
    """
    if not (frame.intent.wants.failure and frame.matches):
        return None
    return frame.view.derived(_FAILURES, lambda: _failures(frame.view))


def _failures(view: IndexView) -> NDArray[np.float64]:
    values = np.zeros(len(view.turns.ordinal))
    for term in terms(WORDS):
        values[view.pieces.turn[view.lookup(term).pieces]] = 1.0
    return values
