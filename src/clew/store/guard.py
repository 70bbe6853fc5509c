"""Ends the life of a snapshot or transaction: afterwards, and after a failed call, every further call is refused."""

import threading
from collections.abc import Callable
from types import TracebackType

from clew.errors import ClosedError, StoreError


class Guard:
    """Wraps each call of one reader or transaction.

    A failed call dooms the transaction even if the caller catches the error, since half of a `put` may have been
    written.

    Args:
        lock: held during each call, so that a fork of the process can wait for its end.
    """

    __slots__ = ("_dooms", "_ended", "_lock", "_translate", "failure")

    def __init__(
        self,
        *,
        dooms: bool,
        translate: Callable[[BaseException], StoreError | None] | None = None,
        lock: "threading.RLock | None" = None,
    ) -> None:
        self._dooms = dooms
        self._ended = False
        self._lock = lock
        self._translate = translate
        self.failure: BaseException | None = None

    def __enter__(self) -> None:
        if self._ended:
            raise ClosedError("the transaction or snapshot has ended; use it only inside its function or `with` block")
        if self.failure is not None:
            raise StoreError("an earlier call of this transaction failed; let its error through") from self.failure
        if self._lock is not None:
            self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.release()
        if error is None:
            return
        ours = self._translate(error) if self._translate is not None else None
        if self._dooms and self.failure is None:
            self.failure = ours or error
        if ours is not None:
            raise ours from error

    def end(self) -> None:
        """Refuses all further calls.

        Raises:
            BaseException: a call failed before, and the caller had swallowed its error.
        """
        self._ended = True
        if self.failure is not None:
            raise self.failure
