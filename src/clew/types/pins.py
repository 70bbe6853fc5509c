"""Turns and rules that every recalled block must include."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from clew.types.record import Record

PinKind = Literal["turn", "where"]
"""A pin of one turn (`turn`), or of the turns that match an expression (`where`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Record):
    """A turn, or a rule, that every recall includes before what it finds.

    Attributes:
        name: the turn's id, or the rule's expression (docs/query.md), such as `tag:deploy`.
        most: most turns that it adds; a rule adds the best for the question first, then the newest.
        note: the reason in the user's words; None if not given.
    """

    kind: PinKind
    name: str
    most: int
    pinned_at: datetime
    note: str | None = None
