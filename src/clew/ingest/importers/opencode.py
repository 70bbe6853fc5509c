"""OpenCode's sessions, as `opencode export` prints them: one JSON document, `{info, messages: [{info, parts}]}`.

A message holds its parts in the order in which they were made: text, reasoning, and tools with their result. Texts
that OpenCode wrote itself are injected. What says only how far a step is (steps, snapshots, patches) is not a turn.
"""

from collections.abc import Iterator
from typing import Any

from clew.ingest.formats.blocks import call_part, linked_part, result_parts
from clew.ingest.importers.json_fields import dict_of, objects_of, text_of, texts_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_header, json_list, read_each
from clew.types import Part

NAME = "opencode"


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one exported session."""
    session = _Session(source)
    yield from read_each(json_list(source, "messages", source.limits.max_conversation_bytes), session.message)


class _Session:
    """Reads the messages of one session."""

    def __init__(self, source: Source) -> None:
        info = dict_of(json_header(source), "info")
        self._session = source.session_for(text_of(info, "id"))
        self._seen: set[str] = set()
        self._is_subagent = text_of(info, "parentID") is not None  # then its user is the agent that started it
        self._context = without_none(cwd=text_of(info, "directory"), title=text_of(info, "title"))

    def message(self, item: JsonRecord) -> Iterator[ImportRecord]:
        info = dict_of(item.value, "info")
        role = text_of(info, "role") or "missing"
        raw = objects_of(item.value, "parts")
        parts = tuple(part for raw_part in raw for part in _parts(raw_part, is_summary=info.get("summary") is True))
        if not parts:
            yield Skipped(f"{role} message without words", item.where)
            return
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=dict_of(info, "time").get("created"),
            external_id=self._own_id(text_of(info, "id"), item.place),
            origin="assistant" if role == "user" and self._is_subagent else None,
            metadata=self._context
            | without_none(model=text_of(info, "modelID"), summary=True if info.get("summary") is True else None),
        )
        yield from message_turns(message, item.where)

    def _own_id(self, named: str | None, place: int) -> str:
        """The message's id; its place where it has none, or one of a message before, as after a redaction."""
        own = named if named and named not in self._seen else f"{self._session}:{place}"
        self._seen.add(own)
        return own


def _parts(part: dict[str, Any], *, is_summary: bool) -> tuple[Part, ...]:
    """What one part of a message says; nothing for marks of steps.

    Args:
        is_summary: the message stands for those before it that OpenCode dropped.
    """
    kind, text = text_of(part, "type"), text_of(part, "text")
    if kind == "text" and text:
        return (Part(type="injected" if is_summary or part.get("synthetic") is True else "text", text=text),)
    if kind == "reasoning" and text:
        return (Part(type="thinking", text=text),)
    if kind == "tool":
        return _tool(part)
    if kind == "file":
        return (linked_part(part.get("url"), part.get("mime")),)
    if kind == "subtask" and (prompt := text_of(part, "prompt")):
        return (Part(type="text", text=prompt),)
    return ()


def _tool(part: dict[str, Any]) -> tuple[Part, ...]:
    """The call, and its result once the tool has ended."""
    name, call_id, state = part.get("tool"), part.get("callID"), dict_of(part, "state")
    call = call_part(name, state.get("input", {}), call_id)
    status = text_of(state, "status")
    if status not in ("completed", "error"):
        return (call,)
    failed = status == "error"
    result = state.get("error" if failed else "output")
    content = [result if isinstance(result, str) else "", *_attached(state)]
    return (call, *result_parts(content, call_id, name=name, is_error=failed))


def _attached(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The files of a result as blocks of content."""
    addresses = texts_of(state, "attachments", "url")
    return [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
