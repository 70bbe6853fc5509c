"""Verbs that open a sentence whose subject, "I", is left out: "Just moved to Porto", "Quit my job"."""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    BE,
    COMMA,
    DETERMINER,
    DO,
    HAVE,
    INTERJECTION,
    MODAL,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    OPENED,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    SUBJECT,
    TO,
    words,
)
from clew.knowledge.rules.tokens import SentenceTokens

_BEFORE_BARE_VERB: Final = INTERJECTION | ADVERB | OPENER | COMMA
_NO_BARE_VERB: Final = NEGATION | MODAL | BE | DO | OPENED
_NO_ACTION: Final = frozenset(
    "given provided said told meant thought based compared looked sounded seemed felt".split()
)


def bare_verb_at(s: SentenceTokens) -> int:
    """Where the verb of a sentence without subject would stand: after exclamations and adverbs."""
    at = 0
    while s.bits[at] & _BEFORE_BARE_VERB and not s.form[at] & Form.PAST:
        at += 1  # the last word is a mark that ends the sentence
    return at


def is_bare_dislike(s: SentenceTokens, at: int) -> bool:
    """Whether "I" is left out before what somebody can not stand: "can't stand coriander"."""
    return s.low[at] == "can" and s.low[at + 1 : at + 3] in (["not", "stand"], ["not", "bear"])


def takes_object(s: SentenceTokens, at: int) -> bool:
    """Whether a verb that may be told without "I" has what it is told of, and is not an order: "quit my job"."""
    if s.low[at] not in words("bare", "verbs"):
        return False
    after = s.bits[at + 1]
    if s.form[at] & Form.BASE:
        return s.low[at + 1] == "my"
    passive = s.low[at] == "got" and bool(s.form[at + 1] & Form.PARTICIPLE)
    rid = s.low[at + 1] == "rid"
    return passive or rid or bool(after & (NAME | DETERMINER | POSSESSIVE)) or s.low[at + 1] in ("at", "as")


def is_bare_verb(s: SentenceTokens, at: int) -> bool:
    """Whether a verb in the past can have "I" as the subject that is left out: not "made by hand", "given that"."""
    form, low = s.form[at], s.low[at]
    if not form & Form.PAST or s.bits[at] & _NO_BARE_VERB:
        return False
    after = s.bits[at + 1]
    if form & Form.BASE or low in _NO_ACTION or after & SUBJECT or s.low[at + 1] == "your":
        return False
    if after & (DETERMINER | POSSESSIVE) or s.low[at + 1] == "myself" or (low == "had" and after & TO):
        return True
    if low == "got" and s.low[at + 1] in ("back", "into", "home"):
        return True
    if low in ("started", "stopped", "finished", "began") and s.form[at + 1] & Form.GERUND:
        return True
    active = not form & Form.PARTICIPLE or s.verb[at] in words("bare", "intransitive")
    return active and bool(after & (PREPOSITION | NAME | NUMBER)) and not _leads_in(s, at)


def is_bare_complement(s: SentenceTokens, at: int) -> bool:
    """Whether "I am" is left out before what somebody is: "also allergic to nuts"; not "based in Rome, the firm"."""
    if s.low[at] not in words("bare", "complements") or not s.bits[at + 1] & (PREPOSITION | TO):
        return False
    opens = SUBJECT | DETERMINER | POSSESSIVE | NAME
    leads_in = any(s.bits[index] & COMMA and s.bits[index + 1] & opens for index in range(at, len(s) - 1))
    return not leads_in and not _is_finite_after(s, at + 1)


def is_bare_plan(s: SentenceTokens, at: int) -> bool:
    """Whether "I am" is left out before a plan with its time: "flying to Oslo on Friday"."""
    if not s.form[at] & Form.GERUND or s.verb[at] not in words("time", "arranged"):
        return False
    if not s.bits[at + 1] & (PREPOSITION | TO | NAME) or not any(
        _is_of_time(s, index) for index in range(at + 1, len(s))
    ):
        return False
    return not _is_finite_after(s, at + 1)  # "flying to Oslo next week scares me"


def _is_of_time(s: SentenceTokens, at: int) -> bool:
    return bool(s.bits[at] & NUMBER) or s.low[at] in words("bare", "times")


def _is_finite_after(s: SentenceTokens, low: int) -> bool:
    """Whether a finite verb stands after a place, which may have what stands there as its subject."""
    for at in range(low, len(s) - 1):
        acts = s.form[at] == Form.THIRD and s.bits[at + 1] & (OBJECT | DETERMINER | POSSESSIVE)
        if acts or (s.bits[at] & (BE | HAVE | DO | MODAL | SUBJECT) and not s.bits[at] & NAME):
            return True
    return False


def _leads_in(s: SentenceTokens, at: int) -> bool:
    """Whether a clause with a subject follows after a comma: "moved by the story, I wept"."""
    comma = next((place for place in range(at, len(s) - 1) if s.bits[place] & COMMA), None)
    opens = SUBJECT | DETERMINER | POSSESSIVE
    return comma is not None and s.low[at + 1] == "by" and bool(s.bits[comma + 1] & opens)
