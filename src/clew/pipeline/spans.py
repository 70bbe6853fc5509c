"""Which ordinals have been looked at, as closed spans: pairs (first, last), ascending, that do not touch each other."""

from collections.abc import Sequence

Span = tuple[int, int]


def newest_gap(done: Sequence[Span], top: int) -> Span | None:
    """The highest span of ordinals from 0 to `top` that was not looked at; None when all were."""
    for first, last in reversed(done):
        if last < top:
            return last + 1, top
        top = min(top, first - 1)
    return (0, top) if top >= 0 else None


def joined(done: Sequence[Span], first: int, last: int) -> list[Span]:
    """The spans with one more."""
    merged: list[Span] = []
    for low, high in sorted([*done, (first, last)]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged
