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
    """

    name: str
    verbs: tuple[str, ...]
    scoped: bool = False


SLOTS: Final = (
    Slot("home", ("lives in", "lives at", "lives with parents in")),
    Slot("address", ("has address",)),
    Slot("employer", ("works at", "works for")),
    Slot("occupation", ("works as",)),
    Slot("school", ("studies at",)),
    Slot("subject of study", ("studies", "majors in")),
    Slot("name", ("is named",)),
    Slot("nickname", ("goes by",)),
    Slot("birthplace", ("was born in", "is from")),
    Slot("birthday", ("was born on", "has birthday on")),
    Slot("age", ("is aged",)),
    Slot("partner", ("is married to", "is engaged to", "is dating", "is partner of")),
    Slot("relationship status", ("has relationship status",)),
    Slot("cost", ("costs",)),
    Slot("date", ("is scheduled for", "takes place on", "is due on", "starts on", "opens on")),
    Slot("venue", ("takes place in", "takes place at", "is located in", "is located at")),
    Slot("phone number", ("has phone number",)),
    Slot("email", ("has email",)),
    Slot("weight", ("weighs",)),
    Slot("height", ("is tall",)),
    Slot("version", ("is at version",)),
    Slot("owner", ("is owned by", "is led by", "is assigned to")),
    Slot("state", ("has state",)),
    Slot("diet", ("follows diet",)),
    Slot("favourite", ("has favourite",), scoped=True),
    Slot("preference", ("prefers",), scoped=True),
    Slot("choice", ("decides on", "uses", "chooses"), scoped=True),
    Slot("quantity", ("has number of",), scoped=True),
    Slot("setting", ("is set to",), scoped=True),
)
"""All slots. DESIGN 8 names home, employer, preference, name, cost and date."""

_BY_VERB: Final[Mapping[str, Slot]] = {verb: slot for slot in SLOTS for verb in slot.verbs}


def slot_of(verb: str, scope: str | None = None) -> Slot | None:
    """The slot that a verb fills; None if its values hold side by side ("likes X" and "likes Y")."""
    slot = _BY_VERB.get(verb)
    return None if slot is not None and slot.scoped and not scope else slot
