"""A graph of entities, unique by normalised name, each with a type; and spreading activation along its edges.

Pure and deterministic: the result does not depend on the order in which entities and edges are added. `stored_graph`
implements the same protocol (`Linked`), so that one function spreads activation through both.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, Self

from clew.analyze.entities import entity_key
from clew.errors import InputError, NotFoundError, shown
from clew.types.entity import EdgeType, Entity, Neighbour, NodeType

DECAY: Final = 0.5
ITERATIONS: Final = 3
MINIMUM: Final = 0.01
TOP: Final = 10
"""Parameters of the spreading activation (HCE)."""

_DIGITS: Final = 6


class Linked(Protocol):
    """A graph through which activation can spread."""

    def find(self, name: str) -> str | None:
        """The key of the entity that a name refers to; None when there is none."""
        ...

    def linked(self, key: str) -> Sequence[str]:
        """The keys of an entity's neighbours, without duplicates."""
        ...


def spreading_activation(
    graph: Linked,
    seeds: Sequence[str] | Mapping[str, float],
    *,
    decay: float = DECAY,
    iterations: int = ITERATIONS,
    minimum: float = MINIMUM,
    top: int = TOP,
) -> dict[str, float]:
    """The activation of entities near the seeds, by key, strongest first; ties by key.

    In each iteration every entity passes `decay` times the energy that reached it in the previous iteration on to its
    neighbours in equal parts: dividing by its degree keeps the total energy from growing and hubs from dominating.
    Arriving energy adds up; a seed keeps its own. No activation exceeds that of the strongest seed. Energy below
    `minimum` is not passed on, and activations below it are left out.

    Args:
        seeds: names, each with energy 1, or names with energies above 0.
        top: most entities to return, seeds included.

    Raises:
        NotFoundError: a seed is not in the graph; the message names it.
        InputError: a number is out of its range, a name is not text, or the seeds are one text by itself.
    """
    _check(decay, iterations, minimum, top)
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise InputError(f"seeds is {shown(seeds)}; expected a list of names, or names with energies")
    given = dict(seeds) if isinstance(seeds, Mapping) else dict.fromkeys(seeds, 1.0)
    pulse: dict[str, float] = {}
    for name, energy in given.items():
        if not 0.0 < energy < float("inf"):
            raise InputError(f"seed {name!r} has the energy {energy!r}; expected a number above 0")
        key = graph.find(name)
        if key is None:
            raise NotFoundError(f"seed {name!r} is not an entity of the graph; `find` says which names it knows")
        pulse[key] = max(pulse.get(key, 0.0), energy)
    own, most = dict(pulse), max(pulse.values(), default=0.0)
    reached: dict[str, float] = defaultdict(float)
    for _ in range(iterations):
        pulse = _passed(graph, pulse, decay, minimum)
        for key in sorted(pulse):
            reached[key] += pulse[key]
    found = {key: min(most, energy) for key, energy in reached.items()} | own
    kept = [(key, round(energy, _DIGITS)) for key, energy in found.items() if energy >= minimum]
    return dict(sorted(kept, key=lambda each: (-each[1], each[0]))[:top])


def _check(decay: float, iterations: int, minimum: float, top: int) -> None:
    if not 0.0 <= decay <= 1.0:
        raise InputError(f"decay {decay!r} is out of range; expected 0 to 1")
    for name, value in (("iterations", iterations), ("minimum", minimum), ("top", top)):
        if not value >= 0:
            raise InputError(f"{name} {value!r} is out of range; expected 0 or more")


def _passed(graph: Linked, pulse: Mapping[str, float], decay: float, minimum: float) -> dict[str, float]:
    """The energy that arrives at each neighbour; summed in key order, so that the sum is the same everywhere."""
    arriving: dict[str, float] = defaultdict(float)
    for key in sorted(pulse):
        if pulse[key] < minimum:
            continue
        neighbours = graph.linked(key)
        for other in neighbours:
            arriving[other] += pulse[key] * decay / len(neighbours)
    return dict(arriving)


class EntityGraph:
    """Entities and typed edges in memory.

    An entity is identified by its normalised name (`entity_key`): case, accents, spaces, hyphens and plural do not
    matter. Several types for one name are no error: the most frequent one wins, see `NodeType`.
    """

    def __init__(self) -> None:
        """Create an empty graph."""
        self._types: dict[str, Counter[NodeType]] = {}
        self._forms: dict[str, Counter[str]] = {}
        self._edges: dict[str, Counter[tuple[str, EdgeType]]] = defaultdict(Counter)
        self._aliases: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._types)

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def add_entity(self, name: str, type: NodeType | str = NodeType.CONCEPT, *, count: int = 1) -> str:  # noqa: A002  # the field's name
        """Count mentions of an entity and return its key.

        Raises:
            InputError: the name has no letter or digit, the type is unknown, or the count is below 1.
        """
        key = _key(name)
        if count < 1:
            raise InputError(f"count {count!r} is out of range; expected 1 or more")
        key = self._aliases.get(key, key)
        self._types.setdefault(key, Counter())[_of(NodeType, type)] += count
        self._forms.setdefault(key, Counter())[" ".join(name.split())] += count
        return key

    def add_edge(
        self,
        source: str,
        target: str,
        type: EdgeType | str = EdgeType.MENTIONED_WITH,  # noqa: A002  # as above
        *,
        count: int = 1,
    ) -> None:
        """Count an edge between two entities; an edge from an entity to itself is ignored.

        Edges are undirected; the type says how the two are related.

        Raises:
            NotFoundError: one of them is not in the graph.
            InputError: the type is unknown, or the count is below 1.
        """
        kind = _of(EdgeType, type)
        if count < 1:
            raise InputError(f"count {count!r} is out of range; expected 1 or more")
        first, second = self._known(source), self._known(target)
        if first != second:
            self._edges[first][second, kind] += count
            self._edges[second][first, kind] += count

    def add_alias(self, alias: str, name: str) -> None:
        """Make a second name refer to an entity; an existing entity of that second name is merged into it.

        Raises:
            NotFoundError: the entity is not in the graph.
            InputError: the alias has no letter or digit.
        """
        other, key = _key(alias), self._known(name)
        if other == key or self._aliases.get(other) == key:
            return
        if other in self._types:
            self._join(other, key)
        self._aliases |= {each: key for each, target in self._aliases.items() if target == other} | {other: key}
        self._forms[key][" ".join(alias.split())] += 0

    def find(self, name: str) -> str | None:
        """The key of the entity that a name or an alias refers to; None when there is none."""
        key = _plain_key(name)
        key = self._aliases.get(key, key)
        return key if key in self._types else None

    def linked(self, key: str) -> Sequence[str]:
        """The keys of an entity's neighbours, sorted; none for an unknown key."""
        return sorted({other for other, _ in self._edges.get(key, ())})

    def entity(self, name: str) -> Entity:
        """An entity by any of its names.

        Raises:
            NotFoundError: it is not in the graph.
        """
        key = self._known(name)
        return entity_of(key, self._types[key], self._forms[key])

    def entities(self) -> tuple[Entity, ...]:
        """All entities, the most mentioned first; ties by name."""
        listed = [entity_of(key, self._types[key], self._forms[key]) for key in self._types]
        return tuple(sorted(listed, key=lambda each: (-each.turns, each.name)))

    def neighbours(self, name: str) -> tuple[Neighbour, ...]:
        """An entity's neighbours, one for each kind of edge, the strongest first; ties by name.

        Raises:
            NotFoundError: the entity is not in the graph.
        """
        return self.entity_by_key(self._known(name))[1]

    def entity_by_key(self, key: str) -> tuple[Entity, tuple[Neighbour, ...]]:
        """An entity and its neighbours, by a key that this graph returned."""
        found = []
        for (other, kind), count in self._edges.get(key, Counter[tuple[str, EdgeType]]()).items():
            entity = entity_of(other, self._types[other], self._forms[other])
            found.append(Neighbour(entity.name, entity.type, kind, count))
        ranked = tuple(sorted(found, key=lambda each: (-each.turns, each.name, each.edge)))
        return entity_of(key, self._types[key], self._forms[key]), ranked

    def to_dict(self) -> dict[str, Any]:
        """The graph as primitives, in a fixed order."""
        return {
            "entities": [
                {"key": key, "types": _counts(self._types[key]), "forms": _counts(self._forms[key])}
                for key in sorted(self._types)
            ],
            "edges": [
                {"source": key, "target": other, "type": str(kind), "count": count}
                for key in sorted(self._edges)
                for (other, kind), count in sorted(self._edges[key].items())
                if key < other
            ],
            "aliases": dict(sorted(self._aliases.items())),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote.

        Raises:
            InputError: the record cannot be read.
        """
        graph = cls()
        try:
            graph._aliases = {str(alias): str(key) for alias, key in data["aliases"].items()}
            for record in data["entities"]:
                key = str(record["key"])
                graph._forms[key] = Counter({str(form): int(count) for form, count in record["forms"].items()})
                graph._types[key] = Counter({_of(NodeType, kind): int(n) for kind, n in record["types"].items()})
                if not graph._forms[key] or not graph._types[key]:
                    raise InputError(f"the entity {shown(key)} has no spelling or no type; expected what to_dict wrote")
            for record in data["edges"]:
                first, second, kind = record["source"], record["target"], _of(EdgeType, record["type"])
                if not {first, second} <= graph._types.keys():
                    raise InputError(f"the edge from {first!r} to {second!r} has an end that is not an entity")
                graph._edges[first][second, kind] += int(record["count"])
                graph._edges[second][first, kind] += int(record["count"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"the record is not an entity graph ({error!r}); expected what to_dict wrote") from error
        return graph

    def _known(self, name: str) -> str:
        key = self.find(name)
        if key is None:
            raise NotFoundError(f"{name!r} is not an entity of the graph; add it with add_entity first")
        return key

    def _join(self, other: str, key: str) -> None:
        self._types[key].update(self._types.pop(other))
        self._forms[key].update(self._forms.pop(other))
        for (third, kind), count in self._edges.pop(other, Counter[tuple[str, EdgeType]]()).items():
            del self._edges[third][other, kind]
            if third != key:
                self._edges[key][third, kind] += count
                self._edges[third][key, kind] += count


def entity_of(key: str, types: Mapping[NodeType, int], forms: Mapping[str, int]) -> Entity:
    """One entity from counts of the types and the spellings of its mentions.

    `NAME` and `CONCEPT` say little about an entity: another type wins if at least one mention in four has one. Ties go
    to the type that comes first in `NodeType`. The entity's name is its most frequent spelling that is not an alias.
    """
    order = list(NodeType)
    total = sum(types.values())
    telling = {kind: n for kind, n in types.items() if kind not in (NodeType.NAME, NodeType.CONCEPT)}
    chosen = telling if 4 * sum(telling.values()) >= total and any(telling.values()) else types
    kind = min(chosen, key=lambda each: (-chosen[each], order.index(each)))
    name = min(forms, key=lambda form: (entity_key(form) != key, -forms[form], form))
    return Entity(name, kind, total, tuple(sorted(form for form in forms if form != name)))


def _plain_key(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"the name is {shown(name)}; expected text, as a str")
    return entity_key(name)


def _key(name: object) -> str:
    key = _plain_key(name)
    if not key:
        raise InputError(f"the name {name!r} has no letter or digit; an entity needs one")
    return key


def _of(kinds: Any, value: Any) -> Any:
    try:
        return kinds(value)
    except ValueError as error:
        raise InputError(f"{value!r} is no {kinds.__name__}; expected one of {', '.join(kinds)}") from error


def _counts(counts: Mapping[Any, int]) -> dict[str, int]:
    return {str(each): count for each, count in sorted(counts.items())}
