"""Clauses whose subject is a noun phrase, "this" or a name: "my sister Anna lives", "the launch is", "Tom bought"."""

from collections.abc import Callable
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.clause_bounds import AFTER_VERB, Clause, end_of_clause, link_before
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BE,
    BREAK,
    COMMA,
    CONNECTOR,
    DETERMINER,
    DO,
    HAVE,
    INTERJECTION,
    MARK,
    MODAL,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    RELATIVE,
    SUBJECT,
    THIS,
    words,
)
from clew.knowledge.rules.nouns import begins_name, names_which
from clew.knowledge.rules.others import NOT_NOUN, is_adjective, is_last_of_several
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import VerbGroup, verb_group

_LONGEST_SUBJECT: Final = 8


def phrase_clause(s: SentenceTokens, at: int, is_name: Callable[[str], bool]) -> Clause | None:
    """The clause whose subject begins at a word; None if no verb follows that agrees with it."""
    bits = s.bits[at]
    if bits & THIS and (not bits & DETERMINER or _is_verb_next(s, at + 1)):
        group = None if bits & QUESTION else verb_group(s, at + 1, "third" if s.low[at] in _ONE else "any")
        return Clause((at, at + 1), group, end_of_clause(s, group.end), link_before(s, at)) if group else None
    first = _first_noun(s, at, is_name)
    if first is None:
        return None
    indefinite = s.low[at] in _INDEFINITE
    for place in range(first + 1, min(len(s), first + _LONGEST_SUBJECT)):
        group = _verb_after(s, place)
        if group is not None and indefinite and s.form[place] and not s.bits[place] & AUXILIARY:
            group = None  # "a dog named Rex"
        if group is None and s.bits[place] & COMMA and (after := _after_apposition(s, place)) is not None:
            group = verb_group(s, after, "third")
        if group is not None:
            return (
                None
                if is_last_of_several(s, at, group)
                else Clause((at, place), group, end_of_clause(s, group.end), link_before(s, at))
            )
        if begins_name(s, place) and is_name(s.low[place]) and not names_which(s, at, place - 1):
            return phrase_clause(s, place, is_name)  # "in my opinion Mike should"
        closed = s.bits[place] & (NOT_NOUN | THIS | DETERMINER | POSSESSIVE) and s.low[place] != "of"
        if closed and not names_which(s, at, place):
            return None
    return None


def _is_verb_next(s: SentenceTokens, at: int) -> bool:
    return at < len(s) and (bool(s.bits[at] & AUXILIARY) or s.low[at] == "'s")


def _first_noun(s: SentenceTokens, at: int, is_name: Callable[[str], bool]) -> int | None:
    """Where the nouns of a subject begin that opens at a place; None if no subject can."""
    bits = s.bits[at]
    if bits & (POSSESSIVE | DETERMINER):
        return at + 1 if at + 1 < len(s) and not s.bits[at + 1] & NOT_NOUN & ~NEGATION else None
    if not bits & NAME or bits & _NO_NAME or s.low[at] in words("words", "not_a_name") or len(s.low[at]) == 1:
        return None
    if at > 1 and s.low[at - 1] in ("and", "or", "&", "vs", "vs.", "v", ".") and s.bits[at - 2] & (NAME | OBJECT):
        return None  # "Easter and Christmas are": both together
    owns = s.low[1] == "'s" and not bits & THIS and not _is_verb_s(s, 1)  # "Carla's wedding"
    sure = owns or s.low[at][0] == "`" or is_name(s.low[at]) or (at > 0 and not s.bits[at - 1] & BREAK)
    ordered = s.form[at] & (Form.BASE | Form.GERUND) or s.bits[at + 1] & BREAK  # "Create React components", "1. Types"
    return at if sure or (s.bits[at + 1] & NAME and not ordered) or (at > 0 and not ordered) else None


_NO_NAME: Final = NOT_NOUN | INTERJECTION | OPENER | POSSESSIVE | DETERMINER | ADVERB
_ONE: Final = frozenset("one everyone everybody someone somebody anyone nobody everything something nothing".split())
_INDEFINITE: Final = frozenset("a an some any another such".split())


def _after_apposition(s: SentenceTokens, comma: int) -> int | None:
    """The place after a short phrase between two commas: "Alexis, a director from Rome, offered"."""
    for place in range(comma + 1, min(len(s), comma + 8)):
        if s.bits[place] & COMMA:
            return place + 1 if place > comma + 1 and not s.bits[comma + 1] & (CONNECTOR | RELATIVE | SUBJECT) else None
        if s.bits[place] & (AUXILIARY | BREAK | SUBJECT):
            return None
    return None


def _verb_after(s: SentenceTokens, place: int) -> VerbGroup | None:
    """The verb group at `place`, if what stands before it can be its subject."""
    is_s = s.low[place] == "'s"
    if s.low[place] == "there" or (is_s and not _is_verb_s(s, place)):
        return None  # "in New York there is"
    if not (is_s or s.bits[place] & (BE | HAVE | DO | MODAL | ADVERB | NEGATION) or _is_finite(s, place)):
        return None
    head = s.low[place - 1]
    several = len(head) > _ACRONYM and head.endswith("s") and not head.endswith(("ss", "us", "is", "'s"))
    return verb_group(s, place, "plain" if several or head in _SEVERAL else "third")


_ACRONYM: Final = 3  # letters of a word whose last S says nothing: "my JS chart code"
_SEVERAL: Final = frozenset(("people", "children", "men", "women"))
_ALSO_NOUNS: Final = frozenset(("work", "love", "help", "need"))


def _is_finite(s: SentenceTokens, place: int) -> bool:
    """Whether a word after a noun can be its verb: not "made" in "the cake made by Tom", no last word of a clause."""
    form, after = s.form[place], s.bits[place + 1] if place + 1 < len(s) else BREAK
    if not form or s.bits[place] & (NOT_NOUN | NAME):
        return False
    if s.form[place + 1] & Form.PAST and not s.form[place + 1] & Form.PARTICIPLE:
        return False  # "my dance crew took"
    if form & Form.PAST:
        return not (form & Form.PARTICIPLE and (s.low[place + 1] == "by" or is_adjective(s, place)))
    following = s.verb[place + 1]
    if following in words("stative", "lemmas") or following in words("talk", "light"):
        return not s.form[place + 1] & Form.BASE or following in _ALSO_NOUNS  # "my dance moves get"
    return not after & (BE | MODAL | MARK)


def _is_verb_s(s: SentenceTokens, place: int) -> bool:
    """Whether 's after a noun is a verb: "my sister's in Rome", "my name's Ann", not "my sister's dog"."""
    bits, form, noun = s.bits[place + 1], s.form[place + 1], s.low[place - 1]
    doing = form & Form.GERUND and s.bits[place + 2] & (AFTER_VERB | MARK)  # not "Richard's living room"
    called = s.low[place + 1] in ("called", "named") and s.bits[place + 2] & NAME
    valued = bits & NAME and (noun == "name" or noun in words("attribute", "nouns"))
    return bool(bits & (DETERMINER | NEGATION | ADVERB | PREPOSITION | NUMBER) or doing or called or valued)
