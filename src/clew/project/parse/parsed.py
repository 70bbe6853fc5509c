"""What parsing a file gives. It depends on the bytes of the file and its language alone, not on its path."""

from dataclasses import dataclass
from typing import Final

from clew.project.nodes import EdgeKind, NodeKind
from clew.types.record import Record

PARSER: Final = 9
"""Version of the rules of this package; a change of what they give must raise it, so that files are parsed again."""

MAX_TEXT: Final = 2_000
"""Characters of a node's text."""
MAX_SIGNATURE: Final = 200


@dataclass(frozen=True, slots=True)
class ParsedNode(Record):
    """A node before it has a path; see `nodes.ProjectNode`."""

    kind: NodeKind
    name: str
    qualified: str
    start: int
    end: int
    signature: str = ""
    text: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Reference(Record):
    """A name that a node uses.

    Attributes:
        node: place of the node in `ParsedFile.nodes`.
        kind: calls or inherits.
        is_member: the name belongs to something before it, as in `a.name()`.
    """

    node: int
    kind: EdgeKind
    name: str
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile(Record):
    """A file, taken apart.

    Attributes:
        language: `text` where there is no grammar for it.
        content: SHA-256 of the bytes of the file.
        nodes: the file itself first, then the others in the order in which they begin.
        imports: what it imports, as the language writes it, secrets masked; `project.resolve` knows the forms.
        syntax_errors: the grammar did not understand a part of it; the rest was read.
        package: what the file says its own place among modules is: the module path of a go.mod, the
            name in a package.json or Cargo.toml (with `_`, as in code).
    """

    language: str
    content: str
    lines: int
    nodes: tuple[ParsedNode, ...]
    imports: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    syntax_errors: bool = False
    package: str = ""
