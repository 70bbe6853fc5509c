"""Work of agents: turns of assistant and tools where the person says little, and a tool's call and result as one unit.

All of these are silent in conversations in which the person has half of the turns, and between people.
"""

from typing import Final

import numpy as np

from clew.rank.frame import USER, Frame, Scores, agent_share
from clew.rank.fusion import centred
from clew.rank.signals.lexical import lexical, words_factor
from clew.types.turn import ROLES

TOOL: Final = ROLES.index("tool")

BRIEF: Final = 30.0
"""Characters at which a turn loses 1/e of `brief`: "run it" loses 0.8 of the weight, a sentence hardly anything."""


def agent(frame: Frame) -> Scores | None:
    """The agent share of the session for turns of assistant and tools; None where all shares are 0.

    In a chat the person's turns are worth more than the assistant's long answers. The more of a session an agent does
    alone, the more of what is worth remembering is in its findings and its tools' results.
    """
    if not frame.with_assistant:
        return None
    share = agent_share(frame.view)
    return np.where(frame.view.turns.role == USER, 0.0, share) if share.any() else None


def users_words(frame: Frame) -> Scores | None:
    """Takes back what `agent` adds where the question asks for what the person wanted; None for other questions."""
    values = agent(frame) if frame.intent.wants.users_words else None
    return None if values is None else -values


def brief(frame: Frame) -> Scores | None:
    """Towards -1 for turns of a few words, times the agent share; None where all shares are 0."""
    if not frame.with_assistant:
        return None
    share = agent_share(frame.view)
    return -np.exp(-frame.view.turns.chars / BRIEF) * share if share.any() else None


def call(frame: Frame) -> Scores | None:
    """For a tool's result the match of the turn that called the tool, by words and cosines; None without tools.

    A command and its output are one event: the question often has the words of the command, and the answer is in the
    output. What the calling turn adds is never negative.
    """
    view, config = frame.view, frame.config
    results = np.flatnonzero((view.turns.role == TOOL) & (view.turns.piece_count > 0))
    before = view.previous[view.turns.first_piece[results]]
    results, before = results[before >= 0], before[before >= 0]
    if not len(results):
        return None
    match = np.zeros(frame.size)
    cosines = () if frame.similarity is None else frame.similarity
    columns = list(zip((config.dense, config.dense_rewritten), cosines, strict=False))
    words = lexical(frame)
    if words is not None:
        columns.append((config.lexical * words_factor(frame), words))
    for weight, values in columns:
        mean, spread = centred(values)
        match += weight * np.nan_to_num((values - mean) / spread)
    added = np.zeros(frame.size)
    added[results] = np.maximum(match[view.pieces.turn[before]], 0.0)
    return added
