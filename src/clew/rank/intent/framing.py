"""Takes out of a question what it says about the conversation itself and about the form of the answer.

"Which parts of the garden did I bring up throughout our conversations, in order? Mention only three items." is about
parts of the garden; the rest is said of every conversation alike, and pulls words and vectors to turns that say so.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern

_ALL_OF = (
    r"(?P<place>throughout|across|over|during|in|from|through) (?:all (?:of )?)?(?:our|my|the|these|those) "
    r"(?P<which>(?:\w+ ){0,2})"
)
_WHICH: Final = frozenset(
    "previous past earlier prior last latest recent current first entire whole long many several various multiple "
    "different other two three four five six seven eight nine ten ongoing".split()
)
"""Words that do not say what a conversation was about."""
_WHERE = late_pattern(
    rf"\b(?:{_ALL_OF}(?:conversations?|chats?|sessions?|discussions?)"
    r"|(?:throughout|across) (?:our|my) (?:messages|requests|questions))\b"
    r"(?= ?(?:[,.?!;:]|$)| (?:and|that|which|about|on|so|to|with|I|we)\b)"
    r"|\b(?:so far|over time|in (?:(?:the right|the|chronological) )?order(?! to\b))\b",
    re.IGNORECASE,
)
_SAID = r"(?:brought up|mentioned|discussed|talked about|raised|asked about|covered)"
_TOLD = late_pattern(
    rf"\b(?:the order )?(?:in which|that|which) (?:I|we)(?:['’]ve| have)? {_SAID}\b"
    rf"|\b(?:have |had )?(?:I|we)(?:['’]ve| have)? {_SAID}\b"
    r"|\bdid (?:I|we) (?:mention|say|bring up|discuss|raise|cover|talk about|tell you)(?: that)?\b",
    re.IGNORECASE,
)
_FORM = late_pattern(
    r"(?<=[.?!]) (?:please )?(?:mention|list|give|name|answer|use|include|keep|limit|be)\b[^.?!]*"
    r"\b(?:only|items?|words?|sentences?|brief|short|concise)\b[^.?!]*[.?!]?",
    re.IGNORECASE,
)
_SPACES: Final = late_pattern(r"\s+")
_BEFORE_MARK: Final = late_pattern(r" ([,.?!])")


def without_framing(text: str) -> str:
    """The question without where and that something was said, and without how long the answer may be.

    Beside an assistant only: between people "in our conversations" may be what is asked about. Words that name one
    conversation of several ("in the parser session") remain. White space becomes
    single spaces where something is taken out; the question comes back as it is when nothing is, or nothing else is
    left.
    """
    flat = _SPACES.sub(" ", text)
    rest = _TOLD.sub(" ", _WHERE.sub(_subject, _FORM.sub("", flat)))
    if rest == flat:
        return text
    rest = _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", rest)).strip()
    return rest if rest.strip(" ,.?!") else text


def _subject(where: re.Match[str]) -> str:
    """What remains of a place in the conversation: the words that name one of several ("in the parser session").

    What all conversations are about tells none of them from another ("across my garden chats").
    """
    if where["which"] is None or where[0].endswith("s"):
        return " "
    words = [word for word in where["which"].split() if word.casefold() not in _WHICH]
    return f" {where['place']} {' '.join(words)} " if words else " "
