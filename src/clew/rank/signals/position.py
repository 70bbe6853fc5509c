"""Position: turns in or near the beats that the caller or the question points at (HSCA 5.3)."""

import numpy as np

from clew.rank.anchors import on_side
from clew.rank.frame import Frame, Scores


def position(frame: Frame) -> Scores | None:
    """1 in the beat or the titled conversation meant, less around it, 0 elsewhere; None where no place is meant."""
    pointed = frame.pointed
    if not (frame.region or pointed.stretches or pointed.sides or frame.titled):
        return None
    turns = frame.view.turns
    values = np.zeros(frame.size)
    for side in pointed.sides:
        values[on_side(frame.view, side)] = side.value
    for stretch in (*frame.region, *pointed.stretches, *frame.titled):
        code = frame.view.sessions.index(stretch.session) if stretch.session in frame.view.sessions else -1
        inside = (turns.session == code) & (turns.seq >= stretch.low) & (turns.seq <= stretch.high)
        values[inside] = np.maximum(values[inside], stretch.value)
    return values
