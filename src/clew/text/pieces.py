"""Splits long texts into pieces of a few hundred characters, at paragraph, line, sentence or word boundaries.

Ranking by pieces finds the one relevant paragraph of a long answer, which the score of the whole text would hide
(docs/text.md).
"""

import re
import unicodedata

from clew.errors import ConfigError

# From the best boundary to the worst; the cut is at the end of the match, so white space ends a piece.
_PAUSES = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"[.!?…]+[\"')\]”’»]*\s+|[。！？।؟]+[”’」』]*\s*"),
    re.compile(r"\s+"),
)
_JOINERS = frozenset("\u200d\ufe0f")


def piece_spans(text: str, low: int = 240, high: int = 480) -> list[tuple[int, int]]:
    """Splits a text into adjacent pieces.

    Each cut is at the last blank line that leaves a piece of `low` to `high` characters; otherwise at the last end of a
    line, end of a sentence, or space; otherwise anywhere except before a combining mark.

    Args:
        text: any text.
        low: fewest characters of a piece, unless the text itself has fewer; at least 1.
        high: most characters of a piece; at least twice `low`.

    Returns:
        `(start, end)` in text order; none for the empty text, one for a text of at most `high` characters.

    Raises:
        ConfigError: `low` is below 1, or `high` is below twice `low`.
    """
    if low < 1 or high < 2 * low:
        raise ConfigError(
            f"pieces of {low!r} to {high!r} characters: expected 1 <= low and 2 * low <= high; change one."
        )
    spans: list[tuple[int, int]] = []
    start, size = 0, len(text)
    while size - start > high:
        cut = _cut(text, start + low, min(start + high, size - low))
        spans.append((start, cut))
        start = cut
    if start < size:
        spans.append((start, size))
    return spans


def _cut(text: str, first: int, last: int) -> int:
    """The best position for a cut from `first` to `last`, both included."""
    for pause in _PAUSES:
        # One character earlier, so that a pause which ends at `first` counts.
        ends = [match.end() for match in pause.finditer(text, first - 1, last)]
        if ends:
            return ends[-1]
    return next((cut for cut in range(last, first, -1) if not _continues(text, cut)), last)


def _continues(text: str, cut: int) -> bool:
    """Whether the character at `cut` combines with the one before it."""
    return unicodedata.combining(text[cut]) != 0 or text[cut] in _JOINERS or text[cut - 1] in _JOINERS
