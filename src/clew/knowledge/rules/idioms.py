"""Idioms: clauses that state something other than their verb and object, as "changed my major to art" states a major.

Each reader gives the statements of a clause that has its idiom, an empty list if it states nothing, and None if it
has another meaning. A clause that no reader takes is read by `actions`.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from clew.knowledge.rules.copulas import favourite_of_owner
from clew.knowledge.rules.given_values import given_value
from clew.knowledge.rules.lexicon import (
    BREAK,
    COMMA,
    COORDINATOR,
    NAME,
    POSSESSIVE,
    PREPOSITION,
    TO,
    words,
)
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, ended, lost_job, status_of, type_of
from clew.knowledge.rules.objects import Object, head_of, text_of
from clew.knowledge.rules.times import TO_DATE, word_before
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.slots import ANY_STAGE
from clew.types.facts import Effect, FactStatus, FactType

_Idiom = Callable[[ClauseReading, Object], list[StatementDraft] | None]

_OWN: Final = frozenset(("the", "our", "my", "this"))
_JOB: Final = frozenset("job position role internship gig".split())
_PARTED: Final = frozenset(("up", "up with"))
_MOST_WORDS_OF_JOB: Final = 6
_ADDRESSED: Final = frozenset("dr dr. doctor professor prof".split())


def idiom(said: ClauseReading, verb: str, obj: Object) -> list[StatementDraft] | None:
    """The statements of an idiom; None if the clause holds none."""
    favourite = favourite_of_owner(said) if said.clause.group.progressive else None
    if favourite is not None:
        owner, scope = favourite
        words_of = text_of(said.s, said.clause.group.at, obj.high)
        return [StatementDraft(owner, "has favourite", words_of, scope=scope)]
    statements = (read(said, obj) for read in _idioms().get(verb, ()))
    return next((each for each in statements if each is not None), None)


def is_about_another(verb: str) -> bool:
    """Whether a verb may state something about its object, whoever acts: "they raised my rent to $900"."""
    return verb in _of_objects()


@cache
def _of_objects() -> frozenset[str]:
    return words("change", "verbs") | words("reschedule", "verbs")


def _turned(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I turned 40"."""
    if obj.high != obj.low + 1 or not said.s.low[obj.low].isdigit():
        return None
    return [StatementDraft(said.owner.name, "is aged", said.s.low[obj.low], type=FactType.PERSONAL)]


def _left_job(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I quit my job", which ends work at whichever employer is known."""
    named = not {"job", "position"}.isdisjoint(said.s.low[obj.low : obj.high])
    return [ended(said, "works at")] if named and not said.clause.group.negated else None


def _rescheduled(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we moved the launch to Friday"."""
    if not said.when.dates or obj.low >= obj.high or said.s.low[obj.low] not in _OWN:
        return None
    if word_before(said.s.text, said.when.dates[0]) not in TO_DATE:
        return None  # "moved the sofa on Friday"
    named = said.name_of(obj.low, obj.high) or text_of(said.s, obj.low, obj.high)
    return [StatementDraft(named, "is scheduled for", said.date_text)]


def _changed(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I changed my major to statistics", "they raised the rent to 900 euros"."""
    s, low = said.s, obj.low
    at = next((at for at in range(obj.high - 2, low, -1) if s.bits[at] & TO), None)
    if at is None or said.clause.group.negated or said.clause.gap or obj.preposition:
        return None
    end = next((place for place in range(low + 1, at) if s.bits[place] & PREPOSITION and s.low[place] != "of"), at)
    found = given_value(said, (low, end), (at + 1, obj.high))
    status = _state(said)
    return None if found is None or status is None else [found._replace(status=status)]


def _state(said: ClauseReading) -> FactStatus | None:
    """The status of the state that an action leads to: active once the action happened; None for a habit."""
    status = status_of(said)
    if status is FactStatus.PLANNED or said.clause.group.progressive:
        return FactStatus.PLANNED
    return FactStatus.ACTIVE if status is FactStatus.COMPLETED else None


def _began_work(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I started at Vela as a nurse", "started as a nurse at Vela", "joined Vela as an engineer"."""
    s, low, high = said.s, obj.low, obj.high
    if low >= high or not said.is_person or said.clause.group.negated or said.clause.gap:
        return None
    stop = min(said.clause.stop, len(s))
    if obj.preposition == "as":
        at = next(
            (at + 1 for at in range(low, high - 1) if s.low[at] in ("at", "with") and s.bits[at + 1] & NAME), high
        )
        return _employed(said, (at, high), job_of(s, low - 1, stop)) if s.low[low - 1] == "as" else None
    job, joins = job_of(s, low, stop), said.clause.group.verb == "join"
    if obj.preposition != ("" if joins else "at") or not s.bits[low] & NAME or (joins and not job):
        return None
    return _employed(said, (low, high), job)


def _got_job(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I got a new job at Vela as a nurse"."""
    s, low, high = said.s, obj.low, obj.high
    head = next((place for place in range(low, high) if s.low[place] in _JOB), high)
    unlike = not said.is_person or said.clause.group.negated or said.clause.gap or obj.preposition
    if unlike or head + 2 >= high or s.low[head + 1] not in ("at", "with") or not s.bits[head + 2] & NAME:
        return None
    return _employed(said, (head + 2, high), job_of(s, low, min(said.clause.stop, len(s))))


def _employed(said: ClauseReading, employer: tuple[int, int], job: str) -> list[StatementDraft] | None:
    """The statements that somebody began to work at an employer and in a job.

    Args:
        employer: places of the words that name the employer; an empty range if none do.
        job: empty if none is named.
    """
    status, (low, high) = _state(said), employer
    if status is None:
        return None
    high = next((at for at in range(low + 1, high) if said.s.low[at] in ("as", "for")), high)
    parts = (("works at", text_of(said.s, low, high)), ("works as", job))
    type_ = type_of(said, FactStatus.ACTIVE)
    return [StatementDraft(said.owner.name, verb, value, status, type_) for verb, value in parts if value] or None


def job_of(s: SentenceTokens, low: int, stop: int) -> str:
    """The job that the words "as a nurse" name in a part of a sentence; empty if there are none."""
    at = next((at for at in range(low, stop - 1) if s.low[at] == "as" and s.low[at + 1] != "as"), None)
    if at is None:
        return ""
    end = at + 2
    while end < stop and not s.bits[end] & (PREPOSITION | COORDINATOR | COMMA | BREAK):
        end += 1
    known = head_of(s, at + 1, end) in words("occupation", "heads") or s.low[at + 1] in ("a", "an")
    return text_of(s, at + 1, end) if known and end - at <= _MOST_WORDS_OF_JOB else ""


def _got(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "we got married", "got divorced from Paul", "got laid off"."""
    s, low = said.s, obj.low
    if low >= obj.high or obj.preposition or said.clause.group.negated or not said.is_person:
        return None
    if found := lost_job(said, low):
        return found
    became, status = s.low[low], _state(said)
    if became not in _BECAME or status is None:
        return None
    named = low + 2 < obj.high and s.low[low + 1] in ("to", "from")
    partner = text_of(s, low + 2, obj.high) if named else _partner(said)
    if not partner:
        return _alone(said, became, status)
    if became == "divorced":
        return _separated(said, partner)
    verb = f"is {became} to"
    return [StatementDraft(said.owner.name, verb, partner, status, type_of(said, status))]


def _alone(said: ClauseReading, became: str, status: FactStatus) -> list[StatementDraft] | None:
    """As in "I got engaged", which names no partner. "When I got married" does not say whether the marriage lasts."""
    if said.clause.link in words("words", "time_link"):
        return None
    found = [StatementDraft(said.owner.name, "has relationship status", became, status, FactType.PERSONAL)]
    return [ended(said, ANY_STAGE), *found] if became == "divorced" and status is FactStatus.ACTIVE else found


_BECAME: Final = frozenset(("married", "engaged", "divorced"))


def _parted(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "Marco and I broke up", "we divorced"."""
    if said.clause.group.negated or _state(said) is not FactStatus.ACTIVE or not said.is_person:
        return None
    alone = obj.low >= obj.high or said.s.low[obj.low] in ("up", "after")
    particle = obj.preposition or (said.s.low[obj.low] if alone and obj.low < obj.high else "")
    if not alone or (
        said.clause.group.verb in ("break", "split") and particle not in _PARTED and said.s.low[obj.low] != "up"
    ):
        return None
    return _separated(said, _partner(said))


def _separated(said: ClauseReading, partner: str) -> list[StatementDraft] | None:
    """The end of a relationship; without a partner's name only if the subject is "we"."""
    if partner:
        return [
            StatementDraft(
                said.owner.name, "breaks up with", partner, FactStatus.COMPLETED, type_of(said, FactStatus.COMPLETED)
            )
        ]
    shared = said.s.low[said.clause.subject[0]] in ("we", "us")
    return [ended(said, ANY_STAGE)] if shared else None


def _partner(said: ClauseReading) -> str:
    """The name before "and I"; empty if there is none."""
    s, at = said.s, said.clause.subject[0]
    if s.low[at] != "i" or at < _BEFORE_I or s.low[at - 1] != "and":
        return ""
    low = at - 2
    while low > 0 and s.bits[low - 1] & (NAME | POSSESSIVE) and s.bits[low] & ~POSSESSIVE:
        low -= 1
    if s.bits[at - 2] & NAME and not s.bits[low] & POSSESSIVE:
        return text_of(s, low, at - 1)
    return said.name_of(low, at - 1) or ""


_BEFORE_I: Final = 2


def _seeing(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I've been seeing Marco for two months"; "Dr. Marco" would be an appointment."""
    s, group = said.s, said.clause.group
    named = obj.high == obj.low + 1 and s.bits[obj.low] & NAME and not obj.preposition
    if not named or not (group.progressive and group.perfect) or s.low[obj.low] in _ADDRESSED:
        return None
    return [StatementDraft(said.owner.name, "is dating", text_of(s, obj.low, obj.high), type=FactType.PERSONAL)]


def _went_on_diet(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "I went vegan in January"."""
    named = obj.low < obj.high and not obj.preposition and said.s.low[obj.low] in words("complement", "diets")
    status = _state(said) if named and said.is_person else None
    if status is None or said.clause.group.negated:
        return None
    return [StatementDraft(said.owner.name, "follows diet", said.s.low[obj.low], status, FactType.PERSONAL)]


def _at_school(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "she goes to Hillside Primary"."""
    s, low, high = said.s, obj.low, obj.high
    group = said.clause.group
    if obj.preposition != "to" or not said.is_person or group.tense != "present" or group.negated or said.when.dates:
        return None
    named = high > low + 1 and all(s.bits[at] & NAME for at in range(low, high))
    if not named or s.low[high - 1] not in words("event", "schools"):
        return None
    return [StatementDraft(said.owner.name, "studies at", text_of(s, low, high), type=FactType.PERSONAL)]


def _died(said: ClauseReading, obj: Object) -> list[StatementDraft] | None:
    """As in "my hamster died", which also ends that somebody has the hamster."""
    owner, mark, animal = said.owner.name.rpartition("'s ")
    if (
        obj.low < obj.high
        or not mark
        or animal.split()[-1] not in words("kin", "pet")
        or status_of(said) is not FactStatus.COMPLETED
    ):
        return None
    dead = StatementDraft(said.owner.name, "dies", "", FactStatus.COMPLETED, FactType.EXPERIENCE)
    return [dead, StatementDraft(owner, "has", animal, FactStatus.CEASED, FactType.PERSONAL, Effect.CEASES)]


@cache
def _idioms() -> Mapping[str, tuple[_Idiom, ...]]:
    """The readers of each verb, in order."""
    by_list: tuple[tuple[str, str, _Idiom], ...] = (
        ("reschedule", "verbs", _rescheduled),
        ("change", "verbs", _changed),
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
    **dict.fromkeys(("quit", "leave", "lose", "resign"), (_left_job,)),
    **dict.fromkeys(("start", "begin", "join"), (_began_work,)),
    **dict.fromkeys(("land", "take", "accept", "find"), (_got_job,)),
    "get": (_got_job, _got),
    **dict.fromkeys(("break", "split", "divorce", "separate"), (_parted,)),
    "see": (_seeing,),
    "become": (_went_on_diet,),
    "go": (_went_on_diet, _at_school),
    "die": (_died,),
}
