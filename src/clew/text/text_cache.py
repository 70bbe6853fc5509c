"""A cache for pure functions of texts that skips long texts.

A plain cache would keep pasted files and encoded images, which are large and seldom recur.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

MAX_WORD_CHARS: Final = 64
"""Most characters of a cached word or name; longer ones hardly recur."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_text(
    most: int, longest: int
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Caches the results of a pure function of a text.

    Args:
        most: most results in the cache; the least recently used one is dropped first.
        longest: most characters of a text whose result is cached.
    """

    def decorate(make: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        anew = cast(Callable[..., T], make)
        cached = lru_cache(maxsize=most)(anew)

        @wraps(make)
        def look(text: str, /, *more: Any) -> T:  # positional arguments only take half the time
            return cached(text, *more) if len(text) <= longest else anew(text, *more)

        return cast(Callable[Concatenate[str, P], T], look)

    return decorate


class _WordCache(dict[str, T]):
    """A cache from a word to the result of a function, cleared when full."""

    __slots__ = ("_longest", "_make", "_most")

    def __init__(self, make: Callable[[str], T], most: int, longest: int) -> None:
        self._make, self._most, self._longest = make, most, longest

    def __missing__(self, word: str) -> T:
        value = self._make(word)
        if len(word) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[word] = value
        return value


def cached_by_word(most: int, longest: int = MAX_WORD_CHARS) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Caches the results of a pure function of a word: a look-up takes a fifth of the time of `cached_by_text`.

    Args:
        most: results kept; the cache is cleared when it is full.
        longest: characters of a word above which its result is not cached.
    """

    def decorate(make: Callable[[str], T]) -> Callable[[str], T]:
        return _WordCache(make, most, longest).__getitem__

    return decorate
