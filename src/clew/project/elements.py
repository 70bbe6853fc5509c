"""The elements of a project, as overlays, links and the meet look at them: files, and what stands in them."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.project.nodes import EdgeKind, NodeKind, ProjectNode
from clew.project.project import Project
from clew.types.record import Record

FILE: Final = "file"
SUBPACKAGE: Final = "subpackage"
_PACKAGE: Final = "__init__.py"

_FORM: Final = re.compile(r"(?<![\w@.])(interface|trait|struct|protocol|abstract(?: \w+)* class)(?=\s+\w)")
"""The keyword before the name of a type; `@interface` of Java is an annotation."""
_ABSTRACT_CLASS: Final = "abstract class"
FORMS: Final = ("interface", "trait", "struct", _ABSTRACT_CLASS)
"""What a class can be more closely."""
_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_GO_TYPE: Final = re.compile(r"\b(interface|struct)\b\s*(?:\{|$)")
_ABSTRACT: Final = re.compile(r"[(,]\s*(?:metaclass\s*=\s*)?(?:\w+\.)*(?:Protocol|ABC|ABCMeta|Interface)\s*[\[,)]")
"""Bases by which a class of Python says that others implement it."""
_TITLE: Final = re.compile(
    r"(?i)(?:(?P<theorem>theorem|lemma|corollary|proposition)|(?P<goal>goal|objective)|(?P<principle>principle))"
    r"(?:\s+[\d.]+|\s+[IVX]+\b|\s*[:(.])"
)
"""Titles of sections that state one numbered or named theorem, goal or principle."""


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
        used_by: of a file the number of others that import it; of a class the number of those derived from it, of a
            module of Ruby the number of those that it is mixed into.
        digest: of the file's content.
        form: what it is more closely: `interface`, `trait`, `struct`, `abstract class`, `theorem`, `goal`, or of a file
            `subpackage`, where the project's folder is the package; empty if nothing says so.
    """

    id: str
    path: str
    kind: str = FILE
    name: str = ""
    text: str = ""
    imports: Sequence[str] = ()
    used_by: int = 0
    digest: str = ""
    form: str = ""

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
    is_package = project.file(_PACKAGE) is not None
    return [
        _element(node, imported.get(node.path, ()), users[node.path], is_package=is_package)
        if node.kind is NodeKind.FILE
        else _element(node, (), derived[node.id], is_package=is_package)
        for node in project.nodes()
    ]


def _element(node: ProjectNode, imports: Sequence[str], users: int, *, is_package: bool) -> ProjectElement:
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
        form=SUBPACKAGE if is_package and is_file and node.path.endswith(f"/{_PACKAGE}") else form_of(node),
    )


def form_of(node: ProjectNode) -> str:
    """What a node is more closely than by its kind, as its signature or title says; empty if neither does."""
    if node.kind is NodeKind.HEADING:
        match = _TITLE.match(node.name)
        return next((form for form, word in match.groupdict().items() if word), "") if match else ""
    if node.kind is not NodeKind.CLASS:
        return ""
    if node.language == "python":
        return "interface" if _ABSTRACT.search(node.signature) else ""
    if node.language == "go":
        match = _GO_TYPE.search(node.signature)
        return match[1] if match else ""
    match = _FORM.search(_ARGUMENTS.sub("", node.signature).partition("<")[0])
    written = match[1] if match else ""
    return _ABSTRACT_CLASS if written.startswith("abstract") else written
