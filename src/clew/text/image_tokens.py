"""What an image costs a prompt, by its width and height in pixels, as each provider documents it.

`PRICES` says for which models, by which page, and when it was read. A wire format is counted by the row of its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil
from types import MappingProxyType
from typing import Final

_PATCH: Final = 28
_LARGE, _SMALL = (2_576, 4_784), (1_568, 1_568)  # most pixels of a side, and most tokens
_OPENAI_SIDE, _OPENAI_SQUARE, _OPENAI_SHORT = 512, 2_048, 768
_GEMINI_TILE, _GEMINI_SMALL, _GEMINI_SIDE = 258, 384, 768
_GEMINI_3: Final = 1_120


def anthropic_tokens(width: int, height: int, *, limits: tuple[int, int] = _LARGE) -> int:
    """Tokens of an image in Anthropic Messages: one for each patch of 28 pixels.

    A larger image is first scaled down to the largest size within the limits; the examples of the documentation hold.

    Args:
        limits: most pixels of the longer side, and most tokens.
    """
    long, short = max(width, height), min(width, height)
    low, high = 1, min(long, limits[0])
    while low < high:  # the largest side whose patches are within the limit: they never grow as the side shrinks
        side = (low + high + 1) // 2
        low, high = (side, high) if _patches(side, long, short) <= limits[1] else (low, side - 1)
    return _patches(low, long, short)


def _patches(side: int, long: int, short: int) -> int:
    return ceil(side / _PATCH) * ceil(max(1, round(side * short / long)) / _PATCH)


def openai_tokens(width: int, height: int, *, low: bool = False, base: int = 85, tile: int = 170) -> int:
    """Tokens of an image in Chat Completions and Responses, for models that cut tiles of 512 pixels.

    It is scaled into a square of 2,048 pixels, then to a shorter side of at most 768.

    Args:
        low: the detail that costs a fixed price, `base`.
    """
    if low:
        return base
    shrink = min(1.0, _OPENAI_SQUARE / max(width, height))
    shrink *= min(1.0, _OPENAI_SHORT / (min(width, height) * shrink))
    return base + tile * ceil(width * shrink / _OPENAI_SIDE) * ceil(height * shrink / _OPENAI_SIDE)


def gemini_tokens(width: int, height: int) -> int:
    """Tokens of an image in Gemini 2: 258 up to 384 pixels a side, else 258 for each tile of 768."""
    if max(width, height) <= _GEMINI_SMALL:
        return _GEMINI_TILE
    return _GEMINI_TILE * ceil(width / _GEMINI_SIDE) * ceil(height / _GEMINI_SIDE)


@dataclass(frozen=True, slots=True)
class ImagePrice:
    """A provider's formula.

    Attributes:
        tokens: tokens of an image by its width and height.
        models: for which it holds.
        source: the page of the provider's documentation.
        read: the day on which the numbers were last compared with what is published.
    """

    tokens: Callable[[int, int], int]
    models: str
    source: str
    read: str


PRICES: Final[Mapping[str, ImagePrice]] = MappingProxyType(
    {
        "anthropic": ImagePrice(
            anthropic_tokens, "Claude Opus 4.7 and later, Sonnet 5", "Claude docs, Images and vision", "2026-11-23"
        ),
        "anthropic-3": ImagePrice(
            partial(anthropic_tokens, limits=_SMALL),
            "Claude 3 to Opus 4.6, Haiku 4.5",
            "Claude docs, Images and vision",
            "2026-11-23",
        ),
        "openai": ImagePrice(openai_tokens, "GPT-4o, GPT-4.1", "OpenAI docs, Images and vision", "2026-11-22"),
        "gemini": ImagePrice(gemini_tokens, "Gemini 2", "Gemini docs, Understand and count tokens", "2026-11-22"),
        "gemini-3": ImagePrice(
            lambda _width, _height: _GEMINI_3,
            "Gemini 3, default resolution",
            "Gemini docs, Media resolution",
            "2026-11-23",
        ),
    }
)

IMAGE_TOKENS: Final[Mapping[str, Callable[[int, int], int]]] = MappingProxyType(
    {
        "anthropic": PRICES["anthropic"].tokens,
        "openai": PRICES["openai"].tokens,
        "responses": PRICES["openai"].tokens,
        "gemini": PRICES["gemini"].tokens,
    }
)
"""Wire format -> tokens of an image by width and height."""

UNREADABLE: Final[Mapping[str, int]] = MappingProxyType(
    {"anthropic": _LARGE[1], "openai": 765, "responses": 765, "gemini": _GEMINI_TILE * 4}
)
"""Wire format -> tokens assumed for an image whose size is unknown: that of a photo of usual size, or the most."""
