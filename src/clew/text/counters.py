"""Token counters.

    name      count                                  count of joined parts, compared with the sum of their counts
    estimate  ceil(characters / 4)                   never more; at most 1 less per joint
    openai    tokens of o200k_base, by byte pairs    nearly equal if parts end in white space; not bounded
    words     words * 4 // 3 (HCE)                   if parts end in white space: never less; at most 1 more per joint

`estimate` is the default and needs no package; docs/text.md compares it with `openai`. A budget is exact by the counter
that counted the whole text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Final, Protocol, cast

from clew.errors import ConfigError, InputError, MissingExtra

CHARS_PER_TOKEN: Final = 4
"""Characters of a token by the counter `estimate`."""


class Counter(Protocol):
    """Counts the tokens of any text, deterministically; 0 for the empty text."""

    @property
    def name(self) -> str:
        """Name of the counter in settings and receipts."""
        ...

    def __call__(self, text: str, /) -> int:
        """The number of tokens."""
        ...


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    count: Callable[[str], int]

    def __call__(self, text: str, /) -> int:
        return self.count(text)


def counter(chosen: str | Callable[[str], int] = "estimate") -> Counter:
    """The counter with a name, or a counter made from the caller's function from a text to its number of tokens.

    The counter of a function is named by the function's attribute `name`, or else by the function's name.

    Raises:
        ConfigError: no counter has this name. The counter of a function raises InputError if that gives no number.
        MissingExtra: the counter's package is not installed.
    """
    if callable(chosen):
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", type(chosen).__name__)
        return _Named(str(name), _checked(chosen, str(name)))
    if not isinstance(chosen, str) or chosen not in _COUNTERS:
        raise ConfigError(f"counter {chosen!r} is unknown; choose one of {', '.join(_COUNTERS)}, or pass a function.")
    return _COUNTERS[chosen]()


def _checked(count: Callable[[str], int], name: str) -> Callable[[str], int]:
    def counted(text: str) -> int:
        tokens: object = count(text)
        if isinstance(tokens, Integral):  # NumPy's too
            tokens = int(tokens)
        if not isinstance(tokens, int | float) or not tokens >= 0:
            raise InputError(f"the counter {name} gave {tokens!r:.60}; expected the number of tokens, 0 or more")
        return cast(int, tokens)

    return counted


def fits(text: str, budget: int, count: Counter) -> bool:
    """Whether a text has at most `budget` tokens."""
    return count(text) <= budget


def _estimate(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def _words(text: str) -> int:
    return len(text.split()) * 4 // 3


@cache
def _openai() -> Counter:
    try:
        import bpe_openai  # an extra, and its tables take a moment to load
    except ImportError as error:
        raise MissingExtra(
            "counter 'openai' needs the package bpe-openai; install clew[tokens], or choose 'estimate' or 'words'."
        ) from error
    encode = bpe_openai.get_encoding("o200k_base").encode_ordinary
    return _Named("openai", lambda text: len(encode(text)))


_COUNTERS: dict[str, Callable[[], Counter]] = {
    "estimate": lambda: _Named("estimate", _estimate),
    "openai": _openai,
    "words": lambda: _Named("words", _words),
}
