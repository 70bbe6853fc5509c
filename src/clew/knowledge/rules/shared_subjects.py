"""Clauses that share the subject of the one before: "I sold the car and bought a bike"."""

from typing import Final

from clew.knowledge.morphology import Form, lemma
from clew.knowledge.rules.bare_verbs import is_bare_verb
from clew.knowledge.rules.clause_bounds import AFTER_VERB, PLAIN_PRONOUNS, Clause, end_of_clause
from clew.knowledge.rules.lexicon import (
    ADVERB,
    BE,
    COMMA,
    COORDINATOR,
    DETERMINER,
    DO,
    HAVE,
    MODAL,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    SUBJECT,
    TO,
    words,
)
from clew.knowledge.rules.others import STATES, has_infinitive, is_after_one, is_of_others
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import Agreement, VerbGroup, verb_group


def shared_clause(s: SentenceTokens, at: int, earlier: list[Clause]) -> Clause | None:
    """The clause of a verb after "and" or a comma that has the subject of an earlier one; None for another word."""
    last = _above(earlier)
    goes_on = bool(s.bits[at - 1] & COORDINATOR) or (last.relative and s.bits[last.subject[1]] & COMMA)
    of_speaker = last.subject[0] == last.subject[1] or s.low[last.subject[0]] in ("i", "we")
    goes_on = goes_on or (of_speaker and is_bare_verb(s, at))  # "I sold the car, bought a bike"
    if last.asked or not goes_on or last.group.via == "plan" or (not last.relative and is_of_others(s, last.group, at)):
        return None
    group = _same_form(s, at, last)
    if group is None:
        return None
    if s.low[at - 1] == "or" and last.group.negated:
        group = group._replace(negated=True)
    return Clause(last.subject, group, end_of_clause(s, group.end), "", shared=True)


def _above(earlier: list[Clause]) -> Clause:
    """The clause whose subject a verb after "and" shares: not one inside another, such as "what you said"."""
    last = earlier[-1]
    if len(earlier) > 1 and (last.link in words("words", "question") and not last.relative) and last.link not in _TIMES:
        return earlier[-2]
    return last


_TIMES: Final = frozenset(("when", "where"))


def _same_form(s: SentenceTokens, at: int, last: Clause) -> VerbGroup | None:
    """The verb group at a place after "and", if it is of the form of the clause before."""
    negated = last.group.negated
    while at < len(s) and s.bits[at] & ADVERB and s.low[at] != "no":
        negated = negated or bool(s.bits[at] & NEGATION)
        at += 1
    if at + 1 >= len(s) or s.bits[at] & (NAME | DETERMINER | POSSESSIVE):
        return None
    bits, form, before, after = s.bits[at], s.form[at], last.group, s.bits[at + 1]
    if before.tense == "future" and form & Form.BASE and not bits & (PREPOSITION | MODAL):
        return VerbGroup(s.low[at], at, at + 1, "future", modal=before.modal, negated=negated)
    if bits & (BE | HAVE | DO | MODAL):
        wanted = form & Form.BASE and has_infinitive(s, before.end, at)
        disagrees = s.low[at] in ("is", "has", "does") and s.low[last.subject[0]] in PLAIN_PRONOUNS
        bare = disagrees or s.low[at] in ("be", "been", "being")
        return None if after & SUBJECT or bare or wanted else verb_group(s, at, "any")
    return None if bits & PREPOSITION or s.low[at - 1] == "so" else _same_open(s, at, last)


def _same_open(s: SentenceTokens, at: int, last: Clause) -> VerbGroup | None:
    """The group of a verb without auxiliary after "and", if it is of the form of the clause before."""
    form, after, before = s.form[at], s.bits[at + 1], last.group
    nested = any(s.form[place] == Form.GERUND for place in range(before.end, at))
    if form == Form.THIRD and s.low[last.subject[0]] in PLAIN_PRONOUNS:
        return None  # "I love the places and experiences that travel brings"
    if before.progressive and form & Form.GERUND and after & AFTER_VERB and not nested:
        return before._replace(verb=lemma(s.low[at]), at=at, end=at + 1, adverbs=())
    being = before.verb == "be" and before.tense == "present" and not before.negated
    if being and form == Form.GERUND and after & (DETERMINER | POSSESSIVE | NUMBER | TO) and not nested:
        at_verb = before._replace(verb=lemma(s.low[at]), at=at, end=at + 1, adverbs=())
        return at_verb._replace(progressive=True)  # "60 and earning"
    lives = s.verb[at] in STATES and form & Form.BASE and s.low[at + 1] in ("at", "in", "for", "as")
    if lives and s.low[last.subject[0]] in PLAIN_PRONOUNS:
        return verb_group(s, at, "plain")  # "switched jobs and work at Vela now"
    changes = not form & Form.BASE and bool(after & (DETERMINER | POSSESSIVE | OBJECT | NUMBER | TO))
    if form & Form.PAST and (before.tense == "past" or before.perfect or changes):
        return verb_group(s, at, "third")
    return _same_present(s, at, before)


def _same_present(s: SentenceTokens, at: int, before: VerbGroup) -> VerbGroup | None:
    if before.verb == "be" and not (s.bits[at + 1] & _FULL or is_after_one(s, at)):
        return None
    bare = before.verb != "be" or not is_after_one(s, at)
    if before.tense != "present" or before.progressive or before.perfect or (bare and not s.bits[at + 1] & AFTER_VERB):
        return None
    if has_infinitive(s, before.end, at):
        return None  # "I want to go home and sleep"
    third = s.form[before.at] & Form.THIRD and s.low[before.at] not in ("am", "are", "'m", "'re")
    agreement: Agreement = "third" if third else "plain"
    wanted = Form.THIRD if agreement == "third" else Form.BASE
    return verb_group(s, at, agreement) if s.form[at] & wanted else None


_FULL: Final = DETERMINER | POSSESSIVE | OBJECT | NUMBER | TO
