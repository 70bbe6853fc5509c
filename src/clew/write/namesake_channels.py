"""Finds the session of a Slack channel that has the same name as a channel of another workspace.

Every workspace has a channel "general". The first one's session is "general"; that of another workspace gets the id of
the workspace behind it ("general T02AB"), as Telegram's chats of one name do, or, where an export has no id, the folder
or zip before it ("Acme export/general"). An export of a workspace that is stored goes on in its session, whether it has
its messages again or only later ones. Start at `NamesakeChannels.session_of`.
"""

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from clew.ingest.importers.record import NamedFile
from clew.ingest.importers.slack import NAME as SOURCE
from clew.ingest.importers.slack import WORKSPACE
from clew.store.protocol import Reader, Store
from clew.store.tables import SESSION, TURN
from clew.write.bounded_cache import forget_oldest
from clew.write.namesake_names import names_apart, taken_and_free
from clew.write.prepare import Prepared
from clew.write.session_log import by_external_id

_MOST: Final = 1_000
"""Channels that are remembered: the days of one may come in several groups, and each may begin with new messages."""

_FIRST: Final = 20
"""Messages of a channel by whose ids it is recognised."""

_READ: Final = 200
"""Stored turns that are read for the workspace and the people of a session."""


@dataclass(frozen=True, slots=True)
class _Channel:
    """What tells a channel from others of its name.

    Attributes:
        workspaces: ids; empty where no export told one.
        people: who speaks.
        messages: id and content hash of the first ones.
        is_slack: False where nothing in the session came from Slack.
    """

    workspaces: frozenset[str] = frozenset()
    people: frozenset[str | None] = frozenset()
    messages: frozenset[tuple[str | None, bytes]] = field(default=frozenset())
    is_slack: bool = True


class NamesakeChannels:
    """Finds the sessions of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[tuple[str, str], str] = {}
        self._begun: dict[str, _Channel] = {}
        self._lock = threading.Lock()

    def session_of(
        self, session: str, items: Sequence[Prepared], export: NamedFile, workspace: str | None = None
    ) -> str:
        """The session of a channel's messages.

        Args:
            session: called after the channel alone.
            items: its messages; at the first call for an export, these are its first.
            export: what holds the channel's folder.
            workspace: its id; None where the export has none.
        """
        with self._lock:
            name = self._known.get((session, export.place))
            if name is None:
                channel = _channel(items, workspace)
                with self._store.snapshot() as reader:
                    name = self._found(reader, session, channel, _names(session, export.holder, workspace))
                self._known[session, export.place] = name
                self._begun.setdefault(name, channel)
                forget_oldest(self._known, _MOST)
                forget_oldest(self._begun, _MOST)
            return name

    def _found(self, reader: Reader, session: str, channel: _Channel, names: Iterable[str]) -> str:
        taken, free = taken_and_free(names, session, lambda name: self._is_free(reader, name))
        existing = next((name for name in taken if self._is_the_same(reader, name, channel)), None)
        return existing or free or taken[-1]

    def _is_free(self, reader: Reader, session: str) -> bool:
        return session not in self._begun and SESSION.get(reader, (self._space, session)) is None

    def _is_the_same(self, reader: Reader, session: str, channel: _Channel) -> bool:
        """Whether a session has messages of the channel, or is of its workspace, or of its people if none is known."""
        if any(self._is_stored(reader, session, *message) for message in channel.messages):
            return True
        rows = TURN.scan(reader, (self._space, session), (self._space, session), limit=_READ)
        stored = _Channel(
            frozenset(own for row in rows if row.source == SOURCE and (own := _workspace(row.metadata))),
            frozenset(row.speaker for row in rows),
            is_slack=any(row.source == SOURCE for row in rows),
        )
        for other in (stored, self._begun.get(session, stored)):
            if other.messages & channel.messages:
                return True
            if other.workspaces and channel.workspaces:
                return other.workspaces >= channel.workspaces
        people = stored.people | self._begun.get(session, stored).people
        return (stored.is_slack or session in self._begun) and not people.isdisjoint(channel.people)

    def _is_stored(self, reader: Reader, session: str, own: str | None, digest: bytes) -> bool:
        stored = None if own is None else by_external_id(reader, self._space, session, own)
        return stored is not None and stored[1] == digest


def _channel(items: Sequence[Prepared], workspace: str | None) -> _Channel:
    return _Channel(
        frozenset() if workspace is None else frozenset((workspace,)),
        frozenset(item.turn.speaker for item in items),
        frozenset((item.turn.external_id, item.digest) for item in items[:_FIRST]),
    )


def _workspace(metadata: str | None) -> str | None:
    workspace = None if metadata is None else json.loads(metadata).get(WORKSPACE)
    return workspace if isinstance(workspace, str) else None


def _names(session: str, holder: str, workspace: str | None) -> Iterable[str]:
    """The names that the channel's session may have, in the order in which they are tried."""
    return names_apart(session, holder) if workspace is None else (session, f"{session} {workspace}")
