"""How far projects and the conversations about them drifted apart."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from clew.condense.material import prose_of
from clew.condense.statements import statements
from clew.index.view import IndexView
from clew.project.lens import ProjectLens
from clew.recall.mentions import links_at
from clew.recall.project_links import unexplained
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.evidence import path_spans
from clew.types.ids import turn_id
from clew.types.projects import ProjectDrift, Unreflected

_AT_ONCE: Final = 256
_SYMBOL: Final = re.compile(r"`([A-Za-z_][\w.]{2,80})(?:\(\))?`")
_FILE: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")


def drift_of(reader: Reader, space: str, view: IndexView, lens: ProjectLens) -> ProjectDrift:
    """What of a project no conversation explains, and which decisions no code reflects."""
    concerned: set[str] = set()
    lost: list[tuple[int, Unreflected]] = []
    names = {part for each in lens.elements if each.name for part in (each.name, each.name.rpartition(".")[2])}
    for ordinal, place, paths, said in _linked(reader, space, view):
        matches = [lens.resolver.resolve(path) for path in paths]
        found = {match.path for match in matches if match is not None}
        concerned |= found
        if said:
            lost += [(ordinal, each) for each in _unreflected(reader, space, view, place, lens, names)]
    files = [each for each in lens.elements if not each.name]
    left = unexplained(lens.elements, frozenset(concerned))
    active = {each.path for each in lens.nodes.elements if not each.name}
    lost.sort(key=lambda item: -item[0])
    return ProjectDrift(
        root=lens.root,
        files=len(files),
        explained=len(files) - len(left),
        unexplained=tuple(each.path for each in sorted(left, key=lambda each: (each.path not in active, each.path))),
        unreflected=tuple(each for _, each in lost),
    )


def _linked(reader: Reader, space: str, view: IndexView) -> Iterator[tuple[int, int, list[str], bool]]:
    """Number, position, paths of each turn that concerns files, and whether its words name some."""
    for start in range(0, len(view.turns.ordinal), _AT_ONCE):
        ordinals = view.turns.ordinal[start : start + _AT_ONCE].tolist()
        places = np.arange(start, start + len(ordinals))
        for place, links in enumerate(links_at(reader, space, view, places), start):
            if links:
                yield ordinals[place - start], place, [path for _, path in links.paths], bool(links.said)


def _unreflected(
    reader: Reader, space: str, view: IndexView, place: int, lens: ProjectLens, names: set[str]
) -> Iterator[Unreflected]:
    """The decisions of a turn that name something of this project's kind, and nothing that it has."""
    key = (view.sessions[int(view.turns.session[place])], int(view.turns.seq[place]))
    row = TURN.get(reader, (space, *key))
    prose = "" if row is None else prose_of(turn_from_row(row))
    for start, end, kind in statements(prose):
        sentence = " ".join(prose[start:end].split())
        if kind != "decision":
            continue
        paths = [sentence[low:high] for low, high in path_spans(sentence) if _FILE.search(sentence[low:high])]
        symbols = [name for name in _SYMBOL.findall(sentence) if name not in paths and "." not in name.strip(".")]
        has = any(lens.resolver.resolve(path) is not None for path in paths) or any(name in names for name in symbols)
        if paths and not has:
            yield Unreflected(turn=turn_id(*key), text=sentence, names=tuple(dict.fromkeys([*paths, *symbols])))
