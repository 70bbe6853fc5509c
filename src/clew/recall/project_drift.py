"""Measures how far a project and the conversations about it have drifted apart."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from clew.index.view import IndexView
from clew.project.lens import ProjectLens
from clew.project.links import TurnLinks, file_decisions, is_file
from clew.recall.mentions import links_at
from clew.recall.project_links import unexplained
from clew.recall.working_folders import ProjectPlace, working_folders
from clew.rows.mentions import linked_rows, read_until
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types.ids import turn_id
from clew.types.projects import ProjectDrift, Unreflected

_SYMBOL: Final = re.compile(r"`([A-Za-z_][\w.]{2,80})(?:\(\))?`")


@dataclass(slots=True)
class _SessionMentions:
    """What the turns of one session say about a project.

    Attributes:
        concerned: paths of the project's files that they concern.
        is_about: whether one of them writes a path of the project with a folder: most projects have a `README.md`.
        is_elsewhere: whether one of them writes the path of a file that the project does not have.
        decisions: ordinal and position of the turns that decide something about files.
    """

    concerned: set[str] = field(default_factory=set)
    is_about: bool = False
    is_elsewhere: bool = False
    decisions: list[tuple[int, int]] = field(default_factory=list)

    def take(self, links: TurnLinks, lens: ProjectLens) -> None:
        """Adds what one turn says about files."""
        self.concerned |= {match.path for _, match in lens.files_of(links)}
        for _, written in links.paths:
            match = lens.resolver.resolve(written)
            if match is None:
                self.is_elsewhere = self.is_elsewhere or is_file(written)
            elif "/" in match.path and "/" in written:
                self.is_about = True

    def counts(self, *, worked: bool | None) -> bool:
        """Whether the session is about the project.

        A session whose folder is not known is judged by the paths that its turns write.

        Args:
            worked: whether the session worked on the project; None where that is not known.
        """
        return (self.is_about or not self.is_elsewhere) if worked is None else worked


def drift_of(reader: Reader, space: str, view: IndexView, lens: ProjectLens) -> ProjectDrift:
    """What of a project no conversation explains, and which decisions no code reflects.

    Sessions that worked on another project do not count, nor does one whose folder is not known and that writes paths
    of other files, and none of this project with its folder. Of decisions, those of a session count that is known to be
    about the project by its folder or such a path. Only the links of turns are read, and turns that decide something
    about files.
    """
    place, mentions = ProjectPlace(lens.root), defaultdict[str, _SessionMentions](_SessionMentions)
    for ordinal, position, links in _linked(reader, space, view):
        mentioned = mentions[view.sessions[int(view.turns.session[position])]]
        mentioned.take(links, lens)
        if links.decides:
            mentioned.decisions.append((ordinal, position))
    folders = working_folders(reader, space, view, mentions)
    worked = {name: place.has(folders.get(name, ())) for name in mentions}
    own = [each for name, each in mentions.items() if each.counts(worked=worked[name])]
    names = {part for each in lens.elements if each.name for part in (each.name, each.name.rpartition(".")[2])}
    lost = [
        (ordinal, each)
        for name, session_mentions in mentions.items()
        if worked[name] or (worked[name] is None and session_mentions.is_about)
        for ordinal, position in session_mentions.decisions
        for each in _unreflected(reader, space, view, position, lens, names)
    ]
    lost.sort(key=lambda item: -item[0])
    files = [each for each in lens.elements if not each.name]
    left = unexplained(lens.elements, frozenset(path for mentioned in own for path in mentioned.concerned))
    left.sort(key=lambda each: (-lens.central[each.path], each.path))
    return ProjectDrift(
        root=lens.root,
        files=len(files),
        explained=len(files) - len(left),
        unexplained=tuple(each.path for each in left),
        unreflected=tuple(each for _, each in lost),
        imported_by={each.path: each.used_by for each in left if each.used_by},
    )


def _linked(reader: Reader, space: str, view: IndexView) -> Iterator[tuple[int, int, TurnLinks]]:
    """Yields the ordinal, position and links of every turn that has links with files."""
    ordinals = view.turns.ordinal
    order = np.argsort(ordinals)
    read = read_until(reader, space)[1]
    for ordinal, links in linked_rows(reader, space, 0) if read else ():
        at = int(np.searchsorted(ordinals, ordinal, sorter=order))
        if ordinal < read and at < len(order) and ordinals[order[at]] == ordinal:
            yield ordinal, int(order[at]), links
    unread = np.flatnonzero(ordinals >= read)
    for position, links in zip(unread.tolist(), links_at(reader, space, view, unread), strict=True):
        if links:
            yield int(ordinals[position]), position, links


def _unreflected(
    reader: Reader, space: str, view: IndexView, place: int, lens: ProjectLens, names: set[str]
) -> Iterator[Unreflected]:
    """Yields the decisions of a turn that name files or symbols of which the project has none."""
    key = (view.sessions[int(view.turns.session[place])], int(view.turns.seq[place]))
    row = TURN.get(reader, (space, *key))
    for sentence, paths in () if row is None else file_decisions(turn_from_row(row)):
        symbols = [name for name in _SYMBOL.findall(sentence) if name not in paths and "." not in name.strip(".")]
        has = any(lens.resolver.resolve(path) is not None for path in paths) or any(name in names for name in symbols)
        if not has:
            yield Unreflected(turn=turn_id(*key), text=sentence, names=tuple(dict.fromkeys([*paths, *symbols])))
