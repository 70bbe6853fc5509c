"""Links turns with the files and symbols of projects that they mention."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from clew.index.view import IndexView
from clew.project.elements import ProjectElement
from clew.project.lens import ProjectLens
from clew.project.links import HOW, TurnLinks
from clew.rank.algebra.evaluate import Positions, Values
from clew.rank.algebra.syntax import About, Phrase
from clew.recall.mentions import concerning, glob_pattern, linked_turns, symbol_pattern
from clew.rows.lenses import Meet
from clew.store.protocol import Reader
from clew.text.normalise import fold_contains
from clew.types.record import Record

SYMBOLS: Final = 50
"""Symbols of elements that are looked for in turns, at most; files are not limited."""


@dataclass(frozen=True, slots=True)
class ElementLink(Record):
    """A turn joined with an element.

    Attributes:
        how: `edited`, `read`, `ran`, `said` or `shown`.
        match: `exact`, `suffix`, `name` or `test`, see `PathMatch`.
    """

    element: ProjectElement
    how: str
    match: str


def elements_meant(lens: ProjectLens, wanted: About | Phrase) -> list[ProjectElement]:
    """The elements of a project that match a path, a symbol or a phrase, in the project's order."""
    if isinstance(wanted, Phrase):
        return [
            element for element in lens.elements if fold_contains(f"{element.title}\n{element.text}", wanted.phrase)
        ]
    if wanted.kind == "symbol":
        pattern = symbol_pattern(wanted.name)
        return [element for element in lens.elements if element.name and pattern.search(element.title)]
    match = lens.resolver.resolve(wanted.name)
    if match is not None:
        return list(lens.by_path[match.path])
    pattern = glob_pattern(wanted.name)
    return [element for path, some in lens.by_path.items() if pattern.search(path) for element in some]


def linked_to(
    reader: Reader, space: str, view: IndexView, meet: Meet, wanted: About | Phrase, places: Positions
) -> Values:
    """For each turn 1 if it is linked to a matching element, 0 if not, NaN if it has not been read for links yet."""
    meant = [(lens, elements_meant(lens, wanted)) for lens in meet.lenses]
    paths = [
        (lens, {element.path for element in elements if _is_wanted_by_path(element, wanted)})
        for lens, elements in meant
    ]

    def concerns_one(links: TurnLinks) -> bool:
        return any(match.path in elements for lens, elements in paths if elements for _, match in lens.files_of(links))

    linked = linked_turns(reader, space, view, concerns_one, places)
    symbols = [element for _, elements in meant for element in elements if _is_symbol(element)]
    if isinstance(wanted, About) and wanted.kind != "symbol":
        symbols = []  # the file is meant, not what is in it
    names = dict.fromkeys(element.name.rpartition(".")[2] for element in symbols)
    for name in list(names)[:SYMBOLS]:
        linked = np.fmax(linked, concerning(reader, space, view, About("symbol", name), places))
    return linked


def links_of_turn(lenses: Sequence[ProjectLens], links: TurnLinks) -> list[ElementLink]:
    """The project files that a turn is about, the closest link first."""
    closest: dict[tuple[str, str], ElementLink] = {}
    for lens in lenses:
        for how, match in lens.files_of(links):
            element = lens.by_path[match.path][0]
            link = ElementLink(element, how, match.how)
            known = closest.setdefault((lens.root, element.path), link)
            if HOW.index(how) < HOW.index(known.how):
                closest[lens.root, element.path] = link
    return sorted(closest.values(), key=lambda link: HOW.index(link.how))


def _is_wanted_by_path(element: ProjectElement, wanted: About | Phrase) -> bool:
    """Whether a turn about the file of an element counts as being about the element.

    It does not if the element is a symbol and the question does not name the file.
    """
    return (isinstance(wanted, About) and wanted.kind != "symbol") or not _is_symbol(element)


def _is_symbol(element: ProjectElement) -> bool:
    return element.kind in ("class", "function", "method", "module")


def unexplained(elements: Iterable[ProjectElement], concerned: frozenset[str]) -> list[ProjectElement]:
    """Files of a project that no turn concerns."""
    return [element for element in elements if not element.name and element.path not in concerned]
