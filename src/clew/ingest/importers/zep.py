"""Dumps of Zep: messages of threads or sessions, episodes, facts (edges) and summaries of its graph.

Zep has no export of its own, so a dump is what its API returned: one of these lists, one response, or one object with
several of them; a user's threads may stand in `threads`, each with its messages.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from clew.errors import TurnRejected
from clew.ingest.formats.blocks import to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, list_of, text_of, without_none
from clew.ingest.importers.kept_notes import note_turns
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped, no_object, or_skipped
from clew.ingest.importers.source import JsonRecord, Source, json_document, json_lines, json_list, read_each
from clew.types import Rejection

NAME: Final = "zep"
_THREADS: Final = ("thread_id", "session_id")
_NO_ROLE: Final = ("norole", "", None)
_GRAPH: Final = f"{NAME} graph"
_EMPTY: Final = {"summary": "node without summary", "content": "blank message"}
"""Kinds of items that are whole and say nothing, as most nodes of a graph do, by the member that is empty."""


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads a dump."""
    shape = file_shape(source)
    if shape.kind == "object":
        document = json_document(source)
        yield from (
            iter([document])
            if isinstance(document, Rejection)
            else _object(source, document.value, source.where(""), None)
        )
        return
    items = json_list(source, None) if shape.kind == "list" else json_lines(source)
    yield from read_each(items, lambda item: _item(source, item, None))


def _object(source: Source, value: Mapping[str, Any], way: str, thread: str | None) -> Iterator[ImportRecord]:
    """Everything in an object: a response, a thread, or a dump that holds several of them.

    Args:
        source: names the session of turns outside any thread.
        value: the object.
        way: the object's own `where`, up to the point before a field.
        thread: the thread around the object.
    """
    thread = text_of(value, *_THREADS) or thread
    for key in ("threads", "sessions"):
        for n, inner in enumerate(list_of(value, key)):
            where = f"{way}{key}[{n}]"
            if isinstance(inner, dict):
                records = _object(source, inner, f"{where}.", thread)
                yield from or_skipped(records, "thread without messages", where)
            else:
                yield no_object(inner, where)
    for key in ("messages", "episodes", "edges", "facts", "nodes"):
        for n, inner in enumerate(list_of(value, key)):
            where = f"{way}{key}[{n}]"
            if isinstance(inner, dict):
                yield from _item(source, JsonRecord(where, inner, n), thread)
            else:
                yield no_object(inner, where)


def _item(source: Source, item: JsonRecord, thread: str | None) -> Iterator[ImportRecord]:
    value = item.value
    if list_of(value, "messages"):
        yield from _object(source, value, f"{item.where}.", thread)
        return
    read_item = next((reader for name, reader in _READERS.items() if text_of(value, name)), None)
    empty = next((kind for name, kind in _EMPTY.items() if value.get(name) == ""), None)
    if read_item is None and empty is not None:
        yield Skipped(empty, item.where)
    elif read_item is None:
        found = ", ".join(map(repr, [*value][:8]))
        yield Rejection(where=item.where, reason=f"no message, fact or summary: found {found}")
    else:
        yield from read_item(source, item, thread)


def _message(source: Source, item: JsonRecord, thread: str | None) -> Iterator[ImportRecord]:
    """A message or an episode; older versions kept the kind of role in `role_type`, and a person's name in `role`."""
    value = item.value
    kind = value.get("role_type", value.get("role"))
    name = text_of(value, "name") or (text_of(value, "role") if "role_type" in value else None)
    try:
        message = ImportedMessage(
            source=NAME,
            session=source.session_for(text_of(value, *_THREADS) or thread),
            role="user" if kind in _NO_ROLE else str(kind),
            parts=to_parts(value.get("content")),
            at=value.get("created_at"),
            external_id=text_of(value, "uuid"),
            speaker=name,
            metadata={**dict_of(value, "metadata"), **without_none(about=text_of(value, "source_description"))},
        )
        yield from message_turns(message, item.where)
    except TurnRejected as error:
        yield Rejection(where=item.where, reason=str(error))


def _fact(source: Source, item: JsonRecord, _thread: str | None) -> Iterator[ImportRecord]:
    """A fact, with the time until which it held, so that it is not read as one that still holds."""
    value = item.value
    text, ended = text_of(value, "fact") or "", text_of(value, "invalid_at")
    yield from note_turns(
        f"{text} (until {ended[:10]})" if ended else text,
        item.where,
        source=NAME,
        session=source.session_for(_GRAPH),
        name=text_of(value, "uuid"),
        at=text_of(value, "valid_at", "created_at"),
        metadata=without_none(
            relation=text_of(value, "name"),
            created_at=text_of(value, "created_at"),
            invalid_at=ended,
            episodes=list_of(value, "episodes") or None,
        ),
    )


def _summary(source: Source, item: JsonRecord, _thread: str | None) -> Iterator[ImportRecord]:
    """What the graph says about a thing or a person."""
    value = item.value
    name, text = text_of(value, "name"), text_of(value, "summary") or ""
    yield from note_turns(
        f"{name}: {text}" if name else text,
        item.where,
        source=NAME,
        session=source.session_for(_GRAPH),
        name=text_of(value, "uuid"),
        at=text_of(value, "created_at"),
        metadata=without_none(labels=list_of(value, "labels") or None),
    )


_READERS: Final[Mapping[str, Callable[[Source, JsonRecord, str | None], Iterator[ImportRecord]]]] = {
    "fact": _fact,
    "summary": _summary,
    "content": _message,
}
