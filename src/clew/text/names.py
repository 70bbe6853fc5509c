"""Finds names and quotations in one text by capitals, quotation marks and forms of address.

These are candidates that a single text suggests. Callers that see many texts decide: a word that also occurs in lower
case, or a form of address that occurs only once, is not a name.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from clew.text.dates import MONTHS
from clew.text.late_pattern import late_pattern
from clew.text.stopwords import STOPWORDS

_WORD = late_pattern(r"[^\W\d_](?:[\w'’-]*\w)?")
_SENTENCE_START = late_pattern(r"(?:^|[.!?…:\n])[\s\"'“‘(*_-]*$")
_POSSESSIVE = late_pattern(r"['’](?:s|S)?$")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NO_NAMES = (
    STOPWORDS | {word.casefold() for word in (*MONTHS, *_WEEKDAYS)} | {"i'm", "i've", "i'd", "i'll", "ok", "okay"}
)
_LOOK_BACK = 8

_QUOTED = late_pattern(
    r"\"([^\"\n]{1,300})\"|“([^“”\n]{1,300})”|„([^„“”\n]{1,300})[“”]|«([^«»\n]{1,300})»|‹([^‹›\n]{1,300})›"
    r"|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』"
    # An apostrophe stands after a letter or before one; a quotation mark opens after none and closes before none.
    r"|(?<!\w)['‘](?=\S)([^\n\"]{1,200}?)(?<=\S)['’](?!\w)"
)
_HAS_WORD = late_pattern(r"\w")

_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.?\s)?"
_NAME = rf"{_TITLE}(?P<name>[^\W\d_](?:[\w'’-]*\w)?+)"
_GREETING = late_pattern(
    r"(?<![^.!?…\s])(?:^|(?<=[.!?…\n])|(?<=[.!?…]\s))\s{0,3}"  # the first look behind rules out nearly all places
    r"(?:(?i:hey|hi|hello|hiya|heya|yo|dear|good\s(?:morning|afternoon|evening|night)|morning|thanks|thank\syou|thx|cheers|congrats|congratulations|welcome(?:\sback)?|goodbye|bye|happy\sbirthday)"
    rf"(?:\s(?i:so\smuch|a\slot|again|there))?),?\s{_NAME}(?=\s*(?:[^\w\s]|$)|\s[a-z])"
)
_CALLING = (
    *("hey", "hello", "hiya", "heya", "dear", "morning", "afternoon", "evening", "night", "thank", "thx", "cheers"),
    *("congrat", "welcome", "bye", "birthday"),
)
_SHORT_CALLING = late_pattern(r"(?:hi|yo)[\s,]")
_NAMING = ("name", "call", "this")
"""A text that contains none of these has no form of address, and names nobody as its speaker."""
_SELF = late_pattern(
    rf"\b(?i:my\sname\sis|my\sname's|call\sme|this\sis)\s{_NAME}(?=\s*(?:[^\w\s]|$)|\s(?:and|from|here|by)\b)"
)


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that a text gives to its `speaker` or to its `listener`."""

    name: str
    of: Literal["speaker", "listener"]


def capitalised_names(text: str, known: Collection[str] = ()) -> list[str]:
    """The names in a question, each once, in order.

    A name is a run of capitalised words ("New York"). A single word at the beginning of a sentence, where any word has
    a capital, counts only if it is a known name. Months, weekdays and stop words are not names.

    Args:
        text: the question.
        known: names that are found in any case; they are returned as spelled in the question.
    """
    names: list[str] = []
    words = {word for name in known for word in name.casefold().split()}
    end = -1
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        is_known = word.casefold() in words
        if not is_known and (not word[0].isupper() or word.casefold().replace("’", "'") in _NO_NAMES):
            continue
        if names and text[end : match.start()] == " ":
            names[-1] += f" {word}"
        elif is_known or not _SENTENCE_START.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]):
            names.append(word)
        else:
            continue
        end = match.start() + len(word)
    return list(dict.fromkeys(names))


def quoted(text: str) -> list[str]:
    """The phrases in quotation marks, each once, in order, without the marks.

    A phrase is within one line and has at most 300 characters, at least one of them a letter or digit.
    """
    phrases = (next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text))
    return list(dict.fromkeys(phrase for phrase in phrases if _HAS_WORD.search(phrase)))


def greeting_aliases(text: str) -> list[Alias]:
    """The names by which a text addresses its listener or introduces its speaker, in order.

    "Hey Kate." and "Thanks so much, Kate!" at the beginning of a sentence name the listener; "my name is Kate",
    "call me Kate" and "this is Kate" the speaker.
    """
    lower = text.lower()
    aliases: list[tuple[int, Alias]] = []
    if any(map(lower.__contains__, _CALLING)) or _SHORT_CALLING.search(lower):
        aliases += [(match.start("name"), Alias(match["name"], "listener")) for match in _GREETING.finditer(text)]
    if any(map(lower.__contains__, _NAMING)):
        aliases += [(match.start("name"), Alias(match["name"], "speaker")) for match in _SELF.finditer(text)]
    return [alias for _, alias in sorted(aliases, key=lambda pair: pair[0]) if _is_name(alias.name)]


def _is_name(word: str) -> bool:
    plain = word.casefold().replace("’", "'")
    return word[0].isupper() and plain not in _NO_NAMES and not _POSSESSIVE.search(word)
