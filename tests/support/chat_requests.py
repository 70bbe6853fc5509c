"""Requests of the four wire formats, made from message lists without a reader of the format."""

import json
from collections.abc import Sequence
from typing import Any, Final

from clew.serve.proxy.exchange import ChatRequest, Span

LISTS: Final = {"anthropic": "messages", "openai": "messages", "responses": "input", "gemini": "contents"}


def chat_request(
    wire: str, messages: Sequence[dict[str, Any]], *, model: str = "claude-opus-4-1", **members: Any
) -> ChatRequest:
    """A request whose body holds the members, then the messages; the model is in the body where the format has it."""
    head = {**({} if wire == "gemini" else {"model": model}), **members}
    body = json.dumps(head, ensure_ascii=False)[:-1].encode() + (b", " if head else b"")
    body += f'"{LISTS[wire]}": ['.encode()
    spans = []
    for number, message in enumerate(messages):
        body += b", " if number else b""
        text = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        spans.append(Span(len(body), len(body) + len(text)))
        body += text
    body += b"]}"
    return ChatRequest(
        wire=wire,
        path="/v1/messages",
        headers={},
        body=body,
        value={**head, LISTS[wire]: list(messages)},
        messages=tuple(messages),
        spans=tuple(spans),
        system=str(members.get("system", "")),
        model=model,
    )
