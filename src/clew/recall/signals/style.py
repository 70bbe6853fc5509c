"""How a turn speaks: of itself, asking, stating. Weak priors that hold for any question."""

import numpy as np

from clew.recall.frame import Frame, Scores


def first_person(frame: Frame) -> Scores:
    """1 where the turn says I, me, my, we or our."""
    return frame.view.turns.first_person.astype(np.float64)


def question(frame: Frame) -> Scores:
    """1 where the turn asks something."""
    return frame.view.turns.asks.astype(np.float64)


def statement(frame: Frame) -> Scores:
    """ln(1 + characters outside of questions)."""
    return np.log1p(frame.view.turns.stated.astype(np.float64))
