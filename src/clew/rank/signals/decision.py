"""Turns that state a decision, for a question that asks for decisions in general."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.text.terms import terms

OUTRIGHT: Final = (
    "decided decide decision agreed settled concluded resolved approved final"
    " beschlossen entschieden entscheidung vereinbart festgelegt abgemacht planänderung"
    " decidimos decidido decisión acordamos acordado décidé décision convenu 决定 商定"
)
"""Words of turns that name a decision."""

LIKELY: Final = (
    "switch switching switched move moved postpone postponed instead choose chose chosen pick picked keep drop"
    " statt stattdessen verschoben nehmen elegimos cambiamos choisi 改为"
)
"""Words by which a choice is told as often as something else: they count half."""

_DECISIONS: Final = CacheKey[NDArray[np.float64]]("decisions")


def decision(frame: Frame) -> Scores | None:
    """1 for turns with a word of `OUTRIGHT`, 0.5 for those with one of `LIKELY`, where only decisions are asked for.

    "What did we decide?" has no word that "Then let's switch to NATS" has. None for other questions: one with a subject
    finds its turns by that.
    """
    if not frame.intent.wants.decisions:
        return None
    return frame.view.derived(_DECISIONS, lambda: _decisions(frame.view))


def _decisions(view: IndexView) -> NDArray[np.float64]:
    values = np.zeros(len(view.turns.ordinal))
    for words, value in ((LIKELY, 0.5), (OUTRIGHT, 1.0)):
        for term in terms(words):
            values[view.pieces.turn[view.lookup(term).pieces]] = value
    values[view.turns.asks.astype(np.bool_)] *= 0.5
    return values
