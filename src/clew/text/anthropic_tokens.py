"""Tokens as Anthropic's models count them, offline: no tokenizer is public, so each way of counting says what it is.

The source's order of fallbacks, with the error that docs/text.md measures:

    ctok        the package `ctok` (Python 3.12 and later): a reconstruction from the API's counts, nearly exact
    o200k       OpenAI's tokens (`bpe-openai`) times a factor
    classes     letters, digits, marks and so on, each kind with a weight; needs no package

There are two vocabularies: `4.8` of the models since Claude Opus 4.7, and `3.0` of Claude 3 to Opus 4.6, by which a
text has about a quarter fewer tokens. Weights and factors were fitted on counts of `ctok` 1.3.0 over conversations,
agents' sessions, articles, code, and names in 28 languages.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from types import MappingProxyType
from typing import Final

from clew.text.o200k import o200k_tokens

NEW: Final = "4.8"
OLD: Final = "3.0"
"""Vocabularies, by the first version of the models that have them."""

WAYS: Final = ("ctok", "o200k", "classes")
"""The ways of counting, the best first."""

_FACTORS: Final[Mapping[str, float]] = MappingProxyType({NEW: 1.53, OLD: 1.13})

_CLASSES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[A-Za-z]+",  # words
        r"[A-Za-z]",  # letters
        r"(?<=[A-Za-z]{7})[A-Za-z]",  # the letters of a word after the seventh
        r"(?<=[A-Za-z])[A-Z]",  # capitals inside a word
        r"[0-9]",
        r"[0-9]+",  # numbers
        r"[!-/:-@\[-`{-~]+",  # runs of punctuation marks
        r"\n",
        r"[ \t]{2,}",  # indents
        r"[\u0080-\u024f\u1e00-\u1eff]",  # Latin letters that ASCII lacks
        r"[\u0370-\u052f]",  # Greek, Cyrillic
        r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]",  # Han, Kana
        r"[\uac00-\ud7af]",  # Hangul
        r"[\u0590-\u0eff]",  # Hebrew, Arabic, the scripts of India, Thai
        r"[^\x00-\u024f\u0370-\u052f\u0590-\u0eff\u1e00-\u1eff\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]",
    )
)
_WEIGHTS: Final[Mapping[str, Sequence[float]]] = MappingProxyType(
    {
        NEW: (0.03, 0.31, 0.13, 0.5, 0.15, 1.33, 1.59, 0.48, 0.69, 2.79, 0.53, 1.3, 1.26, 0.82, 0.79),
        OLD: (0.3, 0.16, 0.07, 0.0, 0.24, 1.01, 1.33, 0.76, 0.92, 2.62, 0.55, 1.36, 1.32, 0.85, 0.61),
    }
)
_ASCII: Final = 9  # classes of ASCII characters, which come first


def count_by(way: str, vocabulary: str) -> Callable[[str], int]:
    """A function from a text to its number of tokens in one of the `WAYS`.

    Raises:
        ImportError: the way's package is not installed.
    """
    return {"ctok": _by_ctok, "o200k": _by_o200k, "classes": _by_classes}[way](vocabulary)


def _by_ctok(vocabulary: str) -> Callable[[str], int]:
    import ctok  # an extra, and its tables take half a second to load

    frame = ctok.token_count("a", vocabulary) - 1  # what a message costs beside its text

    def count(text: str) -> int:
        return max(1, ctok.token_count(text, vocabulary) - frame) if text else 0

    return count


def _by_o200k(vocabulary: str) -> Callable[[str], int]:
    tokens, factor = o200k_tokens(), _FACTORS[vocabulary]
    return lambda text: ceil(tokens(text) * factor)


def _by_classes(vocabulary: str) -> Callable[[str], int]:
    weights = _WEIGHTS[vocabulary]

    def count(text: str) -> int:
        classes = _CLASSES[:_ASCII] if text.isascii() else _CLASSES
        tokens = sum(weight * len(kind.findall(text)) for kind, weight in zip(classes, weights, strict=False))
        return max(1, ceil(round(tokens, 6))) if text else 0

    return count
