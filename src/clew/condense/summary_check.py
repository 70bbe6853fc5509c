"""Checks a language model's summary against its source: what it must not invent, and how long it may be. Pure."""

from dataclasses import dataclass
from typing import Final

from clew.text.counters import CHARS_PER_TOKEN
from clew.text.invented import invented
from clew.text.sentences import sentence_spans
from clew.text.terms import terms

_OWN: Final = 0.5
"""Least share of a summary's terms that its source has: below, it is about something else."""
_VARIED: Final = 0.25
"""Least share of different words in a summary: below, it repeats itself."""


@dataclass(frozen=True, slots=True)
class SummaryBounds:
    """Tokens of a summary, at four characters each (Virtual Context: `min_summary_tokens`, `max_summary_tokens`)."""

    least: int = 100
    most: int = 500


def fitting_summary(text: str, source: str, bounds: SummaryBounds | None = None) -> tuple[str, str]:
    """The summary as it may be shown, and why not; one of the two is empty.

    A summary that is too long is cut after the last sentence that fits.

    Args:
        source: everything that the model was shown.
    """
    bounds = bounds or SummaryBounds()
    shown = " ".join(text.split())
    if len(shown) > CHARS_PER_TOKEN * bounds.most:
        ends = [end for _, end in sentence_spans(shown) if end <= CHARS_PER_TOKEN * bounds.most]
        shown = shown[: ends[-1]] if ends else ""
    why = _short(shown, bounds.least) or _odd(shown, source) or invented(shown, source)
    return ("", why) if why else (shown, "")


def _short(text: str, least: int) -> str:
    tokens = -(-len(text) // CHARS_PER_TOKEN)
    return f"{tokens} tokens are fewer than {max(1, least)}" if tokens < max(1, least) else ""


def _odd(text: str, source: str) -> str:
    words = terms(text)
    known = set(terms(source))
    if len(set(words)) < _VARIED * len(words):
        return "it repeats itself"
    if sum(word in known for word in set(words)) < _OWN * len(set(words)):
        return "it is about something else"
    return ""
