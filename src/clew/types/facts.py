"""Facts: what turns state about a subject, how later statements changed it, and the links between facts."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from clew.types.provenance import Provenance
from clew.types.record import Record

CORRECTIONS: Final = "corrections"
"""The session of a user's corrections of facts, unless another is named."""

CORRECTION_SOURCE: Final = "clew:correct"
"""`Turn.source` of a correction."""


UNSAID: Final = "\ue000"
"""What the scope of a statement begins with that nobody said: that of a choice between two things, "Vim over Emacs"."""


class FactStatus(StrEnum):
    """How far along a fact is."""

    ACTIVE = "active"
    """It holds."""
    COMPLETED = "completed"
    """It happened."""
    PLANNED = "planned"
    """It is intended; a plan whose date has passed stays a plan."""
    ABANDONED = "abandoned"
    """It was intended and will not happen."""
    RECURRING = "recurring"
    """It happens again and again."""
    CEASED = "ceased"
    """It held, and no longer does."""


class FactType(StrEnum):
    """What a fact is about."""

    PERSONAL = "personal"
    """A person: who they are, where they live, what they like or own."""
    EXPERIENCE = "experience"
    """An event that somebody took part in, or plans to."""
    WORLD = "world"
    """Anything else: projects, prices, dates, code."""


class Mood(StrEnum):
    """How a statement is meant. Only asserted statements become facts; negated ones end facts."""

    ASSERTED = "asserted"
    NEGATED = "negated"
    CONDITIONAL = "conditional"
    """It depends on a condition: "if I get the job, I will move"."""
    HYPOTHETICAL = "hypothetical"
    """It is imagined, wished or only possible: "I might move", "I wish I lived there"."""
    QUOTED = "quoted"
    """Somebody else's words, which the speaker does not vouch for."""
    ASKED = "asked"


class Effect(StrEnum):
    """What a statement does to earlier statements about the same matter."""

    STATES = "states"
    """Nothing is said about earlier ones; in a slot a later value replaces an earlier one."""
    ADDS = "adds"
    """Another value beside the earlier ones: "I also work at"."""
    CEASES = "ceases"
    """The object no longer holds: "not any more". An empty object means whatever holds now."""
    CORRECTS = "corrects"
    """The earlier value was never right: "no, I meant"."""
    RESUMES = "resumes"
    """The object holds again, if it held before: "I'm back in Porto"."""
    RETRACTS = "retracts"
    """The object never held. An empty object means the latest value."""
    COMPLETES = "completes"
    """What was planned has been done, by whomever; without a plan nothing is stated."""


class LinkKind(StrEnum):
    """How one fact relates to another."""

    SUPERSEDES = "SUPERSEDES"
    """The source replaced the target."""
    CAUSED_BY = "CAUSED_BY"
    """The target is the stated reason for the source."""
    PART_OF = "PART_OF"
    """The source belongs to the event or undertaking of the target."""
    CONTRADICTS = "CONTRADICTS"
    """Both cannot hold, and nothing says which is later; from the smaller id to the larger."""
    SAME_AS = "SAME_AS"
    """Both state the same of one subject that has two names; from the smaller id to the larger."""
    RELATED_TO = "RELATED_TO"
    """The source is built on the target, or shares its event, date or place."""


_MARKS: Final = {"rule": "", "model": "m", "user": "u", "extract": "e"}
"""What precedes the ordinal in an id, by maker, so that their statements of one turn do not collide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Record):
    """One statement of one turn, before it is compared with others.

    Attributes:
        turn: id of the turn that states it.
        ordinal: position among the statements that one maker found in the turn, from 0.
        said_at: event time of the turn; None if unknown.
        subject: name of a person or thing; for the first person the speaker.
        verb: canonical verb in the third person with its preposition, such as `lives in`; `knowledge.slots` lists them.
        object: the value in the words of the turn; empty if the verb has none, and where an effect ends what holds.
        scope: what the value is for or of, where that is said: the purpose of a decision, the occasion of a preference.
        instead_of: the value that the statement rejects: "X over Y", "no, X, not Y".
        when: the words that say when.
        where: the words that say where.
        valid_from: start of the state or event as the text states it, of a plan the time that it is for, of a date as a
            value that date; None if it states none.
        valid_to: first moment after its end as the text states it; None if it states none.
        reason: the words of an explicit reason.
        because: ordinals of the statements of the same turn and maker that are its reason.
        rests_on: events, places, organisations and undertakings that it is built on or belongs to, as named.
        support: 0 to 1, the relational weight (layer 1) of the turn; None if unknown.
        provenance: `rule`, `user`, `model:<name>` or `extract:<name>`.
    """

    turn: str
    ordinal: int
    subject: str
    verb: str
    object: str
    said_at: datetime | None = None
    status: FactStatus = FactStatus.ACTIVE
    type: FactType = FactType.WORLD
    mood: Mood = Mood.ASSERTED
    effect: Effect = Effect.STATES
    scope: str | None = None
    instead_of: str | None = None
    when: str | None = None
    where: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    reason: str | None = None
    because: tuple[int, ...] = ()
    rests_on: tuple[str, ...] = ()
    support: float | None = None
    provenance: str = Provenance.RULE

    @property
    def id(self) -> str:
        """`<turn>:fact:<n>`, with `m`, `u` or `e` before the number if a model, a user or an extraction made it."""
        return self.sibling(self.ordinal)

    def sibling(self, ordinal: int) -> str:
        """The id of another statement of the same turn and maker."""
        return f"{self.turn}:fact:{maker_mark(self.provenance)}{ordinal}"


def maker_mark(provenance: str) -> str:
    """The letter before the numbers of what somebody stated; empty for rules."""
    return _MARKS.get(provenance.partition(":")[0], "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFact(Record):
    """The other end of a link of a fact.

    Attributes:
        id: of the other fact.
        is_source: whether the link leads from the other fact to this one.
        told: the other fact in a few words: subject, verb and object.
        retracted: whether the other fact was corrected or withdrawn, and never held as far as is known.
    """

    kind: LinkKind
    id: str
    is_source: bool
    told: str
    retracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Record):
    """What one or several turns state, with the time in which it holds.

    Attributes:
        id: id of its earliest statement, `<turn>:fact:<n>`.
        subject, verb, object, scope, when, where: as in `Statement`; the latest statement that has them.
        group: key of the statements that can replace each other: a slot of a subject, else subject, verb and object.
        slot: name of the slot that it fills, such as `home`; None if its verb takes any number of values.
        valid_from: since when it holds, or the plan stands: as stated, else when it was first said; None if unknown.
        valid_to: first moment at which it no longer holds or stands; None if it does, or if its end is unknown.
        due_from: start of the time that a plan is for, or of the date that is its value; None if not stated.
        due_to: first moment after that time.
        recorded_at: event time of its earliest source turn, from which it is known; None if unknown.
        confirmed_at: event time of its latest source turn; None if unknown.
        sources: ids of the turns that state it, earliest first; never empty.
        support: 0 to 1, mean of its statements; None if unknown.
        provenance: of its latest statement.
        superseded_by: id of the fact that replaced it.
        stale_because: id of the superseded fact that it was built on.
        retracted: whether it was corrected or withdrawn, and never held as far as is known.
        statements: what it was made of, in the order of time; empty if it was read from the store.
        standing: what it amounts to at the moment that was asked for, such as `holds` or `past plan`
            (`knowledge.history.Standing`); None if nobody asked.
        links: its links, one hop; empty if nobody asked.
    """

    id: str
    subject: str
    verb: str
    object: str
    status: FactStatus
    type: FactType
    scope: str | None = None
    when: str | None = None
    where: str | None = None
    group: str = ""
    slot: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    due_from: datetime | None = None
    due_to: datetime | None = None
    recorded_at: datetime | None = None
    confirmed_at: datetime | None = None
    sources: tuple[str, ...] = ()
    support: float | None = None
    provenance: str = Provenance.RULE
    superseded_by: str | None = None
    stale_because: str | None = None
    retracted: bool = False
    statements: tuple[Statement, ...] = ()
    standing: str | None = None
    links: tuple[LinkedFact, ...] = ()

    @property
    def told(self) -> str:
        """The fact in a few words; the verb agrees with a subject of several: "user's flights are delayed"."""
        return in_few_words(self.subject, self.verb, self.object, self.scope, self.type)


def in_few_words(subject: str, verb: str, value: str, scope: str | None, kind: str) -> str:
    """What `Fact.told` gives, by the fields of the fact."""
    verb = _of_several(verb) if _is_several(subject, kind) else verb
    purpose = said_scope(scope)
    return " ".join(filter(None, (subject, verb, value, purpose and f"for {purpose}")))


def said_scope(scope: str | None) -> str | None:
    """A scope as it is shown: None for one that nobody said."""
    return None if scope is None or scope.startswith(UNSAID) else scope


def _is_several(subject: str, kind: str) -> bool:
    """Whether a subject is in the plural in English: "we", "Ann's parents", "flights"; a person's name never is."""
    is_noun = (kind == FactType.WORLD or "'s " in subject) and _FOREIGN.search(subject) is None
    return subject == "we" or (is_noun and _PLURAL.search(subject) is not None)


def _of_several(verb: str) -> str:
    """A verb in the third person as it follows "they": "decides on" is "decide on"."""
    first, space, rest = verb.partition(" ")
    plain = _IRREGULAR.get(first) or _OF_ONE.sub(lambda end: _ENDINGS.get(end[0], end[0][:-2]), first)
    return f"{plain}{space}{rest}"


_PLURAL: Final = re.compile(
    r"(?:^|\s)(?!(?:\w*(?:mat|nom|hys|lit|let|nast|nam)ics|news|lens|gas|series|species|means|canvas|atlas|alias|bias)$)"
    r"(?:(?:[a-z-]+|[A-Z]{2,})(?<![sui])s|[a-z-]*(?:children|wives|women)|people|men|feet|teeth|mice|police)$"
)
"""A noun in the plural at the end of a subject: not "boss", "bus", "analysis", "physics", "news"."""
_FOREIGN: Final = re.compile(
    r"[^\x00-\x7f’]|^(?:l['’]|(?:le|la|el|lo|il|une?|uno|una|der|das|den|eine?|het|een|mon|ton|son|mein|dein|mi|tu) )"
)
"""A subject in another language, whose endings say nothing here: "le temps", "el lunes", "het huis"."""
_IRREGULAR: Final = {"is": "are", "was": "were", "has": "have"}
_OF_ONE: Final = re.compile(r"(?:(?<=\w\w)ies|(?:ch|sh|ss|x|o)es|(?<!s)s)$")
_ENDINGS: Final = {"ies": "y", "s": ""}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FactLink(Record):
    """A link from one fact to another.

    Attributes:
        source: id of the fact from which it goes.
        target: id of the fact to which it goes.
        rests: whether the source becomes stale when the target is superseded.
    """

    source: str
    kind: LinkKind
    target: str
    rests: bool = False
