"""A project as it was read last: its files, nodes and edges, for those who ask.

    with Project.open("path/to/repository") as project:
        for node in project.symbols_named("Memory.recall"):
            print(node.id, project.dependents(node.path))

Reading never changes the store, and sees what is new after `genesis` or `update` of this or another process.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from clew.errors import NotFoundError
from clew.models.protocol import Embedder
from clew.project.edges import References
from clew.project.index import ProjectIndex
from clew.project.layout import Layout
from clew.project.limits import Limits, limits_of
from clew.project.nodes import EdgeKind, NodeKind, ProjectChanges, ProjectEdge, ProjectFile, ProjectNode
from clew.project.vectors import NodeVectors, embed, stored_vectors
from clew.project.walk import as_shown

_REFERRING: Final = (EdgeKind.CALLS, EdgeKind.INHERITS)


class Project:
    """A project that has a store. Open it with `Project.open`; several threads may read it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.index = ProjectIndex(layout.index)

    @classmethod
    def open(cls, root: str | Path) -> "Project":
        """Opens the project of a folder.

        Raises:
            NotFoundError: there is no such folder, or no store in it.
            StoreError: the store is damaged.
        """
        layout = Layout.of(root)
        if not layout.index.is_file():
            raise NotFoundError(f"there is no project in {str(layout.root)!r}; run `clew project genesis` there first")
        return cls(layout)

    @classmethod
    def find(cls, start: str | Path) -> "Project | None":
        """Opens the project of the nearest folder, upwards from a file or folder; None when there is none."""
        root = root_of(start)
        return None if root is None else cls(Layout(root))

    def __enter__(self) -> "Project":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store."""
        self.index.close()

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.layout.root

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        return self.layout.folder

    @property
    def generation(self) -> int:
        """Number of the state; 0 before the first genesis."""
        return int(self.index.meta("generation") or 0)

    @property
    def digest(self) -> str:
        """A hash of all paths and objects; the same for the same project read by the same rules."""
        return self.index.meta("digest") or ""

    @property
    def embedded(self) -> int:
        """How many vectors were ever stored; it grows with each call of `embed` that stores some."""
        return int(self.index.meta("embedded") or 0)

    @property
    def limits(self) -> Limits:
        """What of the folder belonged to the project when it was read last."""
        return limits_of(self.index)

    def files(self) -> list[ProjectFile]:
        """All files, in the order of paths."""
        return self.index.files()

    def file(self, path: str) -> ProjectFile | None:
        """The file of a path."""
        return self.index.file(path)

    def nodes(self, *, kind: NodeKind | None = None, path: str | None = None) -> Iterator[ProjectNode]:
        """All nodes in the order of path and line, or those of a kind, of a file, or both."""
        if path is not None:
            rows = self.index.nodes("of_path", path)
        elif kind is not None:
            rows = self.index.nodes("of_kind", kind)
        else:
            rows = self.index.nodes()
        yield from (node for node in rows if kind is None or node.kind is kind)

    def node(self, node_id: str) -> ProjectNode | None:
        """The node of an id."""
        return self.index.node(node_id)

    def edges(
        self, *, kind: EdgeKind | None = None, source: str | None = None, target: str | None = None
    ) -> Iterator[ProjectEdge]:
        """Edges, or those of a kind, from a node, to a node; of names only where they can mean one node."""
        for edge in self._edges(kind, source, target):
            if (source is None or edge.source == source) and (target is None or edge.target == target):
                yield edge

    def _edges(self, kind: EdgeKind | None, source: str | None, target: str | None) -> Iterator[ProjectEdge]:
        if kind in (None, EdgeKind.CONTAINS):
            ends = source or target
            yield from contained(self.nodes(path=None if ends is None else ends.partition("#")[0]))
        if kind in (None, EdgeKind.IMPORTS):
            yield from (ProjectEdge(*pair, EdgeKind.IMPORTS) for pair in self.index.dependencies())
        if kind is None or kind in _REFERRING:
            yield from (edge for edge in self._referring(kind, source, target) if kind in (None, edge.kind))

    def _referring(self, kind: EdgeKind | None, source: str | None, target: str | None) -> Iterator[ProjectEdge]:
        references = References(self.index)
        if source is not None:
            yield from references.edges(self.index.references("of_path", source.partition("#")[0]))
        elif target is not None:
            node = self.node(target)
            yield from references.edges(self.index.references("to", node.name) if node else ())
        elif kind == EdgeKind.INHERITS:
            kinds = (NodeKind.CLASS, NodeKind.MODULE)
            references.prefetch(node for base in kinds for node in self.index.nodes("of_kind", base))
            yield from references.edges(self.index.references("of_kind", kind))
        else:
            references.prefetch(self.index.nodes())
            yield from references.edges(self.index.references())

    def changes(self, since: int) -> ProjectChanges:
        """What changed after a generation; after 0 everything."""
        changed = tuple(self.index.nodes("since", since))
        return ProjectChanges(self.generation, changed, tuple(self.index.removed(since)))

    def imported(self, path: str) -> tuple[str, ...]:
        """What a file imports, as the file writes it, from the project or from elsewhere; see `parse.imports`."""
        return tuple(self.index.imported(path))

    def dependents(self, path: str) -> tuple[str, ...]:
        """The files that import a file."""
        return tuple(self.index.dependents(path))

    def paths_like(self, mention: str) -> tuple[str, ...]:
        """The path that is mentioned, or else all paths that end like it, on a border of names; one is unique."""
        written = as_shown(mention)
        forms = dict.fromkeys((written, written.replace("\\", "/")))
        return next((paths for form in forms if (paths := self._paths_ending(form))), ())

    def _paths_ending(self, mention: str) -> tuple[str, ...]:
        wanted = mention.removeprefix("./").rstrip("/")
        if not wanted:
            return ()
        inside = wanted.removeprefix(f"{self.root.as_posix()}/")
        if self.file(inside):
            return (inside,)
        return tuple(self.index.paths_ending(f"/{wanted.lstrip('/')}"))

    def paths_named(self, name: str) -> tuple[str, ...]:
        """The paths of all files with a name, which has no slash."""
        return tuple(self.index.paths_ending(f"/{name}"))

    def symbols_named(self, name: str) -> tuple[ProjectNode, ...]:
        """Nodes with a name, or with a qualified name that ends like it: `recall`, `Memory.recall`, `a::B`, `A#b`."""
        parts = [part for part in name.replace("::", ".").replace("#", ".").removesuffix("()").split(".") if part]
        if not parts:
            return ()
        symbols = [node for node in self.index.nodes("of_name", parts[-1]) if node.kind is not NodeKind.FILE]
        return tuple(node for node in symbols if _full_name(node)[-len(parts) :] == parts)

    def search(self, text: str, *, limit: int = 20) -> list[tuple[ProjectNode, float]]:
        """The nodes that fit the words of a text best, with their BM25 scores."""
        return self.index.search(text, limit)

    def embed(self, embedder: Embedder, nodes: Iterable[ProjectNode]) -> int:
        """Embeds nodes that have no vector of this model yet; returns how many there were.

        Raises:
            ModelError: the model failed; the vectors of earlier batches are kept.
        """
        return embed(self.index, embedder, nodes)

    def vectors(self, model: str, nodes: Iterable[ProjectNode] | None = None) -> NodeVectors:
        """The stored vectors of a model, of all nodes or of these."""
        return stored_vectors(self.index, model, self.nodes() if nodes is None else nodes)


def root_of(start: str | Path) -> Path | None:
    """The nearest folder with the store of a project, upwards from a file or folder; None when there is none."""
    place = Path(start).expanduser().resolve()
    folders = (folder for folder in (place, *place.parents) if Layout(folder).index.is_file())
    return next(folders, None)


def contained(nodes: Iterable[ProjectNode]) -> Iterator[ProjectEdge]:
    """Which node contains which, of nodes in the order of path and line; a file contains what nothing in it does."""
    by_name: dict[tuple[str, str], str] = {}
    for node in nodes:
        if node.kind is NodeKind.FILE:
            by_name[node.path, ""] = node.id
            continue
        by_name[node.path, node.qualified] = node.id
        above = node.qualified
        while above:
            above = above.rpartition(" > " if node.kind is NodeKind.HEADING else ".")[0]
            if (container := by_name.get((node.path, above))) is not None:
                yield ProjectEdge(container, node.id, EdgeKind.CONTAINS)
                break


def _full_name(node: ProjectNode) -> list[str]:
    """The parts of a node's name, with those of its file before it: `src`, `a`, `Class`, `method`."""
    path = node.path.rpartition(".")[0] or node.path
    return [*path.split("/"), *node.qualified.partition("~")[0].split(".")[:-1], node.name]
