"""Finds again what was made of the beginning of a history, when the next request sends the same bytes once more.

A client sends its whole history with every question. What is made of each message again and again takes as long as the
history is; the bytes of the history are hashed in one go. Where any of them changed, by an edit, another branch, or a
compaction, the hash is another one, and nothing is found.
"""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from clew.serve.proxy.exchange import ChatRequest

V = TypeVar("V")

_FEWEST: Final = 32
"""Messages below which looking for a beginning costs as much as it saves."""

_ENDS: Final = 8
"""Messages at the end of a history up to which a beginning is looked for: a client adds fewer with most requests."""

_BACK: Final = 4
"""Messages before the end up to which a history is kept as well: clients move the cache marks of the last ones."""


@dataclass(frozen=True, slots=True)
class KnownBeginning(Generic[V]):
    """What is known of a history.

    Attributes:
        value: what was made of a history that begins with the same messages; None if there was none.
        count: how many messages are the same.
        keys: hashes of the history up to each of its last messages, the last one last.
    """

    value: V | None
    count: int
    keys: tuple[bytes, ...]


class HistoryPrefixes(Generic[V]):
    """What was made of histories, the last used ones. Threads may share it."""

    def __init__(self, most: int) -> None:
        """Keeps so many histories."""
        self._most = 2 * most
        self._kept: OrderedDict[bytes, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, request: ChatRequest) -> KnownBeginning[V]:
        """What was made of the longest beginning of a request's messages, every byte of which is the same."""
        keys = _keys(request)
        count = len(request.spans)
        with self._lock:
            for back, key in enumerate(reversed(keys)):
                kept = self._kept.get(key)
                if kept is not None and kept[1] == count - back:
                    self._kept.move_to_end(key)
                    return KnownBeginning(kept[0], kept[1], keys)
        return KnownBeginning(None, 0, keys)

    def keep(self, beginning: KnownBeginning[V], count: int, value: V) -> None:
        """Keeps what was made of a history of so many messages, which `find` was asked for."""
        with self._lock:
            for back in (_BACK, 0):
                if back < len(beginning.keys):
                    key = beginning.keys[-1 - back]
                    self._kept[key] = (value, count - back)
                    self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _keys(request: ChatRequest) -> tuple[bytes, ...]:
    """Hashes of the bytes of the messages up to each of the last ones; none for a short history."""
    spans, body = request.spans, memoryview(request.body)
    if len(spans) < _FEWEST:
        return ()
    digest = hashlib.blake2b(digest_size=16, person=request.wire.encode())
    start, keys = spans[0].start, []
    for span in spans[-_ENDS:]:
        digest.update(body[start : span.end])
        start = span.end
        keys.append(digest.digest())
    return tuple(keys)
