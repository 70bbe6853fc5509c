"""Tunes how long the renderings of beats are: by how much of what was used they would have told in the same room.

Longer renderings tell more of a beat, and fewer beats fit; shorter ones the other way round. Which is better depends on
the space: whether what is used again stands in many beats or in few, in their first sentences or further down.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.rank.tuning.validate import TuningProblem, axis

SCALE: Final = "rendering_scale"
"""Name of the learned value: the factor of the lengths of renderings."""

SCALES: Final = (0.5, 0.7, 1.0, 1.4, 2.0)
"""Factors that are tried; the first and last are the bounds."""


class ToldByScale(NamedTuple):
    """One recall whose used turns are known.

    Attributes:
        told: by factor of `SCALES`, the share of the used turns' terms that renderings of that length would have told.
        group: as in `TuningProblem`.
    """

    told: tuple[float, ...]
    group: str


def scale_of(values: Mapping[str, float]) -> float:
    """The learned factor, brought within its bounds; 1 where nothing was learned."""
    return min(max(values.get(SCALE, 1.0), SCALES[0]), SCALES[-1])


def renderings_problem(history: Sequence[ToldByScale], start: float) -> TuningProblem:
    """The tuning of the factor; `start` holds now."""
    table = np.array([use.told for use in history]).reshape(len(history), len(SCALES))

    def score(values: Mapping[str, float]) -> NDArray[np.float64]:
        column: NDArray[np.float64] = table[:, SCALES.index(values[SCALE])]
        return column

    axes = (axis(SCALE, SCALES, min(SCALES, key=lambda factor: abs(factor - start))),)
    return TuningProblem("renderings", axes, score, [use.group for use in history], np.ones(len(history), dtype=bool))
