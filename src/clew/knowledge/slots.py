"""Slots: what a subject has one value of at a time, so that a later value replaces an earlier one.

Verbs are canonical: third person singular with their preposition. The extractors map what people write to them ("I
moved to", "my home is in" -> `lives in`); a verb that is not listed here takes any number of values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot.

    Attributes:
        name: unique; facts carry it as `Fact.slot`.
        verbs: the canonical verbs whose objects are its values.
        scoped: True if there is one slot for each scope ("uses X for sessions"); without a scope the verb takes any
            number of values.
        single: True if it has one value also where no scope is said: "the timeout is set to 60 seconds".
        ground: True if plans are built on its value, as on a home or a job.
        event: True if its subject is an event, whose name others use ("the dress for the wedding").
        dated: True if its value is itself a time, so that the time in the text is not the time in which it holds.
        shared: True if a group has one value of it together: what "we" chose stands against what one of us chose.
        stages: True if its verbs are stages of one thing: engaged to, then married to the same person.
        kinds: True if there is one slot for each kind of value where no scope is said: one drink is preferred.
        versions: True if there is one for each product whose version is said: one Python is used, unless at once.
    """

    name: str
    verbs: tuple[str, ...]
    scoped: bool = False
    single: bool = False
    ground: bool = False
    event: bool = False
    dated: bool = False
    shared: bool = False
    stages: bool = False
    kinds: bool = False
    versions: bool = False


SLOTS: Final = (
    Slot("home", ("lives in",), ground=True),
    Slot("address", ("lives at", "has address"), ground=True),
    Slot("team", ("plays for",)),
    Slot("income", ("earns", "has salary")),
    Slot("budget", ("has budget",)),
    Slot("deadline", ("has deadline",)),
    Slot("user name", ("has username",)),
    Slot("time zone", ("has timezone",)),
    Slot("home town", ("has hometown",)),
    Slot("employer", ("works at", "works for"), ground=True),
    Slot("occupation", ("works as",), ground=True),
    Slot("school", ("studies at",), ground=True),
    Slot("subject of study", ("majors in",), ground=True),
    Slot("name", ("is named",)),
    Slot("nickname", ("goes by",)),
    Slot("birthplace", ("was born in",)),
    Slot("birthday", ("was born on", "has birthday on"), dated=True),
    Slot("age", ("is aged",)),
    Slot("partner", ("is married to", "is engaged to", "is dating", "is partner of"), ground=True, stages=True),
    Slot("relationship status", ("has relationship status",)),
    Slot("cost", ("costs",)),
    Slot("amount", ("amounts to",)),
    Slot("date", ("is scheduled for", "takes place on", "is due on", "starts on", "opens on"), event=True, dated=True),
    Slot("end", ("ends on", "expires on"), event=True, dated=True),
    Slot("venue", ("takes place in", "takes place at", "is located in", "is located at"), ground=True, event=True),
    Slot("phone number", ("has phone number",)),
    Slot("email", ("has email",)),
    Slot("weight", ("weighs",)),
    Slot("height", ("is tall",)),
    Slot("version", ("is at version",)),
    Slot("owner", ("is owned by", "is led by", "is assigned to"), ground=True),
    Slot("state", ("has state",)),
    Slot("diet", ("follows diet",), ground=True),
    Slot("favourite", ("has favourite",), scoped=True),
    Slot("preference", ("prefers",), scoped=True, kinds=True),
    Slot("choice", ("decides on", "uses", "chooses"), scoped=True, ground=True, shared=True, versions=True),
    Slot("language of answers", ("wants answers in",), scoped=True, single=True),
    Slot("length of answers", ("wants answers",)),
    Slot("quantity", ("has number of",), scoped=True),
    Slot("setting", ("is set to",), scoped=True, single=True, ground=True),
)
"""All slots."""

SIDES: Final[Mapping[str, tuple[str, str]]] = {
    "likes": ("likes", "for"),
    "loves": ("likes", "for"),
    "enjoys": ("likes", "for"),
    "dislikes": ("likes", "against"),
    "hates": ("likes", "against"),
    "supports": ("supports", "for"),
    "opposes": ("supports", "against"),
    "trusts": ("trusts", "for"),
    "distrusts": ("trusts", "against"),
    "wants assistant to": ("wants assistant to", "for"),
    "wants assistant not to": ("wants assistant to", "against"),
}
"""Verbs that state or deny the same of one object: verb -> (the verb that stands for all of them, its side)."""

ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("home", "place", "house", "flat", "apartment"), "home"),
    **dict.fromkeys(("job", "work", "office", "company", "employer", "workplace"), "employer"),
    **dict.fromkeys(("school", "university", "college", "campus"), "school"),
    **dict.fromkeys(("husband", "wife", "partner", "boyfriend", "girlfriend", "fiance", "fiancee"), "partner"),
}
"""Words by which people name the value of a slot: "close to my office"."""

ANY_STAGE: Final = "is partner of"
"""The verb that stands for every stage of a relationship: who breaks up ends dating and marriage alike."""

GROUP: Final = "we"
"""The subject of what several people did or chose together."""

TRAVELS: Final = frozenset(("visits", "flies to", "travels to", "goes to", "drives to", "goes on trip to"))
"""Verbs of being in a place for a while: a plan to fly there comes true by a visit."""

INTENTS: Final = frozenset(("wants", "needs"))
"""Verbs of what somebody has yet to do, if "to" follows."""

CANCELS: Final = frozenset(("cancels", "calls off"))
"""Verbs that give up a plan: the trip to a place that their object names."""

_SERVED: Final = (
    *("uses", "pays for", "subscribes to", "is subscribed to", "rents", "leases"),
    *("takes", "attends", "studies", "learns", "plays", "drinks", "eats", "smokes"),
)
_GIVEN_UP: Final = (*_SERVED, "owns", "has", "keeps")
_LEFT: Final = (
    *("works at", "studies at", "plays for", "plays in", "sings in", "volunteers at", "attends", "belongs to"),
    "is member of",
)
_PLANNED: Final = (
    *("visits", "attends", "joins", "enters", "runs", "hosts", "organizes", "celebrates", "books", "reserves"),
    *("signs up for", "registers for", "participates in", "takes part in", "competes in", "plays in", "goes on"),
)
"""What a trip, a course or an event that is cancelled was planned as."""
_GIVES_UP: Final = (
    *("ditches", "scraps", "abandons", "cancels", "discontinues", "retires", "decommissions", "deprecates"),
    *("gets rid of", "gives up", "gives up on", "gives up with", "opts out of", "unsubscribes from", "phases out"),
    *("migrates from", "migrates off", "migrates away from", "switches from", "switches away from"),
)

COMPLETES: Final = "completes"
"""The verb of what is done, whatever was to be done with it: "the report is done"."""

TASKS: Final = (
    *("does", "makes", "writes", "drafts", "prepares", "builds", "designs", "draws", "paints", "creates", "implements"),
    *(
        "files",
        "submits",
        "sends",
        "uploads",
        "publishes",
        "prints",
        "signs",
        "translates",
        "reads",
        "reviews",
        "edits",
    ),
    *(
        "fixes",
        "repairs",
        "updates",
        "upgrades",
        "installs",
        "sets up",
        "configures",
        "tests",
        "refactors",
        "documents",
    ),
    *("merges", "deploys", "ships", "migrates", "cleans", "tidies", "packs", "washes", "pays", "renews", "books"),
    *("orders", "buys", "organizes", "arranges", "plans", "sorts out", "fills out", "fills in", "checks", "finishes"),
)
"""What is done to a thing until it is done."""

ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "leaves": (*_LEFT, "uses"),
    **dict.fromkeys(("quits", "drops out of"), (*_LEFT, *_GIVEN_UP)),
    **dict.fromkeys(("resigns from", "resigns at", "retires from", "is fired from"), ("works at",)),
    "graduates from": ("studies at",),
    **dict.fromkeys(("moves out of", "moves away from", "moves from", "moves off"), ("lives in", "uses")),
    **dict.fromkeys(("divorces", "separates from", "breaks up with"), (ANY_STAGE,)),
    **dict.fromkeys(
        ("sells", "gives away", "trades in", "trades", "swaps", "exchanges"),
        ("owns", "has", "drives", "rides", "keeps"),
    ),
    **dict.fromkeys(_GIVES_UP, _GIVEN_UP),
    **dict.fromkeys(
        ("cancels", "calls off", "withdraws from", "pulls out of", "backs out of"), (*_GIVEN_UP, *_PLANNED)
    ),
    **dict.fromkeys(("drops", "dumps", "removes"), _SERVED),  # who drops a phone still has it
    **dict.fromkeys((COMPLETES, "finishes", "wraps up"), TASKS),
}
"""Verbs of events that end what other verbs state of the same object, where that was stated."""

COMPLETING: Final = frozenset((COMPLETES, "finishes", "wraps up"))
"""The verbs of these that do not give up a plan, but carry it out."""

ENDED: Final = frozenset(verb for verbs in ENDINGS.values() for verb in verbs)
"""The verbs of what other verbs end."""

SERVICES: Final = frozenset("subscription membership account contract plan license licence".split())
"""Words after the name of what somebody pays for or belongs to: who cancels a Netflix subscription cancels Netflix."""

ANY_SCOPE: Final = "any"
"""A scope that makes `slot_of` give the slot of a verb whose values have a scope of their own."""

_KINDS: Final = frozenset(
    """
    apartment area basement building cabin castle city condo cottage country countryside district dorm dormitory farm
    flat hostel hotel house neighborhood neighbourhood place room state street studio suburb suburbs tent town trailer
    van village agency bakery bank bar business cafe clinic company corporation factory firm gym hospital lab laboratory
    library museum office restaurant school shop startup store studio supermarket college university
    """.split()
)
"""What homes, employers and schools are, when they are not named."""

_BY_VERB: Final[Mapping[str, Slot]] = {verb: slot for slot in SLOTS for verb in slot.verbs}


def slot_of(verb: str, scope: str | None = None) -> Slot | None:
    """The slot that a verb fills; None if its values hold side by side ("likes X" and "likes Y")."""
    slot = _BY_VERB.get(verb)
    return None if slot is not None and slot.scoped and not (scope or slot.single) else slot


def is_kind(value: str) -> bool:
    """Whether a value says what sort of place something is, and does not name it: "a small flat", "a bank"."""
    has_name = any(word[:1].isupper() or word[:1].isdigit() for word in value.split()[1:]) or value[:1].isdigit()
    words = value.casefold().split()
    return not has_name and not _KINDS.isdisjoint(words) and not (value[:1].isupper() and words[0] not in _KINDS)


def family_of(verb: str) -> str:
    """The verb that stands for all verbs that say the same of an object; the verb itself if it is alone."""
    if verb in SIDES:
        return SIDES[verb][0]
    if verb in TRAVELS:
        return "visits"
    slot = _BY_VERB.get(verb)
    return verb if slot is None or slot.stages else slot.name
