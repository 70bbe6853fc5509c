"""How a text speaks: of itself, asking, stating. Cheap marks that hold for any English turn.

Other languages: the question marks of all scripts count; the first person is known in English only.
"""

import re
from dataclasses import dataclass
from typing import Final

_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b", re.IGNORECASE
)
_ASKS = re.compile(r"[?？؟]")
# A wish for always is an order ("Always show the code first.", "you should never guess") or says what is liked. "I have
# never been there" and "I want to make sure that it works" are neither, and are said far more often.
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
"""What stands in every text that `_STANDING` finds, in lower case; to look for it first takes little time."""
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
    """Whether a text says how something is always to be done, or what is preferred: "Always show the code."."""
    low = text.lower()
    return any(words in low for words in _MAY_STAND) and _STANDING.search(text) is not None
