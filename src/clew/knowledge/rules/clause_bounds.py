"""A clause, and where its parts begin and end."""

from dataclasses import dataclass
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    BREAK,
    COMMA,
    CONDITION,
    CONNECTOR,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    NAME,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    SUBORDINATOR,
    TO,
)
from clew.knowledge.rules.others import is_noun
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import VerbGroup

PLAIN_PRONOUNS: Final = frozenset(("i", "we", "you", "they"))
"""Pronouns after which a verb has no ending."""

AFTER_VERB: Final = DETERMINER | POSSESSIVE | OBJECT | PREPOSITION | NUMBER | TO | NAME | ADVERB
"""What may follow a verb that takes an object or goes on."""

NO_GAP: Final = frozenset("way morning afternoon evening times days nights weeks months years".split())
"""Nouns of which a clause says when or how, and which are not its object: "the way I work"."""


@dataclass(slots=True)
class Clause:
    """One clause.

    Attributes:
        subject: places of the subject, the second exclusive; for a relative clause of the phrase before it.
        stop: first place after the clause.
        link: the connecting word before the subject, such as "because"; empty if there is none.
        asked: whether it has the order of a question.
        relative: whether "who" or "which" is its subject.
        gap: the phrase before a clause without a connecting word, which is its object: "the cake I made".
        shared: whether the subject is that of an earlier clause.
    """

    subject: tuple[int, int]
    group: VerbGroup
    stop: int
    link: str = ""
    asked: bool = False
    relative: bool = False
    gap: tuple[int, int] | None = None
    shared: bool = False


def phrase_before(s: SentenceTokens, at: int) -> tuple[int, int] | None:
    """The noun phrase that ends before a place."""
    low = at
    while low > 0 and is_noun(s, low - 1) and s.form[low - 1] != Form.GERUND:
        low -= 1
    while low > 0 and s.bits[low - 1] & (NUMBER | DETERMINER | POSSESSIVE):
        low -= 1
    nowadays = s.low[low] == "these" and s.low[at - 1] in NO_GAP  # "these days I teach"
    return (low, at) if low < at and not nowadays else None


def link_before(s: SentenceTokens, at: int) -> str:
    """The connecting word before a subject, adverbs between them aside."""
    place = at - 1
    while place >= 0 and s.bits[place] & ADVERB and not s.bits[place] & (CONNECTOR | QUESTION):
        place -= 1
    if place < 0:
        return ""
    bits = s.bits[place]
    if bits & (SUBORDINATOR | CONDITION | QUESTION | COORDINATOR):
        return s.low[place]
    return "," if bits & COMMA else "." if bits & BREAK else ""


def end_before_link(s: SentenceTokens, clause: Clause, at: int) -> int:
    """Where the clause before ends: before connecting words, commas and adverbs of the next one."""
    place = at - 1 if clause.asked else at
    while place > 0 and s.bits[place - 1] & (CONNECTOR | QUESTION | COMMA | INTERJECTION):
        place -= 1
    return place


def end_of_clause(s: SentenceTokens, at: int) -> int:
    """The next mark that ends a clause, commas aside."""
    bits, count = s.bits, len(s)
    while at < count and not bits[at] & BREAK:
        at += 1
    return at


# ------------------------------------------------------------------------------------------------------------- subjects
