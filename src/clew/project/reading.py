"""Reads one file of a project into what the index keeps of it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from clew.project.index import FileTimes, NodeReference, SeenFile
from clew.project.nodes import NodeKind, ProjectFile, ProjectNode
from clew.project.parse.parsed import ParsedFile
from clew.project.walk import FoundFile, SkipReason


def read_bytes(file: FoundFile, max_bytes: int) -> bytes | SkipReason:
    """The bytes of a file that the walk found, or why there are none: it may have changed since."""
    try:
        with Path(file.place).open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError:  # it may not be read, or is gone
        return SkipReason.UNREADABLE
    return SkipReason.TOO_LARGE if len(data) > max_bytes else data


def content_hash(data: bytes) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def seen_file(found: FoundFile, parsed: ParsedFile, name: str, transform: str, seen: int) -> SeenFile:
    """All that the index keeps of a file.

    Args:
        name: SHA-256 of its object.
        transform: id of the transform that made the object.
        seen: the file system's time when the file was read.
    """
    file = ProjectFile(found.path, parsed.content, name, transform, found.size, parsed.language, parsed.lines)
    nodes = nodes_of(found.path, parsed)
    references = references_of(nodes, parsed)
    times = FileTimes(found.path, found.size, found.modified, seen, name)
    return SeenFile(file, times, parsed.package, parsed.syntax_errors, nodes, parsed.imports, references)


def nodes_of(path: str, parsed: ParsedFile) -> list[ProjectNode]:
    """The nodes of an object, for a file with that path."""
    return [
        ProjectNode(
            id=path if node.kind == NodeKind.FILE else f"{path}#{node.qualified}",
            kind=node.kind,
            path=path,
            name=path.rpartition("/")[2] if node.kind == NodeKind.FILE else node.name,
            qualified=path if node.kind == NodeKind.FILE else node.qualified,
            language=parsed.language,
            start=node.start,
            end=node.end,
            signature=node.signature,
            text=node.text,
            hash=node.hash,
        )
        for node in parsed.nodes
    ]


def references_of(nodes: Sequence[ProjectNode], parsed: ParsedFile) -> list[NodeReference]:
    """The references of an object, from the nodes that `nodes_of` made of it."""
    return [
        NodeReference(
            nodes[reference.node].path, nodes[reference.node].id, reference.kind, reference.name, reference.is_member
        )
        for reference in parsed.references
    ]
