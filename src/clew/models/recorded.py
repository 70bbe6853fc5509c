"""Records an embedder's vectors in a file and replays them byte for byte.

Vectors differ in the last bits between machines and library versions. A recording fixes them: derived rows are then the
same on any machine, and a replay needs no model.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import apsw
import numpy as np

from clew.errors import ConfigError, ModelError, ModelUnavailable, StoreError
from clew.forks import Shared, using_sqlite
from clew.models.protocol import Embedder, Matrix

BUSY_MS: Final = 30_000  # how long to wait for another process that is writing; it holds the file for milliseconds

_SCHEMA: Final = """
    CREATE TABLE IF NOT EXISTS embedder (name TEXT PRIMARY KEY, dim INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS vector (
        name TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (name, text)
    ) WITHOUT ROWID;
"""


class RecordedEmbedder:
    """An embedder that answers from a file and calls `inner` only for texts that the file lacks.

    If several processes record the same text at once, the first one to write wins and all return its vector. Texts are
    stored as SHA-256 only. Safe to share between threads, and a forked process goes on with a connection of its own.
    """

    def __init__(self, inner: Embedder | None, path: str | Path, *, name: str | None = None) -> None:
        """Opens the recording; creates the file if there is an `inner` embedder.

        Args:
            inner: embeds missing texts; None only replays.
            path: path of the SQLite file.
            name: the embedder to replay when `inner` is None; needed only if the file has several.

        Raises:
            ConfigError: the file has no embedder, several embedders and no `name` was given, or not this one.
            ModelUnavailable: the file cannot be opened.
        """
        self._inner = inner
        self._path = Path(path)
        try:
            self._shared = self._opened(str(self._path), make=inner is not None)
            rows: list[Any] = self._shared.rows("SELECT name, dim FROM embedder ORDER BY name")
        except apsw.Error as error:
            raise ModelUnavailable(f"the recording {self._path} cannot be opened: {error}") from error
        known: dict[str, int] = dict(rows)
        self.name = _chosen(name, list(known), self._path) if inner is None else inner.name
        # The recorded dimension first: a model behind an endpoint must be contacted to learn its dimension.
        self.dim = known[self.name] if inner is None or self.name in known else inner.dim

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`; the same text gives the same bytes for as long as the file exists.

        Raises:
            ModelUnavailable: there is no `inner` embedder and a text was not recorded; the message has its SHA-256.
            ModelError: `inner` failed, or the file cannot be read or written.
        """
        keys = [text_key(text) for text in texts]
        unique = dict(zip(keys, texts, strict=True))
        vectors = self._read(list(unique))
        missing = [key for key in unique if key not in vectors]
        if missing:
            vectors |= self._record(missing, [unique[key] for key in missing])
        rows = [np.frombuffer(vectors[key], "<f4") for key in keys]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def close(self) -> None:
        """Closes the file."""
        self._shared.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, keys: list[bytes], texts: list[str]) -> dict[bytes, bytes]:
        """Calls `inner`, writes its vectors, and reads them back, since another process may have been first."""
        if self._inner is None:
            raise ModelUnavailable(
                f"{self._path} has no vector of {self.name} for the text with SHA-256 {keys[0].hex()} "
                f"({len(keys)} missing in all); record it with the model"
            )
        vectors = np.asarray(self._inner.embed(texts), "<f4")
        if vectors.shape != (len(texts), self.dim):
            expected = (len(texts), self.dim)
            raise ModelError(f"{self.name} answered with the shape {vectors.shape}; {self._path} expects {expected}")
        rows = [(self.name, key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._connection() as connection, connection:
            connection.execute("INSERT OR IGNORE INTO embedder VALUES (?, ?)", (self.name, self.dim))
            connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?, ?)", rows)
        return self._read(keys)

    def _read(self, keys: list[bytes]) -> dict[bytes, bytes]:
        query = "SELECT vector FROM vector WHERE name = ? AND text = ?"
        recorded: dict[bytes, bytes] = {}
        with self._connection() as connection:
            for key in keys:
                row: Any = connection.execute(query, (self.name, key)).fetchone()
                if row is not None:
                    recorded[key] = row[0]
        return recorded

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        """The connection of this process, which no other thread uses and no fork copies inside the block."""
        try:
            if self._shared.is_inherited:
                self._open_own(self._shared)
            with self._shared.lock:
                yield self._shared.connection
        except apsw.Error as error:
            raise ModelError(f"the recording {self._path} cannot be used: {error}") from error

    def _open_own(self, inherited: Shared) -> None:
        """Opens in a child what its parent had open, also where the child works in another directory."""
        file = inherited.filename or str(self._path)
        own = self._opened(file, make=self._inner is not None)
        with inherited.lock:  # of threads that open one each, the first one's is used
            if self._shared is inherited:
                self._shared = own
                return
        own.close()

    def _opened(self, file: str, *, make: bool) -> Shared:
        try:
            with using_sqlite():
                return Shared(_open(file, make=make))
        except StoreError as error:  # this process was forked at a moment that leaves it no SQLite
            raise ModelUnavailable(f"the recording {self._path} cannot be opened: {error}") from error


def text_key(text: str) -> bytes:
    """SHA-256 of a text's UTF-8 bytes (lone surrogates encoded as they are): its key in a recording."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _open(file: str, *, make: bool) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if make else 0)
    db = apsw.Connection(file, flags=flags)
    db.set_busy_timeout(BUSY_MS)
    db.transaction_mode = "IMMEDIATE"  # a deferred one that reads first cannot wait for another writer
    if make:
        with db:
            db.execute(_SCHEMA)
    return db


def _chosen(name: str | None, known: list[str], path: Path) -> str:
    if name is None and len(known) == 1:
        return known[0]
    if name not in known or name is None:
        raise ConfigError(f"{path} cannot replay {name!r}; it contains {', '.join(known) or 'no embedder'}")
    return name
