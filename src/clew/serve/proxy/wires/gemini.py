"""Gemini: `POST …/models/MODEL:generateContent` and `:streamGenerateContent`, as server-sent events or a JSON list.

Members are read as the REST API writes them (`systemInstruction`) and in snake case, which it accepts too. A content,
or its parts, may be one object without a list around it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clew.condense.wires.gemini import GEMINI as LIST
from clew.condense.wires.protocol import Message, blocks, text_of
from clew.ingest.exchange import is_from_user
from clew.ingest.formats.sdk_stream import StreamedAnswer
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit, TokenUsage, ToolCall
from clew.serve.proxy.wires import edits, reading
from clew.serve.proxy.wires.choices import numbered, side_by_side
from clew.serve.proxy.wires.json_spans import element_spans, member_spans, read_body, whole
from clew.serve.proxy.wires.streams import LazyReader
from clew.serve.proxy.wires.whole import parsed, total, whole_number

_PATH: Final = re.compile(r"/(?:models|tunedModels|endpoints)/([^/:]+):(generateContent|streamGenerateContent)$")
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
_ERRORS: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


@dataclass(frozen=True, slots=True)
class _Gemini:
    name: str = "gemini"
    messages_member: str = "contents"

    def is_chat(self, method: str, path: str) -> bool:
        return method.upper() == "POST" and _PATH.search(reading.without_query(path)) is not None

    def read(self, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
        json_body = read_body(body, self.messages_member)
        contents = json_body.value.get(self.messages_member)
        is_one = isinstance(contents, dict)
        spans = (json_body.members[self.messages_member],) if is_one else json_body.elements
        asked = _PATH.search(reading.without_query(path))
        return reading.request_of(
            self.name,
            path,
            headers,
            body,
            json_body,
            messages=reading.checked([contents] if is_one else contents, self.messages_member, body, spans),
            spans=spans,
            system=_instructions(json_body.value),
            model=asked[1] if asked else text_of(json_body.value.get("model")),
            stream=asked is not None and asked[2] == "streamGenerateContent",
            tools=_tool_names(json_body.value.get("tools")),
        )

    def is_question(self, message: Message) -> bool:
        return LIST.is_question(message) and is_from_user(message)

    def appended(self, request: ChatRequest, index: int, text: str) -> Edit:
        part = {"text": text}
        span = edits.member(request, index, "parts")
        if isinstance(request.messages[index]["parts"], dict):
            return edits.as_list(request.body, span, b"", b"", part)
        return edits.add_part(request, index, "parts", part, b'{"text":')

    def replaced(self, request: ChatRequest, start: int, stop: int, messages: Sequence[Message]) -> Edit:
        alone = (b"", b"") if isinstance(request.value.get(self.messages_member), dict) else None
        return edits.replace_messages(request, self.messages_member, (start, stop), messages, alone)

    def with_tools(self, request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
        """Adds to the declarations of functions that the client has, since the API may take one list of them only."""
        own = [
            {"name": tool["name"], "description": tool["description"], "parametersJsonSchema": tool["schema"]}
            for tool in tools
        ]
        given = request.value.get("tools")
        for number, tool in enumerate(given if isinstance(given, list) else ()):
            name = next((name for name in _DECLARATIONS if isinstance(tool, dict) and name in tool), None)
            if name is not None and isinstance(tool[name], list):
                members = member_spans(request.body, whole(request.body))
                place = element_spans(request.body, members["tools"])[number]
                return edits.add_to_list(request.body, member_spans(request.body, place)[name], own)
        return edits.add_tools(request, [{"functionDeclarations": own}])

    def tool_results(self, answer: Answer, results: Mapping[str, str]) -> tuple[Message, ...]:
        given = [
            {
                "functionResponse": {
                    **({} if call.id == _position(number, call.name) else {"id": call.id}),
                    "name": call.name,
                    "response": {"output": results[call.id]},
                }
            }
            for number, call in enumerate(answer.calls)
            if call.id in results
        ]
        return (*answer.messages, {"role": "user", "parts": given})

    def reader(self) -> LazyReader:
        return LazyReader(_Assembler(), self.read_answer)

    def read_answer(self, body: bytes) -> Answer:
        assembler = _Assembler()
        assembler.take(parsed(body))
        return assembler.answer()

    def error(self, status: int, message: str) -> bytes:
        kind = _ERRORS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
        return json.dumps({"error": {"code": status, "message": message, "status": kind}}).encode()


GEMINI: Final = _Gemini()


class _Assembler:
    """Chunks have the shape of a whole answer; the last word of each counts."""

    def __init__(self) -> None:
        self._candidates: dict[int, _Candidate] = {}
        self._usage = TokenUsage()
        self._blocked = ""
        self._model = ""
        self._id = ""

    def take(self, value: dict[str, Any]) -> None:
        self._model = text_of(value.get("modelVersion")) or self._model
        self._id = text_of(value.get("responseId")) or self._id
        if isinstance(usage := value.get("usageMetadata"), dict):
            self._usage = _usage(usage)
        feedback = value.get("promptFeedback")
        if isinstance(feedback, dict):
            self._blocked = text_of(feedback.get("blockReason")) or self._blocked
        for number, candidate in numbered(value.get("candidates")):
            held = self._candidates.setdefault(number, _Candidate())
            held.stop = text_of(candidate.get("finishReason")) or held.stop
            held.content.take({"candidates": [candidate]})

    def end(self) -> None:
        """Gemini says why it stopped in its last chunk."""

    def answer(self) -> Answer:
        candidates = [self._candidates[number] for number in sorted(self._candidates)] or [_Candidate()]
        return side_by_side([self._read(candidate) for candidate in candidates])

    def _read(self, candidate: "_Candidate") -> Answer:
        messages = tuple(candidate.content.messages())
        stop = candidate.stop or self._blocked
        return Answer(messages, _calls(messages), self._usage, stop, self._model, bool(stop), self._id)


@dataclass(slots=True)
class _Candidate:
    """One answer as far as it came."""

    content: StreamedAnswer = field(default_factory=StreamedAnswer)
    stop: str = ""


def _instructions(value: Mapping[str, Any]) -> str:
    given = value.get("systemInstruction", value.get("system_instruction"))
    return reading.texts(given.get("parts") if isinstance(given, dict) else given)


def _tool_names(tools: object) -> tuple[str, ...]:
    names: list[str] = []
    for tool in blocks([tools] if isinstance(tools, dict) else tools):
        for name, value in tool.items():
            names += reading.names(value) if name in _DECLARATIONS else (name,)
    return tuple(names)


def _position(number: int, name: str) -> str:
    """What stands for the id of a call that has none: its place among the calls of the answer."""
    return f"{number}:{name}"


def _calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    calls = [
        call
        for message in messages
        for part in blocks(message.get("parts"))
        if isinstance(call := part.get("functionCall", part.get("function_call")), dict)
    ]
    return tuple(
        ToolCall(
            text_of(call.get("id")) or _position(number, text_of(call.get("name"))),
            text_of(call.get("name")),
            json.dumps(call.get("args", {}), ensure_ascii=False),
        )
        for number, call in enumerate(calls)
    )


def _usage(usage: Mapping[str, Any]) -> TokenUsage:
    count = {name: whole_number(value) for name, value in usage.items()}
    return TokenUsage(
        input=total(count.get("promptTokenCount"), count.get("toolUsePromptTokenCount")),
        cached=count.get("cachedContentTokenCount"),
        output=total(count.get("candidatesTokenCount"), count.get("thoughtsTokenCount")),
    )
