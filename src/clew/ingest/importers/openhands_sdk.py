"""Events of the SDK on which OpenHands is built since version 1: one in each file `events/event-<number>-<id>.json`.

An event tells its class in `kind`. What a model reads and writes becomes a message; what only the program needs (state,
pauses, logs, streamed pieces) does not.
"""

from collections.abc import Mapping
from typing import Any, Final

from clew.ingest.formats.blocks import call_part, linked_part, result_parts, to_parts
from clew.ingest.importers.json_fields import dict_of, list_of, objects_of, text_of, texts_of
from clew.ingest.importers.message_turns import injected
from clew.types import Part

Said = tuple[str, tuple[Part, ...]]
"""A role, and what it said."""

_FINISH: Final = "FinishAction"
_THINK: Final = "ThinkAction"
_ECHOES: Final = ("FinishObservation", "ThinkObservation")
"""Results that repeat what the call said, or say that it was noted."""


def said_by(event: Mapping[str, Any], kind: str) -> Said | None:
    """What an event of this kind says; None for one of the program itself."""
    match kind:
        case "SystemPromptEvent":
            texts = (text_of(dict_of(event, name), "text") for name in ("system_prompt", "dynamic_context"))
            return "system", injected(tuple(part for text in texts if text for part in to_parts(text)))
        case "Condensation" | "CondensationSummaryEvent" if summary := text_of(event, "summary"):
            return "system", injected(to_parts(summary))
        case "MessageEvent":
            return _message(event)
        case "ActionEvent":
            return "assistant", (*_thought(event), *_content(event, "thought"), *_acted(event))
        case "ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent":
            return _observed(event)
    return None


def _observed(event: Mapping[str, Any]) -> Said | None:
    """What came of a call; None for what only repeats what the call said."""
    seen = dict_of(event, "observation")
    if text_of(seen, "kind") in _ECHOES:
        return None
    problem = text_of(event, "error", "rejection_reason")
    parts = to_parts(problem) if problem else _content(seen, "content")
    return "tool", (*_result(event, parts, is_error=bool(problem or seen.get("is_error"))), *_added(event))


def _message(event: Mapping[str, Any]) -> Said:
    """A message of a person or the agent; what the program says in a person's place is not a word of the person."""
    message = dict_of(event, "llm_message")
    parts = _content(message, "content")
    if text_of(event, "source") == "environment":
        parts = injected(parts)
    return text_of(message, "role") or "missing", (*_thought(message), *parts, *_added(event))


def _thought(holder: Mapping[str, Any]) -> tuple[Part, ...]:
    text = text_of(holder, "reasoning_content") or "\n".join(texts_of(holder, "thinking_blocks", "thinking"))
    return (Part(type="thinking", text=text),) if text else ()


def _acted(event: Mapping[str, Any]) -> tuple[Part, ...]:
    """The call of a tool; the agent's last words and its thoughts are calls too, and become text."""
    action, call = dict_of(event, "action"), dict_of(event, "tool_call")
    kind = text_of(action, "kind")
    if kind == _FINISH and (text := text_of(action, "message")):
        return to_parts(text)
    if kind == _THINK and (text := text_of(action, "thought")):
        return (Part(type="thinking", text=text),)
    name = text_of(event, "tool_name") or text_of(call, "name")
    return (call_part(name, call.get("arguments") or action, text_of(event, "tool_call_id") or text_of(call, "id")),)


def _result(event: Mapping[str, Any], parts: tuple[Part, ...], *, is_error: bool) -> tuple[Part, ...]:
    text = "\n".join(part.text for part in parts if part.type == "text")
    name, call_id = text_of(event, "tool_name"), text_of(event, "tool_call_id")
    read = result_parts(text, call_id, name=name, is_error=True if is_error else None)
    return (*read, *(part for part in parts if part.type != "text"))


def _added(event: Mapping[str, Any]) -> tuple[Part, ...]:
    """What the program put behind a message, such as the rules of a folder."""
    return injected(_content(event, "extended_content"))


def _content(holder: Mapping[str, Any], name: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    for block in objects_of(holder, name):
        parts += to_parts(text_of(block, "text"))
        parts += [linked_part(url) for url in list_of(block, "image_urls") if isinstance(url, str)]
    return tuple(parts)
