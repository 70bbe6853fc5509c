"""Statements of clauses with a verb other than "be": what somebody does, did, has, wants, decided.

Verbs that only manage the talk ("I mean", "you know") say nothing; neither do objects without content ("it", "a lot").
"""

from collections.abc import Iterator
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.adjuncts import event_of, place_of
from clew.knowledge.rules.copulas import apposed
from clew.knowledge.rules.hollow import is_bare_doing, is_hollow, named_object
from clew.knowledge.rules.idioms import idiom
from clew.knowledge.rules.lexicon import (
    COMMA,
    DETERMINER,
    NAME,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    QUESTION,
    THIS,
    TO,
    words,
)
from clew.knowledge.rules.meanings import (
    WANTS,
    ClauseReading,
    StatementDraft,
    canonical,
    effect_of,
    ended,
    of_group,
    status_of,
    third,
    type_of,
)
from clew.knowledge.rules.nouns import is_given_name, kin_sort
from clew.knowledge.rules.object_parts import divided
from clew.knowledge.rules.objects import Object, begins_with_verb
from clew.knowledge.rules.phrases import clause_words, is_vague, text_of
from clew.knowledge.rules.switches import of_product
from clew.knowledge.rules.telling_verbs import states_something
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import slot_of
from clew.types.facts import FactStatus

_POSSESSED: Final = frozenset(("my", "our", "his", "her", "their"))


def action(reading: ClauseReading, obj: Object) -> Iterator[StatementDraft]:
    """The statements of a clause whose verb is not "be"."""
    group = reading.clause.group
    verb = "want" if group.verb in WANTS and group.modal in ("'d", "would") else group.verb
    known = of_product(reading, f"{verb} {obj.preposition}", obj) or canonical(f"{verb} {obj.preposition}".strip())
    special = idiom(reading, verb, obj)
    if special is not None or not reading.owner.name or not states_something(reading, verb, known, obj):
        yield from special or ()
        return
    span = reading.clause.gap or (obj.low, obj.high)
    beside = obj.preposition if reading.clause.gap and obj.low < obj.high else ""  # "the kids I met at the shelter"
    own, _, after = beside.partition(" ")
    stays = bool(after) and own in _LEFT.get(verb, ())
    if stays:  # "the party I went to after dinner"
        known, beside = canonical(f"{verb} {own}") or third(verb, own), after
    status = FactStatus.ACTIVE if group.modal == "let" else status_of(reading)
    leads = verb not in words("stative", "lemmas") and verb != "date"  # "moved to", but not "worked at"
    if known in words("state", "verbs") and status is FactStatus.COMPLETED and leads:
        status = FactStatus.ACTIVE
    lasts = reading.clause.gap is not None and obj.low >= obj.high and obj.preposition == "for" and reading.when.dates
    name = third(verb, "") if (beside and not stays) or lasts else known or third(verb, obj.preposition)
    target = _target(reading, span, obj, beside)
    base = StatementDraft(reading.owner.name, name, target, status)
    base = base._replace(type=type_of(reading, status), effect=effect_of(reading))
    if reading.owner.general and not _is_told_of(reading, base):
        return
    if base.object:
        yield from _with_object(reading, base, span, obj)
    elif group.via in ("used", "cease"):
        yield base
    elif verb in words("intransitive", "lemmas") and not obj.preposition and not _is_resolve(reading):
        yield base
        if verb == "retire" and status is FactStatus.COMPLETED and reading.is_person and not group.negated:
            yield from (ended(reading, each) for each in ("works at", "works as"))


_LEFT: Final = {"go": ("to", "on", "into"), "come": ("to", "from"), "work": ("at", "for", "on"), "live": ("in",)}
"""Verbs with the prepositions that stay behind them where their object stands before."""


def _is_resolve(reading: ClauseReading) -> bool:
    """Whether it is said what will not be given up: "I won't quit"."""
    group = reading.clause.group
    return group.tense == "future" and (group.negated or group.verb == "quit")


def _target(reading: ClauseReading, span: tuple[int, int], obj: Object, beside: str) -> str:
    """The words of the object; "a style I want to try" is put as "to try style"."""
    s, target = reading.s, text_of(reading.s, *span)
    if reading.clause.gap and obj.infinitive:
        talks = s.verb[obj.low + 1] in words("talk", "verbs") and s.verb[obj.low + 1] not in words("talk", "light")
        definite = s.bits[span[0]] & (DETERMINER | POSSESSIVE | NAME) and not talks
        parts = (s.words(obj.low, obj.low + 2), target, s.words(obj.low + 2, obj.high))
        return " ".join(" ".join(parts).split()) if definite and obj.low < obj.high else ""
    return f"{target} {beside} {text_of(s, obj.low, obj.high)}" if beside else target


def _is_told_of(reading: ClauseReading, base: StatementDraft) -> bool:
    """Whether a statement about "the X" is worth keeping: a slot, or what a part of a project does."""
    own = reading.s.low[reading.clause.subject[0]] in _POSSESSED
    return own or slot_of(base.verb, "any") is not None or base.verb in words("world", "verbs")


def _with_object(
    reading: ClauseReading, base: StatementDraft, span: tuple[int, int], obj: Object
) -> Iterator[StatementDraft]:
    s, (low, high) = reading.s, span
    inside = obj.infinitive and not reading.clause.gap
    if inside and s.low[low + 1 : low + 3] == ["make", "sure"] and (told := clause_words(s, low)):
        yield base._replace(object=told)
        return
    if (end := _name_beside(reading, high)) > high:
        low, high = high + 1, end
        base = base._replace(object=text_of(s, low, high))
    said_so = s.verb[low] in words("talk", "report") and s.form[low] & Form.PAST
    mine = reading.owner.name == reading.speaker or obj.preposition != "with" or base.verb in words("state", "verbs")
    alone = s.low[low] == "me" and mine
    passive = s.verb[low - 1] == "get" and s.bits[low + 1] & (THIS | POSSESSIVE)  # "got married that night"
    apart = not (obj.infinitive or passive or s.verb[low - 1] in _BEFORE_VERB) and begins_with_verb(s, low)
    named = base.verb in _OF_NOBODY and high == low + 1 and s.bits[low] & NAME and is_given_name(s.low[low])
    doing = base.verb == "has" and s.form[low] & Form.BASE and s.verb[low] in words("vague", "only_verbs")
    if apart or named or doing or (obj.preposition and not reading.clause.gap and is_bare_doing(s, low, high)):
        return
    if s.low[low] in _NO_OBJECT or said_so or alone or _is_empty(reading, low, high, infinitive=inside):
        return
    base, high = _without_adjuncts(reading, base, span, infinitive=obj.infinitive)
    base = base._replace(object=named_object(reading, base.object, low, high) or "")
    beside = reading.clause.gap is not None and obj.low < obj.high and bool(obj.preposition)
    if not base.object or is_hollow(reading, base, low, high, infinitive=inside, beside=beside):
        return
    if s.bits[high - 1] & OBJECT and not obj.infinitive:
        name = reading.name_of(high - 1, high)
        if name is None:
            return
        base = base._replace(object=" ".join([*base.object.split()[:-1], name]))
    yield from (of_group(reading, draft) for draft in divided(reading, base, low, high))
    if all(s.bits[at] & NAME for at in range(low, high)):
        yield from apposed(reading, base.object, high)


def _name_beside(reading: ClauseReading, at: int) -> int:
    """The end of a person's name between commas at a place: "I met this producer, Bryan, at"; the place if none is."""
    s, end = reading.s, at + 1
    if end >= len(s) or not s.bits[at] & COMMA or not is_given_name(s.low[end]):
        return at
    while s.bits[end] & NAME:
        end += 1
    called = reading.listener.casefold().partition(" ")[0] == s.low[at + 1]
    return end if s.bits[end] & COMMA and not called and kin_sort(s.low[at - 1]) is None else at


_BEFORE_VERB: Final = frozenset(("help", "let", "go", "come", "make", "do", "dare"))  # "help renovate the park"
_OF_NOBODY: Final = frozenset(("does", "goes", "has with"))  # "I'm doing well Kate"
_NO_OBJECT: Final = frozenset(("and", "or", "all"))


def _without_adjuncts(
    reading: ClauseReading, base: StatementDraft, span: tuple[int, int], *, infinitive: bool
) -> tuple[StatementDraft, int]:
    """The draft whose object lacks what it is for and where it is, which it holds apart; and where that object ends."""
    s, (low, high) = reading.s, span
    slot = slot_of(base.verb, "any")
    ground = slot is not None and slot.ground and not slot.scoped
    if (slot is not None or base.verb == "lives with") and not infinitive:  # "at a bar to pay for college"
        high = next((at for at in range(low + 1, high) if s.bits[at] & TO and s.form[at + 1] & Form.BASE), high)
        if ground and not {"called", "named"}.intersection(s.low[low:high]):
            high = _end_of_name(s, low, high)
    if (event := event_of(s, low, high)) is not None:
        base, high = base._replace(rests_on=(event[1],)), event[0]
    if (place := place_of(s, low, high)) is not None:
        base, high = base._replace(where=place[1]), place[0]
    return (base if high == span[1] else base._replace(object=text_of(s, low, high))), high


def _end_of_name(s: SentenceTokens, low: int, high: int) -> int:
    """Where the name of a home, an employer or a partner ends: "Kyoto for my exchange year", "Helen and the kids"."""
    if not s.bits[low] & NAME:
        return next((at for at in range(low + 1, high) if s.low[at] in ("for", "because")), high)
    at = low + 1
    while at < high:
        named = s.bits[at] & (NAME | NUMBER)
        joined = s.low[at] in _IN_NAMES and at + 1 < high and s.bits[at + 1] & (NAME | DETERMINER)
        if not (named or joined or (s.bits[at] & DETERMINER and s.low[at - 1] == "of")):
            break
        at += 1
    kind = at == high - 1 and s.low[at - 1] not in _IN_NAMES and not s.bits[at] & PREPOSITION  # "Berlin suburbs"
    return high if kind or (at < high and s.low[at] in _DIVIDE) else at


_IN_NAMES: Final = frozenset(("of", "and", "&", ",", "'s", "-", "/", "."))
_DIVIDE: Final = frozenset(("as", "from", "to", "in", "at", "near", "over", "instead", "rather"))


def _is_empty(reading: ClauseReading, low: int, high: int, *, infinitive: bool) -> bool:
    """Whether an object says nothing: "it", "to make sure", "to know"."""
    s = reading.s
    if reading.clause.group.end < low and high == low + 1 and s.low[low].isdigit():
        return True  # "started working at 16"
    if infinitive and reading.clause.group.verb not in words("catenative", "keep"):
        return True  # a purpose
    if not infinitive:
        return is_vague(s, low, high) and not (high == low + 1 and reading.name_of(low, high))
    verb = s.verb[low + 1]
    if high == low + 2 and verb in ("be", "have", "do"):
        return True
    asked = s.bits[low + 2] & QUESTION and s.low[low + 3] != "to"
    told = verb in words("talk", "light") or (verb in _LEARNING and not asked)
    return verb in words("talk", "verbs") and (not told or is_vague(s, low + 2, high))


_LEARNING: Final = frozenset(("understand", "find", "discuss"))
