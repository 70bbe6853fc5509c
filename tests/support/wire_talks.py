"""Conversations with tools, described once and written in each of the four wire formats."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the user or of the model."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Used:
    """One round of tools: calls in parallel as (name, argument, result), what was said before them, and reasoning."""

    calls: tuple[tuple[str, str, str], ...]
    announced: str = ""
    reasoned: bool = False
    failed: bool = False


Event = Said | Used


@dataclass(slots=True)
class _Written:
    wire: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    number: int = 0

    def ids(self, used: Used) -> list[str]:
        self.number += 1
        return [f"call_{self.number}_{place}" for place in range(len(used.calls))]


def written(events: Sequence[Event], wire: str) -> list[dict[str, Any]]:
    """The conversation as the message list of a wire format."""
    out = _Written(wire)
    for event in events:
        if isinstance(event, Said):
            _WRITE[wire][0](out, event)
        else:
            _WRITE[wire][1](out, event)
    return out.messages


def _anthropic_said(out: _Written, said: Said) -> None:
    out.messages.append({"role": said.role, "content": [{"type": "text", "text": said.text}]})


def _anthropic_used(out: _Written, used: Used) -> None:
    ids = out.ids(used)
    content: list[dict[str, Any]] = []
    if used.reasoned:
        content.append({"type": "thinking", "thinking": "Which file?", "signature": f"sig{out.number}=="})
    if used.announced:
        content.append({"type": "text", "text": used.announced})
    for call_id, (name, argument, _) in zip(ids, used.calls, strict=True):
        content.append({"type": "tool_use", "id": call_id, "name": name, "input": {"path": argument}})
    results: list[dict[str, Any]] = []
    for call_id, (_, _, result) in zip(ids, used.calls, strict=True):
        block: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": call_id,
            "content": [{"type": "text", "text": result}],
        }
        results.append({**block, "is_error": True} if used.failed else block)
    out.messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def _openai_said(out: _Written, said: Said) -> None:
    out.messages.append({"role": said.role, "content": said.text})


def _openai_used(out: _Written, used: Used) -> None:
    ids = out.ids(used)
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps({"path": argument})}}
        for call_id, (name, argument, _) in zip(ids, used.calls, strict=True)
    ]
    out.messages.append({"role": "assistant", "content": used.announced or None, "tool_calls": calls})
    for call_id, (_, _, result) in zip(ids, used.calls, strict=True):
        out.messages.append({"role": "tool", "tool_call_id": call_id, "content": result})


def _responses_said(out: _Written, said: Said) -> None:
    if said.role == "user":
        content = [{"type": "input_text", "text": said.text}]
        out.messages.append({"type": "message", "role": "user", "content": content})
        return
    text = {"type": "output_text", "text": said.text, "annotations": []}
    name = f"msg_{len(out.messages)}"
    out.messages.append({"type": "message", "role": said.role, "id": name, "status": "completed", "content": [text]})


def _responses_used(out: _Written, used: Used) -> None:
    ids = out.ids(used)
    if used.announced:
        _responses_said(out, Said("assistant", used.announced))
    if used.reasoned:
        out.messages.append({"type": "reasoning", "id": f"rs_{out.number}", "summary": [], "encrypted_content": "gAAA"})
    for call_id, (name, argument, _) in zip(ids, used.calls, strict=True):
        arguments = json.dumps({"path": argument})
        out.messages.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments})
    for call_id, (_, _, result) in zip(ids, used.calls, strict=True):
        out.messages.append({"type": "function_call_output", "call_id": call_id, "output": result})


def _gemini_said(out: _Written, said: Said) -> None:
    out.messages.append({"role": "model" if said.role == "assistant" else "user", "parts": [{"text": said.text}]})


def _gemini_used(out: _Written, used: Used) -> None:
    follows_model = bool(out.messages) and out.messages[-1]["role"] == "model"  # calls follow a user or a response
    parts = out.messages.pop()["parts"] if follows_model else []
    parts += [{"text": used.announced}] if used.announced else []
    for place, (name, argument, _) in enumerate(used.calls):
        part: dict[str, Any] = {"functionCall": {"name": name, "args": {"path": argument}}}
        parts.append({**part, "thoughtSignature": "c2ln"} if used.reasoned and place == 0 else part)
    key = "error" if used.failed else "output"
    responses = [{"functionResponse": {"name": name, "response": {key: result}}} for name, _, result in used.calls]
    out.messages += [{"role": "model", "parts": parts}, {"role": "user", "parts": responses}]


_WRITE: dict[str, tuple[Any, Any]] = {
    "anthropic": (_anthropic_said, _anthropic_used),
    "openai": (_openai_said, _openai_used),
    "responses": (_responses_said, _responses_used),
    "gemini": (_gemini_said, _gemini_used),
}
