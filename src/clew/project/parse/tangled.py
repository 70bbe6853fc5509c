"""Text that is not code, and of which a parse or a query would take time by the square of its length.

Where a grammar understands nothing, a parser tries ever more ways to go on, or nests each line in the one before: lines
as `. a:` in Python or Go, HTML in Ruby. Its steps are counted, so that the same text is given up on every machine.

Each step of a query looks at all that follows in the same row until it meets a part with a name, such as an identifier.
Rows of brackets or commas have none, nor have rows of keywords that the grammar did not understand.
"""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

LONGEST_ROW: Final = 5_000
"""Parts of a row: they take a tenth of a second, ten times as many ten seconds."""
STEPS: Final = 2_000
STEPS_PER_KILOBYTE: Final = 100
"""Steps that a parser may take, each of 100 operations: code takes up to 20 for each 1,000 bytes, prose up to 60."""
DEEPEST: Final = 500
"""Levels of what the grammar did not understand, one in the other; code with mistakes has ten."""
_SHORT: Final = 4_000
"""Bytes that are parsed in no time whatever they are."""
_BEGINNING: Final = 8_000
"""Bytes that tell whether lines are nested in each other: the end of such a text is a single, very long step."""
AHEAD: Final = 100_000_000
"""Bytes that a parser may read besides, which takes it two seconds: Python's looks ahead over all comments that follow
one another below a function, from each of them."""
_READ: Final = 1 << 14
_MARKS: Final = re.compile(rb"[!-/:-@\[-^`{-~\s]+")


class TooTangled(Exception):
    """A parser or a query would need too long for a text."""


def parsed(data: bytes, language: "Language") -> "Node":
    """The root of the tree of a text.

    Raises:
        TooTangled: it would take too long.
    """
    from tree_sitter import Parser  # an extra

    if len(data) <= _SHORT:
        return Parser(language).parse(data).root_node
    if len(data) > _BEGINNING:
        _refuse_deep_nests(_counted(data[:_BEGINNING], language).root_node)
    tree = _counted(data, language)
    if tree.root_node.has_error:
        return Parser(language).parse(data).root_node
    return Parser(language).parse(data, tree).root_node  # at no cost; a tree that was read in pieces has no text


def _counted(data: bytes, language: "Language") -> "Tree":
    """The tree of a text.

    Raises:
        TooTangled: the parser took more steps, or read more, than it does for code of this length.
    """
    from tree_sitter import Parser  # as above

    left, ahead = STEPS + len(data) * STEPS_PER_KILOBYTE // 1_000, AHEAD + 4 * len(data)

    def read(start: int, _point: object) -> bytes:
        nonlocal ahead
        piece = data[start : start + _READ]
        ahead -= len(piece)
        return piece if ahead >= 0 else b""  # as if the text ended here

    def is_enough(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001  # as the parser calls it
        nonlocal left
        left -= 1
        return left < 0 or ahead < 0

    try:
        tree = Parser(language).parse(read, progress_callback=is_enough)
    except ValueError:
        raise TooTangled from None
    if ahead < 0:
        raise TooTangled
    return tree


def _refuse_deep_nests(root: "Node") -> None:
    """Refuses a tree with a deep nest of what the grammar did not understand.

    Raises:
        TooTangled: it has one.
    """
    waiting = [(root, 0)] if root.has_error else []
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise TooTangled
        waiting += [(child, depth + 1) for child in node.children if child.has_error]


def refuse_rows_of_marks(data: bytes) -> None:
    """Refuses text with a long row of marks and spaces.

    Raises:
        TooTangled: it has one.
    """
    for row in _MARKS.finditer(data):
        if row.end() - row.start() > LONGEST_ROW and len(b"".join(row[0].split())) > LONGEST_ROW:
            raise TooTangled


def refuse_long_rows(root: "Node") -> None:
    """Refuses a tree with a long row of what the grammar did not understand.

    Raises:
        TooTangled: it has one.
    """
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error and node.child_count > LONGEST_ROW:
            raise TooTangled
        waiting += [child for child in node.children if child.has_error]
