"""The clauses of a sentence: subject, verb group, and where they end.

A subject is a pronoun, or a phrase at the beginning of a clause ("my sister Anna", "the launch", "Tom") with a finite
verb after it that agrees. A verb after "and" without a subject shares the one before. This is no parser: what does not
look like a subject with its verb is left aside.
"""

from collections.abc import Callable
from dataclasses import dataclass
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
from clew.knowledge.rules.lexicon import (
    ADVERB,
    AUXILIARY,
    BE,
    BREAK,
    COMMA,
    CONDITION,
    CONNECTOR,
    COORDINATOR,
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
    OPENED,
    OPENER,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    RELATIVE,
    SUBJECT,
    SUBORDINATOR,
    THIS,
    TO,
    words,
)
from clew.knowledge.rules.nouns import begins_name, names_which
from clew.knowledge.rules.objects import begins_with_verb
from clew.knowledge.rules.others import (
    NOT_NOUN,
    STATES,
    has_infinitive,
    has_own_object,
    is_adjective,
    is_after_lead,
    is_after_one,
    is_last_of_several,
    is_no_gap,
    is_noun,
    is_of_others,
)
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.verb_groups import Agreement, VerbGroup, group_after_been, verb_group

_OPENS_CLAUSE: Final = MARK | CONNECTOR | INTERJECTION | OPENER | RELATIVE
_LONGEST_SUBJECT: Final = 8


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
        clause = _clause_at(s, at, opens, listed, is_name) if may_open else None
        if clause is not None:
            if listed:
                listed[-1].stop = min(listed[-1].stop, _before_link(s, clause, at))
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
    return None if group is None else Clause((at, at), group, _stop(s, group.end))


def _clause_at(
    s: SentenceTokens, at: int, opens: bool, earlier: list[Clause], is_name: Callable[[str], bool]
) -> Clause | None:
    bits = s.bits[at]
    if bits & OPENED:
        return None
    if bits & SUBJECT:
        return _pronoun_clause(s, at, earlier)
    if s.low[at] == "us" and at and s.low[at - 1] == "let" and s.form[at + 1] & Form.BASE:
        group = VerbGroup(s.low[at + 1], at + 1, at + 2, "future", modal="let")
        return Clause((at, at + 1), group, _stop(s, at + 2))
    if opens and at and bits & RELATIVE and s.low[at] != "that":
        return _relative_clause(s, at)
    clause = None
    if (opens and not bits & (MARK | CONNECTOR | INTERJECTION)) or (bits & THIS and not bits & RELATIVE):
        clause = _phrase_clause(s, at, is_name)
    if clause is None and earlier and opens and at and s.bits[at - 1] & (COORDINATOR | COMMA):
        clause = _shared_clause(s, at, earlier)
    return clause


# ------------------------------------------------------------------------------------------------------------- subjects

_PLAIN_PRONOUNS: Final = frozenset(("i", "we", "you", "they"))


def _pronoun_clause(s: SentenceTokens, at: int, earlier: list[Clause]) -> Clause | None:
    low = s.low[at]
    if low in ("you", "it") and at and s.form[at - 1] and not s.bits[at - 1] & AUXILIARY and earlier:
        return None  # an object: "help you find"
    agreement: Agreement = "plain" if low in _PLAIN_PRONOUNS else "third"
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
    link = _link(s, at)
    clause = Clause((at, at + 1), group, _stop(s, group.end), link)
    if not link and at and earlier and is_noun(s, at - 1) and not _is_fronted(earlier[-1]):
        gap = _phrase_before(s, at)
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
    gap, after = _phrase_before(s, at), group.end
    if gap is None or not s.bits[gap[0]] & (DETERMINER | POSSESSIVE) or s.low[gap[1] - 1] in _NO_GAP:
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
    gap = _phrase_before(s, at - 1 if s.bits[at - 1] & COMMA else at)
    if gap is None or gap[0] < above.group.end or not s.bits[gap[0]] & (DETERMINER | POSSESSIVE | NUMBER):
        return None
    lacks = group.end >= len(s) or s.bits[group.end] & _AFTER_GAP
    said = any(above.group.verb in words("talk", name) for name in ("report", "know", "suppose", "demand"))
    return None if not lacks or said or s.low[gap[1] - 1] in words("talk", "content") else gap


_NO_GAP: Final = frozenset("way morning afternoon evening times days nights weeks months years".split())
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


def _phrase_clause(s: SentenceTokens, at: int, is_name: Callable[[str], bool]) -> Clause | None:
    bits = s.bits[at]
    if bits & THIS and (not bits & DETERMINER or _is_verb_next(s, at + 1)):
        group = None if bits & QUESTION else verb_group(s, at + 1, "third" if s.low[at] in _ONE else "any")
        return Clause((at, at + 1), group, _stop(s, group.end), _link(s, at)) if group else None
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
                else Clause((at, place), group, _stop(s, group.end), _link(s, at))
            )
        if begins_name(s, place) and is_name(s.low[place]) and not names_which(s, at, place - 1):
            return _phrase_clause(s, place, is_name)  # "in my opinion Mike should"
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
    doing = form & Form.GERUND and s.bits[place + 2] & (_TAKEN | MARK)  # not "Richard's living room"
    called = s.low[place + 1] in ("called", "named") and s.bits[place + 2] & NAME
    valued = bits & NAME and (noun == "name" or noun in words("attribute", "nouns"))
    return bool(bits & (DETERMINER | NEGATION | ADVERB | PREPOSITION | NUMBER) or doing or called or valued)


def _relative_clause(s: SentenceTokens, at: int) -> Clause | None:
    span = _phrase_before(s, at - 1 if s.bits[at - 1] & COMMA else at)
    if span is None:
        return None
    group = verb_group(s, at + 1, "any")
    return Clause(span, group, _stop(s, group.end), s.low[at], relative=True) if group else None


def _shared_clause(s: SentenceTokens, at: int, earlier: list[Clause]) -> Clause | None:
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
    return Clause(last.subject, group, _stop(s, group.end), "", shared=True)


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
        disagrees = s.low[at] in ("is", "has", "does") and s.low[last.subject[0]] in _PLAIN_PRONOUNS
        bare = disagrees or s.low[at] in ("be", "been", "being")
        return None if after & SUBJECT or bare or wanted else verb_group(s, at, "any")
    return None if bits & PREPOSITION or s.low[at - 1] == "so" else _same_open(s, at, last)


def _same_open(s: SentenceTokens, at: int, last: Clause) -> VerbGroup | None:
    """The same for a verb without auxiliary."""
    form, after, before = s.form[at], s.bits[at + 1], last.group
    nested = any(s.form[place] == Form.GERUND for place in range(before.end, at))
    if form == Form.THIRD and s.low[last.subject[0]] in _PLAIN_PRONOUNS:
        return None  # "I love the places and experiences that travel brings"
    if before.progressive and form & Form.GERUND and after & _TAKEN and not nested:
        return before._replace(verb=lemma(s.low[at]), at=at, end=at + 1, adverbs=())
    being = before.verb == "be" and before.tense == "present" and not before.negated
    if being and form == Form.GERUND and after & (DETERMINER | POSSESSIVE | NUMBER | TO) and not nested:
        at_verb = before._replace(verb=lemma(s.low[at]), at=at, end=at + 1, adverbs=())
        return at_verb._replace(progressive=True)  # "60 and earning"
    lives = s.verb[at] in STATES and form & Form.BASE and s.low[at + 1] in ("at", "in", "for", "as")
    if lives and s.low[last.subject[0]] in _PLAIN_PRONOUNS:
        return verb_group(s, at, "plain")  # "switched jobs and work at Vela now"
    changes = not form & Form.BASE and bool(after & (DETERMINER | POSSESSIVE | OBJECT | NUMBER | TO))
    if form & Form.PAST and (before.tense == "past" or before.perfect or changes):
        return verb_group(s, at, "third")
    return _same_present(s, at, before)


def _same_present(s: SentenceTokens, at: int, before: VerbGroup) -> VerbGroup | None:
    if before.verb == "be" and not (s.bits[at + 1] & _FULL or is_after_one(s, at)):
        return None
    bare = before.verb != "be" or not is_after_one(s, at)
    if before.tense != "present" or before.progressive or before.perfect or (bare and not s.bits[at + 1] & _TAKEN):
        return None
    if has_infinitive(s, before.end, at):
        return None  # "I want to go home and sleep"
    third = s.form[before.at] & Form.THIRD and s.low[before.at] not in ("am", "are", "'m", "'re")
    agreement: Agreement = "third" if third else "plain"
    wanted = Form.THIRD if agreement == "third" else Form.BASE
    return verb_group(s, at, agreement) if s.form[at] & wanted else None


_FULL: Final = DETERMINER | POSSESSIVE | OBJECT | NUMBER | TO
_TAKEN: Final = DETERMINER | POSSESSIVE | OBJECT | PREPOSITION | NUMBER | TO | NAME | ADVERB


# ------------------------------------------------------------------------------------------------------- what surrounds


def _phrase_before(s: SentenceTokens, at: int) -> tuple[int, int] | None:
    """The noun phrase that ends before a place."""
    low = at
    while low > 0 and is_noun(s, low - 1) and s.form[low - 1] != Form.GERUND:
        low -= 1
    while low > 0 and s.bits[low - 1] & (NUMBER | DETERMINER | POSSESSIVE):
        low -= 1
    nowadays = s.low[low] == "these" and s.low[at - 1] in _NO_GAP  # "these days I teach"
    return (low, at) if low < at and not nowadays else None


def _link(s: SentenceTokens, at: int) -> str:
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


def _before_link(s: SentenceTokens, clause: Clause, at: int) -> int:
    """Where the clause before ends: before connecting words, commas and adverbs of the next one."""
    place = at - 1 if clause.asked else at
    while place > 0 and s.bits[place - 1] & (CONNECTOR | QUESTION | COMMA | INTERJECTION):
        place -= 1
    return place


def _stop(s: SentenceTokens, at: int) -> int:
    """The next mark that ends a clause, commas aside."""
    bits, count = s.bits, len(s)
    while at < count and not bits[at] & BREAK:
        at += 1
    return at
