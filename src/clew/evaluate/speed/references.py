"""References for the same work with plain tools: SQLite's full-text index, a bare commit, a numpy scan."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw
import numpy as np

from clew.evaluate.speed.clocks import Elapsed, Stopwatch, processor
from clew.models.protocol import Matrix

BATCH: Final = 500
TOP: Final = 50


def _open(path: Path) -> apsw.Connection:
    """A database as durable as Clew's: write-ahead log, every commit waits for the disk."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


class FullText:
    """SQLite FTS5 over the turns, stemmed, ranked by its bm25."""

    def __init__(self, path: Path) -> None:
        """Makes an empty index."""
        self._db = _open(path)
        self._db.execute(
            "CREATE VIRTUAL TABLE turn USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')"
        )

    def add(self, texts: Sequence[str]) -> float:
        """Adds texts in batches; returns the processor seconds."""
        started = processor()
        for start in range(0, len(texts), BATCH):
            with self._db:
                self._db.executemany("INSERT INTO turn(text) VALUES (?)", [(t,) for t in texts[start : start + BATCH]])
        return processor() - started

    def search(self, words: Sequence[str]) -> Elapsed:
        """Looks the words up, any of them, best first."""
        match = " OR ".join(f'"{word}"' for word in words)
        watch = Stopwatch()
        self._db.execute(
            "SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?", (match, TOP)
        ).fetchall()
        return watch.elapsed()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


class BareCommits:
    """Commits of one row each."""

    def __init__(self, path: Path) -> None:
        """Makes an empty table."""
        self._db = _open(path)
        self._db.execute("CREATE TABLE turn (number INTEGER PRIMARY KEY, body BLOB)")

    def commit(self, body: bytes) -> Elapsed:
        """Writes one row."""
        watch = Stopwatch()
        with self._db:
            self._db.execute("INSERT INTO turn(body) VALUES (?)", (body,))
        return watch.elapsed()

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


def scan(matrix: Matrix, query: Matrix) -> Elapsed:
    """Finds the `TOP` rows nearest to a query with numpy in float32.

    Args:
        matrix: shape (turns, dim), unit rows.
        query: shape (dim,).
    """
    watch = Stopwatch()
    scores = matrix @ query
    best = np.argpartition(-scores, min(TOP, len(scores) - 1))[:TOP]
    best[np.argsort(-scores[best])]
    return watch.elapsed()
