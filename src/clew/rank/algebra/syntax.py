"""The nodes of an expression's tree: leaves are conditions on a turn, joined by `Not`, `And` and `Or`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Operator = Literal[">", ">=", "<", "<=", "=", "!="]


@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """A score compared with a number: `O1 > 7`. `field` is one of `clew.rank.algebra.fields.SCORES`."""

    field: str
    operator: Operator
    number: float


@dataclass(frozen=True, slots=True)
class LabelWeight:
    """The weight of a label, 0 to 1, compared with a number; by default whether a turn has the label at all.

    Attributes:
        name: the label as written; for an overlay its full name.
    """

    namespace: str
    name: str
    operator: Operator = ">"
    number: float = 0.0


@dataclass(frozen=True, slots=True)
class FlagSet:
    """Whether a flag of `clew.rank.algebra.fields.FLAGS` is set."""

    name: str


@dataclass(frozen=True, slots=True)
class FieldEquals:
    """Role, speaker or session compared with a name; speakers without regard to case, sessions exactly."""

    field: Literal["role", "speaker", "session"]
    operator: Literal["=", "!="]
    value: str


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Event time at or after `since` and before `until`; None for no limit on that side."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """The text of a turn contains a phrase, compared as in `find_quote`: without case, accents and punctuation."""

    phrase: str


@dataclass(frozen=True, slots=True)
class About:
    """A turn concerns a file (`file`), changes it (`edited`), or names a symbol or commit.

    Attributes:
        name: path or the end of one, which may have `*`; name of the symbol, qualified or not; beginning of the hash.
    """

    kind: Literal["file", "edited", "symbol", "commit"]
    name: str


@dataclass(frozen=True, slots=True)
class ProjectMeet:
    """The meet (`~`) with the project's overlay, 0 to 10, compared with a number."""

    overlay: str
    operator: Operator = ">="
    number: float | None = None  # None: active by the setting


@dataclass(frozen=True, slots=True)
class ProjectLink:
    """A turn is linked (`~`) to an element of the project that is meant by a path, a symbol or words."""

    wanted: About | Phrase


@dataclass(frozen=True, slots=True)
class Not:
    """Negation; unknown stays unknown."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of two or more parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of two or more parts."""

    parts: tuple["Node", ...]


Leaf = ScoreComparison | LabelWeight | FlagSet | FieldEquals | TimeRange | Phrase | About | ProjectMeet | ProjectLink
Node = Leaf | Not | And | Or
