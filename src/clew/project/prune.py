"""Removes earlier states from the store of a project: old transforms, and objects and vectors that nothing needs.

What stays: the transforms by which the present files were read, and all younger ones; every object that a file or such
a transform refers to; the objects of sealed files; and the vectors of texts that a node has. A transform of its own
records what was removed. If pruning is killed, `genesis` heals the store.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from clew.errors import ClewError, NotFoundError
from clew.project.index import ProjectIndex
from clew.project.layout import Layout
from clew.project.limits import limits_of
from clew.project.objects import ContentStore, decoded_file, encoded
from clew.project.transforms import Goal, Transform, decoded_transform, method
from clew.project.vectors import text_key
from clew.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport(Record):
    """What a pruning removed, or would remove.

    Attributes:
        objects, transforms, vectors: how many are removed.
        bytes: size of the removed files; vectors, which are in the index, are not counted.
        superseded: objects of earlier states that stay, since a transform or a seal refers to them.
    """

    root: str
    objects: int
    transforms: int
    vectors: int
    bytes: int
    superseded: int
    dry_run: bool = False


class _Unused(NamedTuple):
    """What is removed: names of objects and transforms, and model and text hash of vectors."""

    objects: list[str]
    transforms: list[str]
    vectors: list[tuple[str, str]]


def prune(
    root: str | Path, at: datetime, *, before: datetime, sealed: Collection[str] = (), dry_run: bool = False
) -> PruneReport:
    """Removes transforms made before a time that no file needs, and the objects and vectors that nothing refers to.

    Args:
        root: the folder of the project.
        at: the present, for the record of what was done.
        sealed: SHA-256 of files, hexadecimal, whose objects stay.
        dry_run: count, and remove nothing.

    Raises:
        NotFoundError: there is no such folder, or no store in it.
        StoreError: the store is damaged or cannot be written, or another process works on it for too long.
    """
    layout = Layout.of(root)
    if not layout.index.is_file():
        raise NotFoundError(f"there is no project in {str(layout.root)!r}; run `clew project genesis` there first")
    with layout.writing():
        index = ProjectIndex(layout.index, writable=True)
        try:
            kept, transforms = _by_age(index, before)
            wanted = {file.object for file in index.files()}
            present = {output.object for transform in kept.values() for output in transform.outputs} | wanted
            unneeded = [name for name in layout.objects.names() if name not in present]
            objects = [name for name in unneeded if not _is_sealed(layout.objects, name, sealed)]
            unused = _Unused(objects, transforms, _unused_vectors(index))
            report = PruneReport(
                root=str(layout.root),
                objects=len(objects),
                transforms=len(transforms),
                vectors=len(unused.vectors),
                bytes=_bytes(layout.objects, objects) + _bytes(layout.transforms, transforms),
                superseded=len((present | set(unneeded)) - wanted) - len(objects),
                dry_run=dry_run,
            )
            if not dry_run and any(unused):
                _remove(layout, index, at, before, unused)
            return report
        finally:
            index.close()


def _by_age(index: ProjectIndex, before: datetime) -> tuple[Mapping[str, Transform], list[str]]:
    """The transforms that stay, by name, and the names of those that are removed."""
    named = {file.transform for file in index.files()}
    transforms = {name: decoded_transform(record) for name, record in index.transforms().items()}
    kept = {name: made for name, made in transforms.items() if name in named or made.at >= before}
    return kept, [name for name in transforms if name not in kept]


def _is_sealed(store: ContentStore, name: str, sealed: Collection[str]) -> bool:
    data = store.read(name) if sealed else None
    try:
        return data is not None and decoded_file(data).content in sealed
    except ClewError:  # no object that can be read, so nothing refers to it
        return False


def _unused_vectors(index: ProjectIndex) -> list[tuple[str, str]]:
    """Model and text of the vectors that no node has."""
    keys = index.vector_keys()
    texts = {text_key(node) for node in index.nodes()} if keys else set()
    return [(model, text) for model, text in keys if text not in texts]


def _bytes(store: ContentStore, names: Iterable[str]) -> int:
    return sum(store.path(name).stat().st_size for name in names if store.path(name).is_file())


def _remove(layout: Layout, index: ProjectIndex, at: datetime, before: datetime, unused: _Unused) -> None:
    """Writes the record, then changes the index, then removes files; each step is durable before the next begins."""
    limits = limits_of(index)
    removed = {
        "before": before.isoformat(),
        "objects": unused.objects,
        "transforms": unused.transforms,
        "vectors": len(unused.vectors),
    }
    parameters = removed | {"max_bytes": limits.max_bytes, "exclude": list(limits.exclude)}
    record = encoded(
        Transform(goal=Goal.PRUNE, at=at, inputs=(), outputs=(), method=method(), parameters=parameters).to_dict()
    )
    name, _ = layout.transforms.write(record)
    layout.transforms.sync()
    with index.transaction():
        index.put_transform(name, int(index.meta("generation") or 0), record)
        index.drop_transforms(unused.transforms)
        index.drop_vectors(unused.vectors)
    for transform in unused.transforms:
        layout.transforms.discard(transform)
    for unneeded in unused.objects:
        layout.objects.discard(unneeded)
