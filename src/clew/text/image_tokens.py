"""What an image costs a prompt, by its width and height in pixels, as each provider documents it (read 2026-11-22).

Anthropic (Vision): width x height / 750, after scaling to at most 1,568 pixels a side and about 1,600 tokens.
OpenAI (Images and vision, models that cut tiles): 85, and 170 for each tile of 512 pixels, after scaling into a square
of 2,048 and to a shorter side of at most 768; 85 at low detail.
Gemini (Understand tokens): 258 up to 384 pixels a side, else 258 for each tile of 768.
"""

from collections.abc import Callable, Mapping
from math import ceil, sqrt
from types import MappingProxyType
from typing import Final

_ANTHROPIC_SIDE: Final = 1_568
_ANTHROPIC_MOST: Final = 1_600
_ANTHROPIC_AREA: Final = 750
_OPENAI_BASE, _OPENAI_TILE, _OPENAI_SIDE, _OPENAI_SQUARE, _OPENAI_SHORT = 85, 170, 512, 2_048, 768
_GEMINI_TILE, _GEMINI_SMALL, _GEMINI_SIDE = 258, 384, 768


def anthropic_tokens(width: int, height: int) -> int:
    """Tokens of an image in Anthropic Messages."""
    shrink = min(1.0, _ANTHROPIC_SIDE / max(width, height), sqrt(_ANTHROPIC_MOST * _ANTHROPIC_AREA / (width * height)))
    return max(1, min(_ANTHROPIC_MOST, ceil(width * shrink * height * shrink / _ANTHROPIC_AREA)))


def openai_tokens(width: int, height: int, *, low: bool = False) -> int:
    """Tokens of an image in Chat Completions and Responses; `low` is the detail that costs a fixed price."""
    if low:
        return _OPENAI_BASE
    shrink = min(1.0, _OPENAI_SQUARE / max(width, height))
    shrink *= min(1.0, _OPENAI_SHORT / (min(width, height) * shrink))
    tiles = ceil(width * shrink / _OPENAI_SIDE) * ceil(height * shrink / _OPENAI_SIDE)
    return _OPENAI_BASE + _OPENAI_TILE * tiles


def gemini_tokens(width: int, height: int) -> int:
    """Tokens of an image in Gemini's generateContent."""
    if max(width, height) <= _GEMINI_SMALL:
        return _GEMINI_TILE
    return _GEMINI_TILE * ceil(width / _GEMINI_SIDE) * ceil(height / _GEMINI_SIDE)


IMAGE_TOKENS: Final[Mapping[str, Callable[[int, int], int]]] = MappingProxyType(
    {
        "anthropic": anthropic_tokens,
        "openai": openai_tokens,
        "responses": openai_tokens,
        "gemini": gemini_tokens,
    }
)
"""Wire format -> tokens of an image by width and height."""

UNREADABLE: Final[Mapping[str, int]] = MappingProxyType(
    {"anthropic": _ANTHROPIC_MOST, "openai": 765, "responses": 765, "gemini": _GEMINI_TILE * 4}
)
"""Wire format -> tokens assumed for an image whose size is unknown: that of a photo of usual size, or the most."""
