"""What holds for every question put to a space, whatever it asks: what is pinned, and whether the space is paused."""

import threading
from dataclasses import dataclass

from clew.rows.pause import paused_since
from clew.rows.pins import read_pins
from clew.store.protocol import Store
from clew.types.pins import Pin


@dataclass(frozen=True, slots=True)
class Circumstances:
    """One state of it.

    Attributes:
        pins: the oldest first.
        paused: nothing is written for a question: a receipt repeats it.
    """

    pins: tuple[Pin, ...]
    paused: bool


class CircumstancesBook:
    """Keeps it for one space, and reads it again when anything was written. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before somebody asks."""
        self._store, self._space = store, space
        self._lock = threading.Lock()
        self._held: tuple[int, Circumstances] | None = None

    def at(self, version: int) -> Circumstances:
        """As of that version of the store, or a later one."""
        with self._lock:
            held = self._held
        if held is not None and held[0] == version:
            return held[1]
        with self._store.snapshot() as reader:
            found = Circumstances(tuple(read_pins(reader, self._space)), paused_since(reader, self._space) is not None)
        with self._lock:
            self._held = version, found
        return found
