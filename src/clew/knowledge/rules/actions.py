"""Statements of clauses with a verb other than "be": what somebody does, did, has, wants, decided.

Verbs that only manage the talk ("I mean", "you know") say nothing; neither do objects without content ("it", "a lot").
"""

from collections.abc import Callable, Iterator
from typing import Final

from clew.analyze.entities import listed_type
from clew.knowledge.morphology import Form
from clew.knowledge.rules.copulas import apposed, favourite_of_owner
from clew.knowledge.rules.lexicon import DETERMINER, NAME, OBJECT, POSSESSIVE, TO, language, words
from clew.knowledge.rules.meanings import (
    WANTS,
    ClauseReading,
    StatementDraft,
    canonical,
    effect_of,
    status_of,
    third,
    type_of,
)
from clew.knowledge.rules.objects import Object, event_of, is_vague, place_of, text_of
from clew.knowledge.slots import slot_of
from clew.types.entity import NodeType
from clew.types.facts import Effect, FactStatus, FactType

_SHARED: Final = frozenset(("uses", "decides on", "adopts"))
_LEAVES: Final = frozenset("quit leave lose resign".split())
_OWN: Final = frozenset(("the", "our", "my", "this"))
_WORKS: Final = frozenset(("works at", "works for", "works in"))
_SWITCHES: Final = frozenset(("switches from", "migrates from"))
_POSSESSED: Final = frozenset(("my", "our", "his", "her", "their"))
_PASSING: Final = frozenset(("over", "for", "in", "on", "with", "on to", "at", "of"))


def action(said: ClauseReading, obj: Object) -> Iterator[StatementDraft]:
    """The statements of a clause whose verb is not "be"."""
    group = said.clause.group
    verb = "want" if group.verb in WANTS and group.modal in ("'d", "would") else group.verb
    known = _of_product(said, f"{verb} {obj.preposition}", obj) or canonical(f"{verb} {obj.preposition}".strip())
    special = _special(said, verb, obj)
    if special is not None or not _counts(said, verb, known, obj):
        yield from special or ()
        return
    span = said.clause.gap or (obj.low, obj.high)
    beside = obj.preposition if said.clause.gap and obj.low < obj.high else ""  # "the kids I met at the shelter"
    status = FactStatus.ACTIVE if group.modal == "let" else status_of(said)
    if known in words("state", "verbs") and status is FactStatus.COMPLETED:
        status = FactStatus.ACTIVE
    name = third(verb, "") if beside else known or third(verb, obj.preposition)
    target = _target(said, span, obj, beside)
    base = StatementDraft(said.owner.name, name, target, status)
    base = base._replace(type=type_of(said, status), effect=effect_of(said))
    if base.verb in _SHARED and said.s.low[said.clause.subject[0]] in ("we", "us"):
        base = base._replace(subject="we")  # a decision is of all who share it, whoever tells it
    if said.owner.general and not _is_told_of(said, base):
        return
    if base.object:
        yield from _with_object(said, base, span, obj)
    elif group.via in ("used", "cease"):
        yield base
    elif verb in words("intransitive", "lemmas") and not obj.preposition:
        yield base._replace(object=said.date_text)


def _of_product(said: ClauseReading, key: str, obj: Object) -> str | None:
    """The verb of a move to a product, which nobody lives in: "went back to Redis for sessions"."""
    table: dict[str, str] = language()["canonical_of_product"]
    verb, s, after = table.get(key), said.s, obj.low + 1
    if verb is None or obj.low >= obj.high or listed_type(s.low[obj.low]) is not NodeType.PRODUCT:
        return None
    goes_on = s.low[after] in _AFTER_PRODUCT or (s.bits[after] & TO and s.bits[after + 1] & NAME)
    return verb if after == obj.high or goes_on else None


_AFTER_PRODUCT: Final = frozenset("for from over instead rather".split())


def _target(said: ClauseReading, span: tuple[int, int], obj: Object, beside: str) -> str:
    """The words of the object; "a style I want to try" is put as "to try style"."""
    s, target = said.s, text_of(said.s, *span)
    if said.clause.gap and obj.infinitive:
        definite = s.bits[span[0]] & (DETERMINER | POSSESSIVE | NAME)
        return f"{text_of(s, obj.low, obj.high)} {target}".strip() if definite and obj.low < obj.high else ""
    return f"{target} {beside} {text_of(s, obj.low, obj.high)}" if beside else target


def _counts(said: ClauseReading, verb: str, known: str | None, obj: Object) -> bool:
    """Whether the verb with its object can state something."""
    if obj.clausal or _is_activity(said):
        return False
    if known == "works as" and not said.is_person:
        return False
    if said.clause.group.modal == "let" and known not in ("decides on", "uses"):
        return False
    return known is not None or verb not in words("talk", "verbs") or _tells(said, verb, obj)


def _is_activity(said: ClauseReading) -> bool:
    """Whether "is" with a word in -ing says what something is: "my real job is teaching violin"."""
    return said.clause.group.progressive and said.s.low[said.clause.subject[1] - 1] in words("attribute", "nouns")


def _is_told_of(said: ClauseReading, base: StatementDraft) -> bool:
    """Whether a statement about "the X" is worth keeping: a slot, or what a part of a project does."""
    own = said.s.low[said.clause.subject[0]] in _POSSESSED
    return own or slot_of(base.verb, "any") is not None or base.verb in words("world", "verbs")


def _tells(said: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether a verb of talk says something here after all: "took a class", "thought about becoming a nurse"."""
    concrete = obj.high > obj.low and not is_vague(said.s, obj.low, obj.high) and not said.clause.group.modal
    if verb == "think":
        return concrete and obj.preposition in ("about", "of") and bool(said.s.form[obj.low] & Form.GERUND)
    if verb in ("go", "come") and not obj.preposition and not said.s.form[obj.low] & Form.GERUND:
        return False
    if verb in ("do", "go") and obj.preposition in _PASSING:
        return False
    return concrete and verb in words("talk", "light")


def _special(said: ClauseReading, verb: str, obj: Object) -> list[StatementDraft] | None:
    """Idioms of age, of leaving a job, and of moving a date; None for everything else."""
    s, low, high = said.s, obj.low, obj.high
    if verb == "turn" and high == low + 1 and s.low[low].isdigit():
        return [StatementDraft(said.owner.name, "is aged", s.low[low], type=FactType.PERSONAL)]
    favourite = favourite_of_owner(said)
    if favourite is not None and said.clause.group.progressive:
        owner, scope = favourite
        return [StatementDraft(owner, "has favourite", text_of(s, said.clause.group.at, high), scope=scope)]
    if verb in _LEAVES and not {"job", "position"}.isdisjoint(s.low[low:high]):
        type_ = type_of(said, FactStatus.ACTIVE)
        return [StatementDraft(said.owner.name, "works at", "", FactStatus.CEASED, type_, Effect.CEASES)]
    if verb in words("reschedule", "verbs") and said.when.dates and low < high and s.low[low] in _OWN:
        return [StatementDraft(text_of(s, low, high), "is scheduled for", said.date_text)]
    return None


def _with_object(
    said: ClauseReading, base: StatementDraft, span: tuple[int, int], obj: Object
) -> Iterator[StatementDraft]:
    s, (low, high) = said.s, span
    inside = obj.infinitive and not said.clause.gap
    said_so = s.verb[low] in words("talk", "report") and s.form[low] & Form.PAST
    if s.low[low] in _NO_OBJECT or said_so or _is_empty(said, low, high, infinitive=inside):
        return
    base, high = _without_adjuncts(said, base, span, infinitive=obj.infinitive)
    if s.bits[high - 1] & OBJECT and not obj.infinitive:
        name = said.name_of(high - 1, high)
        if name is None:
            return
        base = base._replace(object=" ".join([*base.object.split()[:-1], name]))
    divided = (divide(said, base, low, high) for divide in _DIVIDED)
    found = next((parts for parts in divided if parts is not None), None)
    yield from [base] if found is None else found
    if all(s.bits[at] & NAME for at in range(low, high)):
        yield from apposed(said, base.object, high)


_NO_OBJECT: Final = frozenset(("and", "or", "all"))


def _without_adjuncts(
    said: ClauseReading, base: StatementDraft, span: tuple[int, int], *, infinitive: bool
) -> tuple[StatementDraft, int]:
    """The draft whose object lacks what it is for and where it is, which it holds apart; and where that object ends."""
    s, (low, high) = said.s, span
    if slot_of(base.verb, "any") is not None and not infinitive:  # "at a bar to pay for college"
        high = next((at for at in range(low + 1, high) if s.bits[at] & TO and s.form[at + 1] & Form.BASE), high)
    if (event := event_of(s, low, high)) is not None:
        base, high = base._replace(rests_on=(event[1],)), event[0]
    if (place := place_of(s, low, high)) is not None:
        base, high = base._replace(where=place[1]), place[0]
    return (base if high == span[1] else base._replace(object=text_of(s, low, high))), high


def _is_empty(said: ClauseReading, low: int, high: int, *, infinitive: bool) -> bool:
    """Whether an object says nothing: "it", "to make sure", "to know"."""
    s = said.s
    if said.clause.group.end < low and high == low + 1 and s.low[low].isdigit():
        return True  # "started working at 16"
    if infinitive and said.clause.group.verb not in words("catenative", "keep"):
        return True  # a purpose
    if not infinitive:
        return is_vague(s, low, high) and not (high == low + 1 and said.name_of(low, high))
    verb = s.verb[low + 1]
    if high == low + 2 and verb in ("be", "have", "do"):
        return True
    return verb in words("talk", "verbs") and (verb not in words("talk", "light") or is_vague(s, low + 2, high))


# -------------------------------------------------------------------------------------------- objects of several parts


def _word_at(said: ClauseReading, low: int, high: int, *wanted: str) -> int | None:
    return next((at for at in range(low, high - 1) if said.s.low[at] in wanted), None)


def _work(said: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Works at X as a Y"."""
    at = _word_at(said, low + 1, high, "as") if base.verb in _WORKS else None
    if at is None:
        return None
    job = base._replace(verb="works as", object=text_of(said.s, at + 1, high))
    return [base._replace(object=text_of(said.s, low, at)), job]


def _switch(said: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Switched from X to Y"."""
    at = _word_at(said, low + 1, high, "to") if base.verb in _SWITCHES else None
    if at is None:
        return None
    before, after = text_of(said.s, low, at), text_of(said.s, at + 1, high)
    return [base._replace(verb="uses", object=after, instead_of=before, status=FactStatus.ACTIVE)]


def _choice(said: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Decided on X over Y for Z", "decided to use X", "prefers X to Y"."""
    s = said.s
    if (
        base.verb == "decides"
        and s.low[low] == "to"
        and s.low[low + 1] in ("use", "choose", "adopt")
        and low + 2 < high
    ):
        base, low = base._replace(verb="decides on"), low + 2
    if base.verb not in words("decision", "verbs"):
        return None
    for at in range(low + 1, high - 1):
        length = _alternative(s.low[at], s.low[at + 1], base.verb)
        if length:
            base, high = _without_scope(said, base, at + length, high), at
            base = base._replace(instead_of=base.object or None)
            break
    base = _without_scope(said, base, low, high)
    return [base] if base.object else []


def _without_scope(said: ClauseReading, base: StatementDraft, low: int, high: int) -> StatementDraft:
    """The words as object, up to "for", after which the scope stands."""
    at = _word_at(said, low + 1, high, "for")
    if at is None:
        return base._replace(object=text_of(said.s, low, high))
    return base._replace(object=text_of(said.s, low, at), scope=text_of(said.s, at + 1, high) or None)


def _alternative(word: str, after: str, verb: str) -> int:
    """The number of words that open an alternative at a place; 0 if none does."""
    if (word, after) in (("instead", "of"), ("rather", "than")):
        return 2
    return int(word == "over" or (verb == "prefers" and word == "to"))


def _moved(said: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Moved to X from Y", "moved from Y to X"."""
    if base.verb not in ("lives in", "moves from") or said.clause.group.verb != "move":
        return None
    s, leaving = said.s, base.verb == "moves from"
    at = _word_at(said, low, high, "to" if leaving else "from")
    parts = [text_of(s, low, high if at is None else at), text_of(s, at + 1, high) if at is not None else ""]
    home, left = reversed(parts) if leaving else parts
    status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
    base = base._replace(verb="lives in", where=None, status=status)
    found = [base._replace(object=home)] if home else []
    if left and status is FactStatus.ACTIVE:
        found.append(base._replace(object=left, status=FactStatus.CEASED, effect=Effect.CEASES))
    return found


_DIVIDED: Final[tuple[Callable[[ClauseReading, StatementDraft, int, int], list[StatementDraft] | None], ...]] = (
    _work,
    _switch,
    _choice,
    _moved,
)
