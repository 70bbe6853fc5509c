"""Greetings, thanks and farewells: messages by which people are polite and say nothing else."""

import re
from collections.abc import Collection
from typing import Final

from clew.text.late_pattern import late_pattern
from clew.text.text_cache import cached_by_text

LONGEST: Final = 40
"""Characters up to which a message may be small talk."""

COURTESIES: Final = frozenset(
    "hi hello hey hiya howdy hallo hola bonjour bonsoir salut ciao moin servus greetings thanks thank thankyou thx ty "
    "cheers danke merci gracias grazie obrigado obrigada bye byebye goodbye farewell cya tschüss adios welcome".split()
)
"""Words that greet, thank or part. One of them makes a message small talk, and so does a good morning."""

BESIDE_COURTESIES: Final = frozenset(
    "you so much very many a lot ok okay good great perfect cool nice hm hmm alright right morning afternoon evening "
    "night".split()
)
"""Words that stand beside them and tell no more."""

_ADDRESS: Final = frozenset(
    "your youre re too and again there all everyone everybody guys folks dear oh haha well lovely awesome wow".split()
)
_EMPTY: Final = COURTESIES | BESIDE_COURTESIES | _ADDRESS
_WORDS: Final = re.compile(r"\w+")
_GOOD_DAY: Final = late_pattern(r"\bgood (?:morning|afternoon|evening|night|day)\b", re.IGNORECASE)
_GREETING: Final = 2 * LONGEST
"""Characters up to which a message that asks how somebody is may be a greeting."""
_ASSISTANTS: Final = frozenset("ai assistant bot chatgpt claude copilot gemini gpt".split())
"""By which words people greet a model."""
_HOW_ARE_YOU: Final = late_pattern(
    r"\bhow (?:are|r) (?:you|u|things)(?: (?:doing|going))?(?: today)?\b|\bhow(?:['’]?s| is) it going\b"
    r"|\bwhat(?:['’]?s| is) up\b|\bare (?:you|u) (?:there|here)\b|\bcan (?:you|u) (?:hear|read) me\b"
    r"|\bnice to (?:meet|see) (?:you|u)\b",
    re.IGNORECASE,
)
_ASKED_FOR: Final = late_pattern(
    r"\b(?:greet\w*|thank\w*|grateful|gratitude|polite\w*|courte\w*|farewell\w*|good\s?bye|goodnight|small\s?talk"
    r"|(?:first|last) (?:thing|message|words?|turn|line)|(?:conversation|chat)s? (?:start|beg[iau]n|open|end)\w*"
    r"|(?:start|beg[iau]n|open|end)\w* (?:the|our|this|that|every|each) (?:conversation|chat))\b",
    re.IGNORECASE,
)


def is_small_talk(text: str, names: Collection[str]) -> bool:
    """Whether a message greets, thanks or parts, and says nothing else.

    Args:
        names: words of the speakers' names, case folded, by which they address each other.
    """
    if len(text) > LONGEST or "?" in text:
        return False
    words, is_polite = _words_of(text)
    return is_polite and all(word in _EMPTY or word in names for word in words)


def is_greeting(text: str) -> bool:
    """Whether a message to an assistant greets, asks how it is or thanks, and says nothing else."""
    rest = _HOW_ARE_YOU.sub(" ", text) if len(text) <= _GREETING else text
    asks = rest != text
    if asks and not _WORDS.search(rest):
        return True
    return is_small_talk(rest.replace("?", " ") if asks else rest, _ASSISTANTS)


def asks_for_small_talk(question: str) -> bool:
    """Whether a question has a word of a greeting, or asks who greeted or thanked whom, or what came first or last."""
    words = _WORDS.findall(question.casefold())
    return not COURTESIES.isdisjoint(words) or any(each.search(question) for each in (_GOOD_DAY, _ASKED_FOR))


@cached_by_text(most=2048, longest=LONGEST)
def _words_of(text: str) -> tuple[tuple[str, ...], bool]:
    """The words of a short message, and whether one of them greets, thanks or parts."""
    words = tuple(_WORDS.findall(text.casefold()))
    return words, not COURTESIES.isdisjoint(words) or _GOOD_DAY.search(text) is not None
