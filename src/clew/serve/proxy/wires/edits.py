"""Edits of a request's body that all formats share: adding to a list or a text, and replacing messages.

What is written is ASCII, so that it never depends on what surrounds it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clew.condense.wires import Message
from clew.errors import InputError
from clew.serve.proxy.exchange import ChatRequest, Edit, Span
from clew.serve.proxy.wires.json_spans import element_spans, member_spans, whole
from clew.text.counted import counted

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
BETWEEN: Final = "\n\n"
"""Stands between a text and what is added to it."""


def encoded(value: Any) -> bytes:
    """A value as JSON, in ASCII."""
    return _ENCODER.encode(value).encode("ascii")


def member(request: ChatRequest, index: int, name: str) -> Span:
    """Where the value of a message's member is.

    Raises:
        InputError: there is no such message, or it has no such member.
    """
    if not 0 <= index < len(request.spans):
        raise InputError(f"message {index}: the request has {counted(len(request.spans), 'message')}")
    span = member_spans(request.body, request.spans[index]).get(name)
    if span is None:
        raise InputError(f"message {index} has no {name}; choose a message of the user with words")
    return span


def add_part(request: ChatRequest, index: int, name: str, part: Mapping[str, str], before: bytes) -> Edit:
    """Adds a part to a message's content; one that is text becomes a list, its text after `before` in a part.

    Raises:
        InputError: there is no such message, or its content is neither text nor a list of parts.
    """
    span = member(request, index, name)
    content = request.messages[index][name]
    if isinstance(content, list):
        return add_to_list(request.body, span, [part])
    if isinstance(content, str):
        return as_list(request.body, span, before, b"}", part)
    raise InputError(f"message {index}: {name} is {type(content).__name__}; choose a message with text or parts")


def add_to_list(body: bytes, span: Span, values: Sequence[Any]) -> Edit:
    """Adds values at the end of the list at a span."""
    places = element_spans(body, span)
    text = b",".join(map(encoded, values))
    if places:
        return Edit(Span(places[-1].end, places[-1].end), b"," + text)
    return Edit(Span(span.start + 1, span.start + 1), text)


def add_to_text(span: Span, text: str) -> Edit:
    """Adds text at the end of the string at a span, with an empty line between."""
    return Edit(Span(span.end - 1, span.end - 1), encoded(BETWEEN + text)[1:-1])


def as_list(body: bytes, span: Span, before: bytes, after: bytes, value: Any) -> Edit:
    """Makes the value at a span the first element of a list, between `before` and `after`, and adds another."""
    return Edit(span, b"[" + before + body[span.start : span.end] + after + b"," + encoded(value) + b"]")


def add_member(body: bytes, members: Mapping[str, Span], name: str, value: Any) -> Edit:
    """Adds a member at the end of the object that is the body."""
    text = encoded(name) + b":" + encoded(value)
    if members:
        end = max(span.end for span in members.values())
        return Edit(Span(end, end), b"," + text)
    start = body.index(b"{") + 1
    return Edit(Span(start, start), text)


def add_tools(request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
    """Adds tools, in the format's own shape, after the client's own."""
    members = member_spans(request.body, whole(request.body))
    own = request.value.get("tools")
    if isinstance(own, list):
        return add_to_list(request.body, members["tools"], tools)
    if isinstance(own, dict):  # Gemini takes one tool without a list around it
        return as_list(request.body, members["tools"], b"", b"", tools[0])
    if own is None and "tools" in members:
        return Edit(members["tools"], encoded(list(tools)))
    return add_member(request.body, members, "tools", list(tools))


def replace_messages(
    request: ChatRequest,
    name: str,
    bounds: tuple[int, int],
    messages: Sequence[Message],
    alone: tuple[bytes, bytes] | None = None,
) -> Edit:
    """Puts messages in the place of those in a range.

    Args:
        name: the body's member that holds the messages.
        bounds: the range in `request.messages`, its end exclusive; an empty one inserts before its start.
        alone: what must stand around the request's only message when the member is not a list; None when it is one.

    Raises:
        InputError: the range is none of the request's, or nothing would be left of the list.
    """
    start, stop = bounds
    spans = request.spans
    if not 0 <= start <= stop <= len(spans):
        raise InputError(f"messages {start} to {stop}: the request has {len(spans)}")
    if not messages:
        return _removed(spans, start, stop)
    text = b",".join(map(encoded, messages))
    if alone is not None:
        own = alone[0] + request.body[spans[0].start : spans[0].end] + alone[1]
        return Edit(spans[0], b"[" + b",".join((own,) * start + (text,) + (own,) * (1 - stop)) + b"]")
    if start < stop:
        return Edit(Span(spans[start].start, spans[stop - 1].end), text)
    if start < len(spans):
        return Edit(Span(spans[start].start, spans[start].start), text + b",")
    if spans:
        return Edit(Span(spans[-1].end, spans[-1].end), b"," + text)
    return _first_messages(request, name, messages)


def _first_messages(request: ChatRequest, name: str, messages: Sequence[Message]) -> Edit:
    """Adds messages to a list that holds none of the conversation."""
    members = member_spans(request.body, whole(request.body))
    if isinstance(request.value.get(name), list):
        return add_to_list(request.body, members[name], messages)
    if name in members:
        return Edit(members[name], encoded(list(messages)))
    return add_member(request.body, members, name, list(messages))


def _removed(spans: Sequence[Span], start: int, stop: int) -> Edit:
    """Removes the messages of a range, and one comma."""
    if start == stop:
        raise InputError(f"messages {start} to {stop}: nothing to put in the place of nothing")
    if stop < len(spans):
        return Edit(Span(spans[start].start, spans[stop].start), b"")
    if start > 0:
        return Edit(Span(spans[start - 1].end, spans[stop - 1].end), b"")
    raise InputError(f"messages {start} to {stop}: a request needs messages; keep one of them")
