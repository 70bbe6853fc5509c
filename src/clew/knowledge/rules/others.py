"""Verbs that may be somebody else's: of people within a clause ("who"), or of several who are named together."""

from typing import Final

from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
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
)
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
