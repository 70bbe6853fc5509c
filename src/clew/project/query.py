"""Finds nodes of a project: those of a file, those with a name, or those whose words fit."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from clew.errors import ExpressionError, InputError
from clew.project.elements import FORMS, form_of
from clew.project.nodes import NodeKind, ProjectNode
from clew.project.project import Project
from clew.project.walk import as_shown
from clew.types.record import Record

_CLASSES: Final = {form.partition(" ")[0]: form for form in FORMS}
"""What may stand for a class in `kind:`, and the form that it means."""
_FORMS: Final = ("file", "symbol", "kind", "text")


@dataclass(frozen=True, slots=True)
class NodeMatch(Record):
    """A node that fits a query.

    Attributes:
        why: `path`, `name` or `words`.
        score: BM25 for words, else 0.
    """

    node: ProjectNode
    why: str
    score: float = 0.0


def query(project: Project, expression: str, *, limit: int = 20) -> list[NodeMatch]:
    """The nodes that fit, the best first.

    Args:
        expression: `file:PATH` for what is in a file (the end of its path is enough), `symbol:NAME` for what is called
            like this, `kind:decision WORDS` for nodes of a kind or classes of a form (`kind:interface`, `kind:trait`,
            `kind:struct`, `kind:abstract`), `text:WORDS`, or plain words: then what is called like them comes first.

    Raises:
        InputError: the expression is empty.
        ExpressionError: it names an unknown kind.
    """
    expression = as_shown(expression)
    form, colon, rest = expression.strip().partition(":")
    if not colon or form not in _FORMS:
        form, rest = "", expression.strip()
    rest = rest.strip().strip("\"'")
    if not rest:
        raise InputError(f"{expression!r} asks for nothing; write words, or file:PATH, symbol:NAME, kind:KIND WORDS")
    if form == "file":
        matches = list(_of_files(project, rest))
    elif form == "symbol":
        matches = list(_named(project, rest))
    elif form == "kind":
        matches = list(_of_kind(project, rest, limit))
    elif form == "text":
        matches = list(_worded(project, rest, limit))
    else:
        paths = [node for path in project.paths_like(rest) if (node := project.node(path)) is not None]
        matches = [*(NodeMatch(node, "path") for node in paths), *_named(project, rest), *_worded(project, rest, limit)]
    first: dict[str, NodeMatch] = {}
    for match in matches:
        first.setdefault(match.node.id, match)
    return list(first.values())[:limit]


def _of_files(project: Project, mention: str) -> Iterator[NodeMatch]:
    for path in project.paths_like(mention):
        yield from (NodeMatch(node, "path") for node in project.nodes(path=path))


def _named(project: Project, name: str) -> Iterator[NodeMatch]:
    yield from (NodeMatch(node, "name") for node in project.symbols_named(name))


def _worded(project: Project, words: str, limit: int) -> Iterator[NodeMatch]:
    yield from (NodeMatch(node, "words", round(score, 4)) for node, score in project.search(words, limit=limit))


def _of_kind(project: Project, rest: str, limit: int) -> Iterator[NodeMatch]:
    kind, _, words = rest.partition(" ")
    form = _CLASSES.get(kind)
    if form is None and kind not in tuple(NodeKind):
        raise ExpressionError(f"{kind!r} is not a kind of node; expected one of {', '.join([*NodeKind, *_CLASSES])}")
    wanted = NodeKind(kind) if form is None else NodeKind.CLASS
    if words.strip():
        every = sum(project.index.counts().values())
        matches: Iterable[NodeMatch] = _worded(project, words, max(every, limit))
    else:
        matches = (NodeMatch(node, "path") for node in project.nodes(kind=wanted))
    for match in matches:
        if match.node.kind is wanted and form in (None, form_of(match.node)):
            yield match
