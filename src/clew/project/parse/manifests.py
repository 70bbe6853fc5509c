"""What a package says of itself in its manifest: the description in `package.json`, `METADATA` of wheels and others."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from clew.project.nodes import NodeKind
from clew.project.parse.comments import cut_text
from clew.project.parse.parsed import ParsedFile, ParsedNode
from clew.project.parse.plain import hash_of

DESCRIPTION: Final = "description"
"""Name of the node that holds it."""

_JSON: Final = frozenset({"package.json", "composer.json"})
_TOML: Final = frozenset({"pyproject.toml", "Cargo.toml"})
_TABLES: Final = (("project",), ("tool", "poetry"), ("package",), ("workspace", "package"))
_SUMMARY: Final = re.compile(r"^Summary:[ \t]*(\S.*)$", re.MULTILINE)
_MARKED: Final = {
    "METADATA": _SUMMARY,
    "PKG-INFO": _SUMMARY,
    "pom.xml": re.compile(r"<description>\s*([^<]{1,4000}?)\s*</description>"),
    "setup.cfg": re.compile(r"^description\s*=\s*(\S.{0,4000})$", re.MULTILINE),
    ".gemspec": re.compile(r"""\.(?:description|summary)\s*=\s*(?:%q)?["'{(]([^"'})]{1,4000})["'})]"""),
}
_HEADER: Final = re.compile(r"(?:[A-Z][\w-]*:.*|[ \t].*)")


def with_description(parsed: ParsedFile, path: str, data: bytes) -> ParsedFile:
    """A file with what it says its package is called, and what it is for as a node; unchanged unless a manifest."""
    name, end = PurePosixPath(path).name, PurePosixPath(path).suffix
    if name in _JSON:
        read = _read(json.loads, data)
        said = _of(read, DESCRIPTION)
        parsed = replace(parsed, package=_of(read, "name"))
    elif name in _TOML:
        read = _read(tomllib.loads, data)
        said = next((description for keys in _TABLES if (description := _of(read, *keys, DESCRIPTION))), "")
        crate = _of(read, "lib", "name") or _of(read, "package", "name") if name == "Cargo.toml" else ""
        parsed = replace(parsed, package=crate.replace("-", "_"))
    elif (marks := _MARKED.get(name) or _MARKED.get(end)) is not None:
        match = marks.search(data.decode("utf-8", "replace"))
        said = match[1] if match else ""
    else:
        return parsed
    said = said.strip()
    if not said:
        return parsed
    before, description, _ = data.decode("utf-8", "replace").partition(said.split("\n")[0])
    line = before.count("\n") + 1 if description else 1  # a file may escape its characters
    lines = line, min(line + said.count("\n"), max(line, parsed.lines))
    node = ParsedNode(NodeKind.HEADING, DESCRIPTION, DESCRIPTION, *lines, "", cut_text(said), hash_of(said.encode()))
    return replace(parsed, nodes=(*parsed.nodes, node))


def metadata_document(text: str) -> tuple[str, str]:
    """The description in the metadata of a Python package, on the lines on which it stands, and its language."""
    lines = text.split("\n")
    head = next((number for number, line in enumerate(lines) if not _HEADER.match(line)), len(lines))
    headers = "\n".join(lines[:head])
    summary = _SUMMARY.search(headers)
    language = "markdown" if "text/markdown" in headers else "rst"
    return "\n".join([summary[1] if summary else "", *[""] * (head - 1), *lines[head:]]), language


def _read(load: Callable[[str], Any], data: bytes) -> Any:
    try:
        return load(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):  # what is not a valid manifest says nothing
        return {}


def _of(read: Any, *keys: str) -> str:
    for key in keys:
        read = read.get(key) if isinstance(read, Mapping) else None
    return read if isinstance(read, str) else ""
