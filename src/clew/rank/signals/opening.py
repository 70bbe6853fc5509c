"""How near a turn is to the beginning of its session, for a question that asks for a summary or an order."""

import numpy as np

from clew.rank.frame import Frame, Scores
from clew.rank.participants import USER


def opening(frame: Frame) -> Scores | None:
    """1 for the first turn of a session, falling evenly towards 0 after its last turn; None without an assistant.

    A session's subjects are laid out first and refined afterwards, and summaries are about the former. So is the order
    in which things were brought up; the person brings them up, so there the assistant's turns get 0.
    """
    wanted = frame.intent.wants.summary or frame.intent.wants.order
    if not (wanted and frame.with_assistant):
        return None
    turns = frame.view.turns
    lengths = np.zeros(len(frame.view.sessions))
    np.maximum.at(lengths, turns.session, turns.seq + 1.0)
    early: Scores = 1.0 - turns.seq / lengths[turns.session]
    return early if frame.intent.wants.summary else np.where(turns.role == USER, early, 0.0)
