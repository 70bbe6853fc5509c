"""The shape of a file from its first bytes: the kind of document, and the names of its members.

The bytes may break off anywhere.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from clew.ingest.importers.source import Source

ShapeKind = Literal["empty", "binary", "text", "list", "object", "lines"]

PREFIX = 1 << 19
_LINES = 40
_DEEPEST = 6
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|(?P<cut>\\?\Z))|[\[\]{}:,]', re.DOTALL)  # a string may be cut off
_JSON_LIST = re.compile(rb"\s*+\[\s*+(?:\[?\s*+\{|\]\s*+$|$)")
_JSON_OBJECT = re.compile(rb'\s*+\{\s*+(?:"|\}|$)')
_LINE_SUFFIXES = (".jsonl", ".ndjson")
JSON_SUFFIXES = (".json", *_LINE_SUFFIXES)
_BROKEN: Mapping[bytes, ShapeKind] = {b"[": "list", b"{": "object"}  # what begins so in a JSON file is not text
_TELLING = ("type", "role", "sender", "content_type")


@dataclass(frozen=True, slots=True)
class FileShape:
    """The kind of a file's document and the member names at its beginning.

    Attributes:
        kind: a JSON list, one JSON object, a JSON object on each line, text, bytes that are not text, or nothing.
        paths: the member names with their paths: `messages.[].role`; the elements of a top-level list, and the objects
            of JSON lines, start at the top. The members type, role and sender occur with their values too:
            `messages.[].role=user`.
    """

    kind: ShapeKind
    paths: frozenset[str]

    def has(self, *paths: str) -> bool:
        """Whether all of these paths occur."""
        return self.paths.issuperset(paths)

    def has_any(self, *paths: str) -> bool:
        """Whether one of these paths occurs."""
        return not self.paths.isdisjoint(paths)


def file_shape(source: Source) -> FileShape:
    """The shape of a file by its first `PREFIX` bytes."""
    with source.open() as stream:
        prefix = stream.read(PREFIX)
    kind = _kind(prefix)
    if kind == "text" and source.label.lower().endswith(JSON_SUFFIXES):
        kind = _BROKEN.get(prefix.lstrip()[:1], kind)
    if kind == "object" and source.label.lower().endswith(_LINE_SUFFIXES) and b"\n" not in prefix.strip():
        kind = "lines"  # one line so far
    if kind == "list":
        return FileShape(kind, frozenset(path.removeprefix("[].") for path in _paths(prefix)))
    if kind in ("object", "lines"):
        parts = prefix.splitlines()[:_LINES] if kind == "lines" else [prefix]
        return FileShape(kind, frozenset(path for part in parts for path in _paths(part)))
    return FileShape(kind, frozenset())


def _kind(prefix: bytes) -> ShapeKind:
    if not prefix.strip():
        return "empty"
    if prefix.startswith((b"PK\3\4", b"%PDF")):
        return "binary"  # a zip may hold lines of JSON as they are
    if _JSON_LIST.match(prefix):
        return "list"
    if any(_is_object(line) for line in prefix.splitlines()[:_LINES]):
        return "object" if _is_alone(prefix) else "lines"
    if _JSON_OBJECT.match(prefix):
        return "object"
    return "binary" if _is_binary(prefix) else "text"


def _is_object(line: bytes) -> bool:
    """Whether a line is a whole JSON object."""
    stripped = line.strip()
    if not (stripped.startswith(b"{") and stripped.endswith(b"}")):
        return False
    try:
        json.loads(stripped.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_alone(prefix: bytes) -> bool:
    """Whether the file is one JSON object, on one line or over several lines."""
    first, _, rest = prefix.strip().partition(b"\n")
    return not rest if _is_object(first) else first.strip() == b"{"


def _is_binary(prefix: bytes) -> bool:
    """Whether over a quarter of the characters cannot be text: controls such as NUL, or bytes that are not UTF-8."""
    text = prefix[:4096].decode("utf-8", "replace")
    odd = sum(character == "\ufffd" or (character < " " and character not in "\t\n\r\f\x1b") for character in text)
    return odd * 4 > len(text)


def _paths(data: bytes) -> Iterator[str]:
    """Every member name with its path, as far as the data goes."""
    way: list[str] = []
    name = value = ""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if match["cut"] is not None:
            return
        if token in (b"{", b"["):
            way.append(f"{name}." if token == b"{" else f"{name}.[]" if name else "[]")
            name = ""
        elif token in (b"}", b"]"):
            del way[-1:]
            name = ""
        elif token == b":":
            name = value
            if len(way) <= _DEEPEST:
                yield _join(way, name)
        elif token == b",":
            name = ""
        else:
            value = token[1:-1].decode("utf-8", "replace")
            if name in _TELLING and len(way) <= _DEEPEST and len(value) <= 40:
                yield f"{_join(way, name)}={value}"


def _join(way: list[str], name: str) -> str:
    return ".".join(filter(None, (part.strip(".") for part in (*way, name))))
