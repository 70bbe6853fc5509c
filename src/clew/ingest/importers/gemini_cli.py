"""Gemini CLI's sessions: one JSON document (`chats/session-*.json`), or one record on each line, and `logs.json`.

A record is rewritten whenever its tool calls progress, so a message gives its own turn once, and a turn for each call
and each result as they appear; repetitions are recognised by their ids, and a result that is written once more as a
message by the id of its call. Notes to the person (info, warning, error) are skipped. `logs.json` holds only what the
person typed.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clew.ingest import client_marks as marks
from clew.ingest.formats.blocks import call_part, result_parts, to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import first_of, list_of, objects_of, text_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, last_id, mark_injected, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, appended_json_lines, json_header, json_list, read_each
from clew.types import Part, Rejection

NAME = "gemini-cli"
_NOTES = ("info", "warning", "error")


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one session file, in any of its forms."""
    shape = file_shape(source)
    if shape.kind == "list":
        yield from _logs(source)
        return
    chat = _Chat(source)
    if shape.has("messages") and shape.kind == "object":
        chat.name(json_header(source))
        items = json_list(source, "messages")
    else:
        items = appended_json_lines(source)
    yield from read_each(items, chat.record)


def _logs(source: Source) -> Iterator[ImportRecord]:
    for item in json_list(source, None):
        if isinstance(item, Rejection):
            yield item
            continue
        value = item.value
        session = text_of(value, "sessionId")
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=source.session_for(session),
            role=text_of(value, "type") or "missing",
            parts=to_parts(value.get("message")),
            at=value.get("timestamp"),
            external_id=f"{session}:log:{text_of(value, 'messageId')}",
        )
        yield from message_turns(message, item.where)


class _Chat:
    """Reads the records of one session."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._session = source.session_for(None)
        self._branch = ""
        self._title: str | None = None
        self._parent: str | None = None
        self._last: str | None = None
        self._before: dict[str, str | None] = {}  # message -> last turn before it
        self._seen: set[str] = set()

    def name(self, meta: dict[str, Any]) -> None:
        """Takes the session's id and summary from its header."""
        own = text_of(meta, "sessionId")
        if own:
            self._session = self._source.session_for(own)
        self._title = text_of(meta, "summary") or self._title

    def record(self, item: JsonRecord) -> Iterator[ImportRecord]:
        value = item.value
        rewind = text_of(value, "$rewindTo")
        if rewind is not None:
            self._rewind(rewind, item.place)
            yield Skipped("$rewindTo", item.where)
        elif isinstance(value.get("$set"), dict):
            self.name(value["$set"])
            yield Skipped("$set", item.where)
        elif "sessionId" in value and "type" not in value:
            self.name(value)
            yield Skipped("session", item.where)
            for n, raw in enumerate(list_of(value, "messages")):
                where = f"{item.where}:messages[{n}]"
                yield from self._message(JsonRecord(where, raw if isinstance(raw, dict) else {}, n))
        else:
            yield from self._message(item)

    def _rewind(self, to: str, place: int) -> None:
        """Starts a branch: the person went back to before a message."""
        if to in self._before:
            self._parent = self._before[to]
            self._branch = f"rewind:{place}"

    def _message(self, item: JsonRecord) -> Iterator[ImportRecord]:
        value = item.value
        kind = text_of(value, "type") or "missing"
        if kind in _NOTES:
            yield Skipped(kind, item.where)
            return
        own = text_of(value, "id")
        if own and own not in self._before:
            self._before[own] = self._last
        thoughts = tuple(map(_thought, objects_of(value, "thoughts")))
        said = tuple(part for part in to_parts(value.get("content")) if not self._is_known_result(part))
        self._seen.update(_result_id(part.call_id) for part in said if part.type == "tool_result" and part.call_id)
        parts = (*thoughts, *said)
        if kind == "user":
            parts = mark_injected(parts, marks.GEMINI_CLI)
        calls = objects_of(value, "toolCalls")
        records: list[ImportRecord] = []
        if parts or not (calls or value.get("content")):
            records += self._turns(item, own, kind, parts, value.get("timestamp"))
        for n, call in enumerate(calls):
            records += self._call(item, call, f"{own}:{n}")
        yield from records or [Skipped("written again", item.where)]

    def _is_known_result(self, part: Part) -> bool:
        """Whether a part is a result that was read before, with its call or as a message."""
        return part.type == "tool_result" and part.call_id is not None and _result_id(part.call_id) in self._seen

    def _call(self, item: JsonRecord, call: dict[str, Any], name: str) -> Iterator[ImportRecord]:
        """The call and its result as two turns, because the result is written later."""
        call_id = text_of(call, "id") or name
        at = call.get("timestamp")
        part = call_part(call.get("name"), call.get("args", {}), call_id)
        yield from self._turns(item, call_id, "assistant", (part,), at)
        result = first_of(call, "result", "resultDisplay")
        if result is not None:
            parts = _result(result, call_id, call.get("name"))
            if text_of(call, "status") == "error":
                parts = tuple(replace(part, extra={**(part.extra or {}), "is_error": True}) for part in parts)
            yield from self._turns(item, _result_id(call_id), "tool", parts, at)

    def _turns(
        self, item: JsonRecord, external_id: str | None, role: str, parts: tuple[Part, ...], at: Any
    ) -> Iterator[ImportRecord]:
        if external_id is not None and external_id in self._seen:
            return
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=at,
            external_id=external_id,
            parent=self._parent,
            branch=self._branch,
            metadata=without_none(title=self._title, model=text_of(item.value, "model")),
        )
        self._parent, self._last = None, last_id(message) or self._last
        if external_id is not None:
            self._seen.add(external_id)
        yield from message_turns(message, item.where)


def _result_id(call_id: str) -> str:
    return f"{call_id}:result"


def _thought(thought: dict[str, Any]) -> Part:
    texts = [text for name in ("subject", "description") if (text := text_of(thought, name))]
    return Part(type="thinking", text="\n".join(texts))


def _result(result: Any, call_id: str, name: Any) -> tuple[Part, ...]:
    """The parts of a call's `result`: function responses, which carry the call's id, or plain parts."""
    parts = to_parts(result)
    if any(part.type == "tool_result" for part in parts):
        return tuple(part if part.call_id else replace(part, call_id=call_id) for part in parts)
    return result_parts(result, call_id, name=name)
