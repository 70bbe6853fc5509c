"""The tree of an expression. Leaves say one thing of a turn; `Not`, `And`, `Or` join them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Operator = Literal[">", ">=", "<", "<=", "=", "!="]


@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """A score beside a number: `O1 > 7`. `field` is a name of `clew.rank.algebra.fields.SCORES`."""

    field: str
    operator: Operator
    number: float


@dataclass(frozen=True, slots=True)
class LabelWeight:
    """The weight of a label, 0 to 1, beside a number; the label alone asks whether a turn has it at all.

    Attributes:
        name: as it was written; of an overlay its full name.
    """

    namespace: str
    name: str
    operator: Operator = ">"
    number: float = 0.0


@dataclass(frozen=True, slots=True)
class FlagSet:
    """A flag of `clew.rank.algebra.fields.FLAGS`."""

    name: str


@dataclass(frozen=True, slots=True)
class FieldEquals:
    """Who speaks, or where. A speaker is compared without regard to case, a session exactly."""

    field: Literal["role", "speaker", "session"]
    operator: Literal["=", "!="]
    value: str


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Event time from `since` on, included, and before `until`; None for no limit on that side."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words of a turn hold a phrase, as `find_quote` finds it: case, accents and marks aside."""

    phrase: str


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary; of what is unknown, unknown."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class And:
    """All of two or more parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of two or more parts at least."""

    parts: tuple["Node", ...]


Leaf = ScoreComparison | LabelWeight | FlagSet | FieldEquals | TimeRange | Phrase
Node = Leaf | Not | And | Or
