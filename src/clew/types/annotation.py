"""One score or flag, with who says so."""

from dataclasses import dataclass
from typing import Any

from clew.types.record import Record


@dataclass(frozen=True, slots=True)
class Annotation(Record):
    """What is said of a turn or node.

    Attributes:
        value: as JSON has it; the kind says what it means (docs/weighing.md).
        provenance: `rule`, `model:<name>` or `user`.
        version: of the rules that said it.
    """

    value: Any
    provenance: str
    version: int
