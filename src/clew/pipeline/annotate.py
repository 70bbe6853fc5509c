"""The rows of rule annotations: written with the turn, and again by a rebuild."""

from collections.abc import Iterable

from clew.analyze.weigh import ANALYZE_VERSION
from clew.pipeline.prepare import Prepared
from clew.store.tables import Row

PROVENANCE = "rule"


def annotation_rows(space: str, items: Iterable[tuple[str, Prepared]]) -> list[Row]:
    """One row for each annotation of each turn, given by its id."""
    return [
        (space, owner, kind, value, PROVENANCE, ANALYZE_VERSION)
        for owner, item in items
        for kind, value in item.annotations.items()
    ]
