"""Agents of Letta (once MemGPT): agent files (`.af`), old and new, and lists of messages as its API returns them.

What an agent has learned stands in blocks, which are its own words. In the messages of MemGPT the text of an answer is
the argument of a call of `send_message` and what stands beside it is thought; what the person said, and what the
program noted, is JSON.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.ingest.encoding import parse_inner
from clew.ingest.formats.blocks import call_part, result_parts, to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, first_of, list_of, objects_of, text_of, without_none
from clew.ingest.importers.kept_notes import digest_of, note_turns
from clew.ingest.importers.message_fields import read_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, injected, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped, no_object, or_skipped
from clew.ingest.importers.source import Source, json_document, json_lines, json_list, read_each
from clew.types import Part, Rejection

NAME: Final = "letta"
_SPEAKS: Final = "send_message"
_FIELDS: Final = ("type", "text", "name", "call_id", "blob", "media_type", "data", "extra")
"""Fields of a part that tell two messages apart, in this order; they stay even where a part gets others."""
_API_ROLES: Final = {
    "user_message": "user",
    "assistant_message": "assistant",
    "reasoning_message": "assistant",
    "tool_call_message": "assistant",
    "tool_return_message": "tool",
    "system_message": "system",
}


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an agent file, or a list of messages."""
    kind = file_shape(source).kind
    if kind != "object":
        agent = _Agent(source, {})
        items = json_list(source, None) if kind == "list" else json_lines(source)
        yield from read_each(items, lambda item: agent.message(item.value, item.where))
        return
    document = json_document(source)
    if isinstance(document, Rejection):
        yield document
        return
    value = document.value
    blocks = {text_of(block, "id"): block for block in objects_of(value, "blocks")}
    for place, raw in enumerate(list_of(value, "agents") or [value]):
        if isinstance(raw, dict):
            texts = [blocks[name] for name in list_of(raw, "block_ids") if isinstance(name, str) and name in blocks]
            own = [*texts, *list_of(raw, "core_memory"), *list_of(raw, "memory_blocks")]
            records = _Agent(source, raw).records(own, f"agents[{place}]")
            yield from or_skipped(records, "agent without messages", source.where(f"agents[{place}]"))
        else:
            yield no_object(raw, source.where(f"agents[{place}]"))


class _Agent:
    """Reads what one agent knows, and what was said to it and by it."""

    def __init__(self, source: Source, value: Mapping[str, Any]) -> None:
        self._source = source
        self._value = value
        self._session = source.session_for(text_of(value, "name"))
        self._names = ToolNames()
        self._said = Counter[str]()

    def records(self, blocks: list[Any], way: str) -> Iterator[ImportRecord]:
        """The blocks, then the messages."""
        for n, block in enumerate(blocks):
            where = self._source.where(f"{way}.blocks[{n}]")
            text, label = (text_of(block, "value"), text_of(block, "label")) if isinstance(block, dict) else (None,) * 2
            if text is None:
                yield Skipped("empty block", where)
            else:
                at = first_of(block, "updated_at", "created_at")
                shown = f"{label}: {text.strip()}" if label else text.strip()
                yield from note_turns(
                    shown, where, source=NAME, session=self._session, name=label, at=at, metadata={"block": label}
                )
        for n, raw in enumerate(list_of(self._value, "messages")):
            where = self._source.where(f"{way}.messages[{n}]")
            if isinstance(raw, dict):
                yield from self.message(raw, where)
            else:
                yield Rejection(where=where, reason=f"expected a message, found {type(raw).__name__} {raw!r:.40}")

    def message(self, raw: dict[str, Any], where: str) -> Iterator[ImportRecord]:
        """One message; an agent file numbers its messages afresh, so they are named by their time, text and number."""
        kind = text_of(raw, "message_type")
        role = _API_ROLES.get(kind, "approval") if kind else text_of(raw, "role") or "missing"
        if role == "approval":
            yield Skipped("approval", where)
            return
        parts = self._names.name(_returned(raw) if kind else _kept(raw, role))
        at = first_of(raw, "created_at", "date")
        own = text_of(raw, "id") if kind else None
        if own is None:
            own = f"{at or ''}:{digest_of(written_out(role, parts))}"
            self._said[own] += 1
            own += f":{self._said[own]}" if self._said[own] > 1 else ""
        message = ImportedMessage(
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=at,
            external_id=own,
            speaker=text_of(raw, "name") if role == "user" else None,
            metadata=without_none(model=text_of(raw, "model")),
            skip_blank=True,
        )
        yield from message_turns(message, where) if parts else iter([Skipped("empty message", where)])


def written_out(role: str, parts: tuple[Part, ...]) -> str:
    """What a message says, in the form by whose digest it is known to earlier imports: a field more changes nothing."""
    texts = [f"Part({', '.join(f'{name}={getattr(part, name)!r}' for name in _FIELDS)})" for part in parts]
    return f"({role!r}, ({', '.join(texts)}{',' if len(texts) == 1 else ''}))"


def _returned(raw: dict[str, Any]) -> tuple[Part, ...]:
    """The parts of a message as the API returns it, where each message is of one kind."""
    if call := dict_of(raw, "tool_call"):
        return _spoken(call)
    if text := text_of(raw, "reasoning"):
        return (Part(type="thinking", text=text),)
    if text_of(raw, "message_type") == "tool_return_message":
        return result_parts(_unwrapped(raw.get("tool_return")), raw.get("tool_call_id"), name=raw.get("name"))
    return to_parts(raw.get("content"))


def _kept(raw: dict[str, Any], role: str) -> tuple[Part, ...]:
    """The parts of a message as an agent file holds it."""
    content = first_of(raw, "content", "text")
    if role == "user":
        return tuple(_said(part) for part in to_parts(content))
    if role == "tool":
        texts = [part.text for part in to_parts(content)]
        return result_parts(_unwrapped("\n".join(texts)), raw.get("tool_call_id"), name=raw.get("name"))
    own = read_message({"role": role, "content": content}).parts
    calls = [part for call in objects_of(raw, "tool_calls") for part in _spoken(call)]
    if any(part.type == "text" for part in calls):  # the answer is an argument, so what stands beside it is thought
        own = tuple(Part(type="thinking", text=part.text) if part.type == "text" else part for part in own)
    return (*own, *calls)


def _spoken(call: Mapping[str, Any]) -> tuple[Part, ...]:
    """The call of a tool; what the agent says by one is its text."""
    inner = dict_of(call, "function") or call
    arguments = first_of(inner, "arguments") or {}
    if text_of(inner, "name") == _SPEAKS and (text := text_of(_json(arguments), "message")):
        return (Part(type="text", text=text),)
    return (call_part(inner.get("name"), arguments, first_of(call, "id", "tool_call_id")),)


def _said(part: Part) -> Part:
    """What a person said, out of the JSON in which MemGPT keeps it; other events are the program's words."""
    value = _json(part.text) if part.type == "text" else {}
    kind, text = text_of(value, "type"), text_of(value, "message", "reason")
    if kind is None or text is None:
        return part
    said = (Part(type="text", text=text),)
    return said[0] if kind == "user_message" else injected(said)[0]


def _unwrapped(text: object) -> object:
    """The result of a tool, out of the JSON in which it is kept with its status."""
    value = _json(text)
    return value["message"] if "status" in value and isinstance(value.get("message"), str) else text


def _json(text: object) -> dict[str, Any]:
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return text if isinstance(text, dict) else {}
    try:
        value = parse_inner(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
