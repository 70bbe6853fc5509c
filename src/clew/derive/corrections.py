"""Corrections of facts as turns, so that they are exported, merged, forgotten and read like any turn.

The words of such a turn say what is corrected; its metadata has the statement, which is taken as it stands.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from clew.errors import InputError
from clew.knowledge.slots import slot_of
from clew.knowledge.values import value_key
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.types.facts import CORRECTION_SOURCE, Effect, Fact, Statement
from clew.types.provenance import Provenance
from clew.types.turn import Turn

_METADATA: Final = "clew:correction"
_KEPT: Final = (
    *("subject", "verb", "object", "scope", "type", "status", "effect", "instead_of"),
    *("valid_from", "valid_to"),
)


def correction(fact: Fact, right: str | None, *, ended: bool, session: str, at: datetime) -> Turn:
    """The turn that corrects a fact.

    Args:
        right: the object that is right, which may be the one that the fact has; None where there is none.
        ended: whether the fact held, and holds no longer.
    """
    told = f"{fact.subject} {fact.verb} {fact.object}"
    statement: dict[str, Any] = {"subject": fact.subject, "verb": fact.verb, "object": fact.object}
    statement |= {"scope": fact.scope, "type": fact.type, "status": fact.status}
    if ended:
        words, effect = f"Correction: no longer: {told}", Effect.CEASES
    elif right is None:
        words, effect = f"Correction: this was never so: {told}", Effect.RETRACTS
    elif value_key(right) == value_key(fact.object):
        words, effect = f"Correction: this is so: {fact.subject} {fact.verb} {right}", Effect.STATES
        statement |= {"object": right}
    else:
        words, effect = f"Correction: {fact.subject} {fact.verb} {right}, not {fact.object}", Effect.CORRECTS
        statement |= {"object": right, "instead_of": fact.object, **_times(fact)}
    statement["effect"] = effect
    kept = {name: str(value) for name, value in statement.items() if value is not None}
    return Turn(
        role="user", content=words, session=session, at=at, source=CORRECTION_SOURCE, metadata={_METADATA: kept}
    )


def value_alone(fact: Fact, said: str) -> str:
    """What somebody gives as right, without the words of the fact that they said before it.

    Of `Meera is allergic to prawns`, "allergic to crab" and "Meera is allergic to crab" give `crab`, as `crab` does.
    """
    before, words = f"{fact.subject} {fact.verb}".split(), said.split()
    for start in range(len(before)):
        told = before[start:]
        if len(words) > len(told) and [word.casefold() for word in words[: len(told)]] == [
            word.casefold() for word in told
        ]:
            return " ".join(words[len(told) :])
    return said


def _times(fact: Fact) -> dict[str, str]:
    """When a fact held, which is when the right one did; nothing where the value is itself a time."""
    slot = slot_of(fact.verb, fact.scope)
    if slot is not None and slot.dated:
        return {}
    times = {"valid_from": fact.valid_from, "valid_to": fact.valid_to}
    return {name: at.isoformat() for name, at in times.items() if at is not None}


def is_correction(turn: TurnRow | Turn) -> bool:
    """Whether a turn corrects a fact: then its words are not read."""
    return turn.source == CORRECTION_SOURCE


def wrong_value(turn: Turn) -> str | None:
    """The value that a correction says is wrong or holds no longer; None where there is none."""
    said = turn.metadata.get(_METADATA)
    if not is_correction(turn) or not isinstance(said, Mapping):
        return None
    value = said.get("instead_of") or (None if said.get("effect") == Effect.STATES else said.get("object"))
    return value if isinstance(value, str) else None


def corrected_by(row: TurnRow) -> list[Statement]:
    """What a correction states; nothing where its metadata is none that Clew wrote."""
    turn = turn_from_row(row)
    said = turn.metadata.get(_METADATA)
    if not is_correction(row) or turn.role != "user" or not isinstance(said, Mapping):
        return []
    fields = {name: said[name] for name in _KEPT if isinstance(said.get(name), str)}
    try:
        return [Statement.from_dict({"turn": turn.id, "ordinal": 0, "provenance": Provenance.USER, **fields})]
    except InputError:
        return []  # it was imported from elsewhere, and its words are stored like any other's
