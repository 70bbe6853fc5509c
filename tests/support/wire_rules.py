"""What the four providers refuse in a message list: by the types of their own SDKs, and by the scripted APIs' rules.

None of it is `clew.condense.wires`, whose `problems` decides at run time, so that an error there does not check itself.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from anthropic.types import MessageParam
from google.genai.types import Content
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import BaseModel, TypeAdapter, ValidationError

from clew.serve.scripted import anthropic_rules, gemini_rules, openai_rules, responses_rules
from clew.serve.scripted.refusal import Denial

Messages = Sequence[dict[str, Any]]

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_REASONING = ("thinking", "redacted_thinking")
_SIGNATURES = re.compile(r"[Ss]ignature|thought_signature|redacted_thinking|encrypted content")
_LONGEST_ID = 40


def refused(messages: Messages, wire: str) -> list[str]:
    """What the API of a wire format would refuse, by the shape of each message and by their order."""
    return [*_shapes(messages, wire), *_denials(messages, wire), *_BESIDES[wire](messages)]


@cache
def _shape(wire: str) -> TypeAdapter[Any]:
    """The type of a message in the vendor's own SDK."""
    types: dict[str, Any] = {
        "anthropic": MessageParam,
        "openai": ChatCompletionMessageParam,
        "responses": ResponseInputItemParam,
        "gemini": Content,
    }
    return TypeAdapter(types[wire])


def _shapes(messages: Messages, wire: str) -> list[str]:
    found = []
    for number, message in enumerate(messages):
        try:
            # Iterables in the SDKs' types are read lazily, so that only writing the value out checks what is in them.
            kept = _shape(wire).validate_python(message)
            json.dumps(kept, default=_written)
        except ValidationError as error:
            found.append(f"{number}: {error.errors()[0]['loc']} {error.errors()[0]['msg']}")
    return found


def _written(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, bytes):
        return len(value)
    return list(value) if isinstance(value, Iterable) else str(value)


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    return [block if isinstance(block, dict) else {"type": "text", "text": str(block)} for block in blocks]


def _denials(messages: Messages, wire: str) -> list[str]:
    """What the scripted API refuses, but for signatures, which only the real one can check."""
    found: list[str] = []
    try:
        found += [denial.message for denial in _ask(list(messages), wire) if not _SIGNATURES.search(denial.message)]
    except (KeyError, TypeError, AttributeError, ValueError):  # an API stops at its first refusal; these rules go on
        found.append("and more")
    return found


def _ask(messages: list[dict[str, Any]], wire: str) -> Iterable[Denial]:
    if wire == "anthropic":
        return anthropic_rules.refusals({"model": "m", "max_tokens": 9, "messages": _merged(messages)})
    if wire == "openai":
        return openai_rules.refusals({"model": "m", "messages": messages})
    if wire == "responses":
        return responses_rules.refusals({"model": "m", "input": messages}, [])
    return gemini_rules.refusals({"contents": messages})


def _merged(messages: Messages) -> list[dict[str, Any]]:
    """With neighbours of one role as one message, which is how Anthropic reads them."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"] != "system":
            merged[-1] = {**merged[-1], "content": [*_blocks(merged[-1]), *_blocks(message)]}
        else:
            merged.append(message)
    return merged


def _anthropic(messages: Messages) -> list[str]:
    """What the scripted API does not check: where reasoning stands, and tools that the provider runs."""
    merged = [(message["role"], _blocks(message)) for message in _merged(messages)]
    found = _anthropic_reasoning(merged)
    for number, (role, content) in enumerate(merged):
        kinds = [block.get("type") for block in content]
        calls = [block["id"] for block in content if block.get("type") == "tool_use"]
        found += [f"{number}: id {call!r}" for call in calls if not _ID.fullmatch(call)]
        if role == "assistant" and kinds[-1] in _REASONING:
            found.append(f"{number}: the answer ends in reasoning")
        found += _provider_tools(number, content)
    return found


def _provider_tools(number: int, content: list[dict[str, Any]]) -> list[str]:
    """A result of a tool that the provider ran stands in the message of its call, unless that waits for ours."""
    own = {block.get("id") for block in content if block.get("type") in ("server_tool_use", "mcp_tool_use")}
    given = {
        block.get("tool_use_id")
        for block in content
        if str(block.get("type")).endswith("_tool_result") and block["type"] != "tool_result"
    }
    waits = any(block.get("type") == "tool_use" for block in content)
    return [] if own == given or waits else [f"{number}: the provider's tools {own} and their results {given}"]


def _anthropic_reasoning(merged: Sequence[tuple[str, list[dict[str, Any]]]]) -> list[str]:
    """With reasoning on, the answer after the user's last words opens with reasoning if it calls tools."""
    opening = max(
        (at for at, (role, content) in enumerate(merged) if role == "user" and _says(content)),
        default=-1,
    )
    answer = [content for role, content in merged[opening + 1 :] if role == "assistant"]
    reasons = any(block.get("type") in _REASONING for content in answer for block in content)
    calls = bool(answer) and any(block.get("type") == "tool_use" for block in answer[0])
    if reasons and calls and answer[0][0].get("type") not in _REASONING:
        return ["the current answer does not open with its reasoning"]
    return []


def _says(content: list[dict[str, Any]]) -> bool:
    return any(block.get("type") != "tool_result" for block in content)


def _openai(messages: Messages) -> list[str]:
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or []]
    return [f"id {call!r} is longer than {_LONGEST_ID}" for call in calls if len(call) > _LONGEST_ID]


def _responses(items: Messages) -> list[str]:
    """What the scripted API does not check: an output that stands twice."""
    outputs = [item["call_id"] for item in items if str(item.get("type")).endswith("_call_output")]
    return [f"two outputs for {call}" for call in set(outputs) if outputs.count(call) > 1]


def _gemini_signatures(contents: Messages) -> list[str]:
    """Each step of the current answer signs its first call, once one of them does."""
    opening = max(
        (
            at
            for at, content in enumerate(contents)
            if content.get("role") == "user" and any("functionResponse" not in part for part in content["parts"])
        ),
        default=-1,
    )
    steps = [
        [part for part in content["parts"] if "functionCall" in part]
        for content in contents[opening + 1 :]
        if content.get("role") == "model"
    ]
    signed = [bool(step) and "thoughtSignature" in step[0] for step in steps if step]
    return [] if all(signed) or not any(signed) else ["a step of the current answer lost its signature"]


_BESIDES: dict[str, Callable[[Messages], list[str]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "responses": _responses,
    "gemini": _gemini_signatures,
}
