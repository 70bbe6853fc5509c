"""OpenAI's responses: whole and as a stream of events."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.proxy.economy.cache_model import Block, CacheUse
from clew.serve.scripted.anthropic_answers import words
from clew.serve.scripted.openai_answers import CREATED
from clew.serve.scripted.openai_answers import error as chat_error
from clew.serve.scripted.refusal import Denial, compact, prompt_block, sealed
from clew.serve.scripted.responses_rules import items
from clew.serve.scripted.script import Reply

error = chat_error

_OPENED: Final[Mapping[str, Any]] = {"status": "in_progress", "content": [], "arguments": "", "summary": []}
"""Fields of an item as it is when it is announced."""


def prompt(value: Mapping[str, Any], earlier: list[dict[str, Any]]) -> list[Block]:
    """The prompt in the order in which it is cached."""
    parts = [value.get("instructions") or "", *(value.get("tools") or []), *earlier, *items(value)]
    return [prompt_block(compact(part).encode()) for part in parts]


def output(value: Mapping[str, Any], reply: Reply, number: int) -> list[dict[str, Any]]:
    """The items of a reply."""
    listed: list[dict[str, Any]] = []
    if reply.thinking and value.get("reasoning"):
        summary = [{"type": "summary_text", "text": reply.thinking}]
        item: dict[str, Any] = {"id": f"rs_{number:024d}", "type": "reasoning", "summary": summary}
        if "reasoning.encrypted_content" in (value.get("include") or []):
            item["encrypted_content"] = sealed(reply.thinking)
        listed.append(item)
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        listed.append(
            {
                "id": f"msg_{number:024d}",
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
        )
    for index, call in enumerate(reply.calls):
        listed.append(
            {
                "id": f"fc_{number:018d}{index:06d}",
                "type": "function_call",
                "status": "completed",
                "call_id": f"call_{number:018d}{index:06d}",
                "name": call.name,
                "arguments": compact(dict(call.arguments)),
            }
        )
    return listed


def usage(cache: CacheUse, tokens: int) -> dict[str, Any]:
    """Usage as the API reports it."""
    return {
        "input_tokens": cache.total,
        "input_tokens_details": {"cached_tokens": cache.read},
        "output_tokens": tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": cache.total + tokens,
    }


def whole(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> dict[str, Any]:
    """A response."""
    return {
        "id": f"resp_{number:024d}",
        "object": "response",
        "created_at": CREATED + number,
        "status": "completed",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": value.get("instructions"),
        "max_output_tokens": value.get("max_output_tokens"),
        "model": value["model"],
        "output": output(value, reply, number),
        "parallel_tool_calls": value.get("parallel_tool_calls", True),
        "previous_response_id": value.get("previous_response_id"),
        "reasoning": value.get("reasoning") or {"effort": None, "summary": None},
        "service_tier": "default",
        "store": value.get("store", True),
        "temperature": 1.0,
        "text": value.get("text") or {"format": {"type": "text"}},
        "tool_choice": value.get("tool_choice", "auto"),
        "tools": value.get("tools") or [],
        "top_p": 1.0,
        "truncation": value.get("truncation") or "disabled",
        "usage": usage(*counts),
        "user": None,
        "metadata": value.get("metadata") or {},
    }


def events(value: Mapping[str, Any], reply: Reply, counts: tuple[CacheUse, int], number: int) -> Iterator[bytes]:
    """The events of a streamed response, numbered."""
    for sequence, data in enumerate(_events(whole(value, reply, counts, number))):
        numbered = {"type": data["type"], "sequence_number": sequence, **data}
        yield f"event: {data['type']}\ndata: {compact(numbered)}\n\n".encode()


def _events(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    opened = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": opened}
    yield {"type": "response.in_progress", "response": opened}
    for index, item in enumerate(response["output"]):
        empty = {key: _OPENED.get(key, value) for key, value in item.items()}
        yield {"type": "response.output_item.added", "output_index": index, "item": empty}
        ids = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            yield from _text_events(ids, item["content"][0])
        elif item["type"] == "function_call":
            yield from _call_events(ids, item["arguments"])
        else:
            yield from _summary_events(ids, item["summary"][0])
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def _text_events(ids: dict[str, Any], part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ids = {**ids, "content_index": 0}
    yield {"type": "response.content_part.added", **ids, "part": {**part, "text": ""}}
    for word in words(part["text"]):
        yield {"type": "response.output_text.delta", **ids, "delta": word, "logprobs": []}
    yield {"type": "response.output_text.done", **ids, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **ids, "part": part}


def _call_events(ids: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    for part in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield {"type": "response.function_call_arguments.delta", **ids, "delta": part}
    yield {"type": "response.function_call_arguments.done", **ids, "arguments": text}


def _summary_events(ids: dict[str, Any], part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ids = {**ids, "summary_index": 0}
    yield {"type": "response.reasoning_summary_part.added", **ids, "part": {**part, "text": ""}}
    for word in words(part["text"]):
        yield {"type": "response.reasoning_summary_text.delta", **ids, "delta": word}
    yield {"type": "response.reasoning_summary_text.done", **ids, "text": part["text"]}
    yield {"type": "response.reasoning_summary_part.done", **ids, "part": part}


def error_event(refusal: Denial, _number: int) -> bytes:
    """An error in the middle of a stream."""
    data = {"type": "error", "code": refusal.code, "message": refusal.message, "param": refusal.param}
    return f"event: error\ndata: {compact({**data, 'sequence_number': 0})}\n\n".encode()
