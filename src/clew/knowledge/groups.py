"""Where a statement belongs: the group that it may change, the keys it is found by, and the keys it rests on.

All of this follows from the statements of one turn alone. So the store can index it when a turn is read, and two
statements find each other whichever was stored first.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Final, NamedTuple

from clew.analyze.entities import entity_key
from clew.knowledge.kinds import kind_of, versioned_product
from clew.knowledge.morphology import third_person
from clew.knowledge.order import Order, order_of
from clew.knowledge.slots import (
    ANY_SCOPE,
    CANCELS,
    COMPLETING,
    ENDED,
    ENDINGS,
    INTENTS,
    ROLES,
    SERVICES,
    Slot,
    family_of,
    slot_of,
)
from clew.knowledge.values import same_value, value_key, value_keys
from clew.types.facts import UNSAID, Effect, FactStatus, LinkKind, Mood, Statement

_STANDING = frozenset((FactStatus.ACTIVE, FactStatus.RECURRING, FactStatus.PLANNED))
_OWNED = re.compile(r"^(?:my|our|your|his|her|its|their|the|an?|\S[^'’]{0,40}['’]s?)\s+(?=\S)", re.IGNORECASE)
_ROLE = re.compile(rf"^(?:(?:my|our|his|her|their|the|new|current)\s+)*(?P<role>{'|'.join(ROLES)})$", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w.&'’-]*(?:\s+(?:of\s+|the\s+)?[A-Z][\w.&'’-]*)*")
_OF_SOMEBODY = re.compile(r"^(?:my|our|his|her|their)\s|['’]s?\s", re.IGNORECASE)
_TRIP: Final = re.compile(
    r"^(?:(?P<of>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*) )?(?:trip|flight|visit|vacation|holiday|journey|weekend|getaway)s?"
    r"(?: (?:to|in) (?P<to>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*))?$"
)
"""A trip by its place: "Lisbon trip", "flight to Lisbon"."""
_IS_NAMED: Final = "is named"
_KIN = re.compile(r"is (?P<kin>[a-z-]+(?: [a-z-]+)?) of")

MOST_RESTS: Final = 12
"""Most keys that one statement rests on."""


class Rest(NamedTuple):
    """A key on which a statement rests, and the link that it makes to the facts found by that key."""

    key: str
    kind: LinkKind
    breaks: bool
    """Whether the statement becomes stale with them."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One statement and where it belongs.

    Attributes:
        order: when it was made.
        slot: the slot that it fills; None if its verb takes any number of values.
        group: key of the statements that can replace each other.
        subject: key of its subject.
        keys: what else it is found by: the value of its slot, its event, its name.
        rests: what it rests on, at most `MOST_RESTS`.
        ends: keys of the groups, or of statements in groups, in which it ends something beside its own.
        joined: whether it stands in a group that is not its own, since it ends something there.
    """

    statement: Statement
    order: Order
    slot: Slot | None
    group: str
    subject: str = ""
    keys: tuple[str, ...] = ()
    rests: tuple[Rest, ...] = ()
    ends: tuple[str, ...] = ()
    joined: bool = False

    def found_by(self) -> tuple[str, ...]:
        """All keys under which a store must find it, sorted."""
        found = {self.group, *self.keys, *(resting_on(rest.key) for rest in self.rests)}
        return tuple(sorted(found.union(_ending_keys(self) if self.ends else ())))

    def near(self) -> tuple[str, ...]:
        """The keys under which those are found that it rests on or ends, and those that do so to it; sorted."""
        own = (self.group, *self.keys)
        rests = (rest.key for rest in self.rests)
        return tuple(sorted({*own, *map(resting_on, own), *rests, *self.ends, *self.ended_by()}))

    def ended_by(self) -> tuple[str, ...]:
        """The keys under which statements of other groups are found that may end it."""
        scoped = self.slot is not None and self.slot.scoped
        verb, value = deed(self.statement.verb, self.statement.object)
        if not scoped and not _may_end(verb):
            return ()
        values = value_keys(value) if self.slot is None or scoped else ("",)
        return tuple(_ending_key(self.subject, value) for value in values)


def _ending_key(subject: str, value: str) -> str:
    """The key of what ends a value of a subject, whatever is said of the value; of any if it is empty."""
    return _key("ends", subject, value)


def _ending_keys(end: Placed) -> Iterator[str]:
    """The keys of what a statement ends: of a home or an employer in whatever detail its value is told."""
    slots = (slot_of(verb, ANY_SCOPE) for verb in _ended_verbs(end.statement))
    any_value = ("",) if any(slot is not None and not slot.scoped for slot in slots) else ()
    yield from (
        _ending_key(end.subject, value) for value in (*any_value, *map(value_key, _given_up(end.statement.object)))
    )


def resting_on(key: str) -> str:
    """The key under which statements are found that rest on a key; what has that key itself is not found by it."""
    return _key("rests on", key)


def placed(statements: Iterable[Statement], aliases: Mapping[str, str] | None = None) -> tuple[Placed, ...]:
    """The statements of one turn with their groups and keys; what can be no fact is left out.

    A statement that rejects another value ("X over Y", "no, I meant X, not Y") of something that is no slot also ends
    or withdraws that value; that is a statement of its own.

    Args:
        aliases: key of a name -> key of the name that stands for it, as the entity graph resolves it; the keys are
            `entity_key`s.
    """
    names = aliases or {}
    usable = [each for each in statements if each.mood in (Mood.ASSERTED, Mood.NEGATED) and value_key(each.subject)]
    every = [part for each in usable for part in _parts(each)]
    groups = {each.id: group_of(each, names) for each in reversed(every)}  # of parts, that of the statement itself
    found = [_placed(each, names, groups) for each in every]
    return tuple(sorted(found, key=lambda each: (each.order, each.group)))


def subject_key(name: str, aliases: Mapping[str, str] | None = None) -> str:
    """How subjects are compared: an entity's key, with aliases resolved."""
    key = entity_key(name) or name.strip().casefold()
    return (aliases or {}).get(key, key)


def group_of(statement: Statement, aliases: Mapping[str, str] | None = None) -> str:
    """The key of the statements that a statement may change: one slot of one subject, else subject, verb and object.

    A shared slot has one group for all subjects, of which `tenures` compares those that concern each other.
    """
    return group_key(subject_key(statement.subject, aliases), statement.verb, statement.object, statement.scope)


def group_key(subject: str, verb: str, value: str, scope: str | None) -> str:
    """The key of a group by the words of its statements; for the subject its `subject_key`."""
    slot = slot_of(verb, scope)
    if slot is None:
        done = deed(verb, value)
        return _key("fact", subject, family_of(done[0]), value_key(done[1]))
    return _slot_group("" if slot.shared else subject, slot.name, value_key(scope or "") if slot.scoped else "")


@lru_cache(maxsize=1 << 12)
def deed(verb: str, value: str) -> tuple[str, str]:
    """The verb and object of what somebody wants or needs to do, which doing it ends: "needs | to repair the roof"."""
    if verb not in INTENTS or not value.startswith("to "):
        return verb, value
    act, _, done_to = value[3:].partition(" ")
    done = third_person(act)
    return (done, done_to) if done_to and slot_of(done, ANY_SCOPE) is None else (verb, value)


def is_intent(statement: Statement) -> bool:
    """Whether a statement tells what somebody wants or needs to do, as a plan would."""
    return deed(statement.verb, statement.object)[0] != statement.verb


def same_said_of(statement: Statement, subject: str, aliases: Mapping[str, str] | None = None) -> str:
    """The group in which the same would be said of another subject."""
    return group_of(replace(statement, subject=subject), aliases)


def naming(statement: Statement) -> tuple[str, str] | None:
    """The two names that a statement gives one subject: "Ann's sister is named Zoe" and "Zoe is sister of Ann".

    A subject with a name of its own is not named again: who introduces himself as "Ben" is known under that name.
    """
    if statement.verb == _IS_NAMED and _OF_SOMEBODY.search(statement.subject):
        return statement.subject, statement.object
    kin = _KIN.fullmatch(statement.verb)
    return (f"{statement.object}'s {kin['kin']}", statement.subject) if kin else None


def name_key(name: str, aliases: Mapping[str, str] | None = None) -> str:
    """The key by which statements are found that give a subject a name, by either of its names."""
    return _key("named", subject_key(name, aliases))


def of_somebody_key(subject: str, aliases: Mapping[str, str] | None = None) -> str | None:
    """The key of all that is said of "Ann's sister"; None for a subject with a name of its own."""
    return _key("of", subject_key(subject, aliases)) if _OF_SOMEBODY.search(subject) else None


def _parts(statement: Statement) -> Iterator[Statement]:
    """A statement and what it says of other groups: that another value is wrong, or has ended."""
    slot = slot_of(statement.verb, ANY_SCOPE)
    kind = None if slot is None or statement.scope else _kind(statement, slot)
    pair = sorted((value_key(statement.object), value_key(statement.instead_of or "")))
    if statement.mood is Mood.NEGATED:
        yield statement
    elif statement.verb in CANCELS and (trip := _TRIP.search(statement.object)):
        yield statement
        if statement.status is not FactStatus.PLANNED and statement.effect is Effect.STATES:
            yield _denied(statement, "visits", trip["to"] or trip["of"])
    elif kind is not None:
        yield replace(statement, scope=UNSAID + kind)
    elif not statement.instead_of or pair[0] == pair[1] or slot_of(statement.verb, statement.scope) is not None:
        yield statement  # which rejects no other value, or does so in its own group
    else:
        yield statement if slot is None else replace(statement, scope=UNSAID + " or ".join(pair))
        if statement.effect is Effect.CORRECTS:
            yield replace(
                _denied(statement, statement.verb, statement.instead_of), effect=Effect.RETRACTS, mood=Mood.ASSERTED
            )
        elif statement.effect is Effect.STATES and (slot is not None or statement.status is FactStatus.ACTIVE):
            yield _denied(statement, statement.verb, statement.instead_of)


def _kind(statement: Statement, slot: Slot) -> str | None:
    """What one value is preferred or used of where nobody said for what; None where the value does not show it."""
    if slot.kinds:
        return kind_of(statement.object)
    return versioned_product(statement.object) if slot.versions and not statement.instead_of else None


def _denied(statement: Statement, verb: str, value: str) -> Statement:
    return replace(
        statement,
        verb=verb,
        object=value,
        status=FactStatus.ACTIVE,
        mood=Mood.NEGATED,
        instead_of=None,
        because=(),
        rests_on=(),
    )


def _placed(statement: Statement, aliases: Mapping[str, str], groups: Mapping[str, str]) -> Placed:
    slot, group = slot_of(statement.verb, statement.scope), group_of(statement, aliases)
    rests: tuple[Rest, ...] = ()
    if statement.mood is Mood.ASSERTED and statement.effect is not Effect.RETRACTS:
        rests = tuple(dict.fromkeys(_rests(statement, slot, group, aliases, groups)))[:MOST_RESTS]
    subject = subject_key(statement.subject, aliases)
    keys, ends = tuple(_keys(statement, slot, aliases)), tuple(sorted(set(_ends(statement, subject))))
    return Placed(statement, order_of(statement), slot, group, subject, keys, rests, ends)


def is_end(statement: Statement) -> bool:
    """Whether a statement says that something does not hold, or no longer."""
    ceases = statement.effect in (Effect.CEASES, Effect.COMPLETES) or statement.status is FactStatus.CEASED
    return ceases or statement.mood is Mood.NEGATED


def _ended_verbs(statement: Statement) -> tuple[str, ...]:
    """The verbs whose values a statement ends beside those of its own group: of a choice, for whatever purpose."""
    if statement.status is FactStatus.PLANNED or statement.effect is Effect.RETRACTS:
        return ()
    if statement.verb in ENDINGS:
        happened = statement.mood is Mood.ASSERTED and statement.effect in (Effect.STATES, Effect.COMPLETES)
        happened = happened and not (statement.verb in COMPLETING and statement.status is not FactStatus.COMPLETED)
        return ENDINGS[statement.verb] if happened else ()
    slot = slot_of(statement.verb, ANY_SCOPE)
    unscoped = slot is not None and slot.scoped and not statement.scope
    return (statement.verb,) if unscoped and statement.object and is_end(statement) else ()


def _ends(statement: Statement, subject: str) -> Iterator[str]:
    """The keys by which the groups are found in which a statement ends something."""
    for verb in _ended_verbs(statement):
        slot = slot_of(verb, ANY_SCOPE)
        for value in _given_up(statement.object):
            if slot is not None and slot.scoped and value:
                yield _scoped_key(slot, subject, value_key(value))
            if verb != statement.verb and (value or slot is not None):
                yield group_key(subject, verb, value, None)


def _given_up(value: str) -> tuple[str, ...]:
    """What is given up with a value: with a "Netflix subscription" also "Netflix"."""
    name, _, last = value.rpartition(" ")
    return (value, name) if name and last.casefold() in SERVICES else (value,)


def joined(end: Placed, group: str, said: Collection[Placed]) -> Placed | None:
    """A statement as it ends something in a group that is not its own; None if it ends nothing that is said there."""
    statement, first = end.statement, next(iter(said))
    done = deed(first.statement.verb, first.statement.object)[0]
    verb = next((verb for verb in _ended_verbs(statement) if _is_ended(verb, done)), None)
    if verb is None or end.group == group:
        return None
    values = _given_up(statement.object)
    told = [deed(each.statement.verb, each.statement.object)[1] for each in said]
    named = (one for one in values if value_key(one) in map(value_key, told))  # "Hulu", not the "Hulu subscription"
    meant = (one for one in values if any(same_value(one, each) for each in told))
    value = next(chain(named, meant), values[0])
    denied, slot = _denied(statement, verb, value), first.slot
    if statement.verb in COMPLETING:
        denied = replace(denied, mood=Mood.ASSERTED, effect=Effect.COMPLETES, status=FactStatus.COMPLETED)
    return replace(end, statement=denied, slot=slot, group=group, keys=(), rests=(), ends=(), joined=True)


def _is_ended(verb: str, said: str) -> bool:
    """Whether what ends the values of a verb ends those of another: an engagement ends with a partnership."""
    slot = slot_of(verb, ANY_SCOPE)
    if slot is None:
        return family_of(verb) == family_of(said)
    return slot == slot_of(said, ANY_SCOPE)


@lru_cache(maxsize=1 << 12)
def _may_end(verb: str) -> bool:
    return any(_is_ended(each, verb) for each in sorted(ENDED))


def _keys(statement: Statement, slot: Slot | None, aliases: Mapping[str, str]) -> Iterator[str]:
    subject = subject_key(statement.subject, aliases)
    if slot is not None and (slot.ground or slot.scoped):
        yield from (_scoped_key(slot, subject, each) for each in value_keys(statement.object))
    if slot is not None and slot.event:
        yield _key("event", _event(statement.subject, aliases))
    if slot is not None and slot.dated and statement.valid_from is not None:
        yield _day(statement)
    for name in naming(statement) or ():
        yield name_key(name, aliases)
    of_somebody = of_somebody_key(statement.subject, aliases)
    if of_somebody is not None:
        yield of_somebody


def _scoped_key(slot: Slot, subject: str, value: str) -> str:
    """The key of a value, whatever it is for; on that of a ground rests what is built on it."""
    return _key("value" if slot.ground else "scoped", subject, value)


def _rests(
    statement: Statement, slot: Slot | None, group: str, aliases: Mapping[str, str], groups: Mapping[str, str]
) -> Iterator[Rest]:
    causes = [groups.get(statement.sibling(ordinal), group) for ordinal in statement.because]
    yield from (Rest(cause, LinkKind.CAUSED_BY, breaks=True) for cause in causes if cause != group)
    for name in statement.rests_on:
        yield Rest(_key("event", _event(name, aliases)), LinkKind.PART_OF, breaks=True)
    if statement.status not in _STANDING:
        return
    subject = subject_key(statement.subject, aliases)
    for name in _grounds(statement, slot):
        role = _ROLE.match(name)
        if role is not None:
            cause = _slot_group(subject, ROLES[role["role"].casefold()], "")
            if cause != group:
                yield Rest(cause, LinkKind.RELATED_TO, breaks=True)
        yield Rest(_key("value", subject, value_key(name)), LinkKind.RELATED_TO, breaks=True)
    if statement.status is FactStatus.PLANNED and statement.valid_from is not None:
        yield Rest(_day(statement), LinkKind.RELATED_TO, breaks=False)


def _grounds(statement: Statement, slot: Slot | None) -> Sequence[str]:
    """What a statement may be built on, in its words; the value of a slot is not, since that is what it states."""
    names = [*statement.rests_on, *([statement.where] if statement.where else [])]
    if slot is None:
        names += [statement.object, *_NAME.findall(statement.object)]
    return [name for name in dict.fromkeys(names) if value_key(name)]


def _event(name: str, aliases: Mapping[str, str]) -> str:
    """The key of an event's name without its owner: "Ann's wedding" and "the wedding" are one."""
    return subject_key(_OWNED.sub("", name.strip()), aliases)


def _day(statement: Statement) -> str:
    return _key("day", statement.valid_from.date().isoformat() if statement.valid_from else "")


def _slot_group(subject: str, slot: str, scope: str) -> str:
    return _key("slot", subject, slot, scope)


@lru_cache(maxsize=1 << 14)
def _key(*parts: str) -> str:
    """16 hexadecimal digits, since a store keeps several for each statement."""
    return blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
