"""Checks the store of a project: every hash, and every reference from one part of it to another."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.errors import ClewError
from clew.project.layout import Layout
from clew.project.nodes import ProjectFile
from clew.project.objects import ObjectState, decoded_file, digest_of
from clew.project.project import Project
from clew.project.reading import content_hash, nodes_of, references_of
from clew.project.transforms import decoded_transform
from clew.project.walk import walk
from clew.store.home import allowed
from clew.types.record import Record
from clew.types.reports import Problem

GENESIS = "clew project genesis"
"""What repairs every problem: the store follows from the project."""

Check = Callable[[Project], Iterable[Problem]]
"""A check of what others keep in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStatus(Record):
    """The state of the store of a project.

    Attributes:
        checked: how much was checked, by kind.
        problems: what is wrong; empty when nothing is.
        behind: files that came, went, or changed in size or time since they were read; an update reads them.
        superseded: number of intact objects of earlier states.
    """

    root: str
    generation: int
    checked: dict[str, int]
    problems: tuple[Problem, ...] = ()
    behind: tuple[str, ...] = ()
    superseded: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; to be behind is not."""
        return not self.problems


def status(layout: Layout, further: Sequence[Check] = ()) -> ProjectStatus:
    """Reads the whole store and compares its parts.

    Args:
        further: checks of what else is kept there.

    Raises:
        NotFoundError: there is no store.
    """
    try:
        with Project.open(layout.root) as project:
            if not project.index.is_sound():
                return _damaged(layout, "the database fails SQLite's own check")
            problems = [*_whole(project), *_objects(project), *_files(project)]
            problems += [*_transforms(project), *_references(project)]
            problems += [problem for check in further for problem in check(project)]
            files = project.files()
            counts = {
                "files": len(files),
                "objects": sum(1 for _ in layout.objects.names()),
                "transforms": len(project.index.transforms()),
                "nodes": sum(project.index.counts().values()),
                "dependencies": len(project.index.dependencies()),
            }
            return ProjectStatus(
                root=str(layout.root),
                generation=project.generation,
                checked=counts,
                problems=tuple(problems),
                behind=tuple(_behind(project)),
                superseded=len(set(layout.objects.names()) - {file.object for file in files}),
            )
    except ClewError as error:
        if layout.index.is_file():
            return _damaged(layout, str(error))
        if layout.exists:
            return _damaged(layout, "there is no index")
        raise


def _problem(kind: str, where: str, detail: str) -> Problem:
    return Problem(kind=kind, where=where, detail=detail, repair=GENESIS)


def _damaged(layout: Layout, detail: str) -> ProjectStatus:
    problem = _problem("index", _place(layout, "index/index.db"), detail)
    return ProjectStatus(root=str(layout.root), generation=0, checked={}, problems=(problem,))


def _place(layout: Layout, name: str) -> str:
    return f"{layout.folder.relative_to(layout.root).as_posix()}/{name}"


def _whole(project: Project) -> Iterator[Problem]:
    """The hash of the whole project, by which conversations see that it has changed; a run notes it at its end."""
    if not project.generation or project.index.meta("unresolved") == "1":
        return  # a run was stopped, and the next one goes on from there
    if project.digest != digest_of((file.path, file.object) for file in project.files()):
        yield _problem("index", _place(project.layout, "index/index.db"), "its digest is not that of its files")


def _objects(project: Project) -> Iterator[Problem]:
    """Objects that are not what their name says, whether or not a file needs them."""
    store = project.layout.objects
    for name in store.names():
        if store.state(name) is ObjectState.ALTERED:
            place = _place(project.layout, f"objects/{name[:2]}/{name[2:]}")
            yield _problem("object", place, "its bytes do not have the hash that is its name")


def _files(project: Project) -> Iterator[Problem]:
    """Files whose object is missing, or says something else than the index."""
    transforms = project.index.transforms()
    for file in project.files():
        data = project.layout.objects.read(file.object)
        if data is None:
            if project.layout.objects.state(file.object) is ObjectState.MISSING:
                yield _problem("object", file.path, f"its object {file.object} is missing")
            continue
        yield from _compared(project, file, data)
        if file.transform not in transforms:
            yield _problem("transform", file.path, f"its transform {file.transform} is not in the index")


def _compared(project: Project, file: ProjectFile, data: bytes) -> Iterator[Problem]:
    try:
        parsed = decoded_file(data)
    except ClewError as error:
        yield _problem("object", file.path, f"its object {file.object} cannot be read: {error}")
        return
    if parsed.content != file.content:
        yield _problem("index", file.path, f"its content is not that of its object {file.object}")
    if (parsed.language, parsed.lines) != (file.language, file.lines):
        yield _problem("index", file.path, "its language or lines are not those of its object")
    nodes, index = nodes_of(file.path, parsed), project.index
    if set(references_of(nodes, parsed)) != set(index.references("of_path", file.path)):
        yield _problem("index", file.path, "its references are not those of its object")
    if set(parsed.imports) != set(index.imported(file.path)):
        yield _problem("index", file.path, "its imports are not those of its object")
    expected = {node.id: node for node in nodes}
    found = {node.id: node for node in project.nodes(path=file.path)}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            yield _problem("index", name, "the index and the object differ")


def _transforms(project: Project) -> Iterator[Problem]:
    """Transforms that are missing, altered, or unknown to the index."""
    store, kept = project.layout.transforms, project.index.transforms()
    for name, record in kept.items():
        state = store.state(name)
        place = _place(project.layout, f"transforms/{name[:2]}/{name[2:]}")
        if state is not ObjectState.INTACT:
            yield _problem("transform", place, f"the file is {state}")
        if content_hash(record) != name:
            yield _problem("transform", place, "its record in the index does not have the hash that is its name")
            continue
        transform = decoded_transform(record)
        if len(transform.inputs) != len(transform.outputs):
            yield _problem("transform", place, "it has more inputs than outputs, or fewer")
    for name in store.names():
        if name not in kept:
            place = _place(project.layout, f"transforms/{name[:2]}/{name[2:]}")
            yield _problem("transform", place, "the index does not know it")


def _references(project: Project) -> Iterator[Problem]:
    """Dependencies and references between things of which one does not exist."""
    paths = {file.path for file in project.files()}
    for source, target in project.index.dependencies():
        for path in {source, target} - paths:
            yield _problem("dependency", f"{source} -> {target}", f"there is no file {path!r}")
    for source, target in sorted(set(project.index.dependencies()) ^ project.index.resolved(None)):
        if {source, target} <= paths:
            yield _problem(
                "dependency", f"{source} -> {target}", "the imports of the first do not say so, or it is missing"
            )
    nodes = {node.id for node in project.nodes()}
    for reference in project.index.references():
        if reference.node not in nodes:
            yield _problem("reference", reference.node, f"a node that does not exist uses {reference.name!r}")


def _behind(project: Project) -> Iterator[str]:
    """Files that an update would read or remove."""
    limits = project.limits
    walked = walk(project.root, max_bytes=limits.max_bytes, exclude=limits.exclude)
    times = project.index.times()
    files = [file for file in walked.files if file.path in times or allowed(Path(file.place), os.R_OK)]
    now = {file.path: (file.size, file.modified) for file in files}
    then = {path: (known.size, known.modified) for path, known in times.items()}
    yield from sorted(path for path in now.keys() | then.keys() if now.get(path) != then.get(path))
