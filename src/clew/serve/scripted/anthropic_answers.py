"""Anthropic's answers: whole, as a stream of events, counts of tokens, and errors."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.scripted.anthropic_rules import blocks, lifetime
from clew.serve.scripted.refusal import Denial, compact, prompt_block, signature
from clew.serve.scripted.script import Reply

STATUS_KINDS: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def prompt(value: Mapping[str, Any]) -> list[Block]:
    """The prompt in the order in which it is cached; cache marks are not part of its bytes."""
    pieces = [_piece("tool", tool) for tool in value.get("tools") or []]
    pieces += [_piece("system", block) for block in blocks(value.get("system") or [])]
    for message in value["messages"]:
        pieces += [_piece(message["role"], block) for block in blocks(message["content"])]
    automatic = value.get("cache_control")
    if automatic is not None and pieces:
        pieces[-1] = prompt_block(pieces[-1].data, lifetime(automatic))
    return pieces


def _piece(place: str, block: Mapping[str, Any]) -> Block:
    mark = block.get("cache_control")
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    return prompt_block(f"{place}:{compact(bare)}".encode(), 0.0 if mark is None else lifetime(mark))


def error(refusal: Denial, number: int) -> bytes:
    """An error as the API sends it, whole or as the data of an event."""
    kind = STATUS_KINDS.get(refusal.status, refusal.kind)
    body = {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": f"req_{number:024d}"}
    return compact(body).encode()


def content(value: Mapping[str, Any], reply: Reply, number: int) -> list[dict[str, Any]]:
    """The blocks of a reply."""
    parts: list[dict[str, Any]] = []
    if reply.thinking and (value.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        parts.append({"type": "thinking", "thinking": reply.thinking, "signature": signature(reply.thinking)})
    if reply.text:
        parts.append({"type": "text", "text": reply.text})
    for index, call in enumerate(reply.calls):
        use = f"toolu_{number:018d}{index:06d}"
        parts.append({"type": "tool_use", "id": use, "name": call.name, "input": dict(call.arguments)})
    return parts


def usage(cache: CacheUse, output: int) -> dict[str, Any]:
    """Usage as the API reports it: `input_tokens` are those behind the last cache mark."""
    return {
        "input_tokens": cache.missed,
        "cache_creation_input_tokens": cache.written + cache.written_long,
        "cache_read_input_tokens": cache.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": cache.written,
            "ephemeral_1h_input_tokens": cache.written_long,
        },
        "output_tokens": output,
        "service_tier": "standard",
    }


def whole(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> dict[str, Any]:
    """A message."""
    cache, output = counts
    return {
        "id": f"msg_{number:024d}",
        "type": "message",
        "role": "assistant",
        "model": value["model"],
        "content": content(value, reply, number),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage(cache, output),
    }


def events(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> Iterator[bytes]:
    """The events of a streamed message, with the pings that the API sends."""
    message = whole(value, reply, counts, number)
    parts = message["content"]
    opened = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield event({"type": "message_start", "message": opened})
    for index, block in enumerate(parts):
        empty, deltas = _parts(block)
        yield event({"type": "content_block_start", "index": index, "content_block": empty})
        if index == 0:
            yield event({"type": "ping"})
        for delta in deltas:
            yield event({"type": "content_block_delta", "index": index, "delta": delta})
        yield event({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": counts[1]}})
    yield event({"type": "message_stop"})


def _parts(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": word} for word in words(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": word} for word in words(block["thinking"])]
        return {**block, "thinking": "", "signature": ""}, [
            *deltas,
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    text = compact(block["input"])
    return {**block, "input": {}}, [
        {"type": "input_json_delta", "partial_json": part}
        for part in ("", text[: len(text) // 2], text[len(text) // 2 :])
    ]


def words(text: str) -> list[str]:
    """A text in small pieces that join up to it again."""
    found, start = [], 0
    for end, char in enumerate(text, 1):
        if char.isspace() or end == len(text):
            found.append(text[start:end])
            start = end
    return found


def event(data: Mapping[str, Any]) -> bytes:
    """A server-sent event with its name."""
    return f"event: {data['type']}\ndata: {compact(data)}\n\n".encode()


def error_event(refusal: Denial, number: int) -> bytes:
    """An error in the middle of a stream."""
    return b"event: error\ndata: " + error(refusal, number) + b"\n\n"
