"""Statements of clauses with "be": who or what somebody is, is called, is from, is related to, likes best.

Each reader takes the clause or leaves it to the next; the first that takes it decides.
"""

from collections.abc import Iterator
from typing import Final

from clew.analyze.entities import is_no_name
from clew.knowledge.morphology import Form
from clew.knowledge.rules.given_values import digits
from clew.knowledge.rules.hollow import (
    is_bare_doing,
    is_passing,
    leads_outside,
    named_object,
    points_outside,
    stands_for_nothing,
)
from clew.knowledge.rules.jobs import hired, lost_job
from clew.knowledge.rules.lexicon import (
    ADVERB,
    COORDINATOR,
    DETERMINER,
    MARK,
    NAME,
    NEGATION,
    NUMBER,
    OPENER,
    POSSESSIVE,
    words,
)
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, canonical, effect_of, status_of, type_of
from clew.knowledge.rules.nouns import kin_sort
from clew.knowledge.rules.objects import Object
from clew.knowledge.rules.phrases import apposition, clause_words, head_of, is_vague, text_of
from clew.knowledge.rules.thing_complements import (
    Complement,
    ComplementReader,
    after_preposition,
    at_version,
    called_off,
    changed,
    dated,
    in_code,
    is_code,
    numbered,
    place_of_thing,
)
from clew.knowledge.rules.tokens import SentenceTokens
from clew.types.facts import Effect, FactStatus, FactType

_FAVOURITE: Final = frozenset(("favorite", "favourite", "fav", "fave", "favorites", "favourites"))
_RELATION: Final = frozenset(("married", "engaged", "divorced", "single", "separated", "widowed"))
_NAMES_BESIDE: Final = frozenset(("first", "last", "middle", "family"))
_OLDEST: Final = 120
_LONGEST_ATTRIBUTE: Final = 4


def copula(reading: ClauseReading, obj: Object) -> Iterator[StatementDraft]:
    """The statements of a clause whose verb is "be"."""
    group = reading.clause.group
    past = group.tense == "past" and not group.perfect
    status = FactStatus.CEASED if group.via == "used" else FactStatus.COMPLETED if past else FactStatus.ACTIVE
    status = FactStatus.PLANNED if group.tense == "future" else status_of(reading) if group.via == "plan" else status
    base = StatementDraft(reading.owner.name, "is", "", status, type_of(reading, FactStatus.ACTIVE), effect_of(reading))
    complement = Complement(reading, base, obj)
    for reader in _READERS:
        found = reader(complement)
        if found is not None:
            yield from found
            return


def _nothing(c: Complement) -> list[StatementDraft] | None:
    """As in "My flight is on Monday", and what says nothing: "is your ...", "is it"."""
    if not c.first and c.reading.when.dates and not c.reading.is_person:
        return c.with_verb("is scheduled for", c.reading.date_text) if _is_due(c) else []
    if c.first == "both":
        return []  # "we're both busy": of the listener too
    compared = c.first in ("more", "less", "so") and c.obj.low + 1 < c.obj.high
    if compared and c.s.low[c.obj.low + 1] in words("complement", "passing"):
        return []
    empty = (
        c.reading.clause.group.modal == "let" or not c.first or c.first == "your" or c.obj.infinitive or c.obj.clausal
    )
    link = c.reading.clause.link
    framing = link in words("words", "time_link") or (link == "since" and c.base.status is FactStatus.COMPLETED)
    return [] if empty or framing or _is_excess(c) else None


def _is_due(c: Complement) -> bool:
    """Whether the date is when something is, as in "is on Friday"; not "is down until Friday", "is back on Monday"."""
    s, begin = c.s, c.reading.when.dates[0].phrase_span[0]
    between = [s.low[at] for at in range(c.reading.clause.group.end, len(s) - 1) if s.end[at] <= begin]
    while between and between[0] in _BEFORE_DUE:
        del between[0]
    return len(between) <= _MOST_BEFORE_DATE and _DATING.issuperset(between)


_BEFORE_DUE: Final = frozenset("now just still already also only actually probably again currently not".split())
_DATING: Final = frozenset("on in at by for from between before after during around the early late mid of".split())
_MOST_BEFORE_DATE: Final = 2
"""Words before a date that say no more than when: "in the"."""


def _is_excess(c: Complement) -> bool:
    """As in "too lazy to cook"."""
    return "too" in c.s.low[c.reading.clause.group.end : c.obj.low] and "to" in c.s.low[c.obj.low : c.obj.high]


def favourite_of_owner(reading: ClauseReading) -> tuple[str, str] | None:
    """The owner and the scope where the subject is somebody's favourite: "my favorite band"."""
    low, high = reading.clause.subject
    at = next((at for at in range(low, high) if reading.s.low[at] in _FAVOURITE), None)
    if at is None:
        return None
    owner, mark, _ = reading.owner.name.partition(reading.s.words(at, at + 1))[0].rpartition("'s ")
    return None if not mark else (owner, " ".join(reading.s.words(at + 1, high).split()))


def _favourite_of_owner(c: Complement) -> list[StatementDraft] | None:
    """As in "My favorite band is X"."""
    found = favourite_of_owner(c.reading)
    if found is None:
        return None
    theirs = c.first in ("his", "her", "their")  # "her second album"
    target = c.reading.name_of(c.obj.low, c.obj.high) if theirs else c.text
    made = c.base._replace(subject=found[0], verb="has favourite", scope=found[1] or None, object=target or "")
    return [] if target is None else [made]


def _attribute(c: Complement) -> list[StatementDraft] | None:
    """As in "My email is X", "my sister's name is Anna": something of which one has a value."""
    low, high = c.reading.clause.subject
    owner, mark, _ = c.reading.owner.name.rpartition("'s ")
    if not mark or high - low > _LONGEST_ATTRIBUTE:
        return None
    if c.s.form[c.obj.low] & Form.PARTICIPLE and c.s.verb[c.obj.low] in words("change", "verbs"):
        return None  # "my salary was raised to 90k"
    noun, beside = c.s.low[high - 1], c.s.low[high - 2]
    if noun == "name":
        verb = f"has {beside} name" if beside in _NAMES_BESIDE else "is named"
    elif noun in words("attribute", "nouns"):
        verb = f"has {c.s.words(low, high).split(maxsplit=1)[-1]}"
    else:
        return None
    if c.obj.preposition or c.obj.infinitive:
        return []
    end = next((at for at in range(c.obj.low + 1, c.obj.high) if c.s.low[at] == "for"), c.obj.high)  # "for the trip"
    return [c.base._replace(subject=owner, verb=verb, object=text_of(c.s, c.obj.low, end))]


def _in_relation(c: Complement) -> list[StatementDraft] | None:
    """As in "Is from Rome", "is in the band", "has been to Japan"; not "is at work", which passes."""
    preposition = c.obj.preposition
    if not preposition:
        return None
    if preposition == "to" and c.reading.clause.group.perfect:
        return [c.base._replace(verb="visits", object=c.text, status=FactStatus.COMPLETED, where=c.text)]
    if preposition == "in" and c.reading.owner.general and is_code(c.text):
        return c.with_verb("is located in")
    if verb := canonical(f"be {preposition}"):
        owned = c.s.bits[c.reading.clause.subject[0]] & POSSESSIVE
        loose = preposition == "from" and c.reading.owner.general and not owned  # "the only vote against was from Peru"
        return [] if loose else c.with_verb(verb)
    if preposition in ("in", "at") and (place := place_of_thing(c)):
        return c.with_verb(f"is located {preposition}", place)
    passing = head_of(c.s, c.obj.low, c.obj.high) in words("complement", "within") or _is_alike(c)
    lasting = preposition in ("in", "on", "against") and c.reading.is_person and not passing
    return c.with_verb(f"is {preposition}") if lasting and not is_vague(c.s, c.obj.low, c.obj.high) else []


def _is_alike(c: Complement) -> bool:
    """As in "on the same page", "on the right path", without about what."""
    low, high = c.obj.low, c.obj.high
    alike = "same" in c.s.low[low : high - 1] and c.s.low[high - 1] in words("complement", "alike")
    return alike or stands_for_nothing(c.s, low, high)


def _back(c: Complement) -> list[StatementDraft] | None:
    """As in "I'm back in Porto": a home or a job again, if it was one before; not "back in Porto for a week"."""
    if not c.obj.preposition.startswith("back "):
        return None
    s, low = c.s, c.obj.low
    stays = all(s.low[at + 1] == "good" for at in range(low, c.reading.clause.stop - 1) if s.low[at] in _FOR_A_TIME)
    verb = canonical(f"be {c.obj.preposition}")
    if (
        verb is None
        or not (stays and c.reading.is_person)
        or not s.bits[low] & NAME
        or c.base.status is not FactStatus.ACTIVE
    ):
        return []
    high = low + 1
    while high < c.obj.high and s.bits[high] & NAME:
        high += 1
    return [c.base._replace(verb=verb, object=text_of(s, low, high), effect=Effect.RESUMES)]


_FOR_A_TIME: Final = frozenset(("for", "until", "till", "visiting"))


def _age(c: Complement) -> list[StatementDraft] | None:
    """As in "Is 34", "is 34 years old"."""
    number, low, high = digits(c.first), c.obj.low, c.obj.high
    if not number.isdigit() or not c.reading.is_person or c.reading.owner.general or not 0 < int(number) < _OLDEST:
        return None
    after, bits = c.s.low[low + 1], c.s.bits[low + 1]
    old = after in ("years", "year") and "old" in c.s.low[low : high + 2]
    return c.with_verb("is aged", number) if old or bits & (MARK | COORDINATOR | OPENER | ADVERB) else None


def _born(c: Complement) -> list[StatementDraft] | None:
    """As in "Was born in Rome", "was born on May 5"."""
    if c.first != "born":
        return None
    after = after_preposition(c)
    beside = c.s.low[after - 1] in ("with", "to", "into", "without")  # "was born with a cleft lip"
    place = "" if beside else text_of(c.s, after, c.obj.high)
    target, verb = (place, "was born in") if place else (c.reading.date_text, "was born on")
    return [c.base._replace(verb=verb, object=target, status=FactStatus.COMPLETED)] if target else []


def _changed_life(c: Complement) -> list[StatementDraft] | None:
    """As in "Is vegan", "is a vegetarian", "was fired"."""
    s, at, high = c.s, c.obj.low, c.obj.high
    if not c.reading.is_person or not c.first:
        return None
    at += s.low[at] in ("a", "an") and at + 2 == high
    if s.low[at] in words("complement", "diets"):
        return c.with_verb("follows diet", s.low[at])
    return lost_job(c.reading, at) or hired(c.reading, c.obj.low, high)


def _relational(c: Complement) -> list[StatementDraft] | None:
    """As in "Is married to Bob", "is allergic to nuts", "is called Rex"."""
    word = c.first
    if word not in words("complement", "relational"):
        return [] if word in words("complement", "passing") else None
    if word in ("named", "called"):
        name = text_of(c.s, c.obj.low + 1, c.obj.high)
        return [c.base._replace(verb="is named", object=name, status=FactStatus.ACTIVE)] if name else []
    if word in words("complement", "fearing") and c.s.low[c.obj.low + 1] == "that":
        told = clause_words(c.s, c.obj.low + 2)
        return c.with_verb(f"is {word} that", told) if told else []
    after = after_preposition(c)
    preposition = c.s.low[after - 1] if after > c.obj.low + 1 else ""
    target = text_of(c.s, after, c.obj.high)
    if preposition and target and not (is_vague(c.s, after, c.obj.high) or is_bare_doing(c.s, after, c.obj.high)):
        return c.with_verb(canonical(f"{word} {preposition}") or f"is {word} {preposition}", target)
    if word in _RELATION:
        return c.with_verb("has relationship status", word)
    return c.with_verb("is") if word in words("complement", "standalone") else []


def _favourite(c: Complement) -> list[StatementDraft] | None:
    """As in "X is my favorite band"."""
    low, high = c.obj.low, c.obj.high
    at = next((at for at in range(low, min(high, low + 4)) if c.s.low[at] in _FAVOURITE), None)
    if at is None:
        return None
    if at == low or c.s.low[at - 1] not in ("my", "our") or c.reading.owner.general:
        return []
    scope = " ".join(c.s.words(at + 1, high).split())
    effect = Effect.ADDS if "one" in c.s.low[low:at] else c.base.effect  # "one of my favorite bands"
    owner, name = c.reading.speaker, c.reading.owner.name
    return [c.base._replace(subject=owner, verb="has favourite", scope=scope, object=name, effect=effect)]


def _named(c: Complement) -> list[StatementDraft] | None:
    """As in "I'm Eva, a nurse from Rome"."""
    low, high = c.obj.low, c.obj.high
    if c.s.bits[low] & (DETERMINER | POSSESSIVE | NUMBER) or not c.s.bits[low] & NAME or not c.reading.is_person:
        return None
    if not all(c.s.bits[at] & NAME for at in range(low, high)) or _is_german_in(c.s, low):
        return []
    if is_no_name(c.text):  # "is French"
        return c.with_verb("is")
    same = c.text.casefold() == c.reading.owner.name.casefold()
    return [*(() if same else c.with_verb("is named")), *apposed(c.reading, c.reading.owner.name, high)]


def _is_german_in(s: SentenceTokens, low: int) -> bool:
    """Whether the "im" before a word in capitals is German for "in the": "Zimmer im Garten", and not "hi im Ben"."""
    before = [word for word in s.low[max(0, low - 4) : max(0, low - 2)] if word != ","][-1:]
    return s.words(low - 1, low).lower() == "im" and before not in (["hi"], ["hey"], ["hello"])


def _works_as(c: Complement) -> list[StatementDraft]:
    """As in "Is a nurse at Vela"."""
    s, low, high = c.s, c.obj.low, c.obj.high
    at = next((at for at in range(low, high - 1) if s.low[at] == "at" and s.bits[at + 1] & NAME), None)
    if at is None:
        return c.with_verb("works as")
    verb = "studies at" if s.low[at - 1] == "student" else "works at"
    return [*c.with_verb("works as", text_of(s, low, at)), *c.with_verb(verb, text_of(s, at + 1, high))]


def _is_bare(s: SentenceTokens, low: int, high: int) -> bool:
    return is_passing(s, low, high) or stands_for_nothing(s, low, high)


def _is_for_sound(s: SentenceTokens, low: int, high: int) -> bool:
    """Whether words are said for their sound: "a huge fan", "a roller coaster"."""
    return s.low[high - 1] in words("vague", "hollow") or words("vague", "fan").issuperset(s.low[low:high])


def _described(c: Complement) -> list[StatementDraft] | None:
    """As in "Is a nurse", "is my sister", "is tall"."""
    s, low, high = c.s, c.obj.low, c.obj.high
    own = s.low[c.reading.clause.subject[0]] in ("my", "our")
    head = head_of(s, low, high)
    possessed = bool(s.bits[low] & POSSESSIVE)
    told = s.form[low] & Form.PARTICIPLE and s.verb[low] in words("talk", "verbs")
    told = told or (s.form[low] & Form.BASE and s.verb[low] in words("complement", "linking"))  # "I am feel hungry"
    loose = s.low[high - 1] in ("it", "them", "that", "this") and high > low + 1  # "fascinated by them"
    empty = is_vague(s, low, high) or _is_for_sound(s, low, high) or (not possessed and _is_bare(s, low, high))
    loose = loose or (high == low + 1 and leads_outside(s, high))  # "familiar with that"
    several = s.low[c.reading.clause.subject[0]] == "we" and head.endswith("s") and not head.endswith("ss")
    loose = loose or several  # "we're rival teams": none of them is
    if told or loose or empty or s.bits[low] & NEGATION or (possessed and kin_sort(head) is None):
        return []
    if (c.reading.owner.general and not own) or (s.bits[low] & NUMBER and head in words("frequency", "long")):
        return []
    if c.reading.is_person and any("%" in word or word in _PER_CENT for word in s.low[low:high]):
        return []  # "I'm 100% sure"
    article = bool(s.bits[low] & (DETERMINER | POSSESSIVE | NUMBER))
    if article and head in words("occupation", "heads") and c.reading.is_person:
        return _works_as(c)
    if not (article or c.reading.is_person or own) or points_outside(c.reading, low, high, infinitive=False):
        return []  # "a huge fan of her songs"
    target = named_object(c.reading, c.text, low, high)  # "inspired by your work"
    return c.with_verb("is", (c.reading.name_of(low, high) if possessed else None) or target) if target else []


_PER_CENT: Final = frozenset(("percent", "cent"))

_READERS: Final[tuple[ComplementReader, ...]] = (
    called_off,
    _nothing,
    _favourite_of_owner,
    _attribute,
    _back,
    at_version,
    numbered,
    _in_relation,
    _age,
    dated,
    changed,
    _born,
    _changed_life,
    in_code,
    _relational,
    _favourite,
    _named,
    _described,
)


def apposed(reading: ClauseReading, name: str, at: int) -> Iterator[StatementDraft]:
    """What a phrase after a name and a comma says: "Eva, a nurse from Rome"."""
    span = apposition(reading.s, at)
    if span is None or is_vague(reading.s, *span):
        return
    work = head_of(reading.s, *span) in words("occupation", "heads")
    yield StatementDraft(name, "works as" if work else "is", text_of(reading.s, *span), type=FactType.PERSONAL)
