"""Openings: how near to its session's beginning a turn stands, where a summary is asked for."""

import numpy as np

from clew.recall.frame import Frame, Scores


def opening(frame: Frame) -> Scores | None:
    """From 1 for the first turn of a session, evenly down towards 0 after its last one; None without an assistant.

    What a session is about is laid out first, and mended afterwards: a summary is of the former.
    """
    if not (frame.query.wants_summary and frame.with_assistant):
        return None
    turns = frame.view.turns
    lengths = np.zeros(len(frame.view.sessions))
    np.maximum.at(lengths, turns.session, turns.seq + 1.0)
    return np.asarray(1.0 - turns.seq / lengths[turns.session])
