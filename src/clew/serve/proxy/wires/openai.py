"""OpenAI Chat Completions: `POST …/chat/completions`, as OpenAI and the many servers that follow it have it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.openai import OPENAI as LIST
from clew.condense.wires.protocol import blocks, text_of
from clew.ingest.exchange import is_from_user
from clew.ingest.formats.sdk_stream import StreamedAnswer
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit, Span, TokenUsage, ToolCall
from clew.serve.proxy.wires import edits, reading
from clew.serve.proxy.wires.choices import numbered, side_by_side
from clew.serve.proxy.wires.json_spans import element_spans, member_spans, read_body
from clew.serve.proxy.wires.streams import LazyReader
from clew.serve.proxy.wires.whole import parsed, whole_number

_ERRORS: Final = {
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "not_found"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}


@dataclass(frozen=True, slots=True)
class _OpenAI:
    name: str = "openai"
    messages_member: str = "messages"

    def is_chat(self, method: str, path: str) -> bool:
        return method.upper() == "POST" and reading.without_query(path).endswith("/chat/completions")

    def read(self, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
        json_body = read_body(body, self.messages_member)
        messages = reading.checked(
            json_body.value.get(self.messages_member), self.messages_member, body, json_body.elements
        )
        first = reading.leading_instructions(messages)
        tools = reading.names(json_body.value.get("tools"), "function", "custom")
        return reading.request_of(
            self.name,
            path,
            headers,
            body,
            json_body,
            messages=messages[first:],
            spans=json_body.elements[first:],
            system="\n\n".join(reading.texts(message.get("content")) for message in messages[:first]),
            tools=tools + reading.names(json_body.value.get("functions")),
        )

    def is_question(self, message: Message) -> bool:
        return LIST.is_question(message) and is_from_user(message)

    def appended(self, request: ChatRequest, index: int, text: str) -> Edit:
        """Adds to the text that ends the message, whether it is the content or the last of its parts.

        Servers that follow OpenAI often take text alone; and a client that turns text into a part with a cache mark,
        or back, gets the same text.
        """
        span = edits.member(request, index, "content")
        content = request.messages[index].get("content")
        if isinstance(content, str):
            return edits.add_to_text(span, text)
        if content is None:
            return Edit(span, edits.encoded(text))
        if isinstance(content, list) and (last := _last_text(request.body, span, content)) is not None:
            return edits.add_to_text(last, text)
        return edits.add_part(request, index, "content", {"type": "text", "text": text}, b"")

    def replaced(self, request: ChatRequest, start: int, stop: int, messages: Sequence[Message]) -> Edit:
        return edits.replace_messages(request, self.messages_member, (start, stop), messages)

    def with_tools(self, request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
        own = [
            {
                "type": "function",
                "function": {"name": tool["name"], "description": tool["description"], "parameters": tool["schema"]},
            }
            for tool in tools
        ]
        return edits.add_tools(request, own)

    def tool_results(self, answer: Answer, results: Mapping[str, str]) -> tuple[Message, ...]:
        given = (
            {"role": "tool", "tool_call_id": call.id, "content": results[call.id]}
            for call in answer.calls
            if call.id in results
        )
        return (*answer.messages, *given)

    def reader(self) -> LazyReader:
        return LazyReader(_Assembler(), self.read_answer)

    def read_answer(self, body: bytes) -> Answer:
        value = parsed(body)
        usage, model, name = _usage(value), text_of(value.get("model")), text_of(value.get("id"))
        answers = {
            number: Answer(
                messages=({"role": "assistant", **message},),
                calls=_calls(message),
                usage=usage,
                stop=text_of(choice.get("finish_reason")),
                model=model,
                id=name,
            )
            for number, choice in numbered(value.get("choices"))
            if isinstance(message := choice.get("message"), dict)
        }
        return side_by_side([answers[number] for number in sorted(answers)] or [Answer(usage=usage, complete=False)])

    def error(self, status: int, message: str) -> bytes:
        kind, code = _ERRORS.get(status, ("server_error" if status >= 500 else "invalid_request_error", None))
        return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


OPENAI: Final = _OpenAI()


class _Assembler:
    def __init__(self) -> None:
        self._choices: dict[int, _Choice] = {}
        self._usage = TokenUsage()
        self._model = ""
        self._id = ""
        self._is_ended = self._is_failed = False

    def take(self, value: dict[str, Any]) -> None:
        self._model = text_of(value.get("model")) or self._model
        self._id = text_of(value.get("id")) or self._id
        if value.get("usage"):
            self._usage = _usage(value)
        for number, choice in numbered(value.get("choices")):
            held = self._choices.setdefault(number, _Choice())
            held.content.take({"choices": [{**choice, "index": 0}]})
            held.stop = text_of(choice.get("finish_reason")) or held.stop
        self._is_failed = self._is_failed or bool(value.get("error"))

    def end(self) -> None:
        self._is_ended = True

    def answer(self) -> Answer:
        choices = [self._choices[number] for number in sorted(self._choices)] or [_Choice()]
        return side_by_side([self._read(choice) for choice in choices])

    def _read(self, choice: "_Choice") -> Answer:
        messages = tuple({"content": None, **message} for message in choice.content.messages())
        calls = _calls(messages[0]) if messages else ()
        is_complete = (self._is_ended or choice.stop != "") and not self._is_failed
        return Answer(messages, calls, self._usage, choice.stop, self._model, is_complete, self._id)


@dataclass(slots=True)
class _Choice:
    """One answer as far as it came."""

    content: StreamedAnswer = field(default_factory=StreamedAnswer)
    stop: str = ""


def _last_text(body: bytes, content: Span, parts: list[Any]) -> Span | None:
    """Where the text is that ends a content of parts; None when something else ends it."""
    last = parts[-1] if parts else None
    if not isinstance(last, dict) or last.get("type") != "text" or not isinstance(last.get("text"), str):
        return None
    return member_spans(body, element_spans(body, content)[-1])["text"]


def _calls(message: Message) -> tuple[ToolCall, ...]:
    calls = []
    for call in blocks(message.get("tool_calls")):
        about = call.get("function") or call.get("custom")
        about = about if isinstance(about, dict) else {}
        given = about.get("arguments", about.get("input"))
        calls.append(ToolCall(text_of(call.get("id")), text_of(about.get("name")), text_of(given)))
    return tuple(calls)


def _usage(value: Mapping[str, Any]) -> TokenUsage:
    usage = value.get("usage")
    if not isinstance(usage, dict):
        return TokenUsage()
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = next(
        (number for number in (details.get("cached_tokens"), usage.get("prompt_cache_hit_tokens")) if number), None
    )
    return TokenUsage(
        input=whole_number(usage.get("prompt_tokens")),
        cached=whole_number(cached if cached is not None else details.get("cached_tokens")),
        written=whole_number(details.get("cache_write_tokens")),
        output=whole_number(usage.get("completion_tokens")),
    )
