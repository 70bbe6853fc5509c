"""Signals about the course of an agent's work: why something is so, how it ended, and what followed.

The answers to such questions often share few words with them, but have a wording or a place of their own. All values
are multiplied by the agent share, so the signals are silent between people and in chats.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion, scores_of
from clew.rank.participants import ASSISTANT, agent_share, has_agents_work
from clew.rank.signals.session import session_match
from clew.rank.sparse_columns import whole
from clew.text.terms import terms

EXPLAINING: Final = "seems appears issue problem cause reason wrong missing unable instead since due"
"""Words with which an assistant says why something is as it is."""

LAST: Final = 8.0
"""Turns before a session's last at which `closing` has fallen to 1/e: the last thing done, its result, the summary."""

AFTER: Final = 12.0
"""Turns after the best one at which `sequel` has fallen to 1/e: some tries with their results."""

_EXPLAINS: Final = CacheKey[NDArray[np.bool_]]("explains")
_TO_END: Final = CacheKey[NDArray[np.float64]]("turns to the end")


def cause(frame: Frame) -> Scores | None:
    """The agent share for the assistant's turns with a word of `EXPLAINING`; None unless the question asks why."""
    if not (frame.intent.wants.cause and frame.matches):
        return None
    share = _share(frame)
    return None if share is None else share * frame.view.derived(_EXPLAINS, lambda: _explains(frame.view))


def closing(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """How near a turn is to the end of its session, times how well the session matches by words, times the agent share.

    None unless the question asks how something ended. What is reported at the end seldom has the words with which the
    work began.
    """
    if not frame.intent.wants.outcome or "lexical" not in known:
        return None
    share, match = _share(frame), session_match(frame, whole(known["lexical"].values))
    if share is None or match is None:
        return None
    return share * whole(match) * np.exp(-frame.view.derived(_TO_END, lambda: _to_end(frame.view)) / LAST)


def sequel(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """How soon a turn followed the best turn of its session, times the agent share; None unless two things are asked.

    The best turn is the one with the highest sum of the signals before this one.
    """
    if not (frame.intent.wants.sequel and frame.matches):
        return None
    share = _share(frame)
    if share is None:
        return None
    turns = frame.view.turns
    first = int(np.argmax(scores_of(list(known.values()), frame.size)))
    steps = turns.seq - turns.seq[first]
    later = (turns.session == turns.session[first]) & (steps > 0)
    return np.where(later, np.exp(-np.maximum(steps, 0) / AFTER), 0.0) * share


def _share(frame: Frame) -> Scores | None:
    """The agent share of each turn; None where all are 0."""
    return agent_share(frame.view) if has_agents_work(frame.view) else None


def _explains(view: IndexView) -> NDArray[np.bool_]:
    """Whether a turn is the assistant's and has a word of `EXPLAINING`."""
    explains = np.zeros(len(view.turns.ordinal), dtype=np.bool_)
    for term in terms(EXPLAINING):
        explains[view.pieces.turn[view.lookup(term).pieces]] = True
    explains &= view.turns.role == ASSISTANT
    return explains


def _to_end(view: IndexView) -> NDArray[np.float64]:
    """How many turns of its session came after each turn."""
    last = np.zeros(len(view.sessions))
    np.maximum.at(last, view.turns.session, view.turns.seq)
    return np.asarray(last[view.turns.session] - view.turns.seq)
