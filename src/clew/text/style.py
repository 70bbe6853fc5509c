"""Cheap marks of a text's style: first person, questions, standing instructions.

Question marks of all scripts count; first person and standing instructions are recognised in English only.
"""

import re
from dataclasses import dataclass
from typing import Final

_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b", re.IGNORECASE
)
_FIRST_PERSON_IN_LOWER = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b")
"""Finds the same in ASCII text in lower case, in half the time; the other forms begin with "i" or "we" and an
apostrophe.
"""
_ASKS = re.compile(r"[?？؟]")
# A standing instruction is an order ("Always show the code first.", "you should never guess") or a preference. "I have
# never been there" and "I want to make sure that it works" are neither, and are far more frequent.
_STANDING: Final = re.compile(
    r"(?:^|[.!?:;\n])[\s\"'*•-]{0,8}+(?:(?:please|and|also|but),? )?"
    r"(?:always|never|make sure|be sure|remember|in (?:the )?future),? (?!(?:been|was|were|had|mind)\b)\w"
    r"|\b(?=[defgimpsw])(?:(?:must|should|please) (?:always|never)|please (?:make sure|be sure|remember)"
    r"|from now on|going forward|whenever|(?:when|if|(?:each|every) time) I ask"
    r"|I(?:['’]d| would)? (?:(?:much|really|strongly) )?(?:prefer|rather|like (?:it )?when)"
    r"|I (?:don['’]t|do not) (?:like|want)|I (?:hate|dislike|can['’]t stand)|I want you to|preferred|preferences?)\b",
    re.IGNORECASE,
)
_MAY_STAND: Final = (
    *("always", "never", "sure", "remember", "future", "now on", "forward", "whenever", "i ask", "prefer", "rather"),
    *("like when", "like it when", "t like", "t want", "hate", "dislike", "t stand", "want you"),
)
"""Every text that `_STANDING` matches contains one of these in lower case; a cheap test before the expression."""
# Begins only where a sentence may begin, so that a sentence without an end is scanned once and not from every position.
_QUESTION = re.compile(r"(?:^|(?<=[.!?。！？؟\n]))[^.!?。！？؟\n]*+[?？؟]++")


@dataclass(frozen=True, slots=True)
class Style:
    """The style of one text.

    Attributes:
        first_person: it contains I, me, my, we, us or our.
        asks: it contains a question mark.
        stated: number of characters outside of its questions.
    """

    first_person: bool
    asks: bool
    stated: int


def style(text: str) -> Style:
    """The style of a text, in time linear in its length."""
    asks = _ASKS.search(text) is not None
    asked = sum(len(match.group()) for match in _QUESTION.finditer(text)) if asks else 0
    first = _FIRST_PERSON_IN_LOWER.search(text.lower()) if text.isascii() else _FIRST_PERSON.search(text)
    return Style(first is not None, asks, len(text) - asked)


def says_standing_wish(text: str) -> bool:
    """Whether a text states a standing instruction or a preference, such as "Always show the code."."""
    low = text.lower()
    for words in _MAY_STAND:  # a third less than any() takes
        if words in low:
            return _STANDING.search(text) is not None
    return False
