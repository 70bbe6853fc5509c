"""The rows of rule annotations: written with the turn, and again by a rebuild."""

from collections.abc import Iterable
from typing import cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.pipeline.prepare import Prepared
from clew.store.protocol import Reader
from clew.store.tables import Row
from clew.types.ids import turn_id

PROVENANCE = "rule"


def annotation_rows(space: str, items: Iterable[tuple[str, Prepared]]) -> list[Row]:
    """One row for each annotation of each turn, given by its id."""
    return [
        (space, owner, kind, value, PROVENANCE, ANALYZE_VERSION)
        for owner, item in items
        for kind, value in item.annotations.items()
    ]


def orphans(reader: Reader, space: str) -> list[str]:
    """Owners of annotations that are no stored turn, sorted."""
    owners = {cast(str, owner) for (owner,) in reader.scan("annotation", (space,), (space,), columns=("owner",))}
    places = reader.scan("turn", (space,), (space,), columns=("session", "seq"))
    return sorted(owners - {turn_id(cast(str, session), cast(int, seq)) for session, seq in places})
