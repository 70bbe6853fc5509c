"""Position: turns in or near the beats that the caller points at (HSCA 5.3)."""

import numpy as np

from clew.recall.frame import Frame, Scores


def position(frame: Frame) -> Scores | None:
    """1 in the beat that is pointed at, less in those around it, 0 elsewhere; None when none is."""
    if not frame.region:
        return None
    turns = frame.view.turns
    values = np.zeros(frame.size)
    for stretch in frame.region:
        code = frame.view.sessions.index(stretch.session) if stretch.session in frame.view.sessions else -1
        inside = (turns.session == code) & (turns.seq >= stretch.low) & (turns.seq <= stretch.high)
        values[inside] = np.maximum(values[inside], stretch.value)
    return values
