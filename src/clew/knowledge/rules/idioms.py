"""Idioms: clauses that state something other than their verb and object, as "changed my major to art" states a major.

Each reader gives the statements of a clause that has its idiom, an empty list if it states nothing, and None if it
has another meaning. A clause that no reader takes is read by `actions`.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.copulas import favourite_of_owner
from clew.knowledge.rules.given_values import digits, given_value, is_price, numbered_setting
from clew.knowledge.rules.jobs import employed, job_of, lost_job, staffed, state_led_to
from clew.knowledge.rules.lexicon import (
    COORDINATOR,
    MARK,
    NAME,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    SUBJECT,
    TO,
    words,
)
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, ended, of_group, status_of, type_of
from clew.knowledge.rules.nouns import is_given_name
from clew.knowledge.rules.objects import Object
from clew.knowledge.rules.phrases import is_vague, text_of
from clew.knowledge.rules.switches import moved_all
from clew.knowledge.rules.times import TO_DATE, word_before
from clew.knowledge.slots import ANY_STAGE, is_kind
from clew.text.late_pattern import late_pattern
from clew.types.facts import Effect, FactStatus, FactType

_Idiom = Callable[[ClauseReading, Object], list[StatementDraft] | None]

_OWN: Final = frozenset(("the", "our", "my", "this"))
_JOB: Final = frozenset("job position role internship gig".split())
_PARTED: Final = frozenset(("up", "up with"))
_ADDRESSED: Final = frozenset("dr dr. doctor professor prof".split())


def idiom(reading: ClauseReading, verb: str, obj: Object) -> list[StatementDraft] | None:
    """The statements of an idiom; None if the clause holds none."""
    favourite = favourite_of_owner(reading) if reading.clause.group.progressive else None
    if favourite is not None:
        owner, scope = favourite
        words_of = text_of(reading.s, reading.clause.group.at, obj.high)
        return [StatementDraft(owner, "has favourite", words_of, scope=scope)]
    statements = (read(reading, obj) for read in _idioms().get(verb, ()))
    return next((draft for draft in statements if draft is not None), None)


def is_about_another(verb: str) -> bool:
    """Whether a verb may state something about its object, whoever acts: "they raised my rent to $900"."""
    return verb in _of_objects()


@cache
def _of_objects() -> frozenset[str]:
    staffing = words("job", "starting") | words("job", "ending")
    return words("change", "verbs") | words("reschedule", "verbs") | staffing | {"call", "let"}


def _turned(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I turned 40", "my son turned nine"."""
    age = digits(reading.s.low[obj.low]) if obj.high == obj.low + 1 and reading.is_person else ""
    return [StatementDraft(reading.owner.name, "is aged", age, type=FactType.PERSONAL)] if age.isdigit() else None


def _called(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "everybody calls me Bob", "you can call me Bob"; not "call me on Monday"."""
    s, at = reading.s, obj.low
    end = next((end for end in range(at + 1, len(s)) if not s.bits[end] & NAME), at + 1)
    if at >= obj.high or s.low[at] not in ("me", "him", "her"):
        return None
    named = at + 1 < end < len(s) and s.bits[end] & (MARK | COORDINATOR)
    if not named or reading.when.dates or reading.clause.group.negated:
        return None
    person = reading.speaker if s.low[at] == "me" else reading.name_of(at, at + 1)
    name = text_of(s, at + 1, end)
    return [StatementDraft(person, "goes by", name, type=FactType.PERSONAL)] if person and person != name else []


def _let_go(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "they let me go", "Vela let her go last week"; not "they let me go to the party"."""
    s, at, low = reading.s, obj.low, reading.clause.subject[0]
    if at + 2 >= len(s) or s.low[at] not in ("me", "him", "her"):
        return None
    last = s.bits[at + 2] & (MARK | COORDINATOR) or reading.when.dates
    if s.low[at + 1] != "go" or not last or reading.clause.group.modal or reading.clause.group.negated:
        return None
    person = reading.speaker if s.low[at] == "me" else reading.name_of(at, at + 1)
    employer = reading.owner.name if s.bits[low] & NAME and not s.bits[low] & SUBJECT else ""
    lost = StatementDraft(person or "", "works at", employer, FactStatus.CEASED, FactType.PERSONAL, Effect.CEASES)
    return [lost] if person else None


def _staffed(reading: ClauseReading, _obj: Object) -> list[StatementDraft] | None:
    """As in "Vela hired me as a nurse", "they promoted her to team lead"."""
    s, at, low = reading.s, reading.clause.group.end, reading.clause.subject[0]
    if at + 1 >= len(s) or s.low[at] not in ("me", "him", "her") or reading.clause.relative:
        return None
    person = reading.speaker if s.low[at] == "me" else reading.name_of(at, at + 1)
    named = s.bits[low] & NAME and not s.bits[low] & (SUBJECT | POSSESSIVE)
    return staffed(reading, at, person, reading.owner.name if named else "") if person else None


def _rid(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we got rid of Jenkins"."""
    s, low, status = reading.s, obj.low, status_of(reading)
    if low + 2 >= obj.high or (s.low[low], s.low[low + 1]) != ("rid", "of") or is_vague(s, low + 2, obj.high):
        return None
    named = text_of(s, low + 2, obj.high)
    return [
        of_group(reading, StatementDraft(reading.owner.name, "gets rid of", named, status, type_of(reading, status)))
    ]


def _left_job(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I quit my job", which ends work at whichever employer is known."""
    named = not {"job", "position"}.isdisjoint(reading.s.low[obj.low : obj.high])
    return [ended(reading, "works at")] if named and not reading.clause.group.negated else None


def _left_for_now(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """Nothing where somebody went home for the day: "left Acme early today", "left the office at five"."""
    s, stop = reading.s, min(reading.clause.stop, len(reading.s) - 1)
    if any(span.end > span.start for span in reading.when.dates):
        return None  # "left Vela early last year"
    tail = s.low[obj.low : stop]
    early = not _OF_DAY.isdisjoint(tail) or not _WORKPLACES.isdisjoint(s.low[obj.low : obj.high])
    return [] if early or any(_CLOCK.match(s.words(at, at + 2)) for at in range(obj.low, stop)) else None


_OF_DAY: Final = frozenset(("early", "late", "hurry", "lunch", "day"))
_WORKPLACES: Final = frozenset(("work", "office"))
_CLOCK: Final = late_pattern(
    r"(?i)(?:at|before|around|by) (?:noon|midnight|\d{1,2}[:.]\d\d|(?:[1-9]|1[0-2])(?: ?[ap]m)?$"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)"
)


def _treated(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I treated myself to a new bike"."""
    s, low, status = reading.s, obj.low, status_of(reading)
    if low + 2 >= obj.high or s.low[low] not in _SELVES or not s.bits[low + 1] & TO or is_vague(s, low + 2, obj.high):
        return None
    bought = text_of(s, low + 2, obj.high)
    return [StatementDraft(reading.owner.name, "buys", bought, status, type_of(reading, status))]


_SELVES: Final = frozenset(("myself", "himself", "herself", "ourselves", "themselves"))


def _rose(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "the rent went up to 900 euros"."""
    if not obj.preposition.endswith("to") or not is_price(reading, obj.low, obj.high):
        return None
    found, status = given_value(reading, reading.clause.subject, (obj.low, obj.high)), state_led_to(reading)
    return None if found is None or status is None else [found._replace(status=status)]


def _slipped(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "the release slipped to Friday", "the launch moves to Monday"."""
    dates, group = reading.when.dates, reading.clause.group
    told = group.tense == "present" and not group.progressive and not group.modal  # said when it is settled
    happened = (told or state_led_to(reading) is FactStatus.ACTIVE) and not group.negated
    if reading.is_person or not dates or not happened or obj.low < obj.high or not reading.owner.name:
        return None
    to = word_before(reading.s.text, dates[0]) in TO_DATE
    return [StatementDraft(reading.owner.name, "is scheduled for", reading.date_text)] if to else None


def _dated(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "the course starts on Monday", "my lease ends in June"; not "the shop opens on Mondays"."""
    group, when = reading.clause.group, reading.when
    plain = not (group.negated or group.progressive or group.perfect or group.via or group.modal)
    if reading.is_person or not plain or group.tense == "past" or not when.dates or when.often or obj.low < obj.high:
        return None
    return [StatementDraft(reading.owner.name, _DATING[group.verb], reading.date_text)] if reading.owner.name else None


_DATING: Final = {
    **dict.fromkeys(("start", "begin", "launch"), "starts on"),
    "open": "opens on",
    **dict.fromkeys(("leave", "depart"), "is scheduled for"),
    **dict.fromkeys(("end", "finish"), "ends on"),
    "expire": "expires on",
}
"""What a date beside a verb says of a thing that does it."""


def _rescheduled(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we moved the launch to Friday"."""
    if not reading.when.dates or obj.low >= obj.high or reading.s.low[obj.low] not in _OWN:
        return None
    if word_before(reading.s.text, reading.when.dates[0]) not in TO_DATE:
        return None  # "moved the sofa on Friday"
    named = reading.name_of(obj.low, obj.high) or text_of(reading.s, obj.low, obj.high)
    return [StatementDraft(named, "is scheduled for", reading.date_text)]


def _changed(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I changed my major to statistics", "they raised the rent to 900 euros"."""
    s, low = reading.s, obj.low
    at = next((at for at in range(obj.high - 2, low, -1) if s.bits[at] & TO), None)
    if at is None or reading.clause.group.negated or reading.clause.gap or obj.preposition:
        return None
    end = next((place for place in range(low + 1, at) if s.bits[place] & PREPOSITION and s.low[place] != "of"), at)
    found = given_value(reading, (low, end), (at + 1, obj.high))
    status = state_led_to(reading)
    return None if found is None or status is None else [found._replace(status=status)]


def _set_to(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we moved the API to port 9090"."""
    s, low = reading.s, obj.low
    at = next((at for at in range(obj.high - 2, low, -1) if s.bits[at] & TO), None)
    if at is None or s.low[low] not in _OWN or reading.clause.group.negated or reading.clause.gap:
        return None
    given = numbered_setting(reading.name_of(low, at) or text_of(s, low, at), reading, at + 1, obj.high)
    status = state_led_to(reading)
    return None if given is None or status is None else [given._replace(status=status)]


def _began_work(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I started at Vela as a nurse", "started as a nurse at Vela", "joined Vela as an engineer"."""
    s, low, high = reading.s, obj.low, obj.high
    if low >= high or not reading.is_person or reading.clause.group.negated or reading.clause.gap:
        return None
    stop = min(reading.clause.stop, len(s))
    if obj.preposition == "as":
        at = next(
            (at + 1 for at in range(low, high - 1) if s.low[at] in ("at", "with") and s.bits[at + 1] & NAME), high
        )
        return employed(reading, (at, high), job_of(s, low - 1, stop)) if s.low[low - 1] == "as" else None
    job, joins = job_of(s, low, stop), reading.clause.group.verb == "join"
    if obj.preposition != ("" if joins else "at") or not s.bits[low] & NAME or (joins and not job):
        return None
    return employed(reading, (low, high), job)


def _got_job(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I got a new job at Vela as a nurse"."""
    s, low, high = reading.s, obj.low, obj.high
    head = next((place for place in range(low, high) if s.low[place] in _JOB), high)
    unlike = not reading.is_person or reading.clause.group.negated or reading.clause.gap or obj.preposition
    if unlike or head + 2 >= high or s.low[head + 1] not in ("at", "with"):
        return None
    if not s.bits[head + 2] & NAME and not (s.low[head + 2] in _SOME and is_kind(text_of(s, head + 2, high))):
        return None
    return employed(reading, (head + 2, high), job_of(s, low, min(reading.clause.stop, len(s))))


_SOME: Final = frozenset(("a", "an", "the"))


def _got(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we got married", "got divorced from Paul", "got laid off"."""
    s, low = reading.s, obj.low
    if low >= obj.high or obj.preposition or reading.clause.group.negated or not reading.is_person:
        return None
    if found := lost_job(reading, low):
        return found
    became, status = s.low[low], state_led_to(reading)
    if became not in _BECAME or status is None:
        return None
    named = low + 2 < obj.high and s.low[low + 1] in ("to", "from")
    partner = text_of(s, low + 2, obj.high) if named else _partner(reading)
    if not partner:
        return _alone(reading, became, status)
    if became == "divorced":
        return _separated(reading, partner)
    verb = f"is {became} to"
    return [StatementDraft(reading.owner.name, verb, partner, status, type_of(reading, status))]


def _alone(reading: ClauseReading, became: str, status: FactStatus) -> list[StatementDraft] | None:
    """As in "I got engaged", which names no partner. "When I got married" does not say whether the marriage lasts."""
    if reading.clause.link in words("words", "time_link"):
        return None
    found = [StatementDraft(reading.owner.name, "has relationship status", became, status, FactType.PERSONAL)]
    return [ended(reading, ANY_STAGE), *found] if became == "divorced" and status is FactStatus.ACTIVE else found


_BECAME: Final = frozenset(("married", "engaged", "divorced"))


def _parted(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "Marco and I broke up", "we divorced"."""
    if reading.clause.group.negated or state_led_to(reading) is not FactStatus.ACTIVE or not reading.is_person:
        return None
    alone = obj.low >= obj.high or reading.s.low[obj.low] in ("up", "after")
    particle = obj.preposition or (reading.s.low[obj.low] if alone and obj.low < obj.high else "")
    if not alone or (
        reading.clause.group.verb in ("break", "split") and particle not in _PARTED and reading.s.low[obj.low] != "up"
    ):
        return None
    return _separated(reading, _partner(reading))


def _separated(reading: ClauseReading, partner: str) -> list[StatementDraft] | None:
    """The end of a relationship; without a partner's name only if the subject is "we"."""
    if partner:
        return [
            StatementDraft(
                reading.owner.name,
                "breaks up with",
                partner,
                FactStatus.COMPLETED,
                type_of(reading, FactStatus.COMPLETED),
            )
        ]
    shared = reading.s.low[reading.clause.subject[0]] in ("we", "us")
    return [ended(reading, ANY_STAGE)] if shared else None


def _partner(reading: ClauseReading) -> str:
    """The name before "and I"; empty if there is none."""
    s, at = reading.s, reading.clause.subject[0]
    if s.low[at] != "i" or at < _BEFORE_I or s.low[at - 1] != "and":
        return ""
    low = at - 2
    while low > 0 and s.bits[low - 1] & (NAME | POSSESSIVE) and s.bits[low] & ~POSSESSIVE:
        low -= 1
    if s.bits[at - 2] & NAME and not s.bits[low] & POSSESSIVE:
        return text_of(s, low, at - 1)
    return reading.name_of(low, at - 1) or ""


_BEFORE_I: Final = 2


def _seeing(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I've been seeing Marco for two months"; "Dr. Marco" would be an appointment."""
    s, group = reading.s, reading.clause.group
    named = obj.high == obj.low + 1 and s.bits[obj.low] & NAME and not obj.preposition
    if not named or not (group.progressive and group.perfect) or s.low[obj.low] in _ADDRESSED:
        return None
    return [StatementDraft(reading.owner.name, "is dating", text_of(s, obj.low, obj.high), type=FactType.PERSONAL)]


def _went_on_diet(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I went vegan in January"."""
    named = obj.low < obj.high and not obj.preposition and reading.s.low[obj.low] in words("complement", "diets")
    status = state_led_to(reading) if named and reading.is_person else None
    if status is None or reading.clause.group.negated:
        return None
    return [StatementDraft(reading.owner.name, "follows diet", reading.s.low[obj.low], status, FactType.PERSONAL)]


def _at_school(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "she goes to Hillside Primary"."""
    s, low, high = reading.s, obj.low, obj.high
    group = reading.clause.group
    if (
        obj.preposition != "to"
        or not reading.is_person
        or group.tense != "present"
        or group.negated
        or reading.when.dates
    ):
        return None
    named = high > low + 1 and all(s.bits[at] & NAME for at in range(low, high))
    if not named or s.low[high - 1] not in words("event", "schools"):
        return None
    return [StatementDraft(reading.owner.name, "studies at", text_of(s, low, high), type=FactType.PERSONAL)]


def _transferred(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I transferred to Boston University"."""
    s, named = reading.s, range(obj.low, obj.high)
    is_school = any(s.bits[at] & NAME and s.low[at] in words("event", "schools") for at in named)
    status = state_led_to(reading)
    if obj.preposition != "to" or not is_school or status is None or reading.clause.group.negated:
        return None
    school = text_of(s, obj.low, obj.high)
    return [StatementDraft(reading.owner.name, "studies at", school, status, type_of(reading, FactStatus.ACTIVE))]


def _died(reading: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "my aunt died", "my hamster passed away", which also ends that somebody has the hamster."""
    s, end, (owner, mark, animal) = reading.s, reading.clause.group.end, reading.owner.name.rpartition("'s ")
    passed = reading.clause.group.verb == "pass"
    cause = text_of(s, obj.low, obj.high) if obj.preposition in ("of", "from") and not passed else ""
    if cause.lower() in words("vague", "mirth"):
        return []
    if (
        passed != (s.low[end] == "away")
        or (obj.low < obj.high and not (passed or cause))
        or not (mark or reading.owner.kin or is_given_name(reading.owner.name.partition(" ")[0].casefold()))
        or not reading.is_person
        or reading.owner.name == reading.speaker
        or status_of(reading) is not FactStatus.COMPLETED
    ):
        return [] if s.form[end] == Form.GERUND else None  # "died laughing"
    verb = "dies of" if cause else "dies"
    dead = StatementDraft(reading.owner.name, verb, cause, FactStatus.COMPLETED, FactType.EXPERIENCE)
    if not mark or animal.split()[-1] not in words("kin", "pet"):
        return [dead]
    return [dead, StatementDraft(owner, "has", animal, FactStatus.CEASED, FactType.PERSONAL, Effect.CEASES)]


def _named_whom(reading: ClauseReading, _obj: Object) -> list[StatementDraft] | None:
    """Nothing of "we named him Theo", where the name stands behind a pronoun."""
    return [] if reading.s.bits[reading.clause.group.end] & OBJECT else None


@cache
def _idioms() -> Mapping[str, tuple[_Idiom, ...]]:
    """The readers of each verb, in order."""
    by_list: tuple[tuple[str, str, _Idiom], ...] = (
        ("job", "starting", _staffed),
        ("job", "ending", _staffed),
        ("reschedule", "verbs", _set_to),
        ("change", "verbs", _set_to),
        ("reschedule", "verbs", _rescheduled),
        ("change", "verbs", _changed),
        ("change", "alone", _rose),
    )
    readers: dict[str, tuple[_Idiom, ...]] = {}
    for section, name, read in by_list:
        for verb in words(section, name):
            readers[verb] = (*readers.get(verb, ()), read)
    for verb, reads in _BY_VERB.items():
        readers[verb] = (*readers.get(verb, ()), *reads)
    return readers


_BY_VERB: Final[Mapping[str, tuple[_Idiom, ...]]] = {
    "turn": (_turned, _went_on_diet),
    **dict.fromkeys(("quit", "lose", "resign"), (_left_job,)),
    "leave": (_dated, _left_job, _left_for_now),
    "treat": (_treated,),
    **dict.fromkeys(("start", "begin"), (_dated, _began_work)),
    "join": (_began_work,),
    **dict.fromkeys(("land", "take", "accept", "find"), (_got_job,)),
    "get": (_got_job, _got, _rid),
    "call": (_called,),
    "name": (_named_whom,),
    "let": (_let_go,),
    **dict.fromkeys(("break", "split", "divorce", "separate"), (_parted,)),
    "see": (_seeing,),
    "become": (_went_on_diet,),
    "go": (_went_on_diet, _at_school),
    **dict.fromkeys(("die", "pass"), (_died,)),
    "transfer": (_transferred, moved_all),
    **dict.fromkeys(("slip", "shift"), (_slipped,)),
    "move": (_slipped, moved_all),
    **dict.fromkeys(("migrate", "port"), (moved_all,)),
    **dict.fromkeys(("launch", "open", "depart", "end", "finish", "expire"), (_dated,)),
}
