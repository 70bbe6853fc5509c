"""Finds the session of a file when another file of the same name is stored, and sessions are called after files.

Two exports that are called "chat.txt" are two conversations, and so are two chats with Aider of the same second. The
first one's session is "chat"; a second one that does not begin as that session does gets "FOLDER/chat", FOLDER being
the folder or zip that holds it, and then "FOLDER/chat 2". A file goes on in its session whatever it holds now (it may
grow, be edited, or start over), and so does a copy of it at another place, if a name
that it may have there is that of its session. Start at `NamesakeFiles.session_of`.
"""

import threading
from collections.abc import Sequence
from typing import Final

from clew.ingest.importers.record import NamedFile
from clew.rows.tombstones import hashing_of
from clew.store.protocol import Reader, Store
from clew.store.rows import to_us
from clew.store.tables import SESSION
from clew.store.turn_selections import TURN_LINKS
from clew.write.bounded_cache import forget_oldest
from clew.write.file_turns import sessions_of
from clew.write.namesake_names import names_apart, taken_and_free
from clew.write.prepare import Prepared
from clew.write.session_log import forgotten

_MOST: Final = 1_000
"""Files that are remembered: a large one comes in several groups, and the later ones hold nothing that is known."""

_FIRST: Final = 20
"""Turns by which a file is recognised."""

_Moments = dict[bytes, set[int | None]]
"""Content hash of turns -> when they were said."""


class NamesakeFiles:
    """Finds the sessions of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[tuple[str, str], str] = {}
        self._begun: dict[str, _Moments] = {}
        self._sessions: dict[str, frozenset[str]] = {}
        self._lock = threading.Lock()

    def session_of(self, session: str, items: Sequence[Prepared], file: NamedFile) -> str:
        """The session of a file's turns.

        Args:
            session: called after the file alone.
            items: its turns; at the first call for a file, these are its first.
        """
        first = [item for item in items if item.excluded is None][:_FIRST]
        first = [
            item for item in first if item.turn.role == "user"
        ] or first  # what programs begin with, many begin with
        with self._lock:
            name = self._known.get((session, file.place))
            if name is None and first:
                with self._store.snapshot() as reader:
                    name = self._found(reader, session, items, first, file)
                self._known[session, file.place] = name
                self._begun.setdefault(name, _moments(first))
                forget_oldest(self._known, _MOST)
                forget_oldest(self._begun, _MOST)
            return name or session

    def _found(
        self, reader: Reader, session: str, items: Sequence[Prepared], first: Sequence[Prepared], file: NamedFile
    ) -> str:
        before = self._before(reader, file)
        names = names_apart(session, file.holder)
        taken, free = taken_and_free(names, session, lambda name: self._is_free(reader, name))
        existing = next((name for name in taken if name in before), None)
        existing = existing or next((name for name in taken if self._holds(reader, name, items, first)), None)
        return existing or free or session

    def _before(self, reader: Reader, file: NamedFile) -> frozenset[str]:
        """The sessions that a file had when this process first saw it; a zip's member is known by its turns alone."""
        if file.is_member:
            return frozenset()
        if file.place not in self._sessions:
            self._sessions[file.place] = sessions_of(reader, self._space, file.place)
            forget_oldest(self._sessions, _MOST)
        return self._sessions[file.place]

    def _is_free(self, reader: Reader, session: str) -> bool:
        return session not in self._begun and SESSION.get(reader, (self._space, session)) is None

    def _holds(self, reader: Reader, session: str, items: Sequence[Prepared], first: Sequence[Prepared]) -> bool:
        """Whether most of a file's first turns are in a session, or its very first one at the time that it has.

        A turn that was forgotten there counts, so that it stays out. A session of fewer turns, all of which are the
        file's, is what an import left that was stopped.
        """
        rows = TURN_LINKS.scan(reader, (self._space, session), (self._space, session))
        if 0 < len(rows) < len(first):
            item_moments = _moments(items)
            if all(_agree(item_moments.get(row.hash), row.at) for row in rows):
                return True
        stored: _Moments = {}
        for row in rows:
            stored.setdefault(row.hash, set()).add(row.at)
        if session in self._begun:
            for digest, moments in self._begun[session].items():
                stored.setdefault(digest, set()).update(moments)
        if first[0].turn.at is not None and to_us(first[0].turn.at) in stored.get(first[0].digest, ()):
            return True
        gone, hashed = (
            {ghost.digest for ghost in forgotten(reader, self._space, session)},
            hashing_of(reader, self._space),
        )
        matching = sum(
            _agree(stored.get(item.digest), to_us(item.turn.at))
            or (bool(gone) and hashed is not None and hashed("content", item.digest) in gone)
            for item in first
        )
        return matching * 2 > len(first)


def _moments(items: Sequence[Prepared]) -> _Moments:
    moments: _Moments = {}
    for item in items:
        moments.setdefault(item.digest, set()).add(to_us(item.turn.at))
    return moments


def _agree(moments: set[int | None] | None, at: int | None) -> bool:
    """Whether words that were said at these moments are the same that were said at this one; None is any moment."""
    return moments is not None and (at is None or at in moments or None in moments)
