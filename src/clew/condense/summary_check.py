"""Checks a language model's summary against its source: what it must not invent, and how long it may be. Pure."""

from typing import Final

from clew.text.invented import invented
from clew.text.sentences import sentence_spans
from clew.text.terms import terms

FEWEST_TOKENS: Final = 100
MOST_TOKENS: Final = 500
"""Tokens of a summary (Virtual Context: `min_summary_tokens`, `max_summary_tokens`)."""

_OWN: Final = 0.5
"""Least share of a summary's terms that its source has: below, it is about something else."""
_VARIED: Final = 0.25
"""Least share of different words in a summary: below, it repeats itself."""


def fitting_summary(text: str, source: str) -> tuple[str, str]:
    """The summary as it may be shown, and why not; one of the two is empty.

    A summary that is too long is cut after the last sentence that fits.

    Args:
        source: everything that the model was shown.
    """
    shown = " ".join(text.split())
    if len(shown) > 4 * MOST_TOKENS:
        ends = [end for _, end in sentence_spans(shown) if end <= 4 * MOST_TOKENS]
        shown = shown[: ends[-1]] if ends else ""
    why = _short(shown) or _odd(shown, source) or invented(shown, source)
    return ("", why) if why else (shown, "")


def _short(text: str) -> str:
    tokens = -(-len(text) // 4)
    return f"{tokens} tokens are fewer than {FEWEST_TOKENS}" if tokens < FEWEST_TOKENS else ""


def _odd(text: str, source: str) -> str:
    words = terms(text)
    known = set(terms(source))
    if len(set(words)) < _VARIED * len(words):
        return "it repeats itself"
    if sum(word in known for word in set(words)) < _OWN * len(set(words)):
        return "it is about something else"
    return ""
