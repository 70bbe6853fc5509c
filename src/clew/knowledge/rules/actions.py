"""Statements of clauses with a verb other than "be": what somebody does, did, has, wants, decided.

Verbs that only manage the talk ("I mean", "you know") say nothing; neither do objects without content ("it", "a lot").
"""

from collections.abc import Callable, Iterator
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.adjuncts import event_of, place_of
from clew.knowledge.rules.copulas import apposed
from clew.knowledge.rules.given_values import numbered_setting
from clew.knowledge.rules.hollow import is_acquaintance, is_bare_doing, is_hollow, named_object
from clew.knowledge.rules.idioms import idiom
from clew.knowledge.rules.jobs import job_of
from clew.knowledge.rules.lexicon import (
    ADVERB,
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
    language,
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
from clew.knowledge.rules.objects import (
    Object,
    begins_with_verb,
    clause_words,
    head_of,
    is_vague,
    text_of,
)
from clew.knowledge.rules.others import is_behind_noun
from clew.knowledge.rules.switches import is_product, moved_to_product, of_product, switch, without_scope, word_at
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import slot_of
from clew.types.facts import Effect, FactStatus, FactType

_WORKS: Final = frozenset(("works at", "works for", "works in"))
_POSSESSED: Final = frozenset(("my", "our", "his", "her", "their"))
_PASSING: Final = frozenset(("over", "for", "in", "on", "with", "on to", "at", "of"))


def action(reading: ClauseReading, obj: Object) -> Iterator[StatementDraft]:
    """The statements of a clause whose verb is not "be"."""
    group = reading.clause.group
    verb = "want" if group.verb in WANTS and group.modal in ("'d", "would") else group.verb
    known = of_product(reading, f"{verb} {obj.preposition}", obj) or canonical(f"{verb} {obj.preposition}".strip())
    special = idiom(reading, verb, obj)
    if special is not None or not reading.owner.name or not _counts(reading, verb, known, obj):
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


def _counts(reading: ClauseReading, verb: str, known: str | None, obj: Object) -> bool:
    """Whether the verb with its object can state something."""
    if (
        obj.clausal
        or _is_activity(reading)
        or _is_procedure(reading, verb, obj)
        or (known is None and _lacks_object(reading, verb, obj))
    ):
        return False
    if verb == "agree" and obj.infinitive:
        return True
    if (known == "works as" and not reading.is_person) or (known == "decides on" and _is_no_choice(reading, verb, obj)):
        return False
    if reading.clause.group.modal == "let" and known not in ("decides on", "uses") and verb != "use":
        return False
    told = known is not None or verb not in words("talk", "verbs") or _tells(reading, verb, obj)
    return told or _calls(reading, obj) or (verb == "speak" and _is_language(reading, obj))


def _is_procedure(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether it is told how a meeting goes on: "I give the floor to Ms. Diaz", "I'll go back to Mr. Kim"."""
    s, group = reading.s, reading.clause.group
    at = obj.low + obj.infinitive
    if at >= obj.high:
        return False
    procedures: dict[str, str] = language()["procedure"]
    act = s.low[at] if obj.infinitive else verb
    first = s.low[reading.clause.subject[0]] in ("i", "we") and group.tense != "past"
    if obj.infinitive and first and verb in ("want", "like"):
        clear = s.low[at : at + 2] == ["be", "clear"]
        if clear or act in words("talk", "performing"):
            return True  # "I want to remind everyone"
    if not procedures.get(act, "") or (act != verb and verb not in WANTS and verb != "want"):
        return _calls_on(reading, verb, obj, at)
    nouns = procedures[act].split()
    done = any(s.low[place] in nouns for place in range(at, min(obj.high, at + _NEAR_ACT)))
    return done or _calls_on(reading, verb, obj, at)


def _calls_on(reading: ClauseReading, verb: str, obj: Object, at: int) -> bool:
    """As in "I'll go back to Mr. Kim", "we now move on to the next item"."""
    s, group = reading.s, reading.clause.group
    called = s.low[at].partition(".")[0] in words("name", "titles") or is_given_name(s.low[at])
    called = called or head_of(s, at, obj.high) in words("talk", "called_on")
    next_one = group.tense == "future" or ("now" in group.adverbs and s.low[reading.clause.subject[0]] == "we")
    return next_one and called and verb in words("talk", "calling_on") and obj.preposition.endswith(("to", "with"))


_NEAR_ACT: Final = 4
"""Words from the verb of a procedure to what it is done to: "second this last motion"."""


def _calls(reading: ClauseReading, obj: Object) -> bool:
    """As in "`load()` calls `parse()`", which is no talk."""
    return reading.owner.sort == "thing" and obj.low < obj.high and reading.s.low[obj.low][0] == "`"


def _is_language(reading: ClauseReading, obj: Object) -> bool:
    """As in "speaks Spanish and a little French", which is no talk."""
    spoken = () if obj.preposition else reading.s.low[obj.low : obj.high]
    return not words("order", "languages").isdisjoint(spoken)


def _lacks_object(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether what is had, used or made stands elsewhere: "a meeting I have at noon", "the help I got from Tom"."""
    if reading.clause.gap is not None or obj.low >= obj.high:
        return False
    used = verb in words("vague", "lacking") and obj.preposition in _BESIDE_OBJECT
    produced = verb in words("vague", "producing") and obj.preposition in _AT_PRODUCING
    produced = produced and is_behind_noun(reading.s, reading.clause.subject[0])
    return used or produced or (verb == "get" and obj.preposition == "from")


_BESIDE_OBJECT: Final = frozenset(("from", "with", "for", "in", "at", "by"))
_AT_PRODUCING: Final = frozenset(("at", "to", "for", "with"))  # "bring in" and "develop into" say something


def _is_no_choice(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether it was company that somebody went with, or a view that is agreed on, rather than a choice."""
    s, group = reading.s, reading.clause.group
    if verb == "agree":
        return group.tense == "present" and not group.perfect
    person = obj.low < obj.high and is_given_name(s.low[obj.low])
    return verb == "go" and (person or any(kin_sort(s.low[at]) for at in range(obj.low, obj.high)))


def _is_activity(reading: ClauseReading) -> bool:
    """Whether "is" with a word in -ing says what something is: "my real job is teaching violin"."""
    return reading.clause.group.progressive and reading.s.low[reading.clause.subject[1] - 1] in words(
        "attribute", "nouns"
    )


def _is_told_of(reading: ClauseReading, base: StatementDraft) -> bool:
    """Whether a statement about "the X" is worth keeping: a slot, or what a part of a project does."""
    own = reading.s.low[reading.clause.subject[0]] in _POSSESSED
    return own or slot_of(base.verb, "any") is not None or base.verb in words("world", "verbs")


def _tells(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether a verb of talk says something here after all: "took a class", "thought about becoming a nurse"."""
    concrete = obj.high > obj.low and not is_vague(reading.s, obj.low, obj.high) and not reading.clause.group.modal
    if verb == "think":
        return concrete and obj.preposition in ("about", "of") and bool(reading.s.form[obj.low] & Form.GERUND)
    if verb in ("go", "come") and not obj.preposition and not reading.s.form[obj.low] & Form.GERUND:
        return False
    if verb in ("do", "go") and obj.preposition in _PASSING:
        return False
    return concrete and verb in words("talk", "light")


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
    divided = (divide(reading, base, low, high) for divide in _DIVIDED)
    found = next((parts for parts in divided if parts is not None), None)
    yield from (of_group(reading, draft) for draft in ([base] if found is None else found))
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


# -------------------------------------------------------------------------------------------- objects of several parts


def _work(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Works at X as a Y"."""
    if base.verb not in _WORKS:
        return None
    s, at = reading.s, word_at(reading, low + 1, high, "as")
    job = text_of(s, at + 1, high) if at is not None else job_of(s, high, min(reading.clause.stop, len(s)))
    if not job:
        return None
    employer = base if at is None else base._replace(object=text_of(s, low, at))
    return [employer, base._replace(verb="works as", object=job)]


def _choice(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Decided on X over Y for Z", "decided to use X", "prefers X to Y"."""
    s = reading.s
    if base.verb == "decides" and (length := _to_use(s, low, high)):
        status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
        base, low = base._replace(verb="decides on", status=status), low + length
    elif base.verb == "decides on" and s.low[low] == "to" and s.form[low + 1] & Form.BASE:
        return [base._replace(verb="decides", status=status_of(reading))]  # "chose to write a book"
    if base.verb not in words("decision", "verbs"):
        return None
    for at in range(low + 1, high - 1):
        length = _alternative(s.low[at], s.low[at + 1], base.verb)
        if length and not _is_purpose(s, at):
            base, high = without_scope(reading, base, at + length, high), at
            base = base._replace(instead_of=base.object or None)
            break
    base = without_scope(reading, base, low, high)
    return [base] if base.object else []


def _is_purpose(s: SentenceTokens, at: int) -> bool:
    """As in "prefers diagrams to fully grasp it", where "to" leads to no alternative."""
    after = at + 1 + bool(s.bits[at + 1] & ADVERB)
    return bool(s.bits[at] & TO and s.form[after] & Form.BASE and not s.bits[after] & (NAME | DETERMINER | POSSESSIVE))


def _to_use(s: SentenceTokens, low: int, high: int) -> int:
    """The number of words of "to use", "to go with" before what is chosen; 0 for others."""
    if s.low[low] != "to":
        return 0
    length = 2 if s.low[low + 1] in _CHOOSING else 3 if (s.low[low + 1], s.low[low + 2]) in _CHOOSING_WITH else 0
    return length if low + length < high else 0


_CHOOSING: Final = frozenset(("use", "choose", "adopt", "pick"))
_CHOOSING_WITH: Final = frozenset((("go", "with"), ("switch", "to"), ("stick", "with"), ("settle", "on")))


def _alternative(word: str, after: str, verb: str) -> int:
    """The number of words that open an alternative at a place; 0 if none does."""
    if (word, after) in (("instead", "of"), ("rather", "than")):
        return 2
    return int(word == "over" or (verb == "prefers" and word == "to"))


def _moved(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Moved to X from Y", "moved from Y to X"."""
    if base.verb not in ("lives in", "moves from") or reading.clause.group.verb != "move":
        return None
    if (used := moved_to_product(reading, base, low, high)) is not None:
        return used
    if head_of(reading.s, low, high) in words("place", "no_home"):
        return [base._replace(verb="moves to")] if base.verb == "lives in" else None
    if not reading.is_person and base.verb == "lives in":  # an office moves to a town, a newsletter to Mondays
        placed = reading.s.bits[low] & NAME and reading.s.low[low].rstrip("s") not in words("bare", "times")
        return [base._replace(verb="is located in")] if placed else []
    s, leaving = reading.s, base.verb == "moves from"
    at = word_at(reading, low, high, "to" if leaving else "from")
    parts = [text_of(s, low, high if at is None else at), text_of(s, at + 1, high) if at is not None else ""]
    home, left = reversed(parts) if leaving else parts
    status = FactStatus.ACTIVE if base.status is FactStatus.COMPLETED else base.status
    base = base._replace(verb="lives in", where=None, status=status)
    found = [base._replace(object=home)] if home else []
    if left and status is FactStatus.ACTIVE:
        found.append(base._replace(object=left, status=FactStatus.CEASED, effect=Effect.CEASES))
    return found


def _lives_with(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Lives with her parents in Leeds"."""
    placed = low < high < len(reading.s) and reading.s.low[high] == "in"
    if base.verb != "lives with" or not base.where or not placed or reading.clause.group.negated:
        return None
    return [base, base._replace(verb="lives in", object=base.where, where=None)]


def _traded(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Traded the Golf for a Tesla"."""
    at = word_at(reading, low + 1, high, "for") if base.verb in _TRADES else None
    if at is None:
        return None
    s, out = reading.s, reading.s.low[at - 1] == "out" and at - 1 > low
    given, taken = text_of(s, low, at - out), text_of(s, at + 1, high)
    if base.verb == "swaps" and base.status is FactStatus.COMPLETED and is_product(s.low[low]):
        in_place = next((place for place in range(at + 2, high) if s.bits[place] & PREPOSITION), high)
        used = base._replace(verb="uses", object=text_of(s, at + 1, in_place), status=FactStatus.ACTIVE)
        return [base._replace(verb="migrates from", object=given), used._replace(instead_of=given)]
    return [base._replace(object=given), base._replace(verb="gets", object=taken)]


_TRADES: Final = frozenset(("trades", "swaps", "exchanges"))


def _took_over(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Took over the billing service from Tom"."""
    if base.verb != "takes over" or not reading.is_person:
        return None
    at = word_at(reading, low + 1, high, "from") or high
    base = base._replace(object=text_of(reading.s, low, at))
    if base.status is not FactStatus.COMPLETED or reading.clause.group.negated:
        return [base]
    return [base, base._replace(verb="is responsible for", status=FactStatus.ACTIVE, type=FactType.PERSONAL)]


def _called(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "Has a hamster called Nugget", "works at a company called Kaleva"."""
    at = word_at(reading, low + 1, high, "called", "named")
    if at is None or not reading.s.bits[at + 1] & NAME or reading.clause.group.negated:
        return None
    name, what = text_of(reading.s, at + 1, high), text_of(reading.s, low, at)
    slot = slot_of(base.verb)
    if slot is not None and slot.ground and not slot.stages:
        return [base._replace(object=name)]
    noun = head_of(reading.s, low, at)
    if base.verb not in _HAVING or kin_sort(noun) in (None, "several") or " and " in name:
        return None
    named = StatementDraft(f"{base.subject}'s {noun}", "is named", name, type=FactType.PERSONAL)
    return [named] if is_acquaintance(reading.s, low, at) else [base._replace(object=what), named]


def _numbered(reading: ClauseReading, base: StatementDraft, low: int, high: int) -> list[StatementDraft] | None:
    """As in "The API listens on port 8080", "the dev server uses port 3000"."""
    lasts = base.status in (FactStatus.ACTIVE, FactStatus.RECURRING) and not reading.clause.group.negated
    given = None if reading.is_person or not lasts else numbered_setting(base.subject, reading, low, high)
    return None if given is None else [given._replace(effect=base.effect)]


_HAVING: Final = frozenset(("has", "gets", "owns", "adopts", "buys"))

_DIVIDED: Final[tuple[Callable[[ClauseReading, StatementDraft, int, int], list[StatementDraft] | None], ...]] = (
    _numbered,
    _work,
    switch,
    _choice,
    _moved,
    _lives_with,
    _traded,
    _took_over,
    _called,
)
