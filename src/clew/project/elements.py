"""The elements of a project, as overlays, links and the meet look at them: files, and what stands in them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.project.nodes import EdgeKind, NodeKind, ProjectNode
from clew.project.project import Project
from clew.types.record import Record

FILE: Final = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectElement(Record):
    """One element of a project.

    Attributes:
        id: identifies it within the project.
        path: of the file, relative to the project's folder, with slashes.
        kind: `file`, or what it is inside its file: `class`, `function`, `heading`, `decision` and others.
        name: qualified name inside the file (`Store.read`); empty for the file itself.
        text: what it says in words: documentation, heading, the beginning of a document.
        imports: modules or files that the file imports.
        used_by: of a file the number of others that import it, of a class that of those derived from it.
        digest: of the file's content.
    """

    id: str
    path: str
    kind: str = FILE
    name: str = ""
    text: str = ""
    imports: Sequence[str] = ()
    used_by: int = 0
    digest: str = ""

    @property
    def title(self) -> str:
        """Path and name, as people write them."""
        return f"{self.path}::{self.name}" if self.name else self.path


def elements_of(project: Project) -> list[ProjectElement]:
    """All elements of a project, in the order of path and line; imports and users are those of files."""
    users = Counter(edge.target for edge in project.edges(kind=EdgeKind.IMPORTS))
    derived = Counter(edge.target for edge in project.edges(kind=EdgeKind.INHERITS))
    imported = defaultdict[str, list[str]](list)
    for path, name in project.index.imports():
        imported[path].append(name)
    return [
        _element(node, imported.get(node.path, ()), users[node.path])
        if node.kind is NodeKind.FILE
        else _element(node, (), derived[node.id])
        for node in project.nodes()
    ]


def _element(node: ProjectNode, imports: Sequence[str], users: int) -> ProjectElement:
    is_file = node.kind is NodeKind.FILE
    return ProjectElement(
        id=node.id,
        path=node.path,
        kind=node.kind.value,
        name="" if is_file else node.qualified,
        text=node.text,
        imports=tuple(imports),
        used_by=users,
        digest=node.hash,
    )
