"""What genesis and update share: walks a project, reads what changed, and puts it into the store batch by batch.

A batch is safe as a whole: its objects and its transform are on the disk before the index names them. A run that was
stopped leaves the batches that it finished, and the next one goes on from there.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from clew.errors import StoreCorrupt
from clew.project.index import FORMAT, FileTimes, ProjectIndex
from clew.project.layout import Layout
from clew.project.limits import Limits, limits_of, put_limits
from clew.project.objects import ObjectState, decoded_file, digest_of, encoded
from clew.project.parse.parse import is_binary, parse
from clew.project.parse.parsed import ParsedFile
from clew.project.reading import content_hash, nodes_of, read_bytes, references_of, seen_file
from clew.project.transforms import Goal, Transform, TransformInput, TransformOutput, method
from clew.project.walk import FoundFile, SkippedFile, SkipReason, Walk, walk
from clew.types.record import Record

_BATCH_FILES: Final = 500
_BATCH_BYTES: Final = 32_000_000
_RACY: Final = 2_000_000_000
"""Nanoseconds within which a file may change without a later time: the coarsest file systems count in two seconds."""

Progress = Callable[[int, int], None]
"""Called with how many files are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport(Record):
    """What a genesis or an update did, and what the project consists of now.

    Attributes:
        generation: number of the state; it grows with every run that changed something.
        nodes: number of nodes by kind.
        languages: number of files by language.
        dependencies: number of pairs of files of which one imports the other.
        added, changed, removed, healed: paths. Healed are files that did not change, but whose object or part of the
            index was lost, altered, or made by other rules.
        unchanged: number of files.
        objects: number of new objects.
        transforms: ids of those that were made.
        skipped: files and folders that were left out, and why.
        ignored: number of files and folders that rules leave out.
        collisions: paths that some file systems take for one.
        syntax_errors: files that their grammar did not understand wholly; the rest of each was read.
        grammars: whether code is read by grammars (the extra `project`), or as plain text.
    """

    root: str
    generation: int
    files: int
    nodes: dict[str, int]
    languages: dict[str, int]
    dependencies: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    healed: tuple[str, ...] = ()
    unchanged: int = 0
    objects: int = 0
    transforms: tuple[str, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    ignored: int = 0
    collisions: tuple[tuple[str, ...], ...] = ()
    syntax_errors: tuple[str, ...] = ()
    grammars: bool = True


@dataclass(slots=True)
class _Run:
    """The state of one run: the store, what was found, and what was done so far.

    Attributes:
        was_stopped: whether the run before was stopped before it resolved the imports of what it had stored.
        records: the transforms that there are.
    """

    layout: Layout
    index: ProjectIndex
    goal: Goal
    limits: Limits
    at: datetime
    now: int
    known: Mapping[str, FileTimes]
    contents: Mapping[str, str]
    generation: int
    reads_all: bool
    remakes_all: bool
    was_stopped: bool
    records: frozenset[str] = frozenset()
    batch: list[tuple[FoundFile, ParsedFile]] = field(default_factory=list)
    batch_bytes: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    binary: list[FileTimes] = field(default_factory=list)
    touched: list[FileTimes] = field(default_factory=list)
    changes: dict[str, list[str]] = field(default_factory=lambda: {"added": [], "changed": [], "healed": []})
    removed: list[str] = field(default_factory=list)
    objects: int = 0
    transforms: list[str] = field(default_factory=list)


def build(
    layout: Layout, goal: Goal, limits: Limits | None, at: datetime, on_progress: Progress | None = None
) -> BuildReport:
    """Brings the store up to date with the project.

    Args:
        goal: a genesis reads every file and checks every object; an update reads files that may have changed.
        limits: None for those of the last run.
        at: the present, for the transforms.

    Raises:
        InputError: a pattern of the limits is invalid.
        StoreLocked: another process works on this project, and did not finish.
        StoreError: the store cannot be written.
    """
    layout.make()
    with layout.writing() as now:
        try:
            return _built(layout, goal, limits, at, now, on_progress)
        except StoreCorrupt:
            if goal is not Goal.GENESIS:
                raise
        layout.drop_index()  # its pages are sound, and its rows are not
        return _built(layout, goal, limits, at, now, on_progress)


def _built(
    layout: Layout, goal: Goal, limits: Limits | None, at: datetime, now: int, on_progress: Progress | None
) -> BuildReport:
    index = _opened(layout, heals=goal is Goal.GENESIS)
    try:
        limits = limits or limits_of(index)
        walked = walk(layout.root, max_bytes=limits.max_bytes, exclude=limits.exclude)
        run = _started(layout, index, goal, limits, at, now)
        if run.reads_all:
            _heal_transforms(run)
        _take_in_transforms(run)
        tell = on_progress or (lambda _done, _all: None)
        for done, file in enumerate(walked.files):
            _look_at(run, file)
            tell(done, len(walked.files))
        run.removed = sorted(set(run.contents) - {file.path for file in walked.files} | _now_skipped(run))
        _store(run, run.removed)
        _finish(run)
        tell(len(walked.files), len(walked.files))
        return _report(run, walked)
    finally:
        index.close()


def _opened(layout: Layout, *, heals: bool) -> ProjectIndex:
    """The index; one of another format is made again, and by a genesis also one that is damaged."""
    try:
        index = ProjectIndex(layout.index, writable=True)
        is_other = index.format != FORMAT
        if not is_other and (not heals or index.is_sound()):
            return index
        index.close()
        if is_other or heals:
            layout.drop_index()
    except StoreCorrupt:
        if not heals:
            raise
        layout.drop_index()
    return ProjectIndex(layout.index, writable=True)


def _started(layout: Layout, index: ProjectIndex, goal: Goal, limits: Limits, at: datetime, now: int) -> _Run:
    generation = int(index.meta("generation") or 0)
    is_other = index.meta("method") != json.dumps(method(), sort_keys=True)
    return _Run(
        layout=layout,
        index=index,
        goal=goal if generation else Goal.GENESIS,
        limits=limits,
        at=at,
        now=now,
        known=index.times(),
        contents={file.path: file.content for file in index.files()},
        generation=generation + 1,
        reads_all=goal is Goal.GENESIS or is_other,
        remakes_all=is_other,
        was_stopped=index.meta("unresolved") == "1",
    )


def _heal_transforms(run: _Run) -> None:
    """Writes transforms whose files were lost or altered again, and removes what else is altered in the store."""
    store, kept = run.layout.transforms, run.index.transforms()
    altered = [name for name, record in kept.items() if content_hash(record) != name]
    with run.index.transaction():
        run.index.drop_transforms(altered)
    for name in altered:
        del kept[name]
    for name, record in kept.items():
        if store.state(name) is not ObjectState.INTACT:
            store.discard(name)
            store.write(record)
    for content_store in (run.layout.objects, store):
        content_store.clear_leftovers()
    wanted = {file.object for file in run.index.files()}
    for name in list(run.layout.objects.names()):
        if name not in wanted and run.layout.objects.state(name) is ObjectState.ALTERED:
            run.layout.objects.discard(name)


def _take_in_transforms(run: _Run) -> None:
    """Takes in transforms that the index does not know, of a lost index or of a run that was killed."""
    store, known = run.layout.transforms, run.index.transform_ids()
    unknown = [name for name in store.names() if name not in known]
    for name in unknown:
        found = store.read(name)
        if found is None:
            store.discard(name)
            continue
        with run.index.transaction():
            run.index.put_transform(name, 0, found)
    run.records = run.index.transform_ids() if unknown else known


def _look_at(run: _Run, file: FoundFile) -> None:
    """Decides whether a file has to be read, reads it, and puts it into the batch where it has to be taken apart."""
    known = run.known.get(file.path)
    is_same = known is not None and (known.size, known.modified) == (file.size, file.modified)
    if is_same and known is not None and not run.reads_all and file.modified < known.seen - _RACY:
        if not known.object:
            run.binary.append(known)
            run.skipped.append(SkippedFile(file.path, SkipReason.BINARY))
        return
    data = read_bytes(file, run.limits.max_bytes)
    if isinstance(data, bytes) and is_binary(data):
        run.binary.append(FileTimes(file.path, file.size, file.modified, run.now, ""))
        data = SkipReason.BINARY
    if not isinstance(data, bytes):
        run.skipped.append(SkippedFile(file.path, data))
        return
    before = run.contents.get(file.path)
    if before == content_hash(data) and not run.remakes_all and _is_whole(run, file.path, len(data)):
        run.touched.append(FileTimes(file.path, len(data), file.modified, run.now, ""))
        return
    kind = "added" if before is None else "changed" if before != content_hash(data) else "healed"
    run.changes[kind].append(file.path)
    run.batch.append((replace(file, size=len(data)), parse(file.path, data)))  # it may have grown since the walk
    run.batch_bytes += len(data)
    if len(run.batch) >= _BATCH_FILES or run.batch_bytes >= _BATCH_BYTES:
        _store(run, ())


def _is_whole(run: _Run, path: str, size: int) -> bool:
    """Whether the object of an unchanged file, and what the index has of it, are as they were; only a genesis looks."""
    if not run.reads_all:
        return True
    data = run.layout.objects.read(run.known[path].object)
    if data is None:
        return False
    parsed = decoded_file(data)
    nodes, index = nodes_of(path, parsed), run.index
    file = index.file(path)
    return (
        file is not None
        and (file.size, file.language, file.lines) == (size, parsed.language, parsed.lines)
        and file.transform in run.records
        and {node.id: node for node in nodes} == {node.id: node for node in index.nodes("of_path", path)}
        and set(references_of(nodes, parsed)) == set(index.references("of_path", path))
        and set(parsed.imports) == set(index.imported(path))
    )


def _now_skipped(run: _Run) -> set[str]:
    """Files of the index that are there, but cannot be read any more or are binary now."""
    return {skipped.path for skipped in run.skipped if skipped.path in run.contents}


def _store(run: _Run, removed: Sequence[str]) -> None:
    """Writes the batch: objects, then the transform, then the index, each safe before the next."""
    if not run.batch and not removed:
        return
    outputs = []
    for file, parsed in run.batch:
        name, is_new = run.layout.objects.write(encoded(parsed.to_dict()))
        run.objects += is_new
        outputs.append(TransformOutput(file.path, name))
    healed = set(run.changes["healed"])
    is_healing = not removed and all(file.path in healed for file, _ in run.batch)
    record = encoded(
        Transform(
            goal=Goal.HEAL if is_healing else run.goal,
            at=run.at,
            inputs=tuple(TransformInput(file.path, parsed.content) for file, parsed in run.batch),
            outputs=tuple(outputs),
            removed=tuple(removed),
            method=method(),
            parameters={"max_bytes": run.limits.max_bytes, "exclude": list(run.limits.exclude)},
        ).to_dict()
    )
    transform, _ = run.layout.transforms.write(record)
    run.layout.objects.sync()
    run.layout.transforms.sync()
    with run.index.transaction():
        for (file, parsed), output in zip(run.batch, outputs, strict=True):
            run.index.put_file(seen_file(file, parsed, output.object, transform, run.now), run.generation)
        for path in removed:
            run.index.remove_file(path, run.generation)
        run.index.put_transform(transform, run.generation, record)
        run.index.set_meta("generation", str(run.generation))
        run.index.set_meta("unresolved", "1")
        if not run.contents:  # so that the next run goes on from here if this one is stopped
            run.index.set_meta("method", json.dumps(method(), sort_keys=True))
    run.transforms.append(transform)
    run.batch, run.batch_bytes = [], 0


def _finish(run: _Run) -> None:
    """Resolves imports, and notes the times of files that were read and had not changed."""
    changed = [*run.changes["changed"], *run.changes["healed"]]
    paths_changed = bool(run.changes["added"] or run.removed)
    with run.index.transaction():
        run.index.set_binary(run.binary)
        run.index.set_times(run.touched)
        if paths_changed or run.was_stopped or run.reads_all:
            run.index.resolve(None)
        elif changed:
            run.index.resolve(changed)
        run.index.set_meta("unresolved", "0")
        run.index.set_meta("method", json.dumps(method(), sort_keys=True))
        put_limits(run.index, run.limits)
        if run.transforms or run.was_stopped or run.reads_all:
            run.index.set_meta("digest", digest_of((file.path, file.object) for file in run.index.files()))


def _report(run: _Run, walked: Walk) -> BuildReport:
    files = run.index.files()
    return BuildReport(
        root=str(run.layout.root),
        generation=int(run.index.meta("generation") or 0),
        files=len(files),
        nodes=run.index.counts(),
        languages=dict(sorted(Counter(file.language for file in files).items())),
        dependencies=len(run.index.dependencies()),
        added=tuple(run.changes["added"]),
        changed=tuple(run.changes["changed"]),
        removed=tuple(run.removed),
        healed=tuple(run.changes["healed"]),
        unchanged=len(files) - sum(map(len, run.changes.values())),
        objects=run.objects,
        transforms=tuple(run.transforms),
        skipped=tuple(sorted([*walked.skipped, *run.skipped], key=lambda skipped: skipped.path)),
        ignored=walked.ignored,
        collisions=walked.collisions,
        syntax_errors=tuple(run.index.syntax_errors()),
        grammars="tree-sitter" in method(),
    )
