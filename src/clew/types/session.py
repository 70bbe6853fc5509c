"""What is known of one conversation."""

from dataclasses import dataclass
from datetime import datetime

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo(Record):
    """One conversation of a space.

    Attributes:
        name: as turns, filters and ids use it.
        title: given by the client, else the beginning of the first request.
        topics: what most of it was about, the strongest first; empty before it is analysed.
        project: the folder in which the client worked.
        branch: the git branch at the last turn.
        client: the program or format that the turns came from.
        start: time of the first turn; None if unknown.
        end: time of the last turn.
        turns: their number.
    """

    name: str
    title: str | None = None
    topics: tuple[str, ...] = ()
    project: str | None = None
    branch: str | None = None
    client: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    turns: int = 0
