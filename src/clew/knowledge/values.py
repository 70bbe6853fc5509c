"""When two values are the same: "the Golden Gate" and "Golden Gate", "Berlin" and "Berlin, Germany"."""

import re
from functools import lru_cache
from typing import Final

from clew.analyze.entities import entity_key
from clew.knowledge.third_person import in_third_person

_ARTICLE = re.compile(r"^(?:(?:the|an?|my|our|your|his|her|its|their)\s+)+(?=\S)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
_SIGN = re.compile(r"[$€£¥%]|(?<=\w)[+#]+|(?<!\w)-(?=\d)")
"""Marks that `entity_key` drops and that tell values apart: $5 and €5, C and C++, 5 and -5."""

_YEAR = re.compile(r"(?:19|20)\d\d")

MOST_CHARS: Final = 200
"""What is compared of a value; a longer one is a quotation rather than a value."""


@lru_cache(maxsize=1 << 13)
def value_key(text: str) -> str:
    """What spellings of a value have in common: words without case, ending and article, then its signs.

    "Change my flight" has the key of "change their flight": a user or model may tell it in the words of the speaker.
    """
    plain = in_third_person(_THOUSANDS.sub("", _ARTICLE.sub("", text[:MOST_CHARS].strip())), "", "")
    signs = "".join(_SIGN.findall(plain))
    return (entity_key(plain) or plain.casefold()) + (f"|{signs}" if signs else "")


@lru_cache(maxsize=1 << 13)
def value_keys(text: str) -> tuple[str, ...]:
    """The key of a value and, if it is a list that narrows down ("Berlin, Germany"), the keys of its parts."""
    parts = [part for part in _THOUSANDS.sub("", text[:MOST_CHARS]).split(",") if part.strip()]
    keys = [value_key(text), *map(value_key, parts)] if len(parts) > 1 else [value_key(text)]
    return tuple(dict.fromkeys(key for key in keys if key))


@lru_cache(maxsize=1 << 13)
def same_value(first: str, second: str) -> bool:
    """Whether one value is the other, perhaps in more detail ("New York" and "New York City", "June" and "June 5").

    Numbers other than years must agree if both have some: "3 pm" is not "3:30 pm".
    """
    keys = value_key(first), value_key(second)
    if keys[0] == keys[1] or keys[0] in value_keys(second) or keys[1] in value_keys(first):
        return True
    if not all(keys):
        return False
    (short, marks), (long, others) = sorted((_words(key) for key in keys), key=lambda each: (len(each[0]), each))
    if marks and others and marks != others:
        return False
    numbers, more = _numbers(short), _numbers(long)
    if numbers and more and numbers != more:
        return False
    return long[: len(short)] == short or (bool(more) and set(short) <= set(long) and bool(numbers))


def _words(key: str) -> tuple[tuple[str, ...], str]:
    words, _, signs = key.partition("|")
    return tuple(words.split("-")), signs


def _numbers(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit() and not _YEAR.fullmatch(word))
