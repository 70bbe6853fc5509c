"""Counts records that are not stored, and names the first of each kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

NAMED: Final = 20
"""Most records of one kind that are named: a folder of sessions may have millions that are not turns."""


@dataclass(slots=True)
class SkippedRecords:
    """The records skipped so far, by kind: their number, and where the first of them are."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, where: str) -> None:
        """Counts one record."""
        self.update({kind: 1}, {kind: (where,)})

    def update(self, counts: Mapping[str, int], places: Mapping[str, Sequence[str]]) -> None:
        """Adds what another report counts and names."""
        self.counts.update(counts)
        for kind, wheres in places.items():
            named = self.places.setdefault(kind, [])
            named.extend(wheres[: NAMED - len(named)])

    def as_fields(self) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
        """The fields `skipped` and `skipped_at` of a report, sorted by kind."""
        return dict(sorted(self.counts.items())), {kind: tuple(wheres) for kind, wheres in sorted(self.places.items())}
