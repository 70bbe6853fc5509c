"""A part of a long text for a reader who knows what to look for."""

import re
from typing import Final

_MARK: Final = "…"
_BLANK: Final = re.compile(r"\s")


def around(text: str, phrase: str, most: int) -> str:
    """At most `most` characters of a text with a phrase in them, cut at white space where that is near.

    A third of the room stands before the phrase. Where the text has the phrase with other marks or accents, its first
    word that the text has stands for it; else the beginning is shown.
    """
    text = text.strip()
    if len(text) <= most:
        return text
    place = _find(text, phrase)
    start = max(0, min(place - most // 3, len(text) - most))
    end = min(len(text), start + most)
    head, tail = start > 0, end < len(text)
    body = text[start + 2 * head : end - 2 * tail]
    if head and (blank := _BLANK.search(body, 0, len(body) // 4)):
        body = body[blank.end() :]
    if tail and len(cut := body.rsplit(None, 1)) == 2 and len(cut[0]) > len(body) * 3 // 4:
        body = cut[0]
    return f"{_MARK} {body}" * head + body * (not head) + f" {_MARK}" * tail


def _find(text: str, phrase: str) -> int:
    """Where the phrase stands, or its first word; 0 when the text has neither as it is written."""
    low = text.lower()
    if len(low) != len(text):  # İ becomes two characters, and places would shift
        low = text
    places = (low.find(words) for words in (phrase.strip().lower(), *phrase.lower().split()))
    return next((place for place in places if place >= 0), 0)
