"""One score or flag on a turn or node, with its provenance."""

from dataclasses import dataclass
from typing import Any

from clew.types.record import Record


@dataclass(frozen=True, slots=True)
class Annotation(Record):
    """One score or flag on a turn or node.

    Attributes:
        value: a JSON value; the annotation's kind defines its meaning (docs/weighing.md).
        provenance: `rule`, `model:<name>` or `user`.
        version: version of the rules that made it.
    """

    value: Any
    provenance: str
    version: int
