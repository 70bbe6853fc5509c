"""Token counters.

    name         count                                  count of joined parts, compared with the sum of their counts
    estimate     ceil(characters / 4)                   never more; at most 1 less per joint
    openai       tokens of o200k_base, by byte pairs    nearly equal if parts end in white space; not bounded
    tiktoken     `openai` if it is installed            the same, else that of `estimate`
    words        words * 4 // 3 (HCE)                   if parts end in white space: never less; at most 1 more a joint
    anthropic    of models since Claude Opus 4.7        nearly equal if parts end in white space; not bounded
    anthropic-3  of Claude 3 to Opus 4.6                the same

`estimate` is the default and needs no package; docs/text.md compares the counters. `anthropic` falls back by itself,
from `ctok` to `o200k` to `classes` (see `clew.text.anthropic_tokens`); the counter's name says how it counts, as
`anthropic/o200k`, which is a name as well. A budget is exact by the counter that counted the whole text.
"""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from numbers import Integral
from typing import Final, Protocol, cast

from clew.errors import ConfigError, InputError, MissingExtra, shown
from clew.text.anthropic_tokens import NEW, OLD, WAYS, count_by
from clew.text.o200k import o200k_tokens

log = logging.getLogger("clew.text")

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


Counting = str | Callable[[str], int]
"""What `counter` takes: the name of a counter, or a function from a text to its number of tokens."""


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    count: Callable[[str], int]

    def __call__(self, text: str, /) -> int:
        return self.count(text)


def counter(chosen: Counting = "estimate") -> Counter:
    """The counter with a name, or a counter made from the caller's function from a text to its number of tokens.

    The counter of a function is named by the function's attribute `name`, or else by the function's name. `tiktoken` is
    Virtual Context's: `openai`, or `estimate` where its package is not installed; its name says which of the two it is.

    Raises:
        ConfigError: no counter has this name. The counter of a function raises InputError if that gives no number.
        MissingExtra: the counter's package is not installed.
    """
    if callable(chosen):
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", type(chosen).__name__)
        return _Named(str(name), _checked(chosen, str(name)))
    known = _COUNTERS.get(chosen) if isinstance(chosen, str) else None
    if known is None:
        raise ConfigError(f"counter {shown(chosen)} is unknown; choose one of {', '.join(NAMES)}, or pass a function.")
    return known()


def _checked(count: Callable[[str], int], name: str) -> Callable[[str], int]:
    def counted(text: str) -> int:
        tokens: object = count(text)
        if isinstance(tokens, Integral):  # NumPy's too
            tokens = int(tokens)
        if not isinstance(tokens, int | float) or not 0 <= tokens < math.inf:
            raise InputError(f"the counter {name} gave {shown(tokens)}; expected the number of tokens, 0 or more")
        return cast(int, tokens)

    return counted


def fits(text: str, budget: int, count: Counter) -> bool:
    """Whether a text has at most `budget` tokens."""
    return count(text) <= budget


def _estimate(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def _estimated() -> Counter:
    return _Named("estimate", _estimate)


def _words(text: str) -> int:
    return len(text.split()) * 4 // 3


@cache
def _openai() -> Counter:
    try:
        return _Named("openai", o200k_tokens())
    except ImportError as error:
        raise MissingExtra(
            "counter 'openai' needs the package bpe-openai; install clew[tokens], or choose 'estimate' or 'words'."
        ) from error


def _tiktoken() -> Counter:
    try:
        return _openai()
    except MissingExtra as error:
        log.info("counter 'tiktoken' is estimated: %s", error)
        return _estimated()


def _anthropic(name: str, vocabulary: str) -> Counter:
    """The best counter for a vocabulary whose package is installed; the last one needs none."""
    for way in WAYS[:-1]:
        try:
            return _anthropic_by(name, vocabulary, way)
        except MissingExtra as error:
            log.info("counter %r is estimated: %s", name, error)
    return _anthropic_by(name, vocabulary, WAYS[-1])


@cache
def _anthropic_by(name: str, vocabulary: str, way: str) -> Counter:
    try:
        return _Named(f"{name}/{way}", count_by(way, vocabulary))
    except ImportError as error:
        raise MissingExtra(
            f"counter '{name}/{way}' needs the package {error.name}; install clew[tokens] (ctok: Python 3.12 or later) "
            f"or choose '{name}', which takes what there is"
        ) from error


NAMES: Final = ("estimate", "openai", "words", "anthropic", "anthropic-3", "tiktoken")
"""The counters that settings and options offer."""

_VOCABULARIES: Final = {"anthropic": NEW, "anthropic-3": OLD}
_COUNTERS: dict[str, Callable[[], Counter]] = {
    "estimate": _estimated,
    "openai": _openai,
    "tiktoken": _tiktoken,
    "words": lambda: _Named("words", _words),
    **{name: partial(_anthropic, name, vocabulary) for name, vocabulary in _VOCABULARIES.items()},
    **{
        f"{name}/{way}": partial(_anthropic_by, name, vocabulary, way)
        for name, vocabulary in _VOCABULARIES.items()
        for way in WAYS
    },
}
