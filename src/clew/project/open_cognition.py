"""The project in the layout of the source, `.open_cognition` (SIGMA): written from the store, and read with its hashes.

    .open_cognition/
        objects/      immutable, by SHA-256: two digits as a folder, the rest as the name
        index/        one JSON file for each file of the project: its path, and the hashes of its content and object
        overlays/     O1 to O7, each a folder with the ids of its elements and their scores in `elements.json`
        transforms/   by SHA-256, each a folder with `manifest.yaml`, which is written as JSON, a part of YAML

The source names the file of an index after the path with `_` for `/`, under which different paths share a name; here
such a name gets the beginning of the path's hash.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clew.errors import ClewError, NotFoundError
from clew.project.lens import MEMBERS, overlay_members
from clew.project.objects import ContentStore, decoded_file, encoded
from clew.project.parse.parsed import ParsedFile, ParsedNode
from clew.project.project import Project
from clew.store.replace_file import replace_file
from clew.types.record import Record

FOLDER: Final = ".open_cognition"
OVERLAYS: Final = ("O1", "O2", "O3", "O4", "O5", "O6", "O7")


@dataclass(frozen=True, slots=True)
class CognitionFile(Record):
    """A file of the project as the index of the source has it."""

    path: str
    content_hash: str
    structural_hash: str
    status: str = "Valid"


@dataclass(frozen=True, slots=True)
class CognitionView(Record):
    """What is in a folder in the layout of the source.

    Attributes:
        overlays: number of files in each overlay.
        problems: entries that cannot be read, objects that are missing, and objects whose hash is not their name.
    """

    folder: str
    files: tuple[CognitionFile, ...]
    objects: int
    overlays: dict[str, int]
    transforms: int
    problems: tuple[str, ...] = ()


def write_open_cognition(project: Project, folder: Path, changes: Iterable[str] = ()) -> CognitionView:
    """Writes a project below a folder; entries of files that left the project are removed.

    Args:
        changes: the setting `project.overlays`.

    Returns:
        What is in the folder afterwards.

    Raises:
        NotFoundError: an object of the store is missing.
        ConfigError: a change cannot be read.
    """
    objects, written = ContentStore(folder / "objects"), set[str]()
    for file in project.files():
        data = project.layout.objects.read(file.object)
        if data is None:
            raise NotFoundError(f"the object of {file.path!r} is missing or altered; run `clew project genesis`")
        objects.write(data)
        parsed = decoded_file(data)
        entry = {
            "path": file.path,
            "content_hash": file.content,
            "structural_hash": file.object,
            "status": "Valid",
            "history": [file.transform],
            "structuralData": _structure(parsed),
        }
        name = f"{index_key(file.path)}.json"
        written.add(name)
        replace_file(folder / "index" / name, encoded(entry))
    for old in (folder / "index").glob("*.json"):
        if old.name not in written:
            old.unlink()
    for name, record in project.index.transforms().items():
        replace_file(folder / "transforms" / name[:2] / name[2:] / "manifest.yaml", record)
    for overlay, members in overlay_members(project, changes).items():
        replace_file(folder / "overlays" / overlay.value[:2] / MEMBERS, members)
    objects.sync()
    return read_open_cognition(folder)


def read_open_cognition(folder: Path) -> CognitionView:
    """Reads a folder in the layout of the source, of Clew or of the source's own program.

    Raises:
        NotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {str(folder)!r}; `clew project open-cognition` writes one")
    objects, problems = ContentStore(folder / "objects"), list[str]()
    files = list(_entries(folder / "index", problems))
    names = list(objects.names())
    problems += [f"objects/{name[:2]}/{name[2:]}: altered" for name in names if objects.read(name) is None]
    known = set(names)
    problems += [
        f"{file.path}: its object {file.structural_hash} is missing"
        for file in files
        if file.structural_hash not in known
    ]
    overlays = {
        name: sum(1 for entry in (folder / "overlays" / name).rglob("*") if entry.is_file()) for name in OVERLAYS
    }
    transforms = sum(1 for _ in (folder / "transforms").glob("*/*/manifest.yaml"))
    return CognitionView(str(folder), tuple(files), len(names), overlays, transforms, tuple(problems))


def index_key(path: str) -> str:
    """The name of a path's file in the index: the source's, with a hash where that name could be another path's."""
    key = path.replace("_", "-").replace("/", "_")
    is_plain = "_" not in path and path == path.lower() and path.isascii() and len(path) < 150
    return key if is_plain else f"{key[:150]}~{hashlib.sha256(path.encode()).hexdigest()[:12]}"


def _entries(folder: Path, problems: list[str]) -> Iterator[CognitionFile]:
    for place in sorted(folder.glob("*.json")):
        try:
            read = json.loads(place.read_bytes())
            yield CognitionFile.from_dict(read)
        except (OSError, ValueError, ClewError) as error:
            problems.append(f"index/{place.name}: {error}")


def _structure(parsed: ParsedFile) -> Mapping[str, Any]:
    """The symbols of a file in the shape of the source."""
    functions = [_described(node) for node in parsed.nodes if node.kind == "function"]
    classes = [
        {
            **_described(node),
            "base_classes": [
                reference.name
                for reference in parsed.references
                if reference.node == at and reference.kind == "inherits"
            ],
            "methods": [
                _described(method)
                for method in parsed.nodes
                if method.kind == "method" and method.qualified.rpartition(".")[0] == node.qualified
            ],
        }
        for at, node in enumerate(parsed.nodes)
        if node.kind == "class"
    ]
    return {
        "language": parsed.language,
        "docstring": parsed.nodes[0].text,
        "imports": list(parsed.imports),
        "classes": classes,
        "functions": functions,
    }


def _described(node: ParsedNode) -> dict[str, Any]:
    return {"name": node.name, "docstring": node.text, "signature": node.signature}
