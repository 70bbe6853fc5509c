"""Edges between nodes, from the names that nodes use: only where the name can mean one node.

A name is looked for in the file itself, then in the files that it imports, then, where the language links by name
alone, in the rest of the project or of the folder. Where several nodes remain, there is no edge.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clew.project.index import NodeReference, ProjectIndex
from clew.project.nodes import EdgeKind, NodeKind, ProjectEdge, ProjectNode

_NAMED: Final = (NodeKind.CLASS, NodeKind.MODULE, NodeKind.FUNCTION, NodeKind.METHOD)
_GLOBAL: Final = frozenset({"c", "cpp", "ruby"})
"""Languages in which a function is known by its name in the whole program."""
_BY_FOLDER: Final = frozenset({"go", "java"})
"""Languages in which the files of a folder see each other."""
_TRAIT: Final = re.compile(r"\btrait\b")
_PASSING_ON: Final = ("/__init__.py", "/index.ts", "/index.js", "/index.tsx", "/mod.rs", "/lib.rs")
"""Files that mostly pass on what they import themselves."""


class References:
    """Finds what names mean; reads of the index what it needs, once."""

    def __init__(self, index: ProjectIndex) -> None:
        self._index = index
        self._named: dict[str, list[ProjectNode]] = {}
        self._visible: dict[str, frozenset[str]] = {}

    def edges(self, references: Iterable[NodeReference]) -> Iterator[ProjectEdge]:
        """The edges of references, each once, in their order."""
        found = (
            ProjectEdge(reference.node, target.id, reference.kind)
            for reference in references
            if (target := self._target(reference)) is not None and target.id != reference.node
        )
        yield from dict.fromkeys(found)

    def prefetch(self, nodes: Iterable[ProjectNode]) -> None:
        """Takes all nodes and imports of a project, which is faster than to look each of them up."""
        named = defaultdict(list)
        for node in nodes:
            if node.kind in _NAMED:
                named[node.name].append(node)
        self._named = dict(named)
        targets = defaultdict(set)
        for source, target in self._index.dependencies():
            targets[source].add(target)
        for path in targets:
            seen = set(targets[path])
            for target in tuple(seen):
                if target.endswith(_PASSING_ON):
                    seen |= targets.get(target, set())
            self._visible[path] = frozenset(seen)
        self._is_whole = True

    _is_whole = False

    def _target(self, reference: NodeReference) -> ProjectNode | None:
        candidates = self._candidates(reference.name)
        if reference.kind is EdgeKind.INHERITS:
            candidates = [node for node in candidates if _may_be_base(node)]
        else:
            candidates = [node for node in candidates if node.kind is not NodeKind.MODULE]
        if not candidates:
            return None
        here = [node for node in candidates if node.path == reference.path]
        if here:
            return _only(_nearest(reference, here))
        visible = self._seen_from(reference.path)
        imported = [node for node in candidates if node.path in visible]
        if imported:
            return _only(imported)
        language = candidates[0].language
        if language in _BY_FOLDER:
            folder = reference.path.rpartition("/")[0]
            return _only([node for node in candidates if node.path.rpartition("/")[0] == folder])
        return _only(candidates) if language in _GLOBAL and not reference.is_member else None

    def _candidates(self, name: str) -> list[ProjectNode]:
        if name not in self._named and not self._is_whole:
            self._named[name] = [node for node in self._index.nodes("of_name", name) if node.kind in _NAMED]
        return self._named.get(name, [])

    def _seen_from(self, path: str) -> frozenset[str]:
        """The files that a file imports, and those that come through the packages among them."""
        if path not in self._visible and not self._is_whole:
            found = set(self._index.targets(path))
            for target in tuple(found):
                if target.endswith(_PASSING_ON):
                    found.update(self._index.targets(target))
            self._visible[path] = frozenset(found)
        return self._visible.get(path, frozenset())


def _may_be_base(node: ProjectNode) -> bool:
    """Whether others can derive from a node: in Rust only from a trait, in Ruby also from a module."""
    if node.kind is NodeKind.MODULE:
        return node.language == "ruby"
    return node.kind is NodeKind.CLASS and (node.language != "rust" or _TRAIT.search(node.signature) is not None)


def _nearest(reference: NodeReference, candidates: Sequence[ProjectNode]) -> Sequence[ProjectNode]:
    """Of the candidates in a file those that a name most likely means: in the same class for `self.name()`."""
    if not reference.is_member:
        return [node for node in candidates if node.kind is not NodeKind.METHOD] or candidates
    around = reference.node.partition("#")[2].rpartition(".")[0]
    methods = [node for node in candidates if node.kind is NodeKind.METHOD]
    return [node for node in methods if node.qualified.rpartition(".")[0] == around] or methods or candidates


def _only(nodes: Sequence[ProjectNode]) -> ProjectNode | None:
    return nodes[0] if len(nodes) == 1 else None
