"""Agreement of a segmentation with a reference made by hand: Pk, WindowDiff and boundary F1. Pure.

A border is the number of the turn that begins a segment; the first turn is not a border.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figures over some dialogues.

    Attributes:
        pk: probability that two turns half a segment apart are wrongly placed in one segment or in two (Beeferman,
            Berger and Lafferty, 1999); 0 is perfect.
        window_diff: like `pk`, but comparing the number of borders between the two turns (Pevzner and Hearst, 2002).
        f1: F1 of borders found at exactly the right turn.
        borders: number of borders found by number in the reference; 1 means as many as people set.
    """

    pk: float
    window_diff: float
    f1: float
    borders: float


def half_segment(turns: int, borders: Collection[int]) -> int:
    """The window of both measures: half of the mean reference segment, at least 2."""
    return max(2, round(turns / (len(borders) + 1) / 2))


def pk(turns: int, right: Collection[int], boundaries: Collection[int]) -> float:
    """Pk of one dialogue; 0 when it is shorter than the window."""
    return _windows(turns, right, boundaries, same=True)


def window_diff(turns: int, right: Collection[int], boundaries: Collection[int]) -> float:
    """WindowDiff of one dialogue; 0 when it is shorter than the window."""
    return _windows(turns, right, boundaries, same=False)


def agreement(dialogues: Sequence[tuple[int, Collection[int], Collection[int]]]) -> Agreement:
    """Means of Pk and WindowDiff over dialogues, each given as turns, right borders and found ones; F1 over all."""
    hits = sum(len({*right} & {*found}) for _, right, found in dialogues)
    there = sum(len({*right}) for _, right, _ in dialogues)
    told = sum(len({*found}) for _, _, found in dialogues)
    count = max(1, len(dialogues))
    return Agreement(
        pk=sum(pk(*dialogue) for dialogue in dialogues) / count,
        window_diff=sum(window_diff(*dialogue) for dialogue in dialogues) / count,
        f1=2 * hits / max(1, there + told),
        borders=told / max(1, there),
    )


def _windows(turns: int, right: Collection[int], boundaries: Collection[int], *, same: bool) -> float:
    size = half_segment(turns, right)
    if turns <= size:
        return 0.0
    wrong = 0
    ours, theirs = (list(accumulate(turn in borders for turn in range(turns))) for borders in (boundaries, right))
    for low in range(turns - size):
        mine, yours = ours[low + size] - ours[low], theirs[low + size] - theirs[low]
        wrong += (mine == 0) != (yours == 0) if same else mine != yours
    return wrong / (turns - size)
