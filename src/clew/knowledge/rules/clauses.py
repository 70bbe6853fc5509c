"""The clauses of a sentence: subject, verb group, and where they end.

A subject is a pronoun, or a phrase at the beginning of a clause ("my sister Anna", "the launch", "Tom") with a finite
verb after it that agrees. A verb after "and" without a subject shares the one before. This is no parser: what does not
look like a subject with its verb is left aside.
"""

from collections.abc import Callable
from typing import Final

from clew.knowledge.morphology import Form, lemma
from clew.knowledge.rules.bare_verbs import (
    bare_verb_at,
    is_bare_complement,
    is_bare_dislike,
    is_bare_plan,
    is_bare_verb,
    takes_object,
)
from clew.knowledge.rules.clause_bounds import (
    NO_GAP,
    PLAIN_PRONOUNS,
    Clause,
    end_before_link,
    end_of_clause,
    link_before,
    phrase_before,
)
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BREAK,
    COMMA,
    CONNECTOR,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    MARK,
    NAME,
    NEGATION,
    NUMBER,
    OPENED,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    RELATIVE,
    SUBJECT,
    THIS,
    words,
)
from clew.knowledge.rules.objects import begins_with_verb
from clew.knowledge.rules.others import has_own_object, is_after_lead, is_no_gap, is_noun
from clew.knowledge.rules.phrase_subjects import phrase_clause
from clew.knowledge.rules.shared_subjects import shared_clause
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import Agreement, VerbGroup, group_after_been, verb_group

_OPENS_CLAUSE: Final = MARK | CONNECTOR | INTERJECTION | OPENER | RELATIVE


def clauses(s: SentenceTokens, is_name: Callable[[str], bool]) -> list[Clause]:
    """The clauses of a sentence in order.

    Args:
        s: the sentence.
        is_name: whether a lower-case word that opens the sentence with a capital is a name.
    """
    listed: list[Clause] = []
    at, opens, count = 0, True, len(s)
    if (opening := _clause_without_subject(s)) is not None:
        listed.append(opening)
        at = opening.group.end
    leads = bool(s.bits[0] & PREPOSITION)
    while at < count:
        opens = opens or (leads and not listed and is_after_lead(s, at))
        may_open = opens or s.bits[at] & (SUBJECT | THIS) or s.low[at] == "us"
        clause = _clause_at(s, at, listed, is_name, opens=opens) if may_open else None
        if clause is not None:
            if listed:
                listed[-1].stop = min(listed[-1].stop, end_before_link(s, clause, at))
            listed.append(clause)
            at, opens = clause.group.end, clause.group.verb == "mean"  # "I meant the launch is on Friday"
            continue
        bits = s.bits[at]
        opens = bool(bits & _OPENS_CLAUSE) or (opens and bool(bits & (ADVERB | PREPOSITION)))
        at += 1
    return listed


def _clause_without_subject(s: SentenceTokens) -> Clause | None:
    """The clause that opens a sentence without its subject, "I": "Just moved to Porto", "Had to cancel the trip"."""
    at = bare_verb_at(s)
    if s.bits[at] & OPENED or s.asks:
        return None
    if s.form[at] & Form.GERUND and at and s.bits[at - 1] & NEGATION and s.bits[at + 1] & PREPOSITION:
        group: VerbGroup | None = VerbGroup(lemma(s.low[at]), at, at + 1, "present", progressive=True, negated=True)
        # "not moving to Malmo after all"
    elif is_bare_complement(s, at):
        group = VerbGroup("be", at, at, "present")
    elif is_bare_plan(s, at):
        group = VerbGroup(lemma(s.low[at]), at, at + 1, "present", progressive=True)
    elif is_bare_dislike(s, at):
        group = verb_group(s, at, "plain")
    elif takes_object(s, at):
        passive = s.low[at] == "got" and s.verb[at + 1] in words("complement", "befalling")  # "got hired"
        group = verb_group(s, at, "plain") if passive else VerbGroup(lemma(s.low[at]), at, at + 1, "past")
    elif s.low[at] == "been":
        group = group_after_been(s, at)
        group = group if group.progressive else None
    elif (s.low[at] in ("did", "have") and s.low[at + 1] == "not") or is_bare_verb(s, at):
        group = verb_group(s, at, "plain")
    else:
        return None
    return None if group is None else Clause((at, at), group, end_of_clause(s, group.end))


def _clause_at(
    s: SentenceTokens, at: int, earlier: list[Clause], is_name: Callable[[str], bool], *, opens: bool
) -> Clause | None:
    bits = s.bits[at]
    if bits & OPENED:
        return None
    if bits & SUBJECT:
        return _pronoun_clause(s, at, earlier)
    if s.low[at] == "us" and at and s.low[at - 1] == "let" and s.form[at + 1] & Form.BASE:
        group = VerbGroup(s.low[at + 1], at + 1, at + 2, "future", modal="let")
        return Clause((at, at + 1), group, end_of_clause(s, at + 2))
    if opens and at and bits & RELATIVE and s.low[at] != "that":
        return _relative_clause(s, at)
    clause = None
    if (opens and not bits & (MARK | CONNECTOR | INTERJECTION)) or (bits & THIS and not bits & RELATIVE):
        clause = phrase_clause(s, at, is_name)
    if clause is None and earlier and opens and at and s.bits[at - 1] & (COORDINATOR | COMMA):
        clause = shared_clause(s, at, earlier)
    return clause


def _pronoun_clause(s: SentenceTokens, at: int, earlier: list[Clause]) -> Clause | None:
    low = s.low[at]
    if low in ("you", "it") and at and s.form[at - 1] and not s.bits[at - 1] & AUXILIARY and earlier:
        return None  # an object: "help you find"
    agreement: Agreement = "plain" if low in PLAIN_PRONOUNS else "third"
    together = low in ("we", "they", "you") and s.low[at + 1] in ("all", "both")  # "we all call her Kat"
    group = verb_group(s, at + 1 + together, agreement)
    before = at - 1
    while before >= 0 and s.bits[before] & NEGATION:
        before -= 1
    if together and group is not None and group.tense == "present" and group.verb in _OF_EVERYBODY:
        return None
    inverted = before >= 0 and bool(s.bits[before] & AUXILIARY) and not (earlier and earlier[-1].group.at == before)
    if inverted:
        ahead = _bare_verb(s, at + 1) or group
        return Clause((at, at + 1), ahead, len(s), "", asked=True) if ahead else None
    if group is None:
        return None
    link = link_before(s, at)
    clause = Clause((at, at + 1), group, end_of_clause(s, group.end), link)
    if not link and at and earlier and is_noun(s, at - 1) and not _is_fronted(earlier[-1]):
        gap = phrase_before(s, at)
        if gap and s.low[gap[1] - 1] in _MOMENTS:  # "the next time I go"
            clause.link, gap = "when", None
        told = gap and not words("talk", "report").isdisjoint(
            (s.verb[gap[0] - 1], s.verb[at - 1])
        )  # "telling Emma she needs"
        inside = gap and gap[0] >= earlier[-1].group.end and s.low[gap[0] - 1] != "as"  # "as the owner I decided"
        bare = gap and not s.bits[gap[0]] & _DETERMINED and is_no_gap(s, earlier[-1].group, group, gap[0])
        clause.gap = gap if inside and not (told or bare or has_own_object(s, group, clause.stop)) else None
    elif not link and at and not earlier and not inverted and is_noun(s, at - 1):
        clause.gap = _before_main_verb(s, at, group)
    elif link == "that" and s.low[at - 1] == "that" and at > 1 and earlier:
        clause.gap = _before_that(s, at - 1, group, earlier[-1])
    return clause


def _before_main_verb(s: SentenceTokens, at: int, group: VerbGroup) -> tuple[int, int] | None:
    """The phrase that opens a sentence, if its verb stands after this clause: "the help I got made a difference"."""
    gap, after = phrase_before(s, at), group.end
    if gap is None or not s.bits[gap[0]] & (DETERMINER | POSSESSIVE) or s.low[gap[1] - 1] in NO_GAP:
        return None
    while after < len(s) and (s.bits[after] & ADVERB or s.low[after] in _DAYS):
        after += 1
    told = after < len(s) and begins_with_verb(s, after)
    return gap if told else None


_OF_EVERYBODY: Final = frozenset(("have", "need", "want", "know"))
"""What "we all" do is said of mankind: "we all have bad days"."""


_DETERMINED: Final = DETERMINER | POSSESSIVE | NUMBER | NAME | PREPOSITION
_AFTER_GAP: Final = BREAK | COMMA | COORDINATOR | PREPOSITION | ADVERB


def _before_that(s: SentenceTokens, at: int, group: VerbGroup, above: Clause) -> tuple[int, int] | None:
    """The phrase before "that" which the verb after it lacks: "the book that I wrote", not "the news that I won"."""
    gap = phrase_before(s, at - 1 if s.bits[at - 1] & COMMA else at)
    if gap is None or gap[0] < above.group.end or not s.bits[gap[0]] & (DETERMINER | POSSESSIVE | NUMBER):
        return None
    lacks = group.end >= len(s) or s.bits[group.end] & _AFTER_GAP
    said = any(above.group.verb in words("talk", name) for name in ("report", "know", "suppose", "demand"))
    return None if not lacks or said or s.low[gap[1] - 1] in words("talk", "content") else gap


_DAYS: Final = frozenset(("yesterday", "today", "tonight"))
_MOMENTS: Final = frozenset("time moment day night week weekend month year summer minute second".split())


def _is_fronted(clause: Clause) -> bool:
    """Whether a clause leads in the next one: "when I see blood I faint"."""
    return clause.link in words("words", "time_link") or clause.link in words("words", "condition")


def _bare_verb(s: SentenceTokens, at: int) -> VerbGroup | None:
    """Something that closes the group of a question: "do you [have]"; its details do not matter."""
    while s.bits[at] & ADVERB:
        at += 1
    return VerbGroup(s.verb[at], at, at + 1, "present") if s.form[at] else None


def _relative_clause(s: SentenceTokens, at: int) -> Clause | None:
    span = phrase_before(s, at - 1 if s.bits[at - 1] & COMMA else at)
    if span is None:
        return None
    group = verb_group(s, at + 1, "any")
    return Clause(span, group, end_of_clause(s, group.end), s.low[at], relative=True) if group else None
