"""The style of a turn: first person, question, statement, a time named, a standing wish."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import turn_scores
from clew.index.entry import DATED, STANDING
from clew.index.view import Mask
from clew.rank.frame import EVERY, Frame, Scores
from clew.rank.participants import TOOL, USER

WISHES: Final = 12
"""Most standing wishes that count for one request; people were seen to state fewer to an assistant."""


def first_person(frame: Frame, rows: slice = EVERY) -> Mask:
    """True, which counts as 1, where the turn says I, me, my, we or our."""
    return frame.view.turns.first_person[rows]


def question(frame: Frame, rows: slice = EVERY) -> Mask:
    """True where the turn asks something; never for a tool's result, in which a question mark is code or output."""
    turns = frame.view.turns
    asks: Mask = turns.asks[rows] & (turns.role[rows] != TOOL)
    return asks


def statement(frame: Frame, rows: slice = EVERY) -> Scores | None:
    """ln(1 + characters outside questions); None where an assistant takes part, since its answers are long."""
    if frame.with_assistant:
        return None
    return np.log1p(frame.view.turns.stated[rows].astype(np.float64))


def dated(frame: Frame) -> Scores | None:
    """1 where the turn names a time; None unless the question asks for one."""
    return _marked(frame, DATED) if frame.intent.wants.time else None


def standing(frame: Frame) -> Scores | None:
    """1 where the person states how things are to be done; None unless an assistant is asked to do something.

    "Always show me the code first" applies to every later request, whatever it is about. Of more than `WISHES` wishes
    the nearest to the question count, so that a long history full of wishes leaves room for other turns.
    """
    if not (frame.with_assistant and frame.intent.wants.help):
        return None
    wishes = np.flatnonzero((_marked(frame, STANDING) > 0) & (frame.view.turns.role == USER))
    values = np.zeros(frame.size)
    values[wishes if len(wishes) <= WISHES else _nearest(frame, wishes)] = 1.0
    return values


def _nearest(frame: Frame, wishes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The `WISHES` turns nearest to the question: by meaning, or by words without vectors; of equals the newest."""
    if frame.similarity is not None:
        near = np.nan_to_num(frame.similarity[1][wishes], nan=-1.0)
    elif frame.piece_scores is not None:
        near = turn_scores(frame.view, frame.piece_scores)[wishes]
    else:
        near = np.zeros(len(wishes))
    return wishes[np.lexsort((-wishes, -np.round(near, 6)))[:WISHES]]


def _marked(frame: Frame, mark: str) -> Scores:
    values = np.zeros(frame.size)
    values[frame.view.pieces.turn[frame.view.postings(mark)[0]]] = 1.0
    return values
