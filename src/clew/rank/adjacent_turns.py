"""The turns next to a turn in its session and branch: its neighbours, and the question that it answers."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView

Values = NDArray[np.float64]
"""One value per turn, in the order of the view."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The turn before and the turn after each turn, in its session and branch.

    Attributes:
        odd: positions of the turns whose neighbour on either side is not the adjacent turn of the view.
        before: position of the turn before each of `odd`; the number of turns where there is none.
        after: position of the turn after each of `odd`; the number of turns where there is none.
    """

    odd: NDArray[np.intp]
    before: NDArray[np.intp]
    after: NDArray[np.intp]

    def combined(self, values: Values, nowhere: float, combine: np.ufunc) -> Values:
        """The value of each turn combined with that of the turn before, then with that of the turn after.

        Most neighbours are adjacent in the view, so whole arrays are combined, at a tenth of the cost of look-ups.

        Args:
            nowhere: the value that stands in where there is no neighbour.
        """
        totals = values.copy()
        combine(totals[1:], values[:-1], out=totals[1:])
        combine(totals[:-1], values[1:], out=totals[:-1])
        sides = (
            np.where(places < len(values), values.take(places, mode="clip"), nowhere)
            for places in (self.before, self.after)
        )
        own = values[self.odd]
        for side in sides:
            own = combine(own, side)
        totals[self.odd] = own
        return totals


_NEIGHBOURS: Final = CacheKey[Neighbours]("neighbours")
_ANSWERS: Final = CacheKey[tuple[NDArray[np.intp], NDArray[np.intp]]]("answers")


def neighbours(view: IndexView) -> Neighbours:
    """The neighbours of every turn; cached with the view."""
    return view.derived(_NEIGHBOURS, lambda: _neighbours(view))


def _neighbours(view: IndexView) -> Neighbours:
    turns, places = view.turns, np.arange(len(view.turns.ordinal))
    owner = np.append(view.pieces.turn.astype(np.intp), len(places))
    before = owner[view.previous[turns.first_piece]]
    after = owner[view.next[turns.first_piece + turns.piece_count - 1]]
    odd = np.flatnonzero((before != places - 1) | (after != places + 1) | (after == len(places)))
    return Neighbours(odd, before[odd], after[odd])


def answers(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the turns that directly follow a question, and of these questions, pair by pair; cached."""
    return view.derived(_ANSWERS, lambda: _answers(view))


def _answers(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    turns = view.turns
    indexed = np.flatnonzero(turns.piece_count > 0)
    before = view.previous[turns.first_piece[indexed]]
    following, preceding = indexed[before >= 0], view.pieces.turn[before[before >= 0]].astype(np.intp)
    asks = turns.asks[preceding]
    return following[asks], preceding[asks]
