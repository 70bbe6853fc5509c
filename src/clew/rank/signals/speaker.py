"""Who speaks: the person named, the user beside an assistant, the assistant when asked for its words."""

import numpy as np

from clew.rank.frame import ASSISTANT, EVERY, USER, Frame, Scores


def speaker(frame: Frame) -> Scores | None:
    """1 for turns of a speaker whom the question names; with several, all of them get 1 and it cancels out."""
    if not frame.intent.speakers:
        return None
    speakers = frame.view.turns.speaker
    named = np.zeros(frame.size, dtype=bool)
    for code in frame.intent.speakers:
        named |= speakers == code
    return named.astype(np.float64)


def speaker_first_person(frame: Frame) -> Scores | None:
    """1 where a turn of a named speaker is in the first person: people tell about themselves that way."""
    named = speaker(frame)
    return None if named is None else np.where(frame.view.turns.first_person, named, 0.0)


def user(frame: Frame, rows: slice = EVERY) -> Scores | None:
    """1 for the person's turns where an assistant takes part; None elsewhere."""
    if not frame.with_assistant:
        return None
    return np.asarray(frame.view.turns.role[rows] == USER, dtype=np.float64)


def assistant(frame: Frame) -> Scores | None:
    """1 for the assistant's turns when the question asks for what the assistant said, 2 when it asks for a summary.

    They also get as much as `user` gives to the person's turns. A summary covers what both said, and most of that is in
    the long answers, which `cost` ranks last.
    """
    if frame.intent.wants.summary and frame.with_assistant:
        worth = 2.0
    elif frame.intent.wants.assistant:
        worth = 1.0
    else:
        return None
    if frame.config.assistant:
        worth += frame.config.user / frame.config.assistant
    return np.where(frame.view.turns.role == ASSISTANT, worth, 0.0)
