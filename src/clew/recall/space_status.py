"""The pins and pauses of a space, cached, since every question needs them."""

import threading
from dataclasses import dataclass

from clew.rows.pause import paused_parts
from clew.rows.pins import read_pins
from clew.store.protocol import Store
from clew.types.pins import Pin


@dataclass(frozen=True, slots=True)
class SpaceStatus:
    """The pins of a space and what of it is paused, at one version of the store.

    Attributes:
        pins: the oldest first.
        paused: nothing is written for a question, because a receipt repeats its words.
        paused_sessions: likewise for a question that is asked in one of these.
    """

    pins: tuple[Pin, ...]
    paused: bool
    paused_sessions: frozenset[str]


class SpaceStatusCache:
    """Caches the status of one space until anything is written. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before the first call of `at`."""
        self._store, self._space = store, space
        self._lock = threading.Lock()
        self._cached: tuple[int, SpaceStatus] | None = None

    def at(self, version: int) -> SpaceStatus:
        """The status at that version of the store, or a later one."""
        with self._lock:
            cached = self._cached
        if cached is not None and cached[0] == version:
            return cached[1]
        with self._store.snapshot() as reader:
            status = SpaceStatus(tuple(read_pins(reader, self._space)), *paused_parts(reader, self._space))
        with self._lock:
            self._cached = version, status
        return status
