"""How a turn speaks: of itself, asking, stating, naming a time, wishing for always."""

import numpy as np

from clew.index.entry import DATED, STANDING
from clew.recall.frame import EVERY, USER, Frame, Scores


def first_person(frame: Frame, rows: slice = EVERY) -> Scores:
    """1 where the turn says I, me, my, we or our."""
    return frame.view.turns.first_person[rows].astype(np.float64)


def question(frame: Frame, rows: slice = EVERY) -> Scores:
    """1 where the turn asks something."""
    return frame.view.turns.asks[rows].astype(np.float64)


def statement(frame: Frame, rows: slice = EVERY) -> Scores | None:
    """ln(1 + characters outside of questions); None where an assistant takes part, whose answers are long."""
    if frame.with_assistant:
        return None
    return np.log1p(frame.view.turns.stated[rows].astype(np.float64))


def dated(frame: Frame) -> Scores | None:
    """1 where the turn names a time and the question asks for one; None when it asks for none."""
    return _marked(frame, DATED) if frame.query.wants_time else None


def standing(frame: Frame) -> Scores | None:
    """1 where the person says how things are to be done, and an assistant is asked to do something; else None.

    "Always show me the code first" bears on every later request, whatever it is about.
    """
    if not (frame.with_assistant and frame.query.wants_help):
        return None
    return np.where(frame.view.turns.role == USER, _marked(frame, STANDING), 0.0)


def _marked(frame: Frame, mark: str) -> Scores:
    values = np.zeros(frame.size)
    values[frame.view.pieces.turn[frame.view.postings(mark)[0]]] = 1.0
    return values
