"""People, places and things that conversations name, and how they hang together."""

from dataclasses import dataclass
from enum import StrEnum

from clew.types.record import Record


class NodeType(StrEnum):
    """What an entity is. The order is also that in which equally well supported types win."""

    PERSON = "person"
    PLACE = "place"
    ORGANIZATION = "organization"
    PRODUCT = "product"
    WORK = "work"
    CONCEPT = "concept"
    NAME = "name"
    """Something with a name of its own of which no more is known."""


class EdgeType(StrEnum):
    """How two entities hang together."""

    MENTIONED_WITH = "mentioned_with"
    """Both are named in one turn."""
    SPEAKS_OF = "speaks_of"
    """A person names the other in a turn of their own."""
    RELATED_TO = "related_to"
    """Somebody said so."""


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """One entity of a space.

    Attributes:
        name: its commonest spelling, aliases aside; of equally common ones the first by code points.
        type: what most of its mentions say it is, see `NodeType`.
        turns: how many turns name it, or are its own if it is a speaker.
        aliases: other spellings and names for it, sorted.
    """

    name: str
    type: NodeType
    turns: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameSpan(Record):
    """Where a model sees a name in a text.

    Attributes:
        start: its first character.
        end: the character after its last.
        type: what the model says it is, in our types; `NAME` where it says something that we have no type for.
    """

    start: int
    end: int
    type: NodeType


@dataclass(frozen=True, slots=True)
class Neighbour(Record):
    """An entity beside another.

    Attributes:
        name: the neighbour.
        type: what it is.
        edge: how they hang together.
        turns: in how many turns.
    """

    name: str
    type: NodeType
    edge: EdgeType
    turns: int


@dataclass(frozen=True, slots=True)
class EntityPage(Record):
    """One entity with what surrounds it.

    Attributes:
        neighbours: those it shares most turns with first; of equal ones by name.
        turn_ids: turns that name it, newest first.
    """

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    turn_ids: tuple[str, ...]
