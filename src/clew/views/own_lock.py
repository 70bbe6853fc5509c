"""A lock for objects that several threads use and that may be copied or pickled."""

import threading
from types import TracebackType
from typing import Final


class OwnLock:
    """A reentrant lock of one object; a copy of the object, or one read from its pickle, gets a new, open lock."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        """Create an open lock."""
        self._lock: Final = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type["OwnLock"], tuple[()]]:
        return OwnLock, ()
