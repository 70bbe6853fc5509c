"""Messages of Facebook Messenger and Instagram, as "Download your information" gives them in JSON: newest first.

Their letters outside of ASCII are bytes of UTF-8 written as if each were a letter of Latin-1; they are put right.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.ingest.importers.json_fields import list_of, text_of, texts_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.one_object import is_one_object, rejected
from clew.ingest.importers.record import ImportRecord, no_object
from clew.ingest.importers.source import Source, json_document
from clew.types import Part, Rejection

NAME: Final = "messenger"
_FILES: Final = ("photos", "videos", "audio_files", "files", "gifs")

JsonObject = Mapping[str, Any]


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one file of a chat, oldest message first; so it is in memory as a whole."""
    if not is_one_object(source):
        yield from rejected(source, "Messenger or Instagram")
        return
    document = json_document(source)
    if isinstance(document, Rejection):
        yield document
        return
    own = text_of(document.value, "thread_path", "title")
    session = source.session_for(_repaired(own.rpartition("/")[2]) if own else None)
    messages = list_of(document.value, "messages")
    for n in sorted(range(len(messages)), key=lambda n: (_time(messages[n]), -n)):
        where = source.where(f"messages[{n}]")
        if isinstance(messages[n], dict):
            yield from _message(messages[n], session, _repaired(text_of(document.value, "title")), where)
        else:
            yield no_object(messages[n], where)


def _time(message: object) -> int:
    time = message.get("timestamp_ms") if isinstance(message, dict) else None
    return time if isinstance(time, int) else 0


def _message(value: JsonObject, session: str, title: str | None, where: str) -> Iterator[ImportRecord]:
    files = [uri for kind in _FILES for uri in texts_of(value, kind, "uri")]
    message = ImportedMessage(
        source=NAME,
        session=session,
        role="user",
        parts=(Part(type="text", text=_repaired(text_of(value, "content")) or ""),),
        at=value.get("timestamp_ms"),
        speaker=_repaired(text_of(value, "sender_name")),
        metadata=without_none(title=title, files=files or None),
        skip_blank=True,
    )
    yield from message_turns(message, where)


def _repaired(text: str | None) -> str | None:
    """Text whose characters are bytes of UTF-8, decoded; other text as it is."""
    if text is None or text.isascii():
        return text
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text
