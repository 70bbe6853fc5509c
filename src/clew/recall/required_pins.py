"""Finds the turns that a block must contain because they, or a rule that matches them, are pinned."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView, Mask
from clew.rank.search import Ranking
from clew.types.ids import parse_turn_id
from clew.types.pins import Pin


def required(
    pins: Sequence[Pin], ranking: Ranking, mask: Mask | None, holds: Callable[[str], Mask | None]
) -> dict[int, str]:
    """Positions of the turns that the block must hold -> why: `pin`, or the rule's expression.

    What the caller's filter leaves out stays out. A turn that is pinned and that a rule brings is pinned.

    Args:
        holds: an expression -> the turns for which it holds.
    """
    view, pinned = ranking.frame.view, dict[int, str]()
    for pin in pins:
        if pin.kind == "turn":
            place = view.position(*parse_turn_id(pin.name))
            if place is not None and view.turns.chars[place] > 0 and (mask is None or mask[place]):
                pinned[place] = "pin"
    for pin in pins:
        if pin.kind == "where":
            for place in ranking.best_where(_both(view, mask, holds(pin.name)), pin.most).tolist():
                pinned.setdefault(place, pin.name)
    return pinned


def _both(view: IndexView, mask: Mask | None, pinned: Mask | None) -> NDArray[np.bool_]:
    both = view.turns.chars > 0
    for partial in (mask, pinned):
        if partial is not None:
            both = both & partial
    return both
