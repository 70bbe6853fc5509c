"""Where the messages of a chat go that shares its name with another one, and had it alone at an earlier import.

Telegram's chats of one name are sessions by name and id ("Ann 7"). Where only one of them was exported before, its
session is called by the name alone ("Ann"), and holds the same messages: it goes on there. Start at `NamesakeChats`.
"""

import threading
from collections.abc import Sequence
from typing import Final

from clew.ingest.importers.telegram import NAME as SOURCE
from clew.store.protocol import Reader, Store
from clew.store.tables import SESSION
from clew.write.prepare import Prepared
from clew.write.session_log import by_external_id

_MOST: Final = 1_000
"""Chats that are remembered: a large one comes in several groups, and the later ones hold nothing that is known."""


class NamesakeChats:
    """Finds the sessions of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()

    def session_of(self, session: str, items: Sequence[Prepared]) -> str | None:
        """The session in which messages of a chat are stored already; None for the one that they name."""
        plain, _, own = session.rpartition(" ")
        if not plain or not own.lstrip("-").isdecimal() or items[0].turn.source != SOURCE:
            return None
        with self._lock:
            if session not in self._known:
                with self._store.snapshot() as reader:
                    if not self._is_stored_as(reader, plain, session, items):
                        return None
                self._known[session] = plain
                while len(self._known) > _MOST:
                    self._known.pop(next(iter(self._known)))
            return self._known[session]

    def _is_stored_as(self, reader: Reader, plain: str, session: str, items: Sequence[Prepared]) -> bool:
        """Whether the session of the plain name holds messages of the chat, and none of another by the same id."""
        if SESSION.get(reader, (self._space, session)) or not SESSION.get(reader, (self._space, plain)):
            return False
        stored = (
            (item, by_external_id(reader, self._space, plain, item.turn.external_id))
            for item in items
            if item.turn.external_id is not None
        )
        same = [found[1] == item.digest for item, found in stored if found is not None]
        return bool(same) and all(same)
