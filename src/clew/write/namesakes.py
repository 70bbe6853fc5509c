"""Finds the session of turns whose session has the name of another chat, channel or file."""

from collections.abc import Sequence

from clew.ingest.importers.record import NamedFile
from clew.ingest.importers.slack import NAME as SLACK
from clew.store.protocol import Store
from clew.write.namesake_channels import NamesakeChannels
from clew.write.namesake_chats import NamesakeChats
from clew.write.namesake_files import NamesakeFiles
from clew.write.prepare import Prepared


class Namesakes:
    """Finds the sessions of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._chats = NamesakeChats(store, space)
        self._channels = NamesakeChannels(store, space)
        self._files = NamesakeFiles(store, space)

    def session_of(
        self, session: str, items: Sequence[Prepared], chat: str | None, file: NamedFile | None
    ) -> str | None:
        """The session in which turns of one source are stored, or are to be; None for the one that they name.

        Args:
            chat: the id of the chat, or of the channel's workspace; None where there is none.
            file: after which the session is called, or which holds the channel; None where it has a name of its own.
        """
        if file is None:
            return self._chats.session_of(session, items, chat)
        if items[0].turn.source == SLACK:
            return self._channels.session_of(session, items, file, chat)
        return self._files.session_of(session, items, file)
