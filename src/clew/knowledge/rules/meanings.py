"""What the readers of clauses share: the clause, a statement in the making, its status, effect, type and time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Final, NamedTuple

from clew.analyze.entities import listed_type
from clew.knowledge.morphology import third_person
from clew.knowledge.rules.clause_bounds import Clause
from clew.knowledge.rules.lexicon import COMMA, DETERMINER, NUMBER, language, words
from clew.knowledge.rules.subjects import Referent
from clew.knowledge.rules.times import TimePhrases, after, appointed, is_last, is_season, lasting, validity, word_before
from clew.knowledge.rules.tokens import SentenceTokens
from clew.knowledge.rules.unreal import is_given_up
from clew.knowledge.slots import CANCELS, ENDINGS, GROUP, SIDES, slot_of
from clew.text.dates import ResolvedDate, on_side
from clew.types.entity import NodeType
from clew.types.facts import Effect, FactStatus, FactType, Mood

WANTS: Final = frozenset(("like", "love", "prefer"))
_NO_MORE: Final = frozenset(("anymore", "any more", "no longer", "not any more"))


class StatementDraft(NamedTuple):
    """A statement before it knows its turn; the fields are those of `Statement`."""

    subject: str
    verb: str
    object: str
    status: FactStatus = FactStatus.ACTIVE
    type: FactType = FactType.WORLD
    effect: Effect = Effect.STATES
    scope: str | None = None
    instead_of: str | None = None
    when: str | None = None
    where: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    reason: str | None = None
    rests_on: tuple[str, ...] = ()
    because: tuple["StatementDraft", ...] = ()
    mood: Mood = Mood.ASSERTED


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """A clause with what is needed to read it.

    Attributes:
        owner: whom the subject means.
        speaker: who says it.
        listener: to whom; empty if that is not sure.
        when: what its part of the sentence says of time.
        name_of: the name that a phrase or pronoun stands for; None if it means nobody in particular.
        today: the day on which it is said.
    """

    s: SentenceTokens
    clause: Clause
    owner: Referent
    speaker: str
    listener: str
    when: TimePhrases
    name_of: Callable[[int, int], str | None]
    today: date | None

    @property
    def date_text(self) -> str:
        """The words of the first date; empty if there is none."""
        return next((self.s.text[slice(*each.phrase_span)] for each in self.when.dates), "")

    @property
    def is_person(self) -> bool:
        """Whether the subject is somebody rather than something."""
        return self.owner.sort != "thing"


def canonical(key: str) -> str | None:
    """The canonical verb of a verb with its preposition; None if it is the third person with that preposition."""
    table: dict[str, str] = language()["canonical"]
    return table.get(key)


@cache
def third(verb: str, preposition: str) -> str:
    """The third person of a verb, with its preposition: "works on"."""
    return f"{third_person(verb)} {preposition}".strip()


# ------------------------------------------------------------------------------------------------------------- status


def status_of(reading: ClauseReading) -> FactStatus:
    """How far along what the clause tells is."""
    group = reading.clause.group
    if group.via in ("used", "cease"):
        return FactStatus.CEASED
    if is_given_up(reading.s, group):
        return FactStatus.ABANDONED
    if group.via == "plan" or group.tense == "future":
        return FactStatus.ACTIVE if group.verb in WANTS else FactStatus.PLANNED
    if group.tense == "past" and not group.perfect:
        return FactStatus.ACTIVE if group.via in ("begin", "go_on") else FactStatus.COMPLETED
    stative = group.verb in words("stative", "lemmas")
    if group.perfect and not group.progressive:
        return FactStatus.ACTIVE if stative and group.verb not in ("have", "use") else FactStatus.COMPLETED
    return _present_status(reading, stative=stative)


def _present_status(reading: ClauseReading, *, stative: bool) -> FactStatus:
    group = reading.clause.group
    if (_ahead(reading) or _sets_out(reading)) and not group.perfect:
        return FactStatus.PLANNED
    if group.progressive or group.via == "go_on":
        return FactStatus.ACTIVE
    if group.via == "must" and not stative and not reading.when.often:
        return FactStatus.PLANNED
    performs = group.verb in words("performative", "lemmas") and reading.s.low[reading.clause.subject[0]] == "i"
    if performs and not group.negated:
        return FactStatus.COMPLETED
    often = any(word in words("words", "habit") for word in group.adverbs)
    return FactStatus.RECURRING if often or not stative else FactStatus.ACTIVE


def _sets_out(reading: ClauseReading) -> bool:
    """Whether somebody is about to go somewhere once: "I'm going to a concert"; not "still going to the gym"."""
    s, group = reading.s, reading.clause.group
    goes = group.verb == "go" and group.progressive and group.tense == "present" and not group.adverbs
    if not goes or reading.when.often or s.low[group.end : group.end + 1] != ["to"]:
        return False
    lasts = not _LATELY.isdisjoint(s.low[group.end : min(reading.clause.stop, len(s))])
    return bool(s.bits[group.end + 1] & DETERMINER) and not lasts


_LATELY: Final = frozenset("lately recently often always regularly lot days every now already since".split())


def _ahead(reading: ClauseReading) -> bool:
    group = reading.clause.group
    if (
        group.progressive
        and group.tense == "present"
        and group.verb in words("time", "arranged")
        and _in_season(reading)
    ):
        return True
    if reading.today is None or not reading.when.dates:
        return False
    text = reading.s.text
    dates = [each for each in reading.when.dates if not is_last(text, each) and word_before(text, each) != "since"]
    if not dates:
        return False
    return any(each.start > reading.today for each in dates) or _is_arranged(reading, dates[0])


def _in_season(reading: ClauseReading) -> bool:
    """Whether something is arranged for a season to come: "I'm moving to Oslo in autumn"."""
    told = [reading.s.text[slice(*span)].lower() for span in reading.when.hours]
    return any(is_season(each) and not each.startswith(("last", "since")) for each in told)


def _is_arranged(reading: ClauseReading, found: ResolvedDate) -> bool:
    """Whether a date without a year lies ahead because nothing is going on yet: "I'm moving in December"."""
    group, text = reading.clause.group, reading.s.text
    arranged = group.progressive and group.tense == "present" and group.verb in words("time", "arranged")
    now = not _NOW.isdisjoint(group.adverbs) or word_before(text, found) in ("since", "from")
    over = reading.today is not None and found.guessed != "" and found.end < reading.today
    return arranged and over and not now and not _is_of_event(text, found)


_NOW: Final = frozenset(("still", "currently", "now", "already", "always"))


def _is_of_event(text: str, found: ResolvedDate) -> bool:
    """Whether a date belongs to an event beside it rather than to the verb: "about the trip in May"."""
    before = text[: found.phrase_span[0]].lower().split()[-2:]
    return not words("event", "nouns").isdisjoint(before)


def effect_of(reading: ClauseReading) -> Effect:
    """What the clause does to earlier statements."""
    group = reading.clause.group
    if group.via in ("used", "cease"):
        return Effect.CEASES
    if group.negated:
        around = reading.s.low[reading.clause.subject[1] : reading.clause.stop]
        return Effect.STATES if _NO_MORE.isdisjoint(around) else Effect.CEASES
    return Effect.ADDS if any(word in words("words", "also") for word in group.adverbs) else Effect.STATES


def type_of(reading: ClauseReading, status: FactStatus) -> FactType:
    """Whether a statement is of a person, of what somebody did or will do, or of anything else."""
    if not reading.is_person:
        return FactType.WORLD
    return FactType.EXPERIENCE if status in (FactStatus.COMPLETED, FactStatus.PLANNED) else FactType.PERSONAL


def of_group(reading: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with the group as its subject, if "we" or the team chose something, or gave up what has a name."""
    s, (first, end) = reading.s, reading.clause.subject
    team = s.low[first] in ("the", "our") and s.low[end - 1] in ("team", "group")
    if first == end or not (s.low[first] in ("we", "us") or team):
        return draft
    if draft.verb == "adopts" and s.bits[reading.clause.group.end] & (DETERMINER | NUMBER):
        return draft  # "we adopted a beagle"
    trip = draft.verb in CANCELS and listed_type(draft.object.casefold()) is not NodeType.PRODUCT
    gives_up = "uses" in ENDINGS.get(draft.verb, ()) and is_name_or_product(draft.object) and not trip
    return draft._replace(subject=GROUP) if gives_up or draft.verb in _SHARED else draft


_SHARED: Final = frozenset(("uses", "decides on", "adopts"))  # a decision is of all who share it, whoever tells it


def is_name_or_product(value: str) -> bool:
    """Whether a value begins with a name, or is that of a product in lower case: "npm"."""
    first = value.partition(" ")[0]
    return first[:1].isupper() or listed_type(first.casefold()) is NodeType.PRODUCT


def ended(reading: ClauseReading, verb: str, target: str = "") -> StatementDraft:
    """The statement that something ended for the subject.

    Args:
        target: the object that no longer holds; empty for whatever holds.
    """
    type_ = type_of(reading, FactStatus.ACTIVE)
    return StatementDraft(reading.owner.name, verb, target, FactStatus.CEASED, type_, Effect.CEASES)


# --------------------------------------------------------------------------------------------------------------- time


def timed(reading: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with the first date of its clause, and how often it happens."""
    if reading.when.often:
        often = reading.s.text[slice(*reading.when.often[0])]
        status = FactStatus.RECURRING if draft.status is FactStatus.ACTIVE else draft.status
        draft = draft._replace(when=often, status=status)
    if not reading.when.dates:
        return _lasting(reading, draft) if "for" in reading.s.low else draft
    date, text = _on_its_side(reading, draft, reading.when.dates[0]), reading.s.text
    draft = draft._replace(when=draft.when or reading.date_text)
    if is_appointment(draft.verb) and draft.status is FactStatus.ACTIVE:
        found = appointed(text, date)
        return draft._replace(valid_from=found.start, valid_to=found.end)
    lasts = draft.verb in words("state", "verbs") and draft.status is not FactStatus.PLANNED
    found = validity(text, date, draft.status, lasts=lasts)
    since = text[: date.phrase_span[0]].rstrip().lower().endswith(("since", "from"))
    present = draft.status is FactStatus.ACTIVE and reading.clause.group.tense == "present" and not since
    habit = draft.status is FactStatus.RECURRING and not reading.when.often
    if (present or habit) and reading.today is not None and _is_for_now(reading, draft):
        if date.start > reading.today:
            return draft._replace(status=FactStatus.PLANNED, valid_from=found.start, valid_to=after(date))
        return draft._replace(valid_from=None, valid_to=after(date))
    return draft._replace(valid_from=None if present else found.start, valid_to=found.end)


def _is_for_now(reading: ClauseReading, draft: StatementDraft) -> bool:
    """Whether something is so only in a time that is told, and over then: "is on call this week", "has the flu today".

    Who lives somewhere "today" does so nowadays; what is liked, and what is not so, does not end with a day.
    """
    s, phrase = reading.s, reading.when.dates[0].phrase_span
    inside = phrase[0] >= s.start[reading.clause.subject[0]] or phrase[0] <= s.start[0]
    lasts = draft.verb in SIDES or draft.mood is not Mood.ASSERTED or s.text[phrase[1] : phrase[1] + 1] in ("'", "’")
    if lasts or not inside:
        return False
    first, _, unit = reading.date_text.lower().partition(" ")
    if first in ("this", "next") and unit in _UNITS:
        return True
    is_day = first in ("today", "tonight", "tomorrow") and draft.status is FactStatus.ACTIVE
    return is_day and slot_of(draft.verb, "any") is None and draft.verb not in ("is", "is from")


_UNITS: Final = frozenset("week weekend month morning afternoon evening".split())


def _lasting(reading: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with the time for which it lasts: "has worked there for five years" began five years ago."""
    s, group = reading.s, reading.clause.group
    stop = next((at for at in range(group.end, reading.clause.stop) if s.bits[at] & COMMA), reading.clause.stop)
    phrase, begin = lasting(s.words(group.at, min(stop, len(s))), reading.today)
    if not phrase:
        return draft
    holds = group.perfect and (group.progressive or group.verb in words("stative", "lemmas"))
    if not holds or draft.status not in (FactStatus.ACTIVE, FactStatus.RECURRING, FactStatus.COMPLETED):
        return draft._replace(when=draft.when or phrase)
    return draft._replace(when=draft.when or phrase, status=FactStatus.ACTIVE, valid_from=begin)


def is_appointment(verb: str) -> bool:
    """Whether the object of a verb is the time of an event: "is scheduled for May 5"."""
    slot = slot_of(verb, "any")
    return slot is not None and slot.dated and slot.event


def _on_its_side(reading: ClauseReading, draft: StatementDraft, found: ResolvedDate) -> ResolvedDate:
    """A date without a year where what it dates must be: a plan ahead of today, what is over behind it."""
    if reading.today is None or not found.guessed:
        return found
    group, link = reading.clause.group, word_before(reading.s.text, found)
    if link == "since":
        return on_side(found, reading.today, ahead=False)
    if draft.status is FactStatus.PLANNED:
        intended = group.via == "plan" and group.tense != "present"  # "was going to visit in May": on either side
        return found if intended else on_side(found, reading.today, ahead=True)
    if is_appointment(draft.verb):
        held = draft.status is FactStatus.COMPLETED  # "was scheduled for May 5": on either side
        return found if held else on_side(found, reading.today, ahead=True)
    past = group.tense == "past" or draft.status is FactStatus.COMPLETED
    return on_side(found, reading.today, ahead=False) if past and _dates_verb(reading, draft, found, link) else found


def _dates_verb(reading: ClauseReading, draft: StatementDraft, found: ResolvedDate, link: str) -> bool:
    """Whether a date tells when the verb happened, not what was prepared, wanted or meant: "booked a room in May"."""
    prepares = reading.clause.group.verb in words("time", "preparing") or draft.object.startswith("to ")
    return not prepares and link in DATING and not _is_of_event(reading.s.text, found)


DATING: Final = frozenset(("in", "on", "during", "early", "late", "mid"))
