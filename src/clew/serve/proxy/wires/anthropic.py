"""Anthropic Messages: `POST /v1/messages`; counting of tokens and batches are not chat."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.anthropic import ANTHROPIC as LIST
from clew.condense.wires.protocol import blocks, text_of
from clew.ingest.exchange import is_from_user
from clew.ingest.formats.sdk_stream import StreamedAnswer
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit, TokenUsage, ToolCall
from clew.serve.proxy.wires import edits, reading
from clew.serve.proxy.wires.json_spans import read_body
from clew.serve.proxy.wires.streams import LazyReader
from clew.serve.proxy.wires.whole import parsed, total, whole_number

_ERRORS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class _Anthropic:
    name: str = "anthropic"
    messages_member: str = "messages"

    def is_chat(self, method: str, path: str) -> bool:
        return method.upper() == "POST" and reading.without_query(path).endswith("/v1/messages")

    def read(self, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
        json_body = read_body(body, self.messages_member)
        return reading.request_of(
            self.name,
            path,
            headers,
            body,
            json_body,
            messages=reading.checked(
                json_body.value.get(self.messages_member), self.messages_member, body, json_body.elements
            ),
            spans=json_body.elements,
            system=reading.texts(json_body.value.get("system")),
            tools=reading.names(json_body.value.get("tools")),
        )

    def is_question(self, message: Message) -> bool:
        return LIST.is_question(message) and is_from_user(message)

    def appended(self, request: ChatRequest, index: int, text: str) -> Edit:
        """Adds a block of its own, also after a content that is text: a text and a list with it are one to the model.

        So the cached prefix stays the same when a client resends as text what it sent as a marked block.
        """
        block = {"type": "text", "text": text}
        return edits.add_part(request, index, "content", block, b'{"type":"text","text":')

    def replaced(self, request: ChatRequest, start: int, stop: int, messages: Sequence[Message]) -> Edit:
        return edits.replace_messages(request, self.messages_member, (start, stop), messages)

    def with_tools(self, request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
        own = [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["schema"]} for tool in tools
        ]
        return edits.add_tools(request, own)

    def tool_results(self, answer: Answer, results: Mapping[str, str]) -> tuple[Message, ...]:
        given = [
            {"type": "tool_result", "tool_use_id": call.id, "content": results[call.id]}
            for call in answer.calls
            if call.id in results
        ]
        return (*answer.messages, {"role": "user", "content": given})

    def reader(self) -> LazyReader:
        return LazyReader(_Assembler(), self.read_answer)

    def read_answer(self, body: bytes) -> Answer:
        value = parsed(body)
        content = value.get("content")
        if value.get("type") != "message" or not isinstance(content, list):
            return Answer(complete=False)
        return Answer(
            messages=({"role": "assistant", "content": content},),
            calls=_calls(content),
            usage=_usage(value.get("usage")),
            stop=text_of(value.get("stop_reason")),
            model=text_of(value.get("model")),
            id=text_of(value.get("id")),
        )

    def error(self, status: int, message: str) -> bytes:
        kind = _ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


ANTHROPIC: Final = _Anthropic()


class _Assembler:
    def __init__(self) -> None:
        self._content = StreamedAnswer()
        self._usage: dict[str, int] = {}
        self._stop = ""
        self._model = ""
        self._id = ""
        self._is_complete = False

    def take(self, value: dict[str, Any]) -> None:
        kind = value.get("type")
        if kind == "message_start" and isinstance(message := value.get("message"), dict):
            self._model, self._id = text_of(message.get("model")), text_of(message.get("id"))
            self._count(message.get("usage"))
        elif kind == "message_delta":
            delta = value.get("delta")
            self._stop = text_of(delta.get("stop_reason")) if isinstance(delta, dict) else ""
            self._count(value.get("usage"))
        elif kind == "message_stop":
            self._is_complete = True
        elif kind in ("content_block_start", "content_block_delta"):
            self._content.take(value)

    def end(self) -> None:
        """Anthropic sends `message_stop` instead."""

    def answer(self) -> Answer:
        messages = tuple(self._content.messages())
        content = messages[0]["content"] if messages else []
        usage = _usage(self._usage)
        return Answer(messages, _calls(content), usage, self._stop, self._model, self._is_complete, self._id)

    def _count(self, usage: object) -> None:
        """The largest number counts: the event at the end adds to what that at the start told, or leaves it at 0."""
        for name, value in usage.items() if isinstance(usage, dict) else ():
            if (count := whole_number(value)) is not None:
                self._usage[name] = max(count, self._usage.get(name, 0))


def _calls(content: object) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(text_of(block.get("id")), text_of(block.get("name")), _arguments(block.get("input", {})))
        for block in blocks(content)
        if block.get("type") == "tool_use"
    )


def _arguments(given: object) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _usage(usage: object) -> TokenUsage:
    if not isinstance(usage, dict):
        return TokenUsage()
    cached, written = (whole_number(usage.get(f"cache_{name}_input_tokens")) for name in ("read", "creation"))
    fresh = whole_number(usage.get("input_tokens"))
    return TokenUsage(total(fresh, cached, written), cached, written, whole_number(usage.get("output_tokens")))
