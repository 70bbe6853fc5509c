"""Results of what is read again and again, kept by the text they were made of; what is long is made anew each time.

A plain cache would keep pasted files and encoded images, each text of which is large and seldom comes again.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

MAX_WORD_CHARS: Final = 64
"""Characters of a word, or of a name: longer ones are hardly read twice."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_text(
    most: int, longest: int
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Keeps the results of a pure function of a text.

    Args:
        most: results kept; then the one that was asked for the longest ago goes.
        longest: characters of a text above which nothing is kept.
    """

    def decorate(make: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        anew = cast(Callable[..., T], make)
        kept = lru_cache(maxsize=most)(anew)

        @wraps(make)
        def look(text: str, /, *more: Any) -> T:  # by place alone, which is called in half the time
            return kept(text, *more) if len(text) <= longest else anew(text, *more)

        return cast(Callable[Concatenate[str, P], T], look)

    return decorate
