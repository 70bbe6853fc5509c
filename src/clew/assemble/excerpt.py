"""An excerpt of a long text around a phrase."""

import re
from typing import Final

_MARK: Final = "…"
_BLANK: Final = re.compile(r"\s")


def around(text: str, phrase: str, most: int) -> str:
    """At most `most` characters of a text around a phrase, cut at white space where that is near.

    A third of the excerpt is before the phrase. Where the text has the phrase with other punctuation or accents, the
    first of its words that occurs in the text is used; else the excerpt is the beginning of the text.
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
    """Index of the phrase, or of its first word that occurs literally; 0 when none does."""
    low = text.lower()
    if len(low) != len(text):  # İ becomes two characters, and indexes would shift
        low = text
    places = (low.find(words) for words in (phrase.strip().lower(), *phrase.lower().split()))
    return next((place for place in places if place >= 0), 0)
