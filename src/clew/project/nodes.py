"""What a project consists of: files, the symbols and sections in them, and the edges between these."""

from dataclasses import dataclass
from enum import StrEnum

from clew.types.record import Record


class NodeKind(StrEnum):
    """What a node is."""

    FILE = "file"
    MODULE = "module"
    """A namespace inside a file: `namespace` of C++, `module` of Ruby, `mod` of Rust."""
    CLASS = "class"
    """A class, or what stands for one: struct, interface, trait, enumeration, named type."""
    FUNCTION = "function"
    METHOD = "method"
    HEADING = "heading"
    """A section of a document, from its heading to the next one of its level."""
    DECISION = "decision"
    """A recorded decision: a document of that form, or a passage that says "Decision: ..."."""


class EdgeKind(StrEnum):
    """How the source of an edge relates to its target."""

    CONTAINS = "contains"
    IMPORTS = "imports"
    """File to file; a document that links to a file imports it."""
    CALLS = "calls"
    INHERITS = "inherits"


@dataclass(frozen=True, slots=True)
class ProjectNode(Record):
    r"""A file, or a symbol or section in one.

    Attributes:
        id: the path of a file, `src/a.py`; of all else the path and the qualified name, `src/a.py#Class.method`. A name
            that repeats in a file gets `~2`, `~3` in the order of lines.
        path: of its file, from the root of the project, with `/`. Always valid Unicode: each byte of a name that is
            not UTF-8 is written `\xNN`.
        name: its own name; of a file the last part of the path.
        qualified: the name with those that it stands in, joined by `.`; headings by ` > `. Of a file its path.
        language: as `python`; `text` where the file was read as plain text.
        start: first line, from 1.
        end: last line, included.
        signature: its first line or lines up to the body, at most 200 characters.
        text: its docstring, the comment before it, or the text of its section; secrets masked, 2,000 characters.
        hash: 128 bits of the SHA-256 of its own bytes, hexadecimal: the same as long as its source is the same.
    """

    id: str
    kind: NodeKind
    path: str
    name: str
    qualified: str
    language: str
    start: int
    end: int
    signature: str = ""
    text: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class ProjectEdge(Record):
    """A directed edge between the nodes of these ids."""

    source: str
    target: str
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class ProjectFile(Record):
    """A file as the index knows it.

    Attributes:
        content: SHA-256 of its bytes, hexadecimal.
        object: SHA-256 of the object that holds its nodes.
        transform: id of the transform that made the object.
        size: in bytes.
        lines: how many lines it has.
    """

    path: str
    content: str
    object: str
    transform: str
    size: int
    language: str
    lines: int


@dataclass(frozen=True, slots=True)
class ProjectChanges(Record):
    """What changed in a project since a generation.

    Attributes:
        generation: the project's own, from which to ask the next time.
        changed: nodes that are new or whose source, place or text changed.
        removed: ids of nodes that are gone.
    """

    generation: int
    changed: tuple[ProjectNode, ...]
    removed: tuple[str, ...]
