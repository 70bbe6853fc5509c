"""How far background work has come."""

from collections.abc import Mapping
from dataclasses import dataclass

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkProgress(Record):
    """What is left of the background work while a caller waits for it.

    Attributes:
        pending: what is left, by kind, as in `Stats.pending`; kinds without any are absent.
        seconds_left: how long that is likely to take; None until the first of it was done.
    """

    pending: Mapping[str, int]
    seconds_left: float | None = None
