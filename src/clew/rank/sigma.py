"""SIGMA's choice of context for a question: cosine, raised by importance and by three of the overlays.

The `sigma` strategy and `clew.views.sigma` both rank by it. Source: SIGMA, "Real-Time Context Injection". Borders:
columns of numbers in, numbers out; the caller knows which turns they belong to.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.overlays import Overlay

WINDOW: Final = 50
"""Newest turns that are candidates, besides all paradigm shifts."""
MOST: Final = 5
"""Most turns that are shown."""
LEAST: Final = 0.35
"""Least relevance of a turn that is shown."""
SNIPPET: Final = 500
"""Most characters that are shown of a turn."""

BOOSTING: Final = (Overlay.STRUCTURAL, Overlay.OPERATIONAL, Overlay.MISSION)
"""The overlays that raise relevance."""

_CUT: Final = "..."

Values = NDArray[np.float64]


def candidates(size: int, shifts: Iterable[int], window: int = WINDOW) -> list[int]:
    """Places of the turns that are scored, ascending: the last `window` of `size`, and all paradigm shifts.

    Args:
        shifts: places of the paradigm shifts, from 0, in any order.
    """
    first = max(0, size - max(0, window))
    return sorted({*range(first, size), *(place for place in shifts if 0 <= place < size)})


def overlay_sum(overlays: Mapping[str, float]) -> float:
    """O1 + O5 + O4, 0 to 30; an overlay that nothing raised is absent and adds nothing.

    Args:
        overlays: score, 0 to 10, by full name, as `TurnAnalysis.overlays` has them.
    """
    return sum(float(overlays.get(name, 0.0)) for name in BOOSTING)


def relevance(similarity: Values, importance: Values, overlays: Values) -> Values:
    """`cosine * (1 + importance / 10) * (1 + (O1 + O5 + O4) / 30)` of each turn, rounded to 1e-6.

    Args:
        similarity: cosine of question and turn; NaN, where a turn has no vector, gives 0.
        importance: 1 to 10; NaN, where a turn is not analysed yet, raises nothing.
        overlays: as `overlay_sum` gives it, 0 to 30; NaN raises nothing.
    """
    raised = (1 + np.nan_to_num(importance) / 10) * (1 + np.nan_to_num(overlays) / 30)
    return np.round(np.nan_to_num(similarity) * raised, 6)


def chosen(relevances: Values | Sequence[float], least: float = LEAST, most: int = MOST) -> list[int]:
    """Places of the turns that are shown, the most relevant first; of equal ones the earlier.

    Args:
        least: relevance that is just enough.
        most: how many at most; 0 or less shows none.
    """
    values = np.asarray(relevances, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    return [int(place) for place in order if values[place] >= least][: max(0, most)]


def snippet(text: str, most: int = SNIPPET) -> str:
    """A text, or its beginning up to the last white space that leaves room for "..." within `most` characters."""
    text = text.strip()
    if len(text) <= most:
        return text
    if most <= len(_CUT):
        return text[: max(0, most)]
    head = text[: most - len(_CUT)]
    if not text[len(head)].isspace() and (words := head.rsplit(None, 1))[1:]:
        head = words[0]
    return head.rstrip() + _CUT
