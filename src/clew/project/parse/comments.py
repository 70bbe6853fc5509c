"""What people wrote into code for people: docstrings, comments before a definition, decisions."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.project.parse.parsed import MAX_TEXT

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTES: Final = re.compile(r"""^[a-zA-Z]{0,2}('''|\"""|'|")(.*)\1$""", re.DOTALL)
_MARK: Final = re.compile(r"^[ \t]*(?:/\*+|\*+/|\*|//+[!/]?|#+!?|--+|;+)[ \t]?|(?<!\*)\*++/[ \t]*+$", re.MULTILINE)
_INDENT: Final = re.compile(r"\n[ \t]+")
_DECISION: Final = re.compile(
    r"^[ \t]*+(?P<mark>/\*+|\*|//+[!/]?|#+|--+|;+|>|[-*+])?[ \t]*+(?:\*\*|__)?(?:Decision|DECISION|Decided|ADR)"
    r"(?:[ -]?\d+)?(?:(?:\*\*|__)?[ \t]*+(?::|\u2014)(?:\*\*|__)?|\.(?:\*\*|__))[ \t]*+(?P<said>\S.{8,})$",
    re.MULTILINE,
)
_LONGEST_DECISION: Final = 12
"""Lines of a decision."""
_MOST_DECISIONS: Final = 500
"""Of a file."""
_MOST_COMMENTS: Final = 50
"""Before a definition."""


class DecisionSpan(NamedTuple):
    """A passage that says what was decided: its lines from 1, and its words."""

    start: int
    end: int
    text: str


def docstring(body: "Node | None") -> str:
    """The string that a body of Python begins with."""
    first = next((child for child in body.named_children if child.type != "comment"), None) if body else None
    if first is None or first.type != "expression_statement" or not first.named_children:
        return ""
    string = first.named_children[0]
    return unquoted(_text(string)) if string.type == "string" else ""


def assigned_docstring(module: "Node") -> str:
    """The string that a module of Python assigns to `__doc__`."""
    for statement in module.named_children:
        made = statement.named_children[0] if statement.type == "expression_statement" else None
        left, right = (made.child_by_field_name(side) if made else None for side in ("left", "right"))
        if left is not None and right is not None and right.type == "string" and _text(left) == "__doc__":
            return unquoted(_text(right))
    return ""


def comment_before(node: "Node") -> str:
    """The comments that end on the line before a node, or on a line before such a comment."""
    comments: list[str] = []
    below, before = node, node.prev_sibling
    while before is not None and before.type in _BETWEEN and len(comments) < _MOST_COMMENTS:
        above = before.prev_sibling
        if "comment" in before.type:
            is_beside = above is not None and above.end_point.row == before.start_point.row
            if below.start_point.row - before.end_point.row > 1 or (is_beside and before.start_point.column > 0):
                break
            comments.append(_text(before))
        below, before = before, above
    return plain_comment("\n".join(reversed(comments)))


_BETWEEN: Final = frozenset(
    {"comment", "line_comment", "block_comment", "attribute_item", "decorator", "inner_attribute_item", "html_comment"}
)
"""What may stand between a comment and what it is about."""


def unquoted(literal: str) -> str:
    """A string literal without its quotes and the indentation of its lines."""
    match = _QUOTES.match(literal.strip())
    return cut_text(match[2] if match else literal)


def plain_comment(comment: str) -> str:
    """A comment without the marks that make it one."""
    return cut_text(_MARK.sub("", comment.strip()))


def cut_text(text: str) -> str:
    """A text without indentation, and without what is too much of it."""
    return _INDENT.sub("\n", text.strip()[: 2 * MAX_TEXT])[:MAX_TEXT].rstrip()


def decisions(text: str, *, is_document: bool) -> Iterator[DecisionSpan]:
    """Passages that say "Decision: ..." in a document, or in comments of code."""
    if "ecision" not in text and "DECISION" not in text and "Decided" not in text and "ADR" not in text:
        return
    line, counted = 1, 0
    for match in islice(_DECISION.finditer(text), _MOST_DECISIONS):
        if match["mark"] is None and not is_document:
            continue
        line += text.count("\n", counted, match.start())
        counted = match.start()
        following = text[match.end() + 1 : match.end() + 1 + 2 * MAX_TEXT].split("\n")[: _LONGEST_DECISION - 1]
        said = [match["said"], *_rest(following, match["mark"])]
        yield DecisionSpan(line, line + len(said) - 1, cut_text(" ".join(said)))


def _rest(lines: list[str], mark: str | None) -> Iterator[str]:
    """The lines that go on with what was decided: up to an empty one, or one without the mark of a comment."""
    for line in lines:
        words = _MARK.sub("", line, count=1).strip() if mark and mark not in "-+>" else line.strip()
        if not words or (mark in ("#", "//", "--") and not line.strip().startswith(mark)) or line.strip() == "*/":
            return
        yield words


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")
