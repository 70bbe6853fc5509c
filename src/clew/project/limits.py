"""What of a folder belongs to its project, as it was set when the project was read."""

import json
from dataclasses import dataclass
from typing import Final

from clew.project.index import ProjectIndex

MAX_BYTES: Final = 2_000_000
"""Size of a file from which it is skipped, unless set otherwise."""
_KEY: Final = "limits"


@dataclass(frozen=True, slots=True)
class Limits:
    """What of a folder belongs to the project.

    Attributes:
        max_bytes: larger files are skipped.
        exclude: patterns in the form of .gitignore of what is left out, beside those of the project itself.
    """

    max_bytes: int = MAX_BYTES
    exclude: tuple[str, ...] = ()


def limits_of(index: ProjectIndex) -> Limits:
    """The limits of the last run; the usual ones before the first."""
    kept = index.meta(_KEY)
    if kept is None:
        return Limits()
    max_bytes, *exclude = json.loads(kept)
    return Limits(max_bytes, tuple(exclude))


def put_limits(index: ProjectIndex, limits: Limits) -> None:
    """Keeps the limits of a run; within a transaction."""
    index.set_meta(_KEY, json.dumps([limits.max_bytes, *limits.exclude]))
