"""Slots: which verbs take one value at a time."""

import pytest

from clew.knowledge.slots import SLOTS, slot_of


@pytest.mark.requirement("K-RED-01")
@pytest.mark.parametrize(
    ("verb", "scope", "slot"),
    [
        ("lives in", None, "home"),
        ("works at", None, "employer"),
        ("is scheduled for", None, "date"),
        ("uses", "sessions", "choice"),
        ("uses", None, None),
        ("likes", None, None),
        ("likes", "breakfast", None),
    ],
)
def test_a_verb_fills_a_slot_or_takes_any_number_of_values(verb: str, scope: str | None, slot: str | None) -> None:
    found = slot_of(verb, scope)
    assert (found.name if found else None) == slot


@pytest.mark.requirement("K-RED-01")
def test_no_verb_is_in_two_slots() -> None:
    verbs = [verb for slot in SLOTS for verb in slot.verbs]
    assert len(verbs) == len(set(verbs))
    assert len(SLOTS) == len({slot.name for slot in SLOTS})
