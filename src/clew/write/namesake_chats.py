"""Finds the session of a chat that shares its name with another chat in some exports and not in others.

Telegram's chats of one name are sessions by name and id ("Ann 7"). Where only one of them was exported before, its
session is called by the name alone ("Ann"), and holds the same messages: it goes on there. Where a later export has
only one of them, its id leads to the session "Ann 7".

WhatsApp calls the file of every chat `_chat.txt` on an iPhone. Its session is called after the zip or folder, and was
called `_chat` before: a chat that is stored there goes on there. Start at `NamesakeChats`.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final

from clew.ingest.importers.files import UNNAMED_CHAT
from clew.ingest.importers.telegram import NAME as SOURCE
from clew.store.protocol import Reader, Store
from clew.store.rows import to_us
from clew.store.tables import SESSION
from clew.store.turn_selections import TURN_LINKS
from clew.write.bounded_cache import forget_oldest
from clew.write.prepare import Prepared
from clew.write.session_log import by_external_id

_MOST: Final = 1_000
"""Chats that are remembered: a large one comes in several groups, and the later ones hold nothing that is known."""

_FIRST: Final = 20
"""Messages of a chat by which the session is recognised that holds it."""


class NamesakeChats:
    """Finds the sessions of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def session_of(self, session: str, items: Sequence[Prepared], chat: str | None = None) -> str | None:
        """The session in which a chat is stored, or is to be; None for the one that its messages name.

        Args:
            chat: its id, where the session that they name is called by the chat's name alone; `_chat` for a file of
                that name.
        """
        if chat == UNNAMED_CHAT:
            return self._remembered((session, chat), lambda: self._under_the_files_name(session, chat, items))
        if items[0].turn.source != SOURCE:
            return None
        plain, _, own = session.rpartition(" ") if chat is None else (session, "", chat)
        if not plain or not own.lstrip("-").isdecimal():
            return None
        return self._remembered((session, own), lambda: self._named_and_numbered(session, plain, own, items))

    def _remembered(self, chat: tuple[str, str], find: Callable[[], str | None]) -> str | None:
        """The session that was found for a chat: later messages of it would not be recognised by themselves."""
        with self._lock:
            if chat not in self._known:
                session = find()
                if session is None:
                    return None
                self._known[chat] = session
                forget_oldest(self._known, _MOST)
            return self._known[chat]

    def _named_and_numbered(self, session: str, plain: str, own: str, items: Sequence[Prepared]) -> str | None:
        """The other of a chat's two sessions, "Ann" and "Ann 7", if it goes on there."""
        named = f"{plain} {own}"
        with self._store.snapshot() as reader:
            is_there = self._is_under_its_id if session == plain else self._is_under_its_name
            if not is_there(reader, plain, named, items):
                return None
        return named if session == plain else plain

    def _under_the_files_name(self, session: str, name: str, items: Sequence[Prepared]) -> str | None:
        """The session of the file's name, if most of the first messages are stored in it; None if not."""
        with self._store.snapshot() as reader:
            if self._has(reader, session) or not self._has(reader, name):
                return None
            rows = TURN_LINKS.scan(reader, (self._space, name), (self._space, name))
            stored = {(row.hash, row.at) for row in rows}
        first = [(item.digest, to_us(item.turn.at)) for item in items[:_FIRST]]
        return name if sum(digest in stored for digest in first) * 2 > len(first) else None

    def _is_under_its_name(self, reader: Reader, plain: str, named: str, items: Sequence[Prepared]) -> bool:
        """Whether the session of the plain name holds messages of the chat, and none of another by the same id."""
        if self._has(reader, named) or not self._has(reader, plain):
            return False
        same = self._compared(reader, plain, items)
        return bool(same) and all(same)

    def _is_under_its_id(self, reader: Reader, plain: str, named: str, items: Sequence[Prepared]) -> bool:
        """Whether there is a session of the name and id, or the plain one holds other messages by the same ids."""
        if self._has(reader, named):
            return True
        same = self._compared(reader, plain, items)
        return bool(same) and not any(same)

    def _has(self, reader: Reader, session: str) -> bool:
        return SESSION.get(reader, (self._space, session)) is not None

    def _compared(self, reader: Reader, session: str, items: Sequence[Prepared]) -> list[bool]:
        """Of each message whose id is stored in a session, whether it is the same."""
        stored = (
            (item, by_external_id(reader, self._space, session, item.turn.external_id))
            for item in items
            if item.turn.external_id is not None
        )
        return [stored_turn[1] == item.digest for item, stored_turn in stored if stored_turn is not None]
