"""Text that is no code, and of which a query would take time by the square of its length.

Each step of a query looks at all that follows in the same row until it meets a part with a name, such as an identifier.
Rows of brackets or commas have none, nor have rows of keywords that the grammar did not understand.
"""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_ROW: Final = 5_000
"""Parts of a row: they take a tenth of a second, ten times as many ten seconds."""
_MARKS: Final = re.compile(rb"[!-/:-@\[-^`{-~\s]+")


class TooTangled(Exception):
    """A query would need too long for a text."""


def see_that_marks_are_few(data: bytes) -> None:
    """Refuses text with a long row of marks and spaces.

    Raises:
        TooTangled: it has one.
    """
    for row in _MARKS.finditer(data):
        if row.end() - row.start() > LONGEST_ROW and len(b"".join(row[0].split())) > LONGEST_ROW:
            raise TooTangled


def see_that_rows_are_short(root: "Node") -> None:
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
