"""What conversations say of a project: decisions about a file or symbol, and what drifted apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeDecision(Record):
    """What was decided, required or asked about a file or symbol.

    Attributes:
        turn: id of the turn that says so.
        kind: `decision`, `constraint`, `failure` or `request` (what led to a change).
        text: the sentence, or the beginning of the request.
        how: how the turn concerns the file: `edited`, `read`, `ran`, `said` or `shown`; `named` for a symbol.
        changed_by: ids of later turns that changed the file, the newest first, at most three: the more of them, the
            more may be out of date.
        changed_on_disk: whether the file was written after the turn; None where that is not known.
    """

    turn: str
    session: str
    at: datetime | None
    kind: str
    text: str
    how: str
    changed_by: tuple[str, ...] = ()
    changed_on_disk: bool | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the code changed after this was said."""
        return bool(self.changed_by) or bool(self.changed_on_disk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreflected(Record):
    """A decision that names files or symbols of which the project has none.

    Attributes:
        names: what it names and the project has not.
    """

    turn: str
    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectDrift(Record):
    """How far a project and the conversations about it have drifted apart.

    Attributes:
        root: the project's folder.
        files: how many files it has; explained: how many of them a turn concerns.
        unexplained: those that none concerns, the most central first: by the files that import them, and by the
            overlays that they belong to.
        imported_by: of the unexplained files that others import, how many do.
        unreflected: decisions that no code reflects, the newest first.
    """

    root: str
    files: int
    explained: int
    unexplained: tuple[str, ...]
    unreflected: tuple[Unreflected, ...]
    imported_by: Mapping[str, int] = field(default_factory=dict)
