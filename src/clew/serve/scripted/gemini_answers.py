"""Gemini's answers: whole, as server-sent events, as an array in pieces, and errors."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.scripted.anthropic_answers import words
from clew.serve.scripted.refusal import Denial, compact, prompt_block, sealed
from clew.serve.scripted.script import Reply

STATUS_KINDS: Final = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def prompt(value: Mapping[str, Any]) -> list[Block]:
    """The prompt in the order in which it is cached."""
    parts = [value.get("systemInstruction") or "", *(value.get("tools") or []), *value["contents"]]
    return [prompt_block(compact(part).encode()) for part in parts]


def error(refusal: Denial, _number: int) -> bytes:
    """An error as the API sends it."""
    kind = STATUS_KINDS.get(refusal.status, "INVALID_ARGUMENT")
    return compact({"error": {"code": refusal.status, "message": refusal.message, "status": kind}}).encode()


def _usage(cache: CacheUse, output: int) -> dict[str, Any]:
    usage = {
        "promptTokenCount": cache.total,
        "candidatesTokenCount": output,
        "totalTokenCount": cache.total + output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": cache.total}],
    }
    return {**usage, "cachedContentTokenCount": cache.read} if cache.read else usage


def _parts(value: Mapping[str, Any], reply: Reply) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The parts of words, and those of calls; the first call is signed."""
    config = (value.get("generationConfig") or {}).get("thinkingConfig") or {}
    said: list[dict[str, Any]] = []
    if reply.thinking and config.get("includeThoughts"):
        said.append({"text": reply.thinking, "thought": True})
    said += [{"text": word} for word in words(reply.text)]
    calls: list[dict[str, Any]] = []
    for index, call in enumerate(reply.calls):
        part: dict[str, Any] = {"functionCall": {"name": call.name, "args": dict(call.arguments)}}
        if index == 0:
            part["thoughtSignature"] = sealed(reply.thinking or call.name)
        calls.append(part)
    return said, calls


def _response(
    value: Mapping[str, Any], parts: list[dict[str, Any]], counts: tuple[CacheUse, int], number: int, *, last: bool
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    response = {"candidates": [candidate], "usageMetadata": _usage(*counts)}
    return {**response, "modelVersion": value["model"], "responseId": f"scripted{number:016d}"}


def whole(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> dict[str, Any]:
    """A response."""
    said, calls = _parts(value, reply)
    thoughts = [part for part in said if part.get("thought")]
    text = [{"text": reply.text}] if reply.text else []
    return _response(value, [*thoughts, *text, *calls], counts, number, last=True)


def pieces(
    value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int
) -> Iterator[dict[str, Any]]:
    """The responses of a stream, in order; the last one gives the reason of the end."""
    said, calls = _parts(value, reply)
    rest = calls or [{"text": ""}]
    for part in said:
        yield _response(value, [part], counts, number, last=False)
    yield _response(value, rest, counts, number, last=True)


def events(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> Iterator[bytes]:
    """The stream as server-sent events (`alt=sse`)."""
    for data in pieces(value, reply, counts, number):
        yield f"data: {compact(data)}\r\n\r\n".encode()


def array(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> Iterator[bytes]:
    """The stream as one JSON array, piece by piece (without `alt=sse`)."""
    opening = "["
    for data in pieces(value, reply, counts, number):
        yield (opening + compact(data)).encode()
        opening = ",\r\n"
    yield b"]"


def error_event(refusal: Denial, number: int) -> bytes:
    """An error in the middle of a stream."""
    return b"data: " + error(refusal, number) + b"\r\n\r\n"
