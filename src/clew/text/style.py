"""How a text speaks: of itself, asking, stating. Cheap marks that hold for any English turn.

Other languages: the question marks of all scripts count; the first person is known in English only.
"""

import re
from dataclasses import dataclass

_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b", re.IGNORECASE
)
_ASKS = re.compile(r"[?？؟]")
_STANDING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|make sure|whenever|(?:each|every) time|when I ask"
    r"|I(?:['’]d| would)? (?:much )?(?:prefer|rather|like (?:it )?when)|I (?:don['’]t|do not) (?:like|want)"
    r"|I want you to|preferred|preferences?)\b",
    re.IGNORECASE,
)
# Begins only where a sentence may, so that a sentence without an end is gone through once and not from every place.
_QUESTION = re.compile(r"(?:^|(?<=[.!?。！？؟\n]))[^.!?。！？؟\n]*+[?？؟]++")


@dataclass(frozen=True, slots=True)
class Style:
    """How one text speaks.

    Attributes:
        first_person: it says I, me, my, we, us or our.
        asks: it holds a question mark.
        stated: characters outside of its questions.
    """

    first_person: bool
    asks: bool
    stated: int


def style(text: str) -> Style:
    """Reads the marks; linear in the text."""
    asks = _ASKS.search(text) is not None
    asked = sum(len(match.group()) for match in _QUESTION.finditer(text)) if asks else 0
    return Style(_FIRST_PERSON.search(text) is not None, asks, len(text) - asked)


def says_standing_wish(text: str) -> bool:
    """Whether a text may say how something is always to be done, or what is preferred: "always show the code"."""
    return _STANDING.search(text) is not None
