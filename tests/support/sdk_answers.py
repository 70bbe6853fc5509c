"""What servers of OpenAI, Anthropic and Google answer, for their real clients: whole, and as streams of events."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai

Events = list[tuple[str | None, dict[str, Any]]]


def sse(events: Events) -> bytes:
    named = (f"event: {name}\n" if name else "" for name, _ in events)
    lines = (f"{head}data: {json.dumps(data)}\n\n" for head, (_, data) in zip(named, events, strict=True))
    return "".join(lines).encode()


def answering(body: bytes | dict[str, Any]) -> Callable[[httpx2.Request], httpx2.Response]:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if isinstance(body, bytes):
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)
        return httpx2.Response(200, json=body)

    return answer


def openai_client(body: bytes | dict[str, Any]) -> openai.OpenAI:
    http = httpx2.Client(transport=httpx2.MockTransport(answering(body)))
    return openai.OpenAI(api_key="k", base_url="http://localhost", http_client=http, max_retries=0)


def async_openai_client(body: bytes | dict[str, Any]) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answering(body)))
    return openai.AsyncOpenAI(api_key="k", base_url="http://localhost", http_client=http, max_retries=0)


def anthropic_client(body: bytes | dict[str, Any]) -> anthropic.Anthropic:
    http = httpx2.Client(transport=httpx2.MockTransport(answering(body)))
    return anthropic.Anthropic(api_key="k", base_url="http://localhost", http_client=http, max_retries=0)


def completion(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def chunk(**delta: Any) -> tuple[None, dict[str, Any]]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return None, {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CALL = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"city": "Oslo"}'}}
TEXT_ITEM = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Red is.", "annotations": []}],
}
CALL_ITEM = {
    "type": "function_call",
    "id": "f1",
    "call_id": "call_1",
    "name": "look_up",
    "arguments": '{"city": "Oslo"}',
}
RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
    "output": [TEXT_ITEM, CALL_ITEM],
}
USAGE = {"input_tokens": 1, "output_tokens": 1}
MESSAGE = {
    "id": "msg",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": USAGE,
    "content": [
        {"type": "thinking", "thinking": "A city.", "signature": "s"},
        {"type": "text", "text": "Red is."},
        {"type": "tool_use", "id": "call_1", "name": "look_up", "input": {"city": "Oslo"}},
    ],
}
COMPLETION_STREAM = (
    sse(
        [
            chunk(role="assistant", content="Red"),
            chunk(content=" is."),
            chunk(
                tool_calls=[
                    {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": ""}}
                ]
            ),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"city": '}}]),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": '"Oslo"}'}}]),
        ]
    )
    + b"data: [DONE]\n\n"
)


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> Events:
    return [
        ("content_block_start", {"type": "content_block_start", "index": index, "content_block": start}),
        *(("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas),
        ("content_block_stop", {"type": "content_block_stop", "index": index}),
    ]


MESSAGE_STREAM = sse(
    [
        ("message_start", {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}}),
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "A city."},
            {"type": "signature_delta", "signature": "s"},
        ),
        *block(
            1,
            {"type": "text", "text": ""},
            {"type": "text_delta", "text": "Red"},
            {"type": "text_delta", "text": " is."},
        ),
        *block(
            2,
            {"type": "tool_use", "id": "call_1", "name": "look_up", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"city": '},
            {"type": "input_json_delta", "partial_json": '"Oslo"}'},
        ),
        (
            "message_delta",
            {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": USAGE},
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
)


def response_event(kind: str, number: int, **members: Any) -> tuple[str, dict[str, Any]]:
    return kind, {"type": kind, "sequence_number": number, **members}


def text_delta(number: int, text: str) -> tuple[str, dict[str, Any]]:
    return response_event(
        "response.output_text.delta", number, item_id="m1", output_index=0, content_index=0, delta=text, logprobs=[]
    )


EMPTY_PART = {"type": "output_text", "text": "", "annotations": []}
RESPONSE_EVENTS: Events = [
    response_event("response.created", 0, response={**RESPONSE, "output": []}),
    response_event("response.output_item.added", 1, output_index=0, item={**TEXT_ITEM, "content": []}),
    response_event("response.content_part.added", 2, item_id="m1", output_index=0, content_index=0, part=EMPTY_PART),
    text_delta(3, "Red"),
    text_delta(4, " is."),
    response_event("response.output_item.done", 5, output_index=0, item=TEXT_ITEM),
    response_event("response.output_item.added", 6, output_index=1, item={**CALL_ITEM, "arguments": ""}),
    response_event("response.output_item.done", 7, output_index=1, item=CALL_ITEM),
    response_event("response.completed", 8, response=RESPONSE),
]
GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "A city.", "thought": True},
                    {"text": "Red is."},
                    {"functionCall": {"id": "call_1", "name": "look_up", "args": {"city": "Oslo"}}},
                ],
            }
        }
    ]
}
