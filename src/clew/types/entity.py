"""People, places and things that conversations name, and the relations between them."""

from dataclasses import dataclass
from enum import StrEnum

from clew.types.record import Record


class NodeType(StrEnum):
    """The type of an entity. Among equally supported types the first in this order wins."""

    PERSON = "person"
    PLACE = "place"
    ORGANIZATION = "organization"
    PRODUCT = "product"
    WORK = "work"
    CONCEPT = "concept"
    NAME = "name"
    """Something with a proper name whose type is unknown."""


class EdgeType(StrEnum):
    """The relation between two entities."""

    MENTIONED_WITH = "mentioned_with"
    """Both are named in the same turn."""
    SPEAKS_OF = "speaks_of"
    """One is a speaker who names the other."""
    RELATED_TO = "related_to"
    """The relation was stated explicitly."""


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """One entity of a space.

    Attributes:
        name: its most frequent spelling, aliases excluded; among ties the first by code points.
        type: the type that most of its mentions support.
        turns: number of turns that name it or, for a speaker, that it spoke.
        aliases: other spellings and names for it, sorted.
    """

    name: str
    type: NodeType
    turns: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameSpan(Record):
    """A name that a model found in a text.

    Attributes:
        start: index of its first character.
        end: index after its last character.
        type: the model's type as a `NodeType`; `NAME` if there is no corresponding one.
    """

    start: int
    end: int
    type: NodeType


@dataclass(frozen=True, slots=True)
class Neighbour(Record):
    """A neighbour of an entity in the graph.

    Attributes:
        name: name of the neighbour.
        type: type of the neighbour.
        edge: the relation between the two.
        turns: number of turns that support the relation.
    """

    name: str
    type: NodeType
    edge: EdgeType
    turns: int


@dataclass(frozen=True, slots=True)
class EntityPage(Record):
    """One entity with its neighbours and turns.

    Attributes:
        neighbours: by number of shared turns, most first; ties by name.
        turn_ids: turns that name it, newest first.
    """

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    turn_ids: tuple[str, ...]
