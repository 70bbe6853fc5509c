"""Noun phrases of a sentence: their words, their head, and whether they say anything."""

from typing import Final

from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    COORDINATOR,
    DETERMINER,
    NAME,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    SUBJECT,
    THIS,
    TO,
    words,
)
from clew.knowledge.rules.tokens import SentenceTokens


def text_of(s: SentenceTokens, low: int, high: int) -> str:
    """The words of an object without an article or possessive before them."""
    while low + 1 < high and s.bits[low] & (DETERMINER | POSSESSIVE) and s.low[low] not in _TELLING:
        if s.low[low + 1] == "of" or s.low[low + 1] in _COUNTED:  # "some of the images", "a thousand dollars"
            break
        low += 1
    lead = []
    while 0 < low < high and s.start[low] == s.start[low - 1]:  # inside "wanna"
        lead.append(s.low[low])
        low += 1
    text = " ".join([*lead, *s.words(low, high).split()]).replace(',"', '"').rstrip(" ,")
    before, mark, after = text.partition('"')
    is_half = mark and '"' not in after and not before[-1:].isdigit()  # 'this "TypeError', not 'a 24" monitor'
    return before + after if is_half else text


_COUNTED: Final = frozenset("hundred thousand million dozen couple few".split())
_TELLING: Final = frozenset("his her their its your every no both all each any many several few most".split())


def head_of(s: SentenceTokens, low: int, high: int) -> str:
    """The head noun of a phrase: its last word before a preposition."""
    place = low
    ends = PREPOSITION | TO | COMMA | COORDINATOR
    while place < high and not (place > low and (s.bits[place] & ends or s.low[place] == "that")):
        place += 1
    while place > low + 1 and s.bits[place - 1] & (ADVERB | OBJECT):
        place -= 1
    return s.low[place - 1] if place > low else ""


_INDEFINITE: Final = frozenset(
    "anything something nothing everything someone anyone everyone somewhere anywhere everywhere your".split()
)
_AGO: Final = frozenset(("ago", "later", "earlier"))
_TELLING_WORDS: Final = 2
"""Words before an empty noun that give it a meaning: "the repeat load time"."""


def is_vague(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether the words say nothing by themselves: "it", "a lot", "something like that"."""
    pronoun = low < high and s.bits[low] & OBJECT and not s.bits[low] & POSSESSIVE
    if low >= high or pronoun or "following" in s.low[low:high]:
        return True
    head = head_of(s, low, high)
    before = s.low[min(high, len(s) - 1)] in _AGO  # "I did a week ago"
    if (s.bits[low] & NUMBER or before) and head in words("frequency", "long"):
        return True  # "two weeks"
    beside = (
        low + 1 < high and s.bits[low + 1] & PREPOSITION and s.low[low] in ("this", "these")
    )  # "uses these for tricks"
    pointed = s.bits[low] & THIS and (high <= low + 2 or beside)  # "that story"
    if pointed or (s.low[low] in _INDEFINITE and (s.low[low] != "your" or high == low + 1)):
        return True
    if head not in words("vague", "heads"):
        return False
    at = s.low.index(head, low)
    if s.low[at + 1] in _FILLING and at + 2 < high and _says_what(s, at + 2, high):
        return False  # "a great time at the pride event"
    told = [at for at in range(low, at) if not s.bits[at] & (ADVERB | DETERMINER | POSSESSIVE)]
    return len(told) < _TELLING_WORDS


_FILLING: Final = frozenset(("at", "of", "with"))


def _says_what(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether a phrase after "at", "of" or "with" names something by two words or a name."""
    content = [at for at in range(low, high) if not s.bits[at] & (DETERMINER | POSSESSIVE | ADVERB | PREPOSITION)]
    return (len(content) > 1 or bool(content and s.bits[content[0]] & NAME)) and not is_vague(s, low, high)


def clause_words(s: SentenceTokens, at: int) -> str:
    """The words of a clause from a place to its end; empty if too many for an object, or if they point elsewhere."""
    end = at
    while end < len(s) and not s.bits[end] & (BREAK | COMMA) and s.low[end] != "so":
        end += 1
    broken = end + 1 < len(s) and s.bits[end + 1] & QUESTION  # "my site, which is old, may"
    told = 1 < end - at <= _LONGEST_CLAUSE and not broken and _BACKWARD.isdisjoint(s.low[at:end])
    return " ".join(s.words(at, end).split()) if told else ""


_BACKWARD: Final = frozenset("it this these those they them you everything anything everyone".split())
_LONGEST_CLAUSE: Final = 16


def apposition(s: SentenceTokens, at: int) -> tuple[int, int] | None:
    """The phrase with "a" or "an" after a comma: "Alexis, a director from Rome, ..."."""
    if at + 2 >= len(s) or not s.bits[at] & COMMA or s.low[at + 1] not in ("a", "an"):
        return None
    end = at + 2
    while end < len(s) and not s.bits[end] & (COMMA | BREAK | QUESTION | SUBJECT | COORDINATOR | AUXILIARY):
        end += 1
    return (at + 1, end) if end - at < _LONGEST_APPOSITION else None


_LONGEST_APPOSITION: Final = 12
