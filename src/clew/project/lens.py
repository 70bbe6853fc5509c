"""What conversations see of one project: its elements, the overlays of each, and which file a written path means.

The scores of elements are kept in the project's store, so that only what has changed is scored again.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import Any, Final

from clew.analyze.overlays import TOP, Overlay
from clew.project.elements import ProjectElement, elements_of
from clew.project.links import PathMatch, PathResolver, TurnLinks
from clew.project.meet import ACTIVE, OverlayNodes
from clew.project.names import NameResolver
from clew.project.overlays import ElementOverlays, OverlayScorer, overlay_rules
from clew.project.project import Project
from clew.store.replace_file import replace_file

log = logging.getLogger("clew.project")

_KEPT: Final = "scores.json.z"
MEMBERS: Final = "elements.json"
"""File of the elements of an overlay, in the store and in `.open_cognition`."""
_RULES_VERSION: Final = 8
"""Raise it with any change of the rules by which elements are scored, or turns are met with them."""


@dataclass(frozen=True, slots=True, eq=False)
class ProjectLens:
    """One project as conversations see it.

    Attributes:
        root: its folder.
        digest: of all that the other attributes are made of.
        elements: all, in the order of path and line.
        nodes: those that are active in an overlay.
        central: by path, how much a file matters in its project: the doublings of one more than the number of files
            that import it, and a tenth of its score in each overlay.
    """

    root: str
    digest: str
    elements: tuple[ProjectElement, ...]
    nodes: OverlayNodes
    resolver: PathResolver
    names: NameResolver = field(repr=False)
    by_path: Mapping[str, tuple[ProjectElement, ...]] = field(repr=False)
    central: Mapping[str, float] = field(repr=False, default_factory=dict)

    def files_of(self, links: TurnLinks) -> Iterator[tuple[str, PathMatch]]:
        """The files that a turn concerns: by the paths that it writes, by the tests among them, by names in its words.

        Whoever changes a test says something of the file that it is named after, and does not change it: `said`.
        """
        for how, written in links.paths:
            if (match := self.resolver.resolve(written)) is not None:
                yield how, match
                if (tested := self.resolver.tested(match.path)) is not None:
                    yield "said", tested
        for name in links.names:
            if (path := self.names.resolve(name)) is not None:
                yield "said", PathMatch(path, "name")


def lens_digest(project: Project, changes: Iterable[str] = (), model: str | None = None) -> str:
    """The digest of the lens that `lens_of` would give, which costs no look at the elements."""
    compared = f"{model} {project.embedded}" if model else ""
    said = "\n".join([project.digest, compared, str(_RULES_VERSION), *changes])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def lens_of(project: Project, changes: Iterable[str] = (), model: str | None = None) -> ProjectLens:
    """The lens of a project.

    Args:
        changes: the setting `project.overlays`.
        model: whose vectors of elements are used, as far as the project has some; None uses words alone.

    Raises:
        ConfigError: a change cannot be read.
    """
    rules = tuple(changes)
    elements, digest = tuple(elements_of(project)), lens_digest(project, rules, model)
    vectors = {} if model is None else dict(zip(*project.vectors(model), strict=True))
    scored = _scored(project, elements, rules)
    by_path: dict[str, list[ProjectElement]] = {}
    for element in elements:
        by_path.setdefault(element.path, []).append(element)
    return ProjectLens(
        root=project.root.as_posix(),
        digest=digest,
        elements=elements,
        nodes=OverlayNodes(scored, digest=digest, model=model, vectors=vectors),
        resolver=PathResolver(tuple(by_path), project.root.as_posix()),
        names=NameResolver(elements),
        by_path={path: tuple(some) for path, some in by_path.items()},
        central={
            element_scores.element.path: _weight(element_scores)
            for element_scores in scored
            if not element_scores.element.name
        },
    )


def overlay_members(project: Project, changes: Iterable[str] = ()) -> dict[Overlay, bytes]:
    """The elements of a project that are active in each overlay, with their scores, as JSON.

    Args:
        changes: the setting `project.overlays`.

    Raises:
        ConfigError: a change cannot be read.
    """
    scored = _scored(project, elements_of(project), tuple(changes))
    return {overlay: _members(scored, overlay) for overlay in Overlay}


def _weight(scored: ElementOverlays) -> float:
    return log2(1 + scored.element.used_by) + sum(scored.scores.values()) / TOP


def _scored(project: Project, elements: Iterable[ProjectElement], rules: tuple[str, ...]) -> list[ElementOverlays]:
    """The overlays of elements, without evidence; of those that are as they were, the scores that were kept."""
    maker = hashlib.sha256(json.dumps([_RULES_VERSION, *rules]).encode()).hexdigest()[:16]
    file = project.folder / "overlays" / _KEPT
    kept, fresh = _read_kept(file, maker), dict[str, Any]()
    scorer = OverlayScorer(overlay_rules(rules))
    scored = []
    for element in elements:
        mark = f"{element.digest} {element.used_by} {len(element.imports)} {element.form}"
        held = kept.get(element.id)
        scores = held[1] if held is not None and held[0] == mark else dict(scorer.score(element).scores)
        fresh[element.id] = [mark, scores]
        scored.append(ElementOverlays(element=element, scores=scores, evidence=()))
    if fresh != kept:
        said = zlib.compress(json.dumps({"maker": maker, "scores": fresh}, separators=(",", ":")).encode(), 1)
        try:
            for overlay in Overlay:
                replace_file(file.parent / overlay.value[:2] / MEMBERS, _members(scored, overlay))
            replace_file(file, said)
        except OSError as error:  # a project that may only be read is scored again each time
            log.info("the overlays of %s are not kept: %s", project.root, error)
    return scored


def _members(elements: Iterable[ElementOverlays], overlay: Overlay) -> bytes:
    """The elements that are active in an overlay, with their scores, as JSON: for those who read the store."""
    scores = {element.element.id: element.scores.get(overlay.value, 0.0) for element in elements}
    active = {name: round(score, 2) for name, score in scores.items() if score >= ACTIVE}
    return json.dumps(active, ensure_ascii=False, indent=0, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n"


def _read_kept(file: Path, maker: str) -> dict[str, Any]:
    """The scores that were kept, by element; none that were made by other rules, or cannot be read."""
    try:
        data = file.read_bytes() if file.is_file() else b""
        said = json.loads(zlib.decompress(data)) if data else {}
        scores: dict[str, Any] = said.get("scores", {}) if said.get("maker") == maker else {}
        return scores
    except (ValueError, zlib.error, AttributeError, OSError):  # damaged, or of another user: so made again
        return {}
