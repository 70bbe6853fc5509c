"""Splits the message tree of an edited conversation into branches, the one that is shown first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True, slots=True)
class BranchPosition:
    """The position of a message in the tree.

    Attributes:
        branch: empty for the branch that is shown; otherwise `branch:<first message of the branch>`.
        parent: for the first message of a branch, the message that it answers; None when there is none.
    """

    node: str
    branch: str
    parent: str | None


def branch_positions(parents: Mapping[str, str | None], shown: str | None) -> Iterator[BranchPosition]:
    """Every message once: the shown branch from its first message to its last, then each other branch likewise.

    Args:
        parents: message -> the message that it answers, in the source's order. A parent that does not exist counts as
            None; where messages answer one another in a circle, the first of them begins a branch.
        shown: the last message of the shown branch; if it is None or unknown, the last message of all.
    """
    children: dict[str | None, list[str]] = {}
    for node, parent in parents.items():
        children.setdefault(parent if parent in parents else None, []).append(node)
    placed: set[str] = set()
    for node in _line_to(parents, shown if shown in parents else next(reversed([*parents]), None)):
        placed.add(node)
        yield BranchPosition(node, "", None)
    for start in chain(_starts(children), parents):  # the second finds circles, which have no beginning
        if start in placed:
            continue
        parent = parents[start] if parents[start] in parents else None
        for node in _line_from(children, placed, start):
            placed.add(node)
            yield BranchPosition(node, f"branch:{start}", parent if node == start else None)


def _line_to(parents: Mapping[str, str | None], last: str | None) -> list[str]:
    line: list[str] = []
    seen: set[str] = set()
    while last is not None and last in parents and last not in seen:
        seen.add(last)
        line.append(last)
        last = parents[last]
    return line[::-1]


def _line_from(children: Mapping[str | None, list[str]], placed: set[str], first: str) -> Iterator[str]:
    """A branch continues with the first answer to each message; other answers begin branches of their own."""
    node: str | None = first
    while node is not None:
        yield node
        node = next((child for child in children.get(node, []) if child not in placed), None)


def _starts(children: Mapping[str | None, list[str]]) -> Iterator[str]:
    """Every message that can be reached from a first message, in breadth-first order."""
    waiting = list(children.get(None, []))
    for node in waiting:
        yield node
        waiting.extend(children.get(node, []))
