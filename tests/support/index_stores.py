"""Stores for the tests of the index: turns written as the write path does it, and wrappers that interfere."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.index.container import expand
from clew.index.entry import TurnEntry, encode
from clew.index.packer import forget_ordinals
from clew.index.staged_rebuild import Entries
from clew.models.quantize import quantize
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader, Store, Transaction
from clew.store.values import Row

T = TypeVar("T")
SPACE = "s"
MODEL = "m@1"


def new_space(store: Store, space: str = SPACE) -> None:
    store.transaction(lambda tx: tx.put("space", [(space, 0, 0, b"", 0)]))


def memory_store() -> MemoryStore:
    store = MemoryStore()
    store.migrate()
    new_space(store)
    return store


def turn_row(space: str, entry: TurnEntry) -> Row:
    fixed = (space, entry.session, entry.seq, entry.ordinal, b"", entry.at, None, entry.branch, None, entry.role)
    return (*fixed, entry.speaker, "user", None, 0, None, None, "")


def add(store: Store, entries: Iterable[TurnEntry], space: str = SPACE) -> None:
    """Writes turns with their tail entries, in one transaction."""
    held = list(entries)

    def write(tx: Transaction) -> None:
        tx.put("turn", [turn_row(space, entry) for entry in held])
        tx.put("tail", [(space, entry.ordinal, encode(entry)) for entry in held])

    store.transaction(write)


def vector_of(ordinal: int, dim: int = 8) -> NDArray[np.float32]:
    """A unit vector that follows from the ordinal."""
    row = np.random.default_rng(ordinal).normal(size=dim)
    return (row / np.linalg.norm(row)).astype(np.float32)


def embed(store: Store, ordinals: Iterable[int], space: str = SPACE, model: str = MODEL) -> None:
    """Writes the vectors of turns, in one transaction."""
    rows = []
    for ordinal in ordinals:
        codes, scales = quantize(vector_of(ordinal)[None])
        rows.append((space, model, ordinal, float(scales[0]), codes.tobytes()))
    store.transaction(lambda tx: tx.put("vector", rows))


def forget(store: Store, ordinals: Iterable[int], space: str = SPACE) -> dict[str, int]:
    """Takes turns out of store and index, as the write path does it."""
    held = list(ordinals)

    def work(tx: Transaction) -> dict[str, int]:
        for row in tx.scan("turn", (space,), (space,), columns=("session", "seq", "ordinal")):
            if row[2] in held:
                tx.delete("turn", (space, *row[:2]), (space, *row[:2]))
        return forget_ordinals(tx, space, held)

    return store.transaction(work)


def listed(entries: Iterable[TurnEntry]) -> Entries:
    """Entries as a rebuild asks for them: a window at a time."""
    held = list(entries)
    return lambda low, high: [entry for entry in held if low <= entry.ordinal <= high]


def everything(store: Store, space: str = SPACE) -> bytes:
    """The bytes of all rows that the index keeps, expanded."""
    with store.snapshot() as reader:
        columns = (("tail", "entry"), ("segment", "data"), ("vector", "codes"))
        rows = [row for table, name in columns for row in reader.scan(table, (space,), (space,), columns=(name,))]
    return b"".join(expand(bytes(row[0])) for row in rows if isinstance(row[0], bytes))


class Wrapped:
    """A store that calls out before and after each transaction, and counts the rows that are read."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.before: Callable[[], None] | None = None
        self.after: Callable[[], None] | None = None
        self.rows_read = 0

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        before, self.before = self.before, None
        if before:
            before()
        result = self.store.transaction(work, durable=durable)
        after, self.after = self.after, None
        if after:
            after()
        return result

    @contextmanager
    def snapshot(self) -> Any:
        with self.store.snapshot() as reader:
            yield _Counting(reader, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class _Counting:
    def __init__(self, reader: Reader, owner: Wrapped) -> None:
        self._reader = reader
        self._owner = owner

    def get(self, table: str, key: tuple[Any, ...]) -> Row | None:
        self._owner.rows_read += 1
        return self._reader.get(table, key)

    def get_many(self, table: str, keys: Sequence[tuple[Any, ...]], **options: Any) -> Sequence[Row | None]:
        self._owner.rows_read += len(keys)
        return self._reader.get_many(table, keys, **options)

    def scan(self, table: str, low: Any, high: Any, **options: Any) -> Sequence[Row]:
        rows = self._reader.scan(table, low, high, **options)
        self._owner.rows_read += len(rows)
        return rows

    def scan_many(self, table: str, prefixes: Any, **options: Any) -> Sequence[Row]:
        rows = self._reader.scan_many(table, prefixes, **options)
        self._owner.rows_read += len(rows)
        return rows

    def count(self, table: str, low: Any, high: Any, **options: Any) -> int:
        return self._reader.count(table, low, high, **options)


def as_store(wrapped: Wrapped) -> Store:
    """The wrapper under the protocol's type."""
    store: Any = wrapped
    return store  # type: ignore[no-any-return]  # it forwards whatever it does not do itself
