"""Plain dicts as bounded caches: when one is full, the oldest entry is dropped."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def forget_oldest(remembered: dict[K, V], most: int) -> None:
    """Drops the oldest entries until there are at most `most`."""
    while len(remembered) > most:
        del remembered[next(iter(remembered))]
