"""What its owner wants in every block, whatever is asked."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from clew.types.record import Record

PinKind = Literal["turn", "where"]
"""One turn, or those for which an expression holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Record):
    """One turn, or one rule, that goes before everything else a recall finds.

    Attributes:
        name: the turn's id; of a rule the expression (docs/query.md), such as `tag:deploy`.
        most: turns that it brings at most; of a rule the best for the question, then the newest.
        note: why, in the owner's words; None when not said.
    """

    kind: PinKind
    name: str
    most: int
    pinned_at: datetime
    note: str | None = None
