"""Who speaks: the person that the question names, the user beside an assistant, the assistant when asked for its words."""

import numpy as np

from clew.recall.frame import ASSISTANT, USER, Frame, Scores


def speaker(frame: Frame) -> Scores | None:
    """1 for turns of a speaker whom the question names; when it names several, each gets it and it cancels out."""
    codes = frame.query.speakers
    return np.isin(frame.view.turns.speaker, codes).astype(np.float64) if codes else None


def speaker_first_person(frame: Frame) -> Scores | None:
    """1 where such a turn speaks of itself (I, my, we, our): people are asked about through what they say of themselves."""
    named = speaker(frame)
    return None if named is None else named * frame.view.turns.first_person


def user(frame: Frame) -> Scores | None:
    """1 for the person's turns where an assistant takes part; None elsewhere."""
    if not frame.with_assistant:
        return None
    return (frame.view.turns.role == USER).astype(np.float64)


def assistant(frame: Frame) -> Scores | None:
    """1 for the assistant's turns when the question asks for what the assistant said."""
    if not frame.query.wants_assistant:
        return None
    return (frame.view.turns.role == ASSISTANT).astype(np.float64)
