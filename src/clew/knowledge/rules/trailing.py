"""The last words of an object that are not part of it: adverbs, who is spoken to, what belongs to a date after it."""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    NAME,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    TO,
    words,
)
from clew.knowledge.rules.nouns import is_given_name, kin_sort
from clew.knowledge.rules.tokens import SentenceTokens

_STUB: Final = 2


def trimmed(s: SentenceTokens, at: int, end: int) -> int:
    """The end of an object without trailing adverbs, prepositions and connecting words.

    Args:
        at: place of its first word; `end` is the place after its last one.
    """
    trailing = ADVERB | PREPOSITION | COORDINATOR | COMMA | INTERJECTION | DETERMINER | TO | QUESTION
    while end > at:
        bits = s.bits[end - 1]
        beside = end > at + 1 and bits & OBJECT and not bits & POSSESSIVE and s.bits[end - 2] & PREPOSITION
        if beside and s.low[end - 1] in _BESIDE:  # "with me"
            end -= 2
        elif _is_called(s, at, end) or _is_before_date(s, at, end):
            end -= 1
        elif end > at + _STUB and s.low[end - 1] in _AFTER_AT and s.low[end - 2] == "at":
            end -= 2  # "a mask on my hair at least [once]"
        elif end > at + _STUB and bits & AUXILIARY and s.low[end - 2] == "that":
            end -= 2  # "a boat that is [too long]"
        elif s.low[end - 1] == "off" and s.low[end - 2] in words("frequency", "units"):
            break  # "a day off"
        elif s.low[end - 1] == "home" and end > at + 1 and not s.bits[end - 2] & (NAME | OBJECT & ~POSSESSIVE):
            break  # "our first home"
        elif _is_left(s, at, end):
            break
        elif (
            (end > at + 1 and s.low[end - 1] in _BESIDE_DATE)
            or (bits & trailing and not bits & (NAME | NUMBER | OBJECT))
            or s.low[end - 1] == "right"
        ):
            end -= 1
        else:
            break
    return end


def _is_left(s: SentenceTokens, at: int, end: int) -> bool:
    """Whether the last word belongs to the verb before it: "to work out", "a tent to sleep in"."""
    if s.low[end - 1] in _PARTICLES and s.form[end - 2] and end > at + 1:
        return True
    ends = end >= len(s) or bool(s.bits[end] & BREAK)
    doing = end > at + _STUB and s.bits[end - 3] & TO and s.form[end - 2] & Form.BASE
    return ends and bool(doing) and bool(s.bits[end - 1] & (PREPOSITION | TO))


def _is_called(s: SentenceTokens, at: int, end: int) -> bool:
    """Whether the last word is the name of somebody who is spoken to: "I'm majoring in finance Kevin!"."""
    if (
        end - at < _STUB
        or not s.bits[end - 1] & NAME
        or s.bits[end - 2] & (NAME | PREPOSITION | DETERMINER | POSSESSIVE)
    ):
        return False
    noun = not s.form[end - 2] or (end - at > _STUB and bool(s.bits[end - 3] & DETERMINER))  # "I love the thought Nate"
    plain = s.low[end - 2][0].isalpha() and noun and not s.bits[end - 2] & (COORDINATOR | COMMA)
    ends = end >= len(s) or bool(s.bits[end] & (BREAK | COMMA))
    return plain and ends and kin_sort(s.low[end - 2]) is None and is_given_name(s.low[end - 1])


def _is_before_date(s: SentenceTokens, at: int, end: int) -> bool:
    """Whether the last word belongs to a date after it: "in the next [weeks]", "flights departing [after 8am]"."""
    if end < at + _STUB:
        return False
    if s.low[end - 1] in ("next", "last", "past", "coming"):
        return bool(s.bits[end - 2] & (DETERMINER | PREPOSITION))
    noun = not s.form[end - 2] or s.bits[end - 3] & (DETERMINER | POSSESSIVE | NUMBER)
    return s.low[end - 1] in _TIMED and bool(s.bits[end] & (PREPOSITION | NUMBER) and noun)


_TIMED: Final = frozenset(("departing", "arriving", "leaving", "ending", "expiring"))
_AFTER_AT: Final = frozenset(("least", "most", "all", "first", "times", "once"))
_BESIDE_DATE: Final = frozenset(("here", "starting", "beginning", "effective"))
_PARTICLES: Final = frozenset(("out", "up", "down", "off", "away", "back", "over"))
_BESIDE: Final = frozenset(("me", "us", "you", "myself", "ourselves"))
