"""How likely a session is to be the one that the question is about, where there are many sessions."""

from collections.abc import Mapping
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion
from clew.rank.sparse_columns import BySession, whole

FEW: Final = 5
"""Sessions up to which the signal is silent: each is a large part of the space and about many things."""

MANY: Final = 100
"""Sessions from which the signal has its full value."""

_BEGINS: Final = CacheKey[NDArray[np.bool_]]("begins a run of one session")
_RUNS: Final = CacheKey[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]("runs of one session")


def session(frame: Frame, known: Mapping[str, Opinion]) -> BySession | None:
    """How near the best turn of a session comes to the best turn of all by words, squared; up to 1 with many sessions.

    A turn with the answer often has few words of the question, but other turns of its session have more of them: the
    request, or a name that was given once. The value rises with the logarithm of the number of sessions. None with at
    most `FEW` sessions, and between people, who return to the same subjects in session after session.
    """
    share = min(1.0, log(len(frame.view.sessions) / FEW) / log(MANY / FEW)) if frame.view.sessions else 0.0
    if share <= 0.0 or not frame.with_assistant or "lexical" not in known:
        return None
    return session_match(frame, whole(known["lexical"].values), share)


def session_match(frame: Frame, words: Scores, most: float = 1.0) -> BySession | None:
    """Of each turn, how near its session's best turn comes to the best of all, squared; None where no value is above 0.

    Args:
        words: a value per turn; those below 0 count as 0.
        most: the value of the best session's turns.
    """
    first, codes, lengths = frame.view.derived(_RUNS, lambda: _runs(frame.view))
    best = np.zeros(len(frame.view.sessions))
    np.maximum.at(best, codes, np.maximum.reduceat(words, first))
    greatest = float(best.max())
    if greatest <= 0.0:
        return None
    return BySession(most * (best / greatest) ** 2, frame.view.turns.session, (codes, lengths))


def _runs(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The first turn of each run of turns of one session, the session's code, and how many turns the run has."""
    session = view.turns.session

    def begins(rows: slice) -> NDArray[np.bool_]:
        return np.asarray(np.diff(session[rows], prepend=session[rows.start - 1] if rows.start else -1) != 0)

    first = np.flatnonzero(view.grown(_BEGINS, begins))
    return first, session[first].astype(np.intp), np.diff(first, append=len(session))
