"""Messages of a chat program -> turns. Start at `turns_of`, or at `wire_message` for what goes over the wire."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from clew.errors import TurnRejected
from clew.ingest.formats.responses import item_parts
from clew.ingest.importers.message_fields import MessageContent, read_message
from clew.ingest.importers.message_turns import (
    ROLES,
    ImportedMessage,
    ToolNames,
    has_content,
    message_turns,
    pieces_by_author,
)
from clew.ingest.importers.record import ImportedTurn
from clew.ingest.strings import map_value
from clew.types import Part, Rejection, Turn

_BYTES: Final = frozenset(
    ("source", "image_url", "input_audio", "file", "file_data", "inlineData", "inline_data", "fileData")
)
"""Members of a block that hold an image or a file."""
_LONGEST: Final = 1_000
"""Characters of a text beside a turn that names what has no text."""
_NO_ROLE: Final = "system"
"""Role of a message whose own role is unknown: it is neither taken for the user's words nor for the assistant's."""


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
        if parts:
            yield from _turns(
                ImportedMessage(
                    source="chat",
                    session=session,
                    role=role,
                    parts=calls.name(parts),
                    at=at,
                    speaker=speaker,
                    skip_blank=True,
                )
            )


def wire_message(message: Mapping[str, Any]) -> MessageContent:
    """The content of a message of a request or an answer, in any of the wire formats.

    A message of an unknown kind or role, and one of things without text, such as the id of a file, gets a part that
    names what is there, so that it keeps its place in the conversation. Only an empty message, and reasoning without
    text, have no parts that say anything.
    """
    role, parts, speaker = _known(message)
    if role.strip().lower() not in ROLES:
        role, speaker = _NO_ROLE, role
    if has_content(parts) or not any(part.extra and part.type != "thinking" for part in parts):
        return MessageContent(role, parts, speaker)
    kinds = ", ".join(dict.fromkeys(_kind(part) for part in parts if part.extra))
    named = map_value([part.extra for part in parts], _brief)
    return MessageContent(role, (Part(type="text", text=f"[{kinds}]", extra={"parts": named}),), speaker)


def _brief(text: str) -> str:
    """A text as it is kept beside a turn: what is long (an encrypted summary, say) is not text for people."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 10]}… ({len(text)} characters)"


def own_words(message: Mapping[str, Any]) -> str:
    """What a user wrote in a message, without results of tools and what a program added; empty when nothing."""
    role, parts, _ = _known(_without_bytes(message))
    if ROLES.get(role.strip().lower()) != "user":
        return ""
    return "\n".join(part.text for part in _split(parts) if part.type == "text" and part.text.strip())


def is_from_user(message: Mapping[str, Any]) -> bool:
    """Whether a user wrote, or sent, something in a message, besides results of tools and what a program added."""
    role, parts, _ = _known(_without_bytes(message))
    if ROLES.get(role.strip().lower()) != "user":
        return False
    return any(part.type in ("text", "image") and part.call_id is None for part in _split(parts))


def _without_bytes(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message with its images and files as mere names, and without results: to decode them takes long."""
    name = next((name for name in ("content", "parts") if isinstance(message.get(name), list)), None)
    if name is None:
        return message
    return {**message, name: [_light(block) for block in message[name] if not _is_result(block)]}


def _light(block: Any) -> Any:
    holds_bytes = isinstance(block, dict) and bool(block.keys() & _BYTES)
    return {"type": "image", "source": {"type": "file"}} if holds_bytes else block


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and str(block.get("type")).endswith("tool_result")


def _known(message: Mapping[str, Any]) -> MessageContent:
    """The content of a message; one of an unknown kind is a single part that holds it."""
    try:
        role, parts, speaker = _read(message)
    except TurnRejected:
        return MessageContent(_NO_ROLE, (Part(type="text", extra={"block": dict(message)}),))
    if not parts and message.get("audio"):  # what was said before is given by its id alone
        parts = (Part(type="text", extra={"block": {"type": "audio", "audio": message["audio"]}}),)
    return MessageContent(role, parts, speaker)


def _split(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts of a user's message, with texts that a program added as injected parts."""
    return tuple(piece for part in parts for piece in pieces_by_author(part))


def _kind(part: Part) -> str:
    block = (part.extra or {}).get("block")
    kind = block.get("type") or next(iter(block), "") if isinstance(block, dict) else ""
    return str(kind or part.type)


def _turns(message: ImportedMessage) -> Iterator[Turn]:
    """The turns of a message.

    Raises:
        TurnRejected: its role is unknown, or it cannot be a turn.
    """
    for record in message_turns(message, "the message"):
        if isinstance(record, ImportedTurn):
            yield replace(record.turn, source=None)
        elif isinstance(record, Rejection) and not record.reason.startswith("empty"):
            raise TurnRejected(record.reason)


def _read(message: Mapping[str, Any]) -> MessageContent:
    items = message.get("items")
    if isinstance(items, list):
        read = (item_parts(item) for item in items if isinstance(item, Mapping))
        return MessageContent("assistant", tuple(part for each in read if each is not None for part in each[1]))
    return read_message(message)
