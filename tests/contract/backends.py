"""The backends that the contract suite runs against: a new one is one more line in BACKENDS."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore

BACKENDS: Final[Mapping[str, Callable[[Path], Store]]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda place: SqliteStore.open(place / "home"),
}
"""Name to a function that opens a new, empty store, which may use the directory."""
