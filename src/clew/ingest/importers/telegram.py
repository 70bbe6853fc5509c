"""Telegram's export as JSON (`result.json`): one chat, or all chats of an account under `chats`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, first_of, list_of, text_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.one_object import is_one_object, rejected
from clew.ingest.importers.record import ImportedTurn, ImportRecord, Skipped, no_object, or_skipped
from clew.ingest.importers.source import JsonRecord, Source, json_document, json_header, json_list, read_each
from clew.types import Part, Rejection

NAME: Final = "telegram"

JsonObject = Mapping[str, Any]


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an export; one of a single chat message by message, one of an account as a whole."""
    if not is_one_object(source):
        yield from rejected(source, "Telegram")
        return
    if not file_shape(source).has("chats.list"):
        chat = json_header(source)
        chat_name, own = _name(chat), text_of(chat, "id")
        messages = read_each(json_list(source, "messages"), lambda item: _message(source, chat_name, item))
        yield from _of_chat(own, messages)
        return
    document = json_document(source)
    if isinstance(document, Rejection):
        yield document
        return
    chats = list_of(dict_of(document.value, "chats"), "list")
    names = Counter(_name(chat) for chat in chats if isinstance(chat, dict))
    for n, chat in enumerate(chats):
        where = source.where(f"chats.list[{n}]")
        if isinstance(chat, dict):
            name = _name(chat)
            own = text_of(chat, "id")
            has_namesake = names[name] > 1
            messages = _chat(source, chat, f"{name} {own or n}" if has_namesake else name, where)
            messages = messages if has_namesake else _of_chat(own, messages)
            yield from or_skipped(messages, "chat without messages", where)
        else:
            yield no_object(chat, where)


def _of_chat(own: str | None, records: Iterable[ImportRecord]) -> Iterator[ImportRecord]:
    """The records, whose turns name the chat, so that a chat of its name does not get them."""
    return (replace(record, chat=own) if isinstance(record, ImportedTurn) else record for record in records)


def _name(chat: JsonObject) -> str:
    """What a chat is called; several may be called the same."""
    if text_of(chat, "name") is None and text_of(chat, "type") == "saved_messages":
        return "Saved Messages"
    return (text_of(chat, "name") or f"{NAME} {text_of(chat, 'id') or ''}").strip()


def _chat(source: Source, chat: JsonObject, name: str, where: str) -> Iterator[ImportRecord]:
    for n, message in enumerate(list_of(chat, "messages")):
        place = f"{where}.messages[{n}]"
        if isinstance(message, dict):
            yield from _message(source, name, JsonRecord(place, message, n))
        else:
            yield no_object(message, place)


def _message(source: Source, chat_name: str, item: JsonRecord) -> Iterator[ImportRecord]:
    value = item.value
    if value.get("type") != "message":
        yield Skipped(f"event:{text_of(value, 'action', 'type') or 'unknown'}", item.where)
        return
    message = ImportedMessage(
        source=NAME,
        session=source.session_for(chat_name),
        role="user",
        parts=(Part(type="text", text=_text(value.get("text"))),),
        at=first_of(value, "date_unixtime", "date"),
        external_id=text_of(value, "id"),
        speaker=text_of(value, "from", "from_id"),
        metadata=without_none(
            reply_to=text_of(value, "reply_to_message_id"),
            forwarded_from=text_of(value, "forwarded_from"),
            file=text_of(value, "file_name", "file", "photo"),
        ),
        skip_blank=True,
    )
    yield from message_turns(message, item.where)


def _text(written: object) -> str:
    """The text of a message: text, or a list of texts and of objects for links, code and the like."""
    if isinstance(written, list):
        return "".join(map(_text, written))
    if isinstance(written, dict):
        return _text(written.get("text"))
    return written if isinstance(written, str) else ""
