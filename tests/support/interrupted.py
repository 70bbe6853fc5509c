"""A store in which somebody else comes first: what another process does just before a transaction begins."""

import threading
from collections.abc import Callable
from typing import Any

from clew.store.memory import MemoryStore
from clew.store.protocol import Committed, Transaction


class InterruptedStore(MemoryStore):
    """A store in which others work right before a transaction of the thread that says so.

    Attributes:
        before: what they do before each of the next transactions; None lets one pass.
    """

    def __init__(self) -> None:
        super().__init__()
        self.migrate()
        self.before: list[Callable[[], Any] | None] = []
        self._thread = threading.get_ident()

    def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
        self._let_others()
        return super().transaction(work, durable=durable)

    def committed(self, work: Callable[[Transaction], Any]) -> Committed[Any]:
        return Committed(self.transaction(work), lambda: None)

    def _let_others(self) -> None:
        if threading.get_ident() == self._thread and self.before:
            others = self.before.pop(0)
            if others is not None:
                waiting, self.before = self.before, []
                others()
                self.before = waiting
