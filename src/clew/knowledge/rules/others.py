"""Others than those who are named: verbs of people within a clause ("who"), several together, "a little girl"."""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BE,
    COMMA,
    CONNECTOR,
    DETERMINER,
    INTERJECTION,
    MARK,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    SUBJECT,
    TO,
    words,
)
from clew.knowledge.rules.nouns import kin_sort
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import VerbGroup

NOT_NOUN: Final = SUBJECT | OBJECT | AUXILIARY | NEGATION | PREPOSITION | CONNECTOR | QUESTION | MARK | TO
"""Kinds of words that no noun is."""


def is_noun(s: SentenceTokens, at: int) -> bool:
    """Whether a word may be a noun within a phrase."""
    bits = s.bits[at]
    return (
        not bits & (NOT_NOUN | ADVERB | DETERMINER | POSSESSIVE | INTERJECTION | OPENER | NUMBER)
        and s.low[at][0].isalpha()
    )


def is_behind_noun(s: SentenceTokens, at: int) -> bool:
    """Whether a clause that begins at a place may tell of the noun before it: "the stuff [that] I baked"."""
    return at > 0 and (s.low[at - 1] in ("that", "which") or is_noun(s, at - 1))


def is_no_gap(s: SentenceTokens, above: VerbGroup, group: VerbGroup, at: int) -> bool:
    """Whether a word before a subject is no object of its verb: "I'm so afraid I failed", "in tennis I like Nadal"."""
    full = group.end < len(s) and s.bits[group.end] & (DETERMINER | POSSESSIVE | NAME | NUMBER)
    said = above.verb == "be" and all(s.bits[place] & ADVERB for place in range(above.end, at))
    return said or bool(full)


def has_own_object(s: SentenceTokens, group: VerbGroup, stop: int) -> bool:
    """Whether a verb has its object behind it: "in Porto we love our burgers", not "the cake I made this morning".

    Verbs with two objects and with a preposition at their end may lack one all the same: "the book I gave my sister",
    "the party I took my kids to".
    """
    at = group.end
    while at < len(s) and s.bits[at] & ADVERB:
        at += 1
    if at + 1 >= len(s) or not (s.bits[at] & POSSESSIVE or s.low[at] in _ARTICLES):
        return False
    timed = any(word in words("frequency", "units") or word in _AMOUNTS for word in s.low[at + 1 : at + 4])
    leaves = s.bits[min(stop, len(s)) - 1] & PREPOSITION
    return not (timed or leaves or group.verb in words("ditransitive", "verbs"))


_ARTICLES: Final = frozenset(("a", "an", "the"))
_AMOUNTS: Final = frozenset(("lot", "bit", "while", "time", "times", "way", "most", "least", "best", "hour", "minute"))


def is_adjective(s: SentenceTokens, at: int) -> bool:
    """Whether a participle belongs to the noun behind it, as the verb follows: "my morning iced latte helps me"."""
    head = at + 1
    tells = any(s.verb[at] in words("talk", name) for name in ("report", "know", "suppose"))
    if head + 1 >= len(s) or tells or not is_noun(s, head) or s.bits[head] & NAME:
        return False
    verb = head + 1
    while verb + 1 < len(s) and s.bits[verb] & ADVERB:
        verb += 1
    third = s.form[verb] == Form.THIRD and bool(s.bits[verb + 1] & _AFTER_VERB)
    return third or s.low[verb] in _ONES


_AFTER_VERB: Final = OBJECT | POSSESSIVE | DETERMINER | NUMBER | PREPOSITION


def is_of_others(s: SentenceTokens, last: VerbGroup, at: int) -> bool:
    """Whether a verb after "and" may be that of a clause about others: "I see people who hold poses and flow".

    Args:
        last: the verb whose subject it would share.
        at: its place.
    """
    return any(
        s.low[place] in _OTHERS
        and is_noun(s, place - 1)
        and (
            s.form[place + 1] & s.form[at]
            or (s.bits[place + 1] & (AUXILIARY | ADVERB) and s.low[place + 1] not in _ONES)
        )
        for place in range(last.end + 1, at - 1)
    )


_OTHERS: Final = frozenset(("who", "which", "that"))
_ONES: Final = frozenset(("is", "has", "does"))


def is_last_of_several(s: SentenceTokens, at: int, group: VerbGroup) -> bool:
    """Whether a name is one of several that a verb is said of together: "Ann, Bo, and Cy are"."""
    listed = at > 2 and s.low[at - 1] in ("and", "or") and s.bits[at - 2] & COMMA and s.bits[at - 3] & NAME
    return bool(listed) and s.low[group.at] in ("are", "were", "have")


def is_after_one(s: SentenceTokens, at: int) -> bool:
    """Whether "and" joins a verb to what one is: "a nurse and lives in Rome", but not "of plans and dreams"."""
    head, follows = s.low[at - 2], s.bits[at + 1]
    is_plural = head.endswith("s") and not head.endswith("ss")
    if s.form[at] != Form.THIRD or s.low[at - 1] not in ("and", "but") or is_plural or not s.verb[at]:
        return False
    likes = s.verb[at] in words("stative", "lemmas") and not follows & (MARK | AUXILIARY)
    return likes or (s.verb[at] in STATES and bool(follows & (PREPOSITION | NAME)))


STATES: Final = frozenset(("live", "work", "study"))


def is_after_lead(s: SentenceTokens, at: int) -> bool:
    """Whether a subject may begin after the preposition that opens a sentence and its object, without a comma.

    As in "after a long talk [the team chose]".
    """
    own = s.bits[at] & POSSESSIVE or s.low[at] == "the"
    return bool(own and at > 1 and is_noun(s, at - 1))


def has_infinitive(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether an infinitive stands between two places: "I want to go home and sleep"."""
    return any(s.bits[place] & TO and s.form[place + 1] & Form.BASE for place in range(low - 1, high - 1))


def unnamed(s: SentenceTokens) -> frozenset[str]:
    """The sorts of the people of whom a sentence says no more than what they are: "a little girl", "some guy".

    Not what somebody is ("my aunt is a great woman"), nor a noun before another one ("a baby shower") or a name.
    """
    if _INDEFINITE.isdisjoint(s.low):
        return frozenset()
    found = (_sort_behind(s, at) for at, word in enumerate(s.low) if word in _INDEFINITE and not _is_said_of(s, at))
    return frozenset([sort for sort in found if sort])


def _is_said_of(s: SentenceTokens, at: int) -> bool:
    """Whether what begins at a place is said of something before it."""
    return at > 0 and (bool(s.bits[at - 1] & (BE | COMMA | NEGATION)) or s.low[at - 1] in _SAYING)


def _sort_behind(s: SentenceTokens, at: int) -> str:
    for place in range(at + 1, min(at + 5, len(s))):
        if s.bits[place] & NOT_NOUN:
            break
        sort = _PERSONS.get(s.low[place]) or kin_sort(s.low[place]) or ""
        if sort in ("male", "female"):
            ends = place + 1 >= len(s) or s.bits[place + 1] & (NOT_NOUN | ADVERB | NUMBER) or s.form[place + 1]
            return sort if ends and s.low[place + 1 : place + 2] != ["'s"] else ""
    return ""


_INDEFINITE: Final = frozenset(("a", "an", "some", "another", "this", "that"))
_SAYING: Final = frozenset(("'s", "as", "like", "such", "become", "became", "been", "of"))
_PERSONS: Final = {"woman": "female", "lady": "female", "man": "male", "guy": "male", "gentleman": "male"}


def calls_by_name(s: SentenceTokens, low: int, high: int, listener: str) -> bool:
    """Whether the last word of some others calls whoever is spoken to: "I study finance Ben", not "met my brother Ben".

    Args:
        low: place of the first word; `high` is the place after the last one.
    """
    last = high - 1
    called = s.low[last] == listener.casefold().partition(" ")[0] and s.words(last, high)[:1].isupper()  # no red rose
    if last <= low or not called or not s.bits[high] & MARK:
        return False
    return is_noun(s, last - 1) and not s.bits[last - 1] & NAME and kin_sort(s.low[last - 1]) is None
