"""Facts at a time: what holds now, what held then, what was known then, and how something came to be as it is."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from clew.knowledge.book import Book
from clew.knowledge.groups import subject_key
from clew.knowledge.slots import ANY_SCOPE, family_of, slot_of
from clew.types.facts import Fact, FactStatus, Statement

_BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
_HIDDEN: Final = "x"
_NUMBERS: Final = re.compile(r"([0-9]+)")


class Standing(StrEnum):
    """What a fact amounts to at a moment."""

    HOLDS = "holds"
    PLANNED = "planned"
    UNDATED = "planned, no date"
    LAPSED = "old plan"
    """It was planned without a date, and nobody has spoken of it for `SILENCE`."""
    PAST_PLAN = "past plan"
    """It was planned for a time that has passed; nobody has said that it happened."""
    HAPPENED = "happened"
    ENDED = "ended"
    REPLACED = "replaced"
    ABANDONED = "abandoned"
    WITHDRAWN = "withdrawn"
    """It was corrected or taken back: it never held."""


CURRENT: Final = frozenset((Standing.HOLDS, Standing.PLANNED, Standing.UNDATED, Standing.HAPPENED))
"""The standings of what is true as far as is known."""


SILENCE: Final = timedelta(days=365)
"""How long a plan without a date stands after it was last spoken of: people say a year ahead what they mean to do."""

_LAST_SPOKEN: Final = datetime.max.replace(tzinfo=UTC) - SILENCE


def standing(fact: Fact, now: datetime | None) -> Standing:
    """What a fact amounts to at a moment; None for a moment at which no plan is past yet."""
    over = _over(fact)
    if over is not None or now is None:
        return over or (_planned(fact, now) if _is_due(fact) else Standing.HOLDS)
    if fact.valid_to is not None and fact.valid_to <= now:
        return Standing.ENDED
    if _is_due(fact):
        return _planned(fact, now)
    is_ahead = fact.valid_from is not None and fact.valid_from > now
    return Standing.PLANNED if is_ahead else Standing.HOLDS


def _planned(fact: Fact, now: datetime | None) -> Standing:
    """What a plan or an appointment amounts to that nothing has ended; None for a moment at which none is past."""
    due = fact.due_to or fact.due_from
    if due is not None or is_appointment(fact):
        return Standing.PAST_PLAN if due is not None and now is not None and due <= now else Standing.PLANNED
    spoken = fact.confirmed_at
    is_old = spoken is not None and now is not None and _silent_from(spoken) <= now
    return Standing.LAPSED if is_old else Standing.UNDATED


def _silent_from(spoken: datetime) -> datetime:
    """From when a plan without a date has lapsed; programs write the last year of all for a date that is not known."""
    return min(spoken, _LAST_SPOKEN) + SILENCE


def current_until(fact: Fact) -> datetime | None:
    """The moment from which a fact does not count as `CURRENT`; the earliest moment of all for what is over."""
    over = _over(fact)
    if over is not None:
        return None if over in CURRENT else _BEGINNING
    ends = [fact.valid_to]
    if _is_due(fact):
        due, spoken = fact.due_to or fact.due_from, fact.confirmed_at
        is_silent = due is None and spoken is not None and not is_appointment(fact)
        ends.append(_silent_from(spoken) if is_silent and spoken is not None else due)
    return min((end for end in ends if end is not None), default=None)


def _over(fact: Fact) -> Standing | None:
    """The standing that no later moment changes."""
    if fact.retracted:
        return Standing.WITHDRAWN
    if fact.superseded_by is not None:
        return Standing.REPLACED
    ends = {FactStatus.ABANDONED: Standing.ABANDONED, FactStatus.CEASED: Standing.ENDED}
    return ends.get(fact.status, Standing.HAPPENED if fact.status is FactStatus.COMPLETED else None)


def _is_due(fact: Fact) -> bool:
    return fact.status is FactStatus.PLANNED or is_appointment(fact)


def is_appointment(fact: Fact) -> bool:
    """Whether a fact gives the date of an event: like a plan, it says nothing of whether the event took place."""
    slot = slot_of(fact.verb, fact.scope)
    return slot is not None and slot.dated and slot.event


def is_hidden(fact: Fact) -> bool:
    """Whether a fact denies what nobody said. It waits for statements that may still arrive, and no reader wants it."""
    return fact.retracted and fact.superseded_by is None and fact.id.endswith(_HIDDEN)


def current(facts: Iterable[Fact], now: datetime | None) -> tuple[Fact, ...]:
    """The facts that hold, are planned, or happened, in their order; past plans are in `history`."""
    return tuple(fact for fact in facts if standing(fact, now) in CURRENT)


def as_of(facts: Iterable[Fact], at: datetime) -> tuple[Fact, ...]:
    """The facts that held, or the plans that stood, at a moment, as far as is known today; in their order.

    They are returned as they were then: not replaced, ended or stale. What has no known beginning is taken to have held
    before its end if nothing else of its group is known of the moment.
    """
    every = [fact for fact in facts if not fact.retracted]
    held = [fact for fact in every if _begin(fact) <= at and not _is_over(fact, at)]
    groups = {fact.group for fact in held}
    before = [fact for fact in every if fact.group not in groups and _may_have_held(fact, at)]
    return tuple(_restored(fact) for fact in every if fact in held or fact in before)


def known_at(statements: Iterable[Statement], at: datetime | None, aliases: Mapping[str, str] | None = None) -> Book:
    """The facts and links as they followed from what had been said by a moment; None for all that was said.

    Statements without a time are taken to have been said before it.

    Args:
        aliases: as for `groups.placed`.
    """
    book = Book(aliases)
    book.add(
        statement for statement in statements if at is None or statement.said_at is None or statement.said_at <= at
    )
    return book


def history(
    facts: Iterable[Fact], subject: str, verb: str | None = None, aliases: Mapping[str, str] | None = None
) -> tuple[Fact, ...]:
    """All that was ever stated of a subject, withdrawn and past facts included: earliest first.

    Args:
        aliases: as for `groups.placed`.
        verb: a canonical verb; facts with any verb of its slot, or that states or denies the same, are returned. None
            for all.
    """
    slot = None if verb is None else slot_of(verb, ANY_SCOPE)
    key = subject_key(subject, aliases)
    versions = [
        fact
        for fact in facts
        if subject_key(fact.subject, aliases) == key
        and not is_hidden(fact)
        and (
            verb is None
            or family_of(fact.verb) == family_of(verb)
            or (slot is not None and slot_of(fact.verb, ANY_SCOPE) == slot)
        )
    ]
    return tuple(earliest_first(versions))


def earliest_first(facts: Iterable[Fact]) -> list[Fact]:
    """Facts in the order in which they began to hold, and were told."""
    return sorted(facts, key=lambda fact: (_begin(fact), fact.recorded_at or _BEGINNING, _by_number(fact.id)))


def newest_first(facts: Iterable[Fact]) -> list[Fact]:
    """Facts in the order in which they were told, the last one first."""
    return sorted(facts, key=lambda fact: (fact.recorded_at or _BEGINNING, _by_number(fact.id)), reverse=True)


def _by_number(name: str) -> list[tuple[int, str]]:
    """A key that sorts turn 9 before turn 10: every second part of it is a number, of any length."""
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(_NUMBERS.split(name))]


def _begin(fact: Fact) -> datetime:
    """When a fact began: as far as is known, else at its end, else when it was first said."""
    return fact.valid_from or (fact.valid_to if fact.status is FactStatus.COMPLETED else None) or _first_known(fact)


def _first_known(fact: Fact) -> datetime:
    known = fact.recorded_at or _BEGINNING
    return known if fact.valid_to is None else min(known, fact.valid_to)


def _is_over(fact: Fact, at: datetime) -> bool:
    return fact.status is not FactStatus.COMPLETED and fact.valid_to is not None and fact.valid_to <= at


def _may_have_held(fact: Fact, at: datetime) -> bool:
    """Whether a fact ended after a moment and has no known beginning."""
    return (
        fact.status is FactStatus.CEASED
        and fact.valid_from is None
        and fact.valid_to is not None
        and at < fact.valid_to
    )


def _restored(fact: Fact) -> Fact:
    status = {FactStatus.CEASED: FactStatus.ACTIVE, FactStatus.ABANDONED: FactStatus.PLANNED}
    return replace(fact, status=status.get(fact.status, fact.status), superseded_by=None, stale_because=None)
