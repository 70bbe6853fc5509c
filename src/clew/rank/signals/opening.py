"""Openings: how near to its session's beginning a turn stands, where a summary, or an order of things, is asked for."""

import numpy as np

from clew.rank.frame import USER, Frame, Scores


def opening(frame: Frame) -> Scores | None:
    """From 1 for the first turn of a session, evenly down towards 0 after its last one; None without an assistant.

    What a session is about is laid out first, and mended afterwards: a summary is of the former. So is an order of
    what was brought up, which the person did: there the assistant's turns get nothing.
    """
    wanted = frame.intent.wants.summary or frame.intent.wants.order
    if not (wanted and frame.with_assistant):
        return None
    turns = frame.view.turns
    lengths = np.zeros(len(frame.view.sessions))
    np.maximum.at(lengths, turns.session, turns.seq + 1.0)
    early: Scores = 1.0 - turns.seq / lengths[turns.session]
    return early if frame.intent.wants.summary else np.where(turns.role == USER, early, 0.0)
