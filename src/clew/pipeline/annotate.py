"""Annotations as rows and back. What one stage says of one turn at one time is one row (docs/decisions/0006)."""

import json
from collections.abc import Iterable
from typing import Any, Final, cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.pipeline.prepare import WEIGHING, Prepared
from clew.store.protocol import Reader, Transaction
from clew.store.tables import Row
from clew.types.annotation import Annotation
from clew.types.ids import turn_id

PROVENANCE: Final = "rule"
ANALYSIS: Final = "analysis"
"""The kind of row that holds what is said of a turn in the light of those before it."""

TAG: Final = "tag"
"""The namespace of labels that say what something is about."""

NAME_OWNER: Final = "tag:"
"""What is kept of a label of that namespace is owned by this prefix and its name."""

SAID: Final = "said"
"""The row of META that counts how often rows of turns were replaced that had been final: who remembers them notices."""

_TOGETHER: Final = (WEIGHING, ANALYSIS)


def annotation_rows(space: str, items: Iterable[tuple[str, Prepared]]) -> list[Row]:
    """One row for each annotation of each turn, given by its id."""
    return [
        (space, owner, kind, value, PROVENANCE, ANALYZE_VERSION)
        for owner, item in items
        for kind, value in item.annotations.items()
    ]


def with_the_turn(row: Row) -> bool:
    """Whether a row is one of those that are written with the turn itself."""
    return row[4] == PROVENANCE and row[2] != ANALYSIS


def replaced(reader: Reader, space: str) -> int:
    """How often annotations of turns were replaced that had been final."""
    row = reader.get("meta", (space, SAID))
    return 0 if row is None else int(cast(str, row[2]))


def note_replaced(tx: Transaction, space: str) -> None:
    """Counts once more; whoever replaces or removes annotations of analysed turns calls it in the same transaction."""
    tx.put("meta", [(space, SAID, str(replaced(tx, space) + 1))])


def annotations_of(reader: Reader, space: str, owner: str) -> dict[str, Annotation]:
    """All that is said of a turn or node, by kind, sorted; what nobody computed is absent.

    Where the analysis says something again in the light of more (domains, with a vector), that counts.
    """
    found: dict[str, Annotation] = {}
    rows = reader.scan("annotation", (space, owner), (space, owner))
    for _, _, kind, value, provenance, version in sorted(rows, key=lambda row: row[2] == ANALYSIS):
        said: Any = json.loads(cast(str, value))
        for name, each in said.items() if kind in _TOGETHER else ((cast(str, kind), said),):
            found[name] = Annotation(value=each, provenance=cast(str, provenance), version=cast(int, version))
    return dict(sorted(found.items()))


def orphans(reader: Reader, space: str) -> list[str]:
    """Owners of annotations that are no stored turn and no label in use, sorted."""
    owners = {cast(str, owner) for (owner,) in reader.scan("annotation", (space,), (space,), columns=("owner",))}
    places = reader.scan("turn", (space,), (space,), columns=("session", "seq"))
    left = owners - {turn_id(cast(str, session), cast(int, seq)) for session, seq in places}
    labels = reader.scan("label", (space, TAG), (space, TAG), index="name", columns=("name",)) if left else []
    return sorted(left - {NAME_OWNER + cast(str, name) for (name,) in labels})
