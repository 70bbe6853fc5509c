"""Messages of a chat program -> turns. Start at `turns_of`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from clew.errors import TurnRejected
from clew.ingest.formats.responses import item_parts
from clew.ingest.importers.message_fields import read_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, message_turns
from clew.ingest.importers.record import ImportedTurn
from clew.types import Part, Rejection, Turn


def turns_of(messages: Iterable[Mapping[str, Any]], session: str, at: datetime | None) -> Iterator[Turn]:
    """The turns of messages, in order; a message that says nothing gives none.

    Args:
        messages: as `clew.ingest.formats.sdk.messages_in` gives them.
        at: event time of all of them.

    Raises:
        TurnRejected: a message has an unknown role, or cannot be a turn.
    """
    calls = ToolNames()
    for message in messages:
        role, parts, speaker = _read(message)
        if not parts:
            continue
        imported = ImportedMessage(
            source="chat", session=session, role=role, parts=calls.name(parts), at=at, speaker=speaker, skip_blank=True
        )
        for record in message_turns(imported, "the message"):
            if isinstance(record, ImportedTurn):
                yield replace(record.turn, source=None)
            elif isinstance(record, Rejection) and not record.reason.startswith("empty"):
                raise TurnRejected(record.reason)


def _read(message: Mapping[str, Any]) -> tuple[str, tuple[Part, ...], str | None]:
    items = message.get("items")
    if isinstance(items, list):
        read = (item_parts(item) for item in items)
        return "assistant", tuple(part for each in read if each is not None for part in each[1]), None
    return read_message(message)
