"""What a file imports, as one text for each import.

The forms: Python `a.b`, of `from a.b import c` the text `a.b:c`, relative ones with their dots; JavaScript,
TypeScript and Go the string; Rust a path such as `crate::a::B` as the module of the file would write it, and `mod:a`
for a module in a file of its own; Java the name, `.*` included; C and C++ with their quotes or brackets; Ruby
`relative:a` or `a`; documents the target of a link.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

MOST: Final = 2_000
"""Imports of a file."""

_GROUP: Final = re.compile(r"^(?P<before>[^{}]*)\{(?P<inside>.*)\}$", re.DOTALL)
_LINK: Final = re.compile(r"\]\(\s*<?([^)\s>#?]+)|^\[[^\]]+\]:[ \t]*<?([^\s>#?]+)", re.MULTILINE)
_ELSEWHERE: Final = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def imports_of(language: str, nodes: Iterable["Node"]) -> tuple[str, ...]:
    """What these captures of a query import, each once, in the order of the file."""
    read = _READERS.get(language, _as_written)
    names = (text for node in sorted(nodes, key=_place) for text in read(node))
    return tuple(dict.fromkeys(names))[:MOST]


def links_of(text: str) -> tuple[str, ...]:
    """Targets of links in a document that are not addresses."""
    targets = (match[1] or match[2] for match in _LINK.finditer(text))
    return tuple(dict.fromkeys(link for link in targets if not _ELSEWHERE.match(link)))[:MOST]


def _place(node: "Node") -> int:
    return node.start_byte


def text_of(node: "Node") -> str:
    """The text of a node; bytes that are not UTF-8 are replaced."""
    return (node.text or b"").decode("utf-8", "replace")


def _as_written(node: "Node") -> Iterator[str]:
    yield text_of(node).strip("\"'`")


def _python(node: "Node") -> Iterator[str]:
    names = [text_of(_original(name)) for name in node.children_by_field_name("name")]
    module = node.child_by_field_name("module_name")
    if module is None:
        yield from names
    else:
        of = "".join(text_of(module).split())
        yield from (f"{of}:{name}" for name in names or ["*"])


def _original(name: "Node") -> "Node":
    """The name that an `as` gives another one."""
    return name.child_by_field_name("name") or name if name.type == "aliased_import" else name


def _rust(node: "Node") -> Iterator[str]:
    if node.type == "identifier":
        yield f"mod:{text_of(node)}"
    else:
        written = text_of(node)
        for path in _expanded(written if "{" in written else "".join(written.split(" as ")[0].split())):
            yield _of_file(path, node)


def _of_file(path: str, node: "Node") -> str:
    """A path as the module of the file writes it: in a `mod tests { }`, `super` is that module itself."""
    out = 0
    while (above := node.parent) is not None:
        if above.type == "mod_item" and path.startswith("super::"):
            path, out = path.removeprefix("super::"), out + 1
        node = above
    return path if not out or path.startswith("super::") else f"self::{path}"


def _expanded(use: str) -> Iterator[str]:
    """The paths of a `use` with groups in braces."""
    match = _GROUP.match(use.strip())
    if match is None:
        yield "".join(use.partition(" as ")[0].split())
        return
    before = "".join(match["before"].split())
    for part in _parts(match["inside"]):
        for path in _expanded(part):
            yield before.removesuffix("::") if path == "self" else before + path


def _parts(inside: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, letter in enumerate(inside):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield inside[start:at]
            start = at + 1
    if inside[start:].strip():
        yield inside[start:]


def _java(node: "Node") -> Iterator[str]:
    words = text_of(node).replace(";", " ").split()[1:]
    is_static = words[:1] == ["static"]
    name = "".join(words[1:] if is_static else words)
    yield name.rpartition(".")[0] if is_static else name


def _with_quotes(node: "Node") -> Iterator[str]:
    yield text_of(node)


def _ruby(node: "Node") -> Iterator[str]:
    call = node.parent and node.parent.parent and node.parent.parent.parent
    method = call.child_by_field_name("method") if call else None
    is_relative = method is not None and method.text == b"require_relative"
    yield f"relative:{text_of(node)}" if is_relative else text_of(node)


_READERS: Final[Mapping[str, Callable[["Node"], Iterator[str]]]] = {
    "python": _python,
    "rust": _rust,
    "java": _java,
    "c": _with_quotes,
    "cpp": _with_quotes,
    "ruby": _ruby,
}
