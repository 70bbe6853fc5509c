"""Long texts in pieces of a few hundred characters, cut where the text itself pauses.

Borders: knows characters, not words or meaning. A ranking that weighs pieces finds the one paragraph of a long answer
that matters, where the whole would drown it (docs/text.md).
"""

import re
import unicodedata

from clew.errors import ConfigError

# From the best place for a cut to the worst; the cut is at the end of the match, so white space closes a piece.
_PAUSES = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"[.!?…]+[\"')\]”’»]*\s+|[。！？।؟]+[”’」』]*\s*"),
    re.compile(r"\s+"),
)
_JOINERS = frozenset("\u200d\ufe0f")


def piece_spans(text: str, low: int = 240, high: int = 480) -> list[tuple[int, int]]:
    """Covers a text with pieces, without gap or overlap.

    Each cut lies at the last blank line that leaves a piece of `low` to `high` characters, else at the last end of a
    line, of a sentence, at the last space, else anywhere but before a combining mark.

    Args:
        text: any text.
        low: fewest characters of a piece, unless the text itself has fewer; at least 1.
        high: most characters of a piece; at least twice `low`.

    Returns:
        `(start, end)` in text order; none for the empty text, one for a text of at most `high` characters.

    Raises:
        ConfigError: `low` and `high` do not suit each other.
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
    """The best place for a cut in [first, last]."""
    for pause in _PAUSES:
        # One character earlier, so that a pause which ends at `first` counts.
        ends = [match.end() for match in pause.finditer(text, first - 1, last)]
        if ends:
            return ends[-1]
    return next((cut for cut in range(last, first, -1) if not _continues(text, cut)), last)


def _continues(text: str, cut: int) -> bool:
    """Whether the character at `cut` is drawn together with the one before."""
    return unicodedata.combining(text[cut]) != 0 or text[cut] in _JOINERS or text[cut - 1] in _JOINERS
