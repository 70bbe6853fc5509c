"""OpenAI Responses: `POST …/responses`. The input is text or a list of items; the provider may hold earlier ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires.protocol import Message, blocks, text_of
from clew.condense.wires.responses import RESPONSES as LIST
from clew.ingest.exchange import is_from_user
from clew.ingest.formats.sdk_stream import StreamedAnswer
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit, TokenUsage, ToolCall
from clew.serve.proxy.wires import edits, reading
from clew.serve.proxy.wires.json_spans import JsonBody, read_body
from clew.serve.proxy.wires.openai import OPENAI
from clew.serve.proxy.wires.streams import LazyReader
from clew.serve.proxy.wires.whole import parsed, whole_number

COMPACT: Final = "/responses/compact"
"""The end of the path at which the provider seals a history; the next one holds the item that it answers."""
_OBJECTS: Final = ("response", "response.compaction")
_ENDS: Final = ("response.completed", "response.incomplete")
_BEFORE: Final = b'{"role":"user","content":'
"""Makes the text of an input a message."""


@dataclass(frozen=True, slots=True)
class _Responses:
    name: str = "responses"
    messages_member: str = "input"

    def is_chat(self, method: str, path: str) -> bool:
        return method.upper() == "POST" and reading.without_query(path).endswith(("/responses", COMPACT))

    def read(self, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
        json_body = read_body(body, self.messages_member)
        messages, spans = _items(json_body, body)
        first = reading.leading_instructions(messages)
        instructions = (reading.texts(message.get("content")) for message in messages[:first])
        return reading.request_of(
            self.name,
            path,
            headers,
            body,
            json_body,
            messages=messages[first:],
            spans=spans[first:],
            system="\n\n".join(filter(None, (reading.texts(json_body.value.get("instructions")), *instructions))),
            tools=reading.names(json_body.value.get("tools")),
        )

    def is_question(self, message: Message) -> bool:
        return LIST.is_question(message) and is_from_user(message)

    def appended(self, request: ChatRequest, index: int, text: str) -> Edit:
        """Adds a part of its own; a content or an input that is text becomes a list of parts."""
        part = {"type": "input_text", "text": text}
        first = b'{"type":"input_text","text":'
        if _is_text(request) and index == 0:
            (span,) = request.spans
            edit = edits.as_list(request.body, span, first, b"}", part)
            return Edit(span, b"[" + _BEFORE + edit.text + b"}]")
        return edits.add_part(request, index, "content", part, first)

    def replaced(self, request: ChatRequest, start: int, stop: int, messages: Sequence[Message]) -> Edit:
        alone = (_BEFORE, b"}") if _is_text(request) else None
        return edits.replace_messages(request, self.messages_member, (start, stop), messages, alone)

    def with_tools(self, request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
        own = [
            {
                "type": "function",
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["schema"],
                "strict": False,
            }
            for tool in tools
        ]
        return edits.add_tools(request, own)

    def tool_results(self, answer: Answer, results: Mapping[str, str]) -> tuple[Message, ...]:
        given = (
            {"type": f"{item['type']}_output", "call_id": call.id, "output": results[call.id]}
            for item in answer.messages
            for call in _calls([item])
            if call.id in results
        )
        return (*answer.messages, *given)

    def reader(self) -> LazyReader:
        return LazyReader(_Assembler(), self.read_answer)

    def read_answer(self, body: bytes) -> Answer:
        value = parsed(body)
        output = value.get("output")
        if not isinstance(output, list) or value.get("object", "response") not in _OBJECTS:
            return Answer(complete=False)
        return _answer(
            value, blocks(output), is_complete=value.get("status", "completed") in ("completed", "incomplete")
        )

    def error(self, status: int, message: str) -> bytes:
        return OPENAI.error(status, message)


RESPONSES: Final = _Responses()


class _Assembler:
    def __init__(self) -> None:
        self._content = StreamedAnswer()
        self._response: dict[str, Any] = {}
        self._is_complete = False

    def take(self, value: dict[str, Any]) -> None:
        kind = text_of(value.get("type"))
        if isinstance(response := value.get("response"), dict):
            self._response |= response
        if kind in _ENDS:
            self._is_complete = True
        if kind in StreamedAnswer.READERS:
            self._content.take(value)

    def end(self) -> None:
        """Responses sends `response.completed` instead."""

    def answer(self) -> Answer:
        return _answer(self._response, _flat(self._content.messages()), is_complete=self._is_complete)


def _items(json_body: JsonBody, body: bytes) -> tuple[tuple[Message, ...], tuple[Any, ...]]:
    """The input as items, and where they are; text is one message of the user."""
    given = json_body.value.get("input")
    if isinstance(given, str):
        return ({"role": "user", "content": given},), (json_body.members["input"],)
    if given is None:  # what is asked lies with the provider
        return (), ()
    return reading.checked(given, "input", body, json_body.elements), json_body.elements


def _is_text(request: ChatRequest) -> bool:
    return isinstance(request.value.get("input"), str)


def _flat(messages: Iterable[Message]) -> list[Message]:
    """The items of an answer one by one."""
    return [item for message in messages for item in message.get("items", (message,))]


def _answer(response: Mapping[str, Any], items: Sequence[Message], *, is_complete: bool) -> Answer:
    details = response.get("incomplete_details")
    reason = text_of(details.get("reason")) if isinstance(details, dict) else ""
    return Answer(
        messages=tuple(items),
        calls=_calls(items),
        usage=_usage(response.get("usage")),
        stop=(reason or text_of(response.get("status"))) if is_complete else "",
        model=text_of(response.get("model")),
        complete=is_complete,
        id=text_of(response.get("id")),
    )


def _calls(items: Iterable[Message]) -> tuple[ToolCall, ...]:
    calls = []
    for item in items:
        if not LIST.calls(item):
            continue
        kind = text_of(item.get("type"))
        given = next((item[name] for name in ("arguments", "input", "action", "operation") if name in item), "")
        arguments = given if isinstance(given, str) else edits.encoded(given).decode()
        name = text_of(item.get("name")) or kind.removesuffix("_call")
        calls.append(ToolCall(text_of(item.get("call_id")), name, arguments))
    return tuple(calls)


def _usage(usage: object) -> TokenUsage:
    if not isinstance(usage, dict):
        return TokenUsage()
    details = usage.get("input_tokens_details")
    details = details if isinstance(details, dict) else {}
    return TokenUsage(
        input=whole_number(usage.get("input_tokens")),
        cached=whole_number(details.get("cached_tokens")),
        written=whole_number(details.get("cache_write_tokens")),
        output=whole_number(usage.get("output_tokens")),
    )
