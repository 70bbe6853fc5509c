"""Cursor's database of chats, `state.vscdb`: SQLite with JSON under keys, in two tables of the same shape.

`cursorDiskKV` has a row `composerData:<session>` for each session, which lists its messages in order, and a row
`bubbleId:<session>:<message>` for each message; older sessions hold their messages themselves. `ItemTable` of a
workspace has the chats of the first versions. A message of the assistant is its reasoning, its text, or one call with
its result. Messages without a time have that of the message before, the first that of the session. The database is
opened for reading only, also while Cursor runs.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import apsw

from clew.forks import Shared, using_sqlite
from clew.ingest.branches import SUBAGENTS
from clew.ingest.encoding import escape_surrogates, parse_inner
from clew.ingest.formats.blocks import call_part, linked_part, result_parts
from clew.ingest.importers.databases import MAGIC
from clew.ingest.importers.json_fields import dict_of, first_of, list_of, objects_of, text_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped, no_object
from clew.ingest.importers.source import JsonRecord, Source, json_record
from clew.types import Part, Rejection

NAME = "cursor"
_TABLE: Final = "cursorDiskKV"
_SESSION: Final = "composerData:"
_CHATS: Final = "workbench.panel.aichat.view.aichat.chatdata"
_ROLES: Final = {"1": "user", "2": "assistant", "user": "user", "ai": "assistant"}
_TEXTS: Final = ("output", "contents", "content", "text")
"""Members of a result that hold its text."""

_MILLISECONDS: Final = 1e12
"""A number above this is milliseconds since 1970; a smaller one is the age of the program."""

Json = Mapping[str, Any]


def is_cursor(source: Source) -> bool:
    """Whether a file is a database with one of Cursor's tables."""
    with source.open() as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return False
    return source.path is not None and bool(_tables(source.path))


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads every session of one database."""
    if source.path is None:
        yield Rejection(where=source.label, reason="a database in a zip is not read; unpack it and import the file")
        return
    try:
        with closing(_opened(source.path)) as database:
            yield from _sessions(source, database)
    except apsw.Error as error:
        yield Rejection(where=source.label, reason=f"the database cannot be read: {error}")


def _opened(path: Path) -> Shared:
    with using_sqlite():
        database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        database.set_busy_timeout(5000)  # Cursor may be writing
        return Shared(database)


def _tables(path: Path) -> set[str]:
    """Those of Cursor's two tables that a database has; none if it cannot be read."""
    try:
        with closing(_opened(path)) as database:
            rows = database.rows("SELECT name FROM sqlite_master WHERE name IN (?, 'ItemTable')", _TABLE)
            return {str(name) for (name,) in rows}
    except apsw.Error:
        return set()


def _sessions(source: Source, database: Shared) -> Iterator[ImportRecord]:
    tables = {str(name) for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if _TABLE in tables:
        keys = "SELECT CAST(key AS BLOB) FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
        for (data,) in database.rows(keys, _SESSION, f"{_SESSION[:-1]};"):
            key = data.decode("utf-8", "surrogateescape")
            item = _row(source, database, _TABLE, key)
            if isinstance(item, Rejection):
                yield item
            elif item is not None:
                yield from _Session(source, database, key.removeprefix(_SESSION), item).records()
    if "ItemTable" in tables:
        item = _row(source, database, "ItemTable", _CHATS)
        if isinstance(item, Rejection):
            yield item
        elif item is not None:
            for place, tab in enumerate(list_of(item.value, "tabs")):
                record = JsonRecord(f"{item.where}.tabs[{place}]", tab if isinstance(tab, dict) else {}, place)
                name = text_of(record.value, "tabId") or f"{source.stem}:{place}"
                yield from _Session(source, database, name, record).records()


def _row(source: Source, database: Shared, table: str, key: str) -> JsonRecord | Rejection | None:
    """The object under a key; None if there is none. Keys and values are bytes to SQLite, so that none is refused."""
    statement = {
        _TABLE: "SELECT CAST(value AS BLOB) FROM cursorDiskKV WHERE key = CAST(? AS TEXT)",
        "ItemTable": "SELECT CAST(value AS BLOB) FROM ItemTable WHERE key = CAST(? AS TEXT)",
    }[table]
    rows = database.rows(statement, key.encode("utf-8", "surrogateescape"))
    data, where = rows[0][0] if rows else None, source.where(escape_surrogates(key))
    if data is None:
        return None
    if len(data) > source.limits.max_conversation_bytes:
        return Rejection(where=where, reason=f"longer than {source.limits.max_conversation_bytes} bytes")
    return json_record(where, data, 0, source.odd)


class _Session:
    """Reads the messages of one session."""

    def __init__(self, source: Source, database: Shared, name: str, item: JsonRecord) -> None:
        value = item.value
        agent = dict_of(value, "subagentInfo")
        parent = text_of(agent, "parentComposerId", "parentId")
        self._source, self._database, self._name, self._item = source, database, name, item
        shown = escape_surrogates(name)
        self._session = source.session_for(parent or shown)
        self._branch = f"{SUBAGENTS}{shown}" if parent else ""
        self._at = first_of(value, "createdAt", "lastSendTime", "lastUpdatedAt")
        self._calls = ToolNames()
        self._metadata = without_none(
            title=None if parent else text_of(value, "name", "chatTitle", "subtitle"),
            model=text_of(dict_of(value, "modelConfig"), "modelName"),
            cwd=_folder(value),
            git_branch=text_of(value, "createdOnBranch"),
        )

    def records(self) -> Iterator[ImportRecord]:
        lists = (list_of(self._item.value, name) for name in ("conversation", "bubbles"))
        inline = next((bubbles for bubbles in lists if any(isinstance(raw, dict) for raw in bubbles)), [])
        headers = objects_of(self._item.value, "fullConversationHeadersOnly")
        if not inline and not headers:
            yield Skipped("conversation without messages", self._item.where)
        bubbles = dict_of(self._item.value, "conversationMap")
        for place, raw in enumerate(inline):
            where = f"{self._item.where}[{place}]"
            if isinstance(raw, dict):
                yield from self._message(text_of(raw, "bubbleId", "id") or str(place), raw, where)
            else:
                yield no_object(raw, where)
        for header in headers if not inline else ():
            name = text_of(header, "bubbleId") or ""
            item = _row(self._source, self._database, _TABLE, f"bubbleId:{self._name}:{name}")
            if item is None and isinstance(bubbles.get(name), dict):
                item = JsonRecord(f"{self._item.where}.conversationMap[{name}]", bubbles[name])
            if item is None:
                yield Skipped("message that the database does not hold", f"{self._item.where}[{name}]")
            elif isinstance(item, Rejection):
                yield item
            else:
                yield from self._message(name, {**header, **item.value}, item.where)

    def _message(self, name: str, raw: Json, where: str) -> Iterator[ImportRecord]:
        role = _ROLES.get(str(raw.get("type")), str(raw.get("type")))
        self._at = _time(raw) or self._at
        parts = self._calls.name(tuple(_parts(raw, role)))
        if not parts:
            yield Skipped("message without content", where)
            return
        model = text_of(dict_of(raw, "modelInfo"), "modelName")
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=self._at,
            external_id=name,
            branch=self._branch,
            origin="assistant" if self._branch and role == "user" else None,
            metadata={**without_none(cwd=_folder(raw)), **self._metadata, **without_none(model=model)},
        )
        yield from message_turns(message, where)


def _parts(raw: Json, role: str) -> Iterator[Part]:
    for thought in (raw.get("thinking"), *list_of(raw, "allThinkingBlocks")):
        text = text_of(thought, "text", "thinking") if isinstance(thought, dict) else thought
        if isinstance(text, str) and text.strip():
            yield Part(type="thinking", text=text)
    text = text_of(raw, "text", "rawText")
    if text:
        yield Part(type="text", text=text)
    else:
        yield from _code(raw, "codeBlocks")
    yield from _images(raw)
    if role == "user":
        yield from _code(raw, "attachedCodeChunks", part_type="injected")
    yield from _call(dict_of(raw, "toolFormerData"))
    for name in ("toolResults", "interpreterResults", "aiWebSearchResults", "webReferences"):
        if values := list_of(raw, name):
            yield from result_parts(json.dumps(values, ensure_ascii=False), None, name=_RESULTS.get(name, name))
    if problem := text_of(dict_of(raw, "errorDetails"), "message", "title", "error"):
        yield Part(type="injected", text=problem)


_RESULTS: Final = {"aiWebSearchResults": "web_search", "webReferences": "web_search"}
"""Lists of results of the web, which are not the assistant's words -> the tool that they come from."""


def _call(raw: Json) -> Iterator[Part]:
    """A call and its result; what only describes a state is not a call."""
    name, call_id = text_of(raw, "name"), text_of(raw, "toolCallId")
    if name is None:
        return
    yield call_part(name, first_of(raw, "rawArgs", "params") or "{}", call_id)
    is_error = text_of(raw, "status") == "error"
    result = first_of(raw, "result") if raw.get("result") != "" else None
    result = first_of(raw, "error") if result is None else result
    if result is None and text_of(raw, "status") not in ("completed", "error", "cancelled"):
        return  # it was still running
    text, rest = _result(result)
    for part in result_parts(text, call_id, name=name, is_error=is_error):
        extra = {**(part.extra or {}), **({"result": rest} if rest else {})}
        yield Part(type=part.type, text=part.text, name=name, call_id=call_id, extra=extra or None)


def _result(result: Any) -> tuple[str, dict[str, Any]]:
    """The text of a result, and what else it says."""
    value = result
    if isinstance(result, str):
        try:
            value = parse_inner(result)
        except ValueError:
            return result, {}
    if not isinstance(value, dict):
        return ("" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)), {}
    member = next((name for name in _TEXTS if isinstance(value.get(name), str)), None)
    if member is None:
        return json.dumps(value, ensure_ascii=False), {}
    return value[member], {name: each for name, each in value.items() if name != member}


def _code(raw: Json, name: str, part_type: Any = "text") -> Iterator[Part]:
    """Pieces of code that a message consists of, or that were attached to it."""
    for code in objects_of(raw, name):
        lines = [line for line in list_of(code, "lines") if isinstance(line, str)]
        text = text_of(code, "content", "rawText", "code") or "\n".join(lines)
        if text.strip():
            yield Part(type=part_type, text=text, name=text_of(code, "relativeWorkspacePath"))


def _images(raw: Json) -> Iterator[Part]:
    for image in objects_of(raw, "images"):
        yield linked_part(first_of(image, "url", "data", "path"), image.get("mimeType"))


def _time(raw: Json) -> Any:
    """When a message was made: its own time, or that of the request that it belongs to."""
    timing = dict_of(raw, "timingInfo")
    sent = (timing.get(name) for name in ("clientRpcSendTime", "clientStartTime"))
    known = next((time for time in sent if isinstance(time, int | float) and time > _MILLISECONDS), None)
    return first_of(raw, "createdAt") or known


def _folder(raw: Json) -> str | None:
    """The folder in which a session worked."""
    place = dict_of(dict_of(raw, "workspaceIdentifier"), "uri")
    if path := text_of(place, "fsPath", "path"):
        return path
    uris = [uri for uri in list_of(raw, "workspaceUris") if isinstance(uri, str) and uri.startswith("file://")]
    return unquote(urlsplit(uris[0]).path) or None if uris else None
