"""Who speaks: the person whom the question names, the user, or the assistant when its words are asked for."""

from typing import Final

import numpy as np

from clew.index.view import Mask
from clew.rank.frame import EVERY, Frame, Scores
from clew.rank.participants import ASSISTANT, USER, findings_share

SUMMARY: Final = 0.25
"""What the assistant's turns get more than the person's where a summary is asked for (docs/recall-figures.md)."""


def speaker(frame: Frame) -> Scores | None:
    """1 for turns of the speakers whose words the question asks for; None if it names nobody.

    If it names several, all their turns get 1, which makes no difference between two people.
    """
    if not frame.intent.tellers:
        return None
    speakers = frame.view.turns.speaker
    named = np.zeros(frame.size, dtype=bool)
    for code in frame.intent.tellers:
        named |= speakers == code
    return named.astype(np.float64)


def speaker_first_person(frame: Frame) -> Scores | None:
    """1 for turns in the first person by such a speaker, since people tell about themselves that way."""
    named = speaker(frame)
    return None if named is None else np.where(frame.view.turns.first_person, named, 0.0)


def user(frame: Frame, rows: slice = EVERY) -> Mask | None:
    """True, which counts as 1, for the person's turns where an assistant takes part; None elsewhere."""
    return np.asarray(frame.view.turns.role[rows] == USER) if frame.with_assistant else None


def assistant(frame: Frame) -> Scores | None:
    """1 for the assistant's turns when the question asks for what the assistant said, and `SUMMARY` for a summary.

    They also get as much as `user` gives to the person's turns, less what `agent` gives them already. A summary covers
    what both said: more than this would leave the person's part out.
    """
    if frame.intent.wants.summary and frame.with_assistant:
        worth = SUMMARY
    elif frame.intent.wants.assistant:
        worth = 1.0
    else:
        return None
    values = np.full(frame.size, worth)
    if frame.config.assistant:
        findings = findings_share(frame.view)
        same = frame.config.user - frame.config.agent * (0.0 if findings is None else findings)
        values += np.maximum(same, 0.0) / frame.config.assistant
    return np.where(frame.view.turns.role == ASSISTANT, values, 0.0)
