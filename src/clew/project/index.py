"""The index of a project: which file has which object, and what is found by name, by word or by dependency.

One SQLite database, derived from the objects. It names files by their exact paths, so that no two of them collide;
writers wait for each other, and a crash leaves the state of the last batch. The statements are in `sql/index.sql`.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import finalize

import apsw

from clew.errors import StoreCorrupt, StoreReadOnly
from clew.forks import Shared, refuse_after_unsafe_fork, refuse_inherited, using_sqlite
from clew.project.nodes import EdgeKind, NodeKind, ProjectFile, ProjectNode
from clew.project.resolve import Known, Resolver
from clew.store.statements import templates
from clew.store.translate import translated
from clew.text.terms import terms
from clew.types.record import maker

FORMAT: Final = 3
"""Version of the tables; an index of another one is made again."""
WAIT_MS: Final = 30_000
"""How long a reader or writer waits for a lock inside of SQLite."""
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])")

_KINDS: Final = {kind.value: kind for kind in NodeKind}
_EDGES: Final = {kind.value: kind for kind in EdgeKind}
_MADE_ANEW: Final = "run `clew project genesis`, which makes it anew"

_made_file = maker(ProjectFile)
_made_node = maker(ProjectNode)


class NodeReference(NamedTuple):
    """A name that a node uses, as the index keeps it; `is_member` as in `parsed.Reference`."""

    path: str
    node: str
    kind: EdgeKind
    name: str
    is_member: bool


class FileTimes(NamedTuple):
    """What tells whether a file may have changed; the object of a binary file is empty.

    Attributes:
        modified: time of its last change, as the walk tells it.
        seen: the file system's time when it was read.
    """

    path: str
    size: int
    modified: int
    seen: int
    object: str


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file that was read, with all that the index keeps of it; `package` and the rest as in `parsed.ParsedFile`."""

    file: ProjectFile
    times: FileTimes
    package: str
    syntax_errors: bool
    nodes: Sequence[ProjectNode]
    imports: Sequence[str]
    references: Sequence[NodeReference]


class ProjectIndex:
    """The database. One object may be used by several threads; they take turns."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        """Opens the index, or makes one where it is to be written.

        Raises:
            StoreError: it cannot be opened, or is damaged.
        """
        self._root = path.parents[3].name if len(path.parents) > 3 else ""
        self._sql = templates("index", "clew.project")
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        refuse_after_unsafe_fork(path)
        self._process = os.getpid()
        with _errors(), using_sqlite():
            database = apsw.Connection(str(path), flags=flags) if writable else _readable(path)
            database.set_busy_timeout(WAIT_MS)
            self._shared = Shared(database)
        self._close = finalize(self, _close, self._shared)
        self._close.atexit = False
        if writable:
            with self._database() as database:
                database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
            if self.format == 0:
                with self._database() as database, database:
                    database.execute(f"{self._sql['tables']} PRAGMA user_version = {FORMAT}")

    @property
    def format(self) -> int:
        """The version of its tables; 0 when it has none."""
        with self._database() as database:
            return int(database.pragma("user_version"))

    def close(self) -> None:
        """Closes the database."""
        self._close()

    @contextmanager
    def _database(self) -> Iterator[apsw.Connection]:
        """The connection, for this thread alone.

        Raises:
            ClosedError: this process was forked from the one that opened the index.
            StoreError: SQLite failed.
        """
        refuse_inherited(self._process)
        with self._shared.lock, _errors():
            yield self._shared.connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of a block, or nothing of it."""
        with self._database() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._database() as database:
            return database.execute(self._sql[statement], values).fetchall()

    def _texts(self, statement: str, *values: Any) -> list[str]:
        return [text for (text,) in self._rows(statement, *values)]

    def _each(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        with self._database() as database:
            database.executemany(self._sql[statement], values)

    # --- reading ---

    def meta(self, key: str) -> str | None:
        """A value that is kept under a name; None if there is none."""
        return next(iter(self._texts("meta", key)), None)

    def files(self) -> list[ProjectFile]:
        """All files, in the order of paths."""
        return [_made_file(*row) for row in self._rows("files")]

    def file(self, path: str) -> ProjectFile | None:
        """The file of a path."""
        return next((_made_file(*row) for row in self._rows("file", path)), None)

    def paths_ending(self, end: str) -> list[str]:
        """The paths of files with an end, which begins with a slash; the path without that slash as well."""
        return self._texts("paths_ending", end)

    def times(self) -> dict[str, FileTimes]:
        """What tells whether files may have changed, by path."""
        return {path: FileTimes(path, *rest) for path, *rest in self._rows("times")}

    def nodes(self, by: str = "", value: str | int | None = None) -> list[ProjectNode]:
        """All nodes in the order of path and line, or those with a value.

        Args:
            by: `of_path`, `of_kind`, `of_name`, or `since` for those that changed after a generation.
        """
        rows = self._rows(f"nodes_{by}", value) if by else self._rows("nodes")
        return [_node(row) for row in rows]

    def node(self, node_id: str) -> ProjectNode | None:
        """The node of an id."""
        return next((_node(row) for row in self._rows("node", node_id)), None)

    def search(self, text: str, limit: int) -> list[tuple[ProjectNode, float]]:
        """The nodes with the best BM25 score for the words of a text."""
        wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(words_of(text)))
        rows = self._rows("search", wanted, limit) if wanted else []
        return [(_node(values), float(score)) for *values, score in rows]

    def counts(self) -> dict[str, int]:
        """Number of nodes by kind."""
        return {str(kind): int(count) for kind, count in self._rows("counts")}

    def syntax_errors(self) -> list[str]:
        """The files that their grammar did not understand wholly."""
        return self._texts("syntax_errors")

    def dependencies(self) -> list[tuple[str, str]]:
        """Source and target of all imports between files."""
        return [(source, target) for source, target in self._rows("dependencies")]

    def dependents(self, path: str) -> list[str]:
        """The files that import a file, in the order of paths."""
        return self._texts("dependents", path)

    def targets(self, path: str) -> list[str]:
        """The files that a file imports, in the order of paths."""
        return self._texts("targets", path)

    def imports(self) -> list[tuple[str, str]]:
        """Path and imported name of all imports, as the files write them."""
        return [(path, name) for path, name in self._rows("imports")]

    def imported(self, path: str) -> list[str]:
        """What a file imports, as the file writes it; see `parse.imports`."""
        return [name for _, name in self._imports_of(path)]

    def _imports_of(self, path: str) -> list[tuple[str, str]]:
        return [(source, name) for source, name in self._rows("imports_of_path", path)]

    def resolved(self, paths: Iterable[str] | None) -> set[tuple[str, str]]:
        """Source and target of the imports of these files, or of all, as the imports say now; see `resolve`."""
        known = [Known(*row) for row in self._rows("known")]
        resolver = Resolver(known, self._root)
        languages = {file.path: file.language for file in known}
        pairs = self.imports() if paths is None else [pair for path in paths for pair in self._imports_of(path)]
        return {
            (path, target) for path, name in pairs for target in resolver.targets(path, languages.get(path, ""), name)
        }

    def references(self, by: str = "", value: str = "") -> list[NodeReference]:
        """All references, or those `of_path`, `of_kind`, or those `to` a name."""
        rows = self._rows(f"references_{by}", value) if by else self._rows("references")
        return [_reference(row) for row in rows]

    def removed(self, since: int) -> list[str]:
        """Ids of nodes that left after a generation."""
        return self._texts("removed", since)

    def transforms(self) -> dict[str, bytes]:
        """The records of all transforms by id, the oldest first."""
        return {str(name): bytes(record) for name, record in self._rows("transforms")}

    def transform_ids(self) -> frozenset[str]:
        """The ids of all transforms."""
        return frozenset(self._texts("transform_ids"))

    def vectors(self, model: str) -> dict[str, bytes]:
        """The stored vectors of a model, by the hash of their text."""
        return {str(text): bytes(data) for text, data in self._rows("vectors", model)}

    def is_sound(self) -> bool:
        """Whether the database is what SQLite wrote."""
        try:
            with self._database() as database:
                return str(database.pragma("integrity_check")) == "ok"
        except StoreCorrupt:
            return False

    # --- writing, within a transaction ---

    def set_meta(self, key: str, value: str) -> None:
        """Keeps a value under a name, in place of an earlier one."""
        self._rows("set_meta", key, value)

    def put_file(self, seen: SeenFile, generation: int) -> None:
        """Puts a file in the place of what was known of it; nodes that stay as they were keep their generation."""
        file, times = seen.file, seen.times
        self._rows(
            "put_file",
            *(file.path, file.content, file.object, file.transform, file.size, file.language, file.lines),
            *(seen.package, seen.syntax_errors, times.modified, times.seen),
        )
        self._put_nodes(file.path, seen.nodes, generation)
        for statement in ("drop_binary", "drop_imports", "drop_references"):
            self._rows(statement, file.path)
        self._each("put_import", [(file.path, name) for name in seen.imports])
        self._each("put_reference", seen.references)

    def _put_nodes(self, path: str, nodes: Sequence[ProjectNode], generation: int) -> None:
        known = {node: (key, node, *rest) for key, node, *rest in self._rows("keyed_nodes", path)}
        wanted = {node.id for node in nodes}
        self._drop_nodes([(key, node) for node, (key, *_) in known.items() if node not in wanted], generation)
        for node in nodes:
            values = (
                *(node.id, node.kind, node.path, node.name, node.qualified, node.language, node.start, node.end),
                *(node.signature, node.text, node.hash),
            )
            key, *before = known.get(node.id, (None,))
            if tuple(before) == values:
                continue
            if key is not None:
                self._rows("drop_words", key)
            self._rows("put_node", key, *values, generation)
            self._rows("put_words", self._rows("node_key", node.id)[0][0], _searched(node))
            self._rows("drop_removed", node.id)

    def _drop_nodes(self, nodes: Sequence[tuple[int, str]], generation: int) -> None:
        self._each("drop_words", [(key,) for key, _ in nodes])
        self._each("drop_node", [(key,) for key, _ in nodes])
        self._each("put_removed", [(node, generation) for _, node in nodes])

    def remove_file(self, path: str, generation: int) -> None:
        """Takes a file and all of it out of the index."""
        self._drop_nodes([(key, node) for key, node, *_ in self._rows("keyed_nodes", path)], generation)
        for statement in ("drop_file", "drop_imports", "drop_references"):
            self._rows(statement, path)

    def set_binary(self, files: Iterable[FileTimes]) -> None:
        """Remembers which files are not text, so that they are not read again; forgets all others."""
        kept = {file.path: (file.path, file.size, file.modified, file.seen) for file in files}
        self._each("drop_binary", [(path,) for path in self._texts("binary") if path not in kept])
        self._each("put_binary", kept.values())

    def set_times(self, times: Iterable[FileTimes]) -> None:
        """Sets size and times of files that turned out to be unchanged."""
        self._each(
            "set_times",
            [(file_times.size, file_times.modified, file_times.seen, file_times.path) for file_times in times],
        )

    def resolve(self, paths: Iterable[str] | None) -> None:
        """Finds the targets of the imports of these files; of all files, which paths that came or went ask for."""
        asked = None if paths is None else list(paths)
        before = (
            set(self.dependencies())
            if asked is None
            else {(path, target) for path in asked for target in self.targets(path)}
        )
        after = self.resolved(asked)
        self._each("drop_dependency", sorted(before - after))
        self._each("put_dependency", sorted(after - before))

    def put_transform(self, name: str, generation: int, record: bytes) -> None:
        """Keeps a transform beside its file, from which it can be made again."""
        self._rows("put_transform", name, generation, record)

    def drop_transforms(self, names: Iterable[str]) -> None:
        """Forgets transforms."""
        self._each("drop_transform", [(name,) for name in names])

    def vector_keys(self) -> list[tuple[str, str]]:
        """Model and hash of the text of each stored vector."""
        return [(str(model), str(text)) for model, text in self._rows("vector_keys")]

    def drop_vectors(self, keys: Iterable[tuple[str, str]]) -> None:
        """Removes vectors by model and hash of their text."""
        self._each("drop_vector", keys)

    def put_vectors(self, model: str, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Keeps vectors by the hash of their text."""
        self._each("put_vector", [(model, text, data) for text, data in vectors])


def words_of(text: str) -> list[str]:
    """The search terms of a text; names such as `readFile` and `read_file` as their words, and whole."""
    split = _HUMP.sub(" ", text)
    return terms(split) if split == text else [*terms(split), *terms(text)]


def _node(values: Sequence[Any]) -> ProjectNode:
    name, kind, *rest = values
    if kind not in _KINDS:
        raise StoreCorrupt(f"the index of the project has a node of the kind {kind!r}; {_MADE_ANEW}")
    node: ProjectNode = _made_node(name, _KINDS[kind], *rest)
    return node


def _reference(values: Sequence[Any]) -> NodeReference:
    path, node, kind, name, is_member = values
    if kind not in _EDGES:
        raise StoreCorrupt(f"the index of the project has a reference of the kind {kind!r}; {_MADE_ANEW}")
    return NodeReference(path, node, _EDGES[kind], name, bool(is_member))


def _searched(node: ProjectNode) -> str:
    """What a node is found by: its names, more than once since they say more than its text."""
    return " ".join([*words_of(node.name) * 4, *words_of(node.qualified), *words_of(node.text)])


def _close(shared: Shared) -> None:
    """Closes a connection, unless it is the parent's."""
    if not shared.is_inherited:
        shared.close()


def _readable(path: Path) -> apsw.Connection:
    """The database to be read, also where this user may write neither it nor beside it.

    SQLite has to write beside a database in WAL mode, unless it is told that nobody changes it. That is so where there
    is not a log; what a writer with more rights does meanwhile shows when the project is opened again.
    """
    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        database.set_busy_timeout(WAIT_MS)
        database.pragma("user_version")
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        database.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        database = apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)
    return database


@contextmanager
def _errors() -> Iterator[None]:
    """Raises SQLite's errors as Clew's."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreCorrupt(f"the index of the project is damaged; {_MADE_ANEW}") from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise StoreReadOnly("the index of the project cannot be written; check its owner and permissions") from error
    except apsw.Error as error:
        raise translated(error) or error from error
