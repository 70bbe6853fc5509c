"""Tunes how long the recaps of compactions are: by how much they would have told of what was needed again.

A longer recap always tells more, so a doubling has a price. A space in which it tells significantly more than that gets
longer recaps; one in which half of a recap would have lost less gets shorter ones, and a smaller prompt.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.rank.tuning.renderings import SCALES, ToldByScale
from clew.rank.tuning.validate import TuningProblem, axis

RECAP_SCALE: Final = "recap_scale"
"""Name of the learned value: the factor of the tokens of recaps."""

RATIO: Final = "condense.ratio"
"""Path of the setting that the factor changes; nothing is learned where the user chose it."""

PRICE: Final = 0.13
"""Share of the terms of turns that were needed again which a recap of twice the tokens has to tell more.

Of the turns that answer development questions it told 0.11 more for coding agents, 0.13 for BEAM, 0.14 for REALTALK and
0.24 for LoCoMo (docs/condense-figures.md): the middle of these, so that recaps stay as they are where a space is like
them.
"""


def recap_scale_of(values: Mapping[str, float]) -> float:
    """The learned factor, brought within its bounds; 1 where nothing was learned."""
    return min(max(values.get(RECAP_SCALE, 1.0), SCALES[0]), SCALES[-1])


def recaps_problem(history: Sequence[ToldByScale], start: float, *, is_free: bool = True) -> TuningProblem:
    """The tuning of the factor; `start` holds now.

    Args:
        is_free: False where the user chose the ratio, so that nothing may change.
    """
    table = np.array([use.told for use in history]).reshape(len(history), len(SCALES))
    worth = (table + PRICE * (1.0 - np.log2(SCALES))) / (1.0 + 2.0 * PRICE)

    def score(values: Mapping[str, float]) -> NDArray[np.float64]:
        column: NDArray[np.float64] = worth[:, SCALES.index(values[RECAP_SCALE])]
        return column

    nearest = min(SCALES, key=lambda factor: abs(factor - start))
    axes = (axis(RECAP_SCALE, SCALES, nearest),) if is_free else ()
    return TuningProblem("recaps", axes, score, [use.group for use in history], np.ones(len(history), dtype=bool))
