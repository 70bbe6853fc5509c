"""Code by its grammar: definitions with their place among each other, what they call and inherit, and imports."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.project.nodes import EdgeKind, NodeKind
from clew.project.parse.comments import assigned_docstring, comment_before, decisions, docstring, plain_comment
from clew.project.parse.imports import imports_of, text_of
from clew.project.parse.languages import CodeGrammar
from clew.project.parse.macros import without_macros
from clew.project.parse.parsed import MAX_SIGNATURE, ParsedFile, ParsedNode, Reference
from clew.project.parse.plain import hash_of, unique
from clew.project.parse.tangled import parsed, refuse_long_rows, refuse_rows_of_marks

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_NODES: Final = 5_000
"""Definitions of a file."""

_WRAPPERS: Final = frozenset(
    "decorated_definition export_statement template_declaration lexical_declaration variable_declaration"
    " type_declaration expression_statement".split()
)
"""What may stand around a definition and begins with it, or with its keywords."""
_PREPROCESSED: Final = frozenset({"c", "cpp"})
_KINDS: Final = {"class": NodeKind.CLASS, "function": NodeKind.FUNCTION, "module": NodeKind.MODULE}
_MIXING: Final = frozenset({"class", "module"})
"""What may mix modules in: an `extend` inside of a method of Ruby extends an object."""
_SCOPE: Final = "scope"
"""The capture of what gives names to methods without being a definition: `impl` of Rust."""
_NAME: Final = re.compile(r"[\w.$!?~=<>+*/%^&|\[\]-]+")
_BASE: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_NO_BASES: Final = frozenset("extends implements public private protected virtual metaclass class typename".split())
_TESTS: Final = frozenset("TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P".split())
_SUITE_AND_TEST: Final = 2
_WORDS: Final = re.compile(r"\w+")
_TEMPLATE: Final = re.compile(r"<[^<>]*>")
_ARGUMENT: Final = re.compile(r"\w+\s*=\s*[^,()]*|<[^<>]*>|\[[^\[\]]*\]")


@dataclass(slots=True)
class _Definition:
    """A match of a query: where it is, and what it says of itself."""

    capture: str
    node: "Node"
    outer: "Node"
    name: str
    prefix: str
    body: "Node | None"
    bases: list[str]
    place: int = -1  # among the nodes of the file; -1 for a scope


def parse_code(data: bytes, language: str, grammar: CodeGrammar, content: str) -> ParsedFile:
    """Takes code apart.

    Args:
        content: SHA-256 of the data.

    Raises:
        TooTangled: it would take too long.
    """
    from tree_sitter import QueryCursor  # an extra

    refuse_rows_of_marks(data)
    root = parsed(data, grammar.language)
    if root.has_error and language in _PREPROCESSED and (plain := without_macros(data)) != data:
        root = parsed(plain, grammar.language)
    refuse_long_rows(root)
    definitions = list(_definitions(QueryCursor(grammar.definitions).matches(root)))
    text = data.decode("utf-8", "replace")
    nodes = [_file_node(root, language, text, content), *_nodes(definitions, language, data)]
    classes = {one.name: one.place for one in definitions if one.capture == "class"}
    references = [
        Reference(place, EdgeKind.INHERITS, base)
        for definition in definitions
        if (place := definition.place if definition.place >= 0 else classes.get(definition.name, -1)) >= 0
        for base in definition.bases
    ]
    captures = QueryCursor(grammar.references).captures(root) if grammar.references else {}
    references += _used(definitions, captures)
    nodes += [
        ParsedNode(NodeKind.DECISION, f"line {said.start}", f"decision at line {said.start}", *said[:2], "", said.text)
        for said in decisions(text, is_document=False)
    ]
    return ParsedFile(
        language=language,
        content=content,
        lines=nodes[0].end,
        nodes=tuple(nodes),
        imports=imports_of(language, captures.get("import", ())),
        references=tuple(references),
        syntax_errors=root.has_error,
    )


def _definitions(matches: Sequence[tuple[int, dict[str, list["Node"]]]]) -> Iterator[_Definition]:
    """The matches as definitions, outer ones before what is in them; what two patterns match is one, with all bases."""
    seen: dict[int, _Definition] = {}
    for _, captures in matches:
        capture = next((name for name in (*_KINDS, _SCOPE) if name in captures), None)
        if capture is None or not captures.get("name"):
            continue
        node = captures[capture][0]
        bases = [base for each in captures.get("bases", ()) for base in _bases(text_of(each))]
        if node.id in seen:
            seen[node.id].bases += [base for base in bases if base not in seen[node.id].bases]
            continue
        prefix, name = _named(_written_name(captures["name"][0]))
        if not name:
            continue
        before = [text_of(each) for each in captures.get("prefix", ())]
        body = captures.get("body", [None])[0]
        seen[node.id] = _Definition(capture, node, _outer(node), name, ".".join([*before, *prefix]), body, bases)
    definitions = sorted(seen.values(), key=lambda each: (each.outer.start_byte, -each.outer.end_byte))
    return iter(definitions[:MOST_NODES])


def _written_name(node: "Node") -> str:
    """The name of a definition; of a test of GoogleTest, a function `TEST_F(Suite, name)`, it is `Suite.name`."""
    name = text_of(node)
    if name not in _TESTS or node.parent is None:
        return name
    parameters = node.parent.child_by_field_name("parameters")
    words = [] if parameters is None else _WORDS.findall(text_of(parameters))
    return ".".join(words) if len(words) == _SUITE_AND_TEST else name


def _named(written: str) -> tuple[list[str], str]:
    """The scopes that a name has in front, and the name itself without arguments of templates."""
    plain = written if "operator" in written else _TEMPLATE.sub("", written)
    parts = [part for part in re.split(r"::|\.", plain) if part.strip()]
    match = _NAME.search(parts[-1].strip()) if parts else None
    return [part.strip() for part in parts[:-1]], match[0] if match else ""


def _bases(written: str) -> Iterator[str]:
    """The names of what a class inherits from, without the path to them."""
    for match in _BASE.finditer(_ARGUMENT.sub("", written)):
        if match[0] not in _NO_BASES:
            yield re.split(r"::|\.", match[0])[-1]


def _outer(node: "Node") -> "Node":
    while node.parent is not None and node.parent.type in _WRAPPERS:
        node = node.parent
    return node


def _file_node(root: "Node", language: str, text: str, content: str) -> ParsedNode:
    first = root.named_children[0] if root.named_child_count else None
    said = ""
    if language == "python":
        said = docstring(root) or assigned_docstring(root)
    elif first is not None and "comment" in first.type:
        comments = [text_of(first)]
        following = first.next_named_sibling
        while following is not None and "comment" in following.type and len(comments) < 50:
            comments.append(text_of(following))
            following = following.next_named_sibling
        said = plain_comment("\n".join(comments))
    lines = max(1, text.count("\n") + (not text.endswith("\n")))
    return ParsedNode(NodeKind.FILE, "", "", 1, lines, "", said, content[:32])


def _nodes(definitions: Sequence[_Definition], language: str, data: bytes) -> Iterator[ParsedNode]:
    """The nodes of definitions, each named with what it stands in."""
    stack: list[tuple[int, str, str]] = []  # end, qualified name, capture
    names: dict[str, int] = {}
    place = 0
    for definition in definitions:
        while stack and stack[-1][0] <= definition.outer.start_byte:
            stack.pop()
        above = stack[-1][1] if stack else ""
        qualified = ".".join(part for part in (above, definition.prefix, definition.name) if part)
        stack.append((definition.outer.end_byte, qualified, definition.capture))
        if definition.capture == _SCOPE:
            continue
        place += 1
        definition.place = place
        is_in_class = bool(definition.prefix) or (len(stack) > 1 and stack[-2][2] in ("class", _SCOPE))
        kind = _KINDS[definition.capture]
        if kind == NodeKind.FUNCTION and is_in_class:
            kind = NodeKind.METHOD
        outer = definition.outer
        said = docstring(definition.body) if language == "python" else ""
        yield ParsedNode(
            kind,
            definition.name,
            unique(qualified, names),
            outer.start_point.row + 1,
            outer.end_point.row + 1,
            _signature(definition, data),
            said or comment_before(outer),
            hash_of(data[outer.start_byte : outer.end_byte]),
        )


def _signature(definition: _Definition, data: bytes) -> str:
    """The text of a definition up to its body, on one line; without a body its first line."""
    start, body = definition.node.start_byte, definition.body
    end = body.start_byte if body is not None else definition.node.end_byte
    head = data[start : min(end, start + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    if body is None:
        head = head.split("\n", 1)[0]
    return " ".join(head.split()).rstrip("{:= ")[:MAX_SIGNATURE]


def _used(definitions: Sequence[_Definition], captures: dict[str, list["Node"]]) -> list[Reference]:
    """What each definition mixes in and the names that it calls, each once; outside of definitions it is the file's."""
    ends: list[tuple[int, int]] = [(0, 0)]  # where a stretch begins -> the innermost definition there
    stack: list[tuple[int, int]] = [(1 << 62, 0)]
    types = {each.place: each.capture for each in definitions}
    for definition in definitions:
        if definition.place < 0:
            continue
        start, end = definition.outer.start_byte, definition.outer.end_byte
        while stack[-1][0] <= start:
            ends.append((stack.pop()[0], stack[-1][1]))
        stack.append((end, definition.place))
        ends.append((start, definition.place))
    while len(stack) > 1:
        ends.append((stack.pop()[0], stack[-1][1]))
    starts = [start for start, _ in ends]
    mixed = {
        (place, base): None
        for node in captures.get("mixin", ())
        if types.get(place := ends[bisect_right(starts, node.start_byte) - 1][1]) in _MIXING
        for base in _bases(text_of(node))
    }
    called = {
        (ends[bisect_right(starts, node.start_byte) - 1][1], text_of(node), is_member): None
        for capture, is_member in (("call", False), ("call.member", True))
        for node in captures.get(capture, ())
    }
    return [
        *(Reference(place, EdgeKind.INHERITS, base) for place, base in sorted(mixed)),
        *(Reference(place, EdgeKind.CALLS, name, is_member) for place, name, is_member in sorted(called)),
    ]
