"""Announcements of tool calls ("Let me run the build:"), which rank at most right behind the result of the call.

Only words that few turns have let one rank higher: a search for them wants the turn that contains them.

Applied after fusion and recorded as an opinion, so that a receipt shows what an announcement lost.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion
from clew.rank.participants import ASSISTANT, TOOL

SHORT: Final = 100
"""Most characters of an announcement; in longer turns the assistant also says what it has found."""

STEPS: Final = 3
"""Turns before a result that may announce it: a sentence or two, and the call."""

BEHIND: Final = 1e-5
"""What an announcement scores less than its result at least; scores are compared after rounding to 1e-6."""

OWN: Final = ("exact", "rare", "quote")
"""Signals that count for an announcement beyond what they add to its result."""

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

_PAIRS: Final = CacheKey[Pairs]("announcements")


def announcement(frame: Frame, score: Scores, opinions: Sequence[Opinion], unit: float) -> list[Opinion]:
    """The opinion that lowers each announcement to its result's score; none where there is no tool's result.

    Args:
        opinions: of the signals on all turns.
        unit: what the opinion's values are multiplied by before they are added to the scores.
    """
    if not has_announcements(frame):
        return []
    announcements, results = _pairs(frame.view)
    most = score[results] - BEHIND
    for opinion in opinions:
        if opinion.name in OWN:
            most += unit * np.maximum(opinion.shares(announcements) - opinion.shares(results), 0.0)
    values = np.zeros(frame.size)
    values[announcements] = np.minimum(most - score[announcements], 0.0) / unit
    return [Opinion("announcement", values, frame.config.announcement)]


def has_announcements(frame: Frame) -> bool:
    """Whether there is an announcement that may rank lower."""
    return bool(frame.config.announcement and frame.with_assistant and len(_pairs(frame.view)[0]))


def _pairs(view: IndexView) -> Pairs:
    """`announced`, cached with the view."""
    return view.derived(_PAIRS, lambda: announced(view))


def announced(view: IndexView) -> Pairs:
    """Positions of announcements and of the results that they announce.

    An announcement is a short turn of the assistant at most `STEPS` before a tool's result, with none but the
    assistant's turns between them.
    """
    results = np.flatnonzero((view.turns.role == TOOL) & (view.turns.piece_count > 0))
    if not len(results):
        return results, results
    owner = np.append(view.pieces.turn.astype(np.int64), -1)
    short: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    places = results
    for _ in range(STEPS):
        places = owner[view.previous[view.turns.first_piece[places]]]
        spoken = (places >= 0) & (view.turns.role[places] == ASSISTANT)
        places, results = places[spoken], results[spoken]
        brief = view.turns.chars[places] <= SHORT
        short.append(places[brief])
        ends.append(results[brief])
    return np.concatenate(short), np.concatenate(ends)
