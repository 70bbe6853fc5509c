"""What the readers of clauses share: the clause, a statement in the making, its status, effect, type and time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final

from clew.knowledge.morphology import third_person
from clew.knowledge.rules.clauses import Clause
from clew.knowledge.rules.lexicon import language, words
from clew.knowledge.rules.subjects import Referent
from clew.knowledge.rules.tokens import SentenceTokens
from clew.text.dates import ResolvedDate
from clew.types.facts import Effect, FactStatus, FactType, Mood

WANTS: Final = frozenset(("like", "love", "prefer"))
_SINCE: Final = frozenset(("since", "from"))
_UNTIL: Final = frozenset(("until", "till", "til", "through"))
_NO_MORE: Final = frozenset(("anymore", "any more", "no longer", "not any more"))


@dataclass(frozen=True, slots=True)
class StatementDraft:
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
    mood: Mood = Mood.ASSERTED


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """A clause with what is needed to read it.

    Attributes:
        owner: whom the subject means.
        speaker: who says it.
        dates: the dates in its part of the sentence.
        name_of: the name that a phrase or pronoun stands for; None if it means nobody in particular.
        today: the day on which it is said.
    """

    s: SentenceTokens
    clause: Clause
    mood: Mood
    owner: Referent
    speaker: str
    dates: Sequence[ResolvedDate]
    name_of: Callable[[int, int], str | None]
    today: date | None

    @property
    def date_text(self) -> str:
        """The words of the first date; empty if there is none."""
        return next((self.s.text[slice(*each.phrase_span)] for each in self.dates), "")

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


def status_of(said: ClauseReading) -> FactStatus:
    """How far along what the clause tells is."""
    group = said.clause.group
    if group.via in ("used", "cease"):
        return FactStatus.CEASED
    if group.via == "plan" or group.tense == "future":
        return FactStatus.ACTIVE if group.verb in WANTS else FactStatus.PLANNED
    if group.tense == "past" and not group.perfect:
        return FactStatus.ACTIVE if group.via in ("begin", "go_on") else FactStatus.COMPLETED
    stative = group.verb in words("stative", "lemmas")
    if group.perfect and not group.progressive:
        return FactStatus.ACTIVE if stative and group.verb not in ("have", "use") else FactStatus.COMPLETED
    return _present_status(said, stative=stative)


def _present_status(said: ClauseReading, *, stative: bool) -> FactStatus:
    group = said.clause.group
    if _ahead(said) and not group.perfect:
        return FactStatus.PLANNED
    if group.progressive or group.via == "go_on":
        return FactStatus.ACTIVE
    often = any(word in words("words", "habit") for word in group.adverbs)
    return FactStatus.RECURRING if often or not stative else FactStatus.ACTIVE


def _ahead(said: ClauseReading) -> bool:
    return said.today is not None and any(each.start > said.today for each in said.dates)


def effect_of(said: ClauseReading) -> Effect:
    """What the clause does to earlier statements."""
    group = said.clause.group
    if group.via in ("used", "cease"):
        return Effect.CEASES
    if group.negated:
        around = said.s.low[said.clause.subject[1] : said.clause.stop]
        return Effect.STATES if _NO_MORE.isdisjoint(around) else Effect.CEASES
    return Effect.ADDS if any(word in words("words", "also") for word in group.adverbs) else Effect.STATES


def type_of(said: ClauseReading, status: FactStatus) -> FactType:
    """Whether a statement is of a person, of what somebody did or will do, or of anything else."""
    if not said.is_person:
        return FactType.WORLD
    return FactType.EXPERIENCE if status in (FactStatus.COMPLETED, FactStatus.PLANNED) else FactType.PERSONAL


# --------------------------------------------------------------------------------------------------------------- time


def timed(said: ClauseReading, draft: StatementDraft) -> StatementDraft:
    """The draft with the first date of its clause: when it was or will be, or since or until when it holds."""
    if not said.dates:
        return draft
    first, text = said.dates[0], said.s.text
    start, end = (datetime.combine(day, time(), UTC) for day in (first.start, first.end + timedelta(days=1)))
    before = text[max(0, first.phrase_span[0] - 8) : first.phrase_span[0]].lower().split()
    link = before[-1] if before else ""
    draft = replace(draft, when=draft.when or said.date_text)
    if link in _UNTIL:
        return replace(draft, valid_to=end)
    lasting = draft.status in (FactStatus.ACTIVE, FactStatus.RECURRING) or draft.verb in words("state", "verbs")
    if link not in _SINCE and not lasting:
        return replace(draft, valid_from=start, valid_to=end)
    present = draft.status is FactStatus.ACTIVE and said.clause.group.tense == "present" and link not in _SINCE
    return draft if present else replace(draft, valid_from=start)
