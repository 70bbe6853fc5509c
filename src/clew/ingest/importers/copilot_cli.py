"""Sessions of GitHub Copilot CLI, `~/.copilot/session-state/*/events.jsonl`: one event on each line.

An event is `{type, data, id, timestamp, parentId}`. What the person typed, the model's answers with their calls, and
the results of the tools are turns; a result comes later than its call, as an event of its own. System messages and
notes of the client are injected. Starts, ends, hooks and permissions are skipped.
"""

from collections.abc import Iterator
from typing import Any

from clew.ingest.formats.blocks import call_part, result_parts, to_parts
from clew.ingest.importers.json_fields import dict_of, objects_of, text_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, injected, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, appended_json_lines, read_each
from clew.types import Part

NAME = "copilot-cli"
_SYSTEM = ("system.message", "system.notification")


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one session's events."""
    session = _Session(source)
    yield from read_each(appended_json_lines(source), session.event)


class _Session:
    """Reads the events of one session."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._session = source.session_for(None)
        self._context: dict[str, Any] = {}
        self._calls = ToolNames()

    def event(self, item: JsonRecord) -> Iterator[ImportRecord]:
        kind, data = text_of(item.value, "type") or "missing", dict_of(item.value, "data")
        if kind == "session.start":
            self._name(data)
        said = _said(kind, data)
        if said is None or not said[1]:
            yield Skipped(kind, item.where)
            return
        role, parts = said
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=self._calls.name(parts),
            at=item.value.get("timestamp"),
            external_id=text_of(item.value, "id"),
            metadata=self._context | without_none(model=text_of(data, "model")),
        )
        yield from message_turns(message, item.where)

    def _name(self, data: dict[str, Any]) -> None:
        own, context = text_of(data, "sessionId"), dict_of(data, "context")
        if own:
            self._session = self._source.session_for(own)
        self._context = without_none(cwd=text_of(context, "cwd"), git_branch=text_of(context, "branch"))


def _said(kind: str, data: dict[str, Any]) -> tuple[str, tuple[Part, ...]] | None:
    """Role and parts of an event; None if it is not a turn by nature."""
    if kind == "user.message":
        return "user", to_parts(data.get("content"))
    if kind in _SYSTEM:
        return "system", injected(to_parts(data.get("content")))
    if kind == "assistant.message":
        return "assistant", _answer(data)
    if kind == "tool.execution_complete":
        return "tool", _result(data)
    return None


def _answer(data: dict[str, Any]) -> tuple[Part, ...]:
    """What the model thought and said, and what it called."""
    thought = text_of(data, "reasoningText")
    thinking = (Part(type="thinking", text=thought),) if thought else ()
    requests = objects_of(data, "toolRequests")
    calls = (call_part(call.get("name"), call.get("arguments", {}), call.get("toolCallId")) for call in requests)
    return (*thinking, *to_parts(data.get("content")), *calls)


def _result(data: dict[str, Any]) -> tuple[Part, ...]:
    failed = data.get("success") is False
    told = dict_of(data, "error").get("message") if failed else dict_of(data, "result").get("content")
    return result_parts(told if isinstance(told, str) else "", data.get("toolCallId"), is_error=failed)
