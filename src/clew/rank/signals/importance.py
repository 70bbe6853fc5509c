"""Importance: how much new or weighty content a turn had when it was said."""

import numpy as np

from clew.rank.frame import Frame, Scores


def importance(frame: Frame) -> Scores | None:
    """The turn's importance, 1 to 10, and the mean for turns that are not analysed; None when no turn is."""
    if frame.importance is None:
        return None
    known = ~np.isnan(frame.importance)
    return np.where(known, frame.importance, frame.importance[known].mean()) if known.any() else None
