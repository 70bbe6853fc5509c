"""The second form of a question for the vectors: names replaced by "you", or the request phrase taken off."""

import re
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import Final

_PRONOUN = re.compile(r"\b(?:his|her|their)\b", re.IGNORECASE)
_SUBJECT_PRONOUN = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)
_AGREEMENT: Final = (
    (re.compile(r"\bdoes you\b", re.IGNORECASE), "do you"),
    (re.compile(r"\bis you\b", re.IGNORECASE), "are you"),
    (re.compile(r"\bwas you\b", re.IGNORECASE), "were you"),
    (re.compile(r"\bhas you\b", re.IGNORECASE), "have you"),
)
_BOTH = re.compile(r"\b(?:both )?(you|your),? (?:and|or) \1\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"^(?:\s*+(?:(?:can|could|would|will) you|please|(?:list|tell|give|show|remind|help)(?: me| us)?"
    r"|(?:what|which|who|whom|whose|when|where|why|how)(?:['’]s| is| are| was| were| do| does| did| many| much| long)?"
    r"|about|of|the|all|to|order|in order|summar\w+|across|our|conversations?|sessions?|chats?|discussed)\b"
    r")+[\s,:]*",
    re.IGNORECASE,
)


def to_second_person(text: str, names: AbstractSet[str], asking: AbstractSet[str] = frozenset()) -> str:
    """The question as put to the person it names: "Where did Ann go?" becomes "Where did you go?".

    A turn says "I went to Rome" and never the speaker's own name, so the name only pulls the vector away (RETRIEVAL:
    the largest single gain between two people). Two people are one "you". Without a name the text comes back as it is.

    Args:
        asking: names of those who ask: "What did Ann say about Bob's plan?" becomes "What did you say about my plan?".
    """
    if not names:
        return text
    text = _replaced(_replaced(text, names, "you", "your"), asking, "me", "my")
    text = _SUBJECT_PRONOUN.sub("you", _PRONOUN.sub("your", text))
    for wrong, right in _AGREEMENT:
        text = wrong.sub(right, text)
    return _BOTH.sub(r"\1", text)


def _replaced(text: str, names: AbstractSet[str], plain: str, possessive: str) -> str:
    if not names:
        return text
    text = re.sub(rf"{any_of(names)}['’]s?(?!\w)", possessive, text)
    return re.sub(any_of(names), plain, text)


def any_of(names: Collection[str]) -> str:
    """A regular expression for these names as whole words, longest first."""
    return rf"\b(?:{'|'.join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))})\b"


def without_request(text: str) -> str:
    """The question without its request phrase and question word; as it is when nothing else would be left."""
    rest = _REQUEST.sub("", text, count=1).strip(" ?.!")
    return rest or text
