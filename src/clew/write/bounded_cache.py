"""Bounded caches as plain dicts: the oldest entry goes first."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def forget_oldest(remembered: dict[K, V], most: int) -> None:
    """Drops what was put in first, until there are no more than `most`."""
    while len(remembered) > most:
        del remembered[next(iter(remembered))]
