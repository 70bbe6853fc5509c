"""What a change of a file or symbol may reach: everything that uses it, and what uses that."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.errors import NotFoundError
from clew.project.edges import References
from clew.project.nodes import EdgeKind, NodeKind, ProjectNode
from clew.project.project import Project
from clew.project.walk import as_shown
from clew.types.record import Record

_Users = Callable[[Project, References, str], Iterable[tuple[str, EdgeKind]]]
"""What uses a node, and how."""


@dataclass(frozen=True, slots=True)
class Reached(Record):
    """A file or symbol that a change may reach.

    Attributes:
        id: of the node.
        path: of its file.
        distance: how many steps away it is; 1 uses what changes itself.
        kind: how it uses the node before it.
        through: id of that node.
    """

    id: str
    path: str
    distance: int
    kind: EdgeKind
    through: str


@dataclass(frozen=True, slots=True)
class BlastRadius(Record):
    """What a change of some nodes may reach, the nearest first; of one distance in the order of ids."""

    changed: tuple[str, ...]
    reached: tuple[Reached, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are reached, each once, sorted."""
        return tuple(sorted({node.path for node in self.reached}))


def blast_radius(project: Project, target: str, *, depth: int | None = None) -> BlastRadius:
    """What a change may reach.

    A file reaches the files that import it. A symbol reaches the symbols that call it or inherit from it, where the
    name can mean no other; then the files that import its file, which may use it in a way that no name shows.

    Args:
        target: an id, a path or the end of one, or the name of a symbol.
        depth: the greatest distance; None for all.

    Raises:
        NotFoundError: nothing in the project is called like this, or several things are.
    """
    start = find_node(project, target)
    if start.kind is NodeKind.FILE:
        return BlastRadius((start.id,), tuple(_spread(project, {start.id}, _importers, depth)))
    within = {
        node.id for node in project.nodes(path=start.path) if node.start >= start.start and node.end <= start.end
    } - {start.path}
    reached = list(_spread(project, within | {start.id}, _users, depth))
    files = {start.path, *(affected.path for affected in reached)}
    importers = (path for path in project.dependents(start.path) if path not in files)
    reached += [Reached(path, path, 1, EdgeKind.IMPORTS, start.path) for path in importers]
    return BlastRadius((start.id,), tuple(sorted(reached, key=lambda each: (each.distance, each.id))))


def find_node(project: Project, target: str) -> ProjectNode:
    """The one node with an id, a path or the end of one, or a name.

    Raises:
        NotFoundError: there is none, or there are several.
    """
    target = as_shown(target)
    exact = project.node(target)
    if exact is not None:
        return exact
    nodes = [node for path in project.paths_like(target) if (node := project.node(path)) is not None]
    nodes = nodes or _without_constructors(project.symbols_named(target))
    if len(nodes) == 1:
        return nodes[0]
    if not nodes:
        raise NotFoundError(f"{target!r} is not a file or symbol of the project; `clew project query` finds those")
    named = ", ".join(node.id for node in nodes[:5]) + (", ..." if len(nodes) > 5 else "")
    raise NotFoundError(f"{target!r} may be one of {len(nodes)}: {named}; name one of them")


def _without_constructors(nodes: Sequence[ProjectNode]) -> list[ProjectNode]:
    """Of the symbols with a name, the class that all others are in: its constructors are called like it."""
    classes = [
        node
        for node in nodes
        if node.kind is NodeKind.CLASS
        and all(other_node is node or other_node.qualified.startswith(f"{node.qualified}.") for other_node in nodes)
    ]
    return classes if len(classes) == 1 else list(nodes)


def _spread(project: Project, start: set[str], users: _Users, depth: int | None) -> Iterator[Reached]:
    """What is reached from some nodes, step by step."""
    seen, edge, distance = set(start), sorted(start), 0
    references = References(project.index)
    while edge and (depth is None or distance < depth):
        distance += 1
        following: dict[str, Reached] = {}
        for node in edge:
            for user, kind in users(project, references, node):
                if user not in seen and user not in following:
                    following[user] = Reached(user, user.partition("#")[0], distance, kind, node)
        yield from (following[user] for user in sorted(following))
        seen |= following.keys()
        edge = sorted(following)


def _importers(project: Project, _references: References, path: str) -> Iterable[tuple[str, EdgeKind]]:
    return ((dependent, EdgeKind.IMPORTS) for dependent in project.dependents(path))


def _users(project: Project, references: References, node_id: str) -> Iterable[tuple[str, EdgeKind]]:
    node = project.node(node_id)
    if node is None or node.kind is NodeKind.FILE:
        return ()
    edges = references.edges(project.index.references("to", node.name))
    return [(edge.source, edge.kind) for edge in edges if edge.target == node_id]
