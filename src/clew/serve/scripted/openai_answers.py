"""OpenAI's chat completions: whole, as a stream of chunks, and errors."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.scripted.anthropic_answers import words
from clew.serve.scripted.refusal import Denial, compact, prompt_block
from clew.serve.scripted.script import Reply

CREATED: Final = 1_760_000_000
"""Seconds of the first answer's time stamp; each answer is a second later, so that runs do not differ."""

STATUS_KINDS: Final = {
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "requests",
    500: "server_error",
    503: "server_error",
}
DONE: Final = b"data: [DONE]\n\n"


def prompt(value: Mapping[str, Any]) -> list[Block]:
    """The prompt in the order in which it is cached."""
    parts = [*(value.get("tools") or []), *value["messages"]]
    return [prompt_block(compact(part).encode()) for part in parts]


def error(refusal: Denial, _number: int) -> bytes:
    """An error as the API sends it."""
    kind = STATUS_KINDS.get(refusal.status, refusal.kind)
    described = {"message": refusal.message, "type": kind, "param": refusal.param, "code": refusal.code}
    return compact({"error": described}).encode()


def usage(cache: CacheUse, output: int) -> dict[str, Any]:
    """Usage as the API reports it."""
    return {
        "prompt_tokens": cache.total,
        "completion_tokens": output,
        "total_tokens": cache.total + output,
        "prompt_tokens_details": {"cached_tokens": cache.read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _message(reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None, "annotations": []}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number:018d}{index:06d}",
                "type": "function",
                "function": {"name": call.name, "arguments": compact(dict(call.arguments))},
            }
            for index, call in enumerate(reply.calls)
        ]
    return message


def _envelope(value: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number:026d}",
        "object": kind,
        "created": CREATED + number,
        "model": value["model"],
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }


def whole(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> dict[str, Any]:
    """A chat completion."""
    stop = "tool_calls" if reply.calls else "stop"
    choice = {"index": 0, "message": _message(reply, number), "logprobs": None, "finish_reason": stop}
    return {**_envelope(value, number, "chat.completion"), "choices": [choice], "usage": usage(*counts)}


def events(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> Iterator[bytes]:
    """The chunks of a streamed completion; the last one holds the usage if that was asked for."""
    envelope = _envelope(value, number, "chat.completion.chunk")
    wanted = bool((value.get("stream_options") or {}).get("include_usage"))

    def chunk(delta: dict[str, Any], stop: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}
        return event({**envelope, "choices": [choice], **({"usage": None} if wanted else {})})

    message = _message(reply, number)
    yield chunk({"role": "assistant", "content": "" if reply.text else None, "refusal": None})
    for word in words(reply.text):
        yield chunk({"content": word})
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        yield chunk({"tool_calls": [{"index": index, **call, "function": {**function, "arguments": ""}}]})
        text = function["arguments"]
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, "tool_calls" if reply.calls else "stop")
    if wanted:
        yield event({**envelope, "choices": [], "usage": usage(*counts)})
    yield DONE


def event(data: Mapping[str, Any]) -> bytes:
    """A server-sent event without a name."""
    return f"data: {compact(data)}\n\n".encode()


def error_event(refusal: Denial, number: int) -> bytes:
    """An error in the middle of a stream."""
    return b"data: " + error(refusal, number) + b"\n\n"
