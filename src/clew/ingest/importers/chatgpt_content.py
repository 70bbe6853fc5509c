"""Converts the content of a message in ChatGPT's export to parts; an unknown content type gives its texts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from clew.ingest.formats import blocks
from clew.ingest.importers.json_fields import list_of, objects_of, text_of, without_none
from clew.ingest.importers.source import Asset
from clew.ingest.media import image_type
from clew.types import Part

JsonObject = dict[str, Any]
_POINTERS = ("sediment://", "file-service://")


def to_parts(content: JsonObject, author: JsonObject, recipient: str | None, asset: Asset) -> tuple[Part, ...]:
    """The parts of a message.

    Args:
        author: `role` and, for a tool, its `name`.
        recipient: a tool when the assistant speaks to one; else "all" or None.
        asset: the bytes of an image of the export by the beginning of its file name.
    """
    kind = text_of(content, "content_type")
    parts = tuple(_READERS[kind](content) if kind in _READERS else _any(content, asset))
    if text_of(author, "role") == "tool":
        return tuple(_as_result(part, text_of(author, "name")) for part in parts)
    if text_of(author, "role") == "assistant" and recipient not in (None, "all"):
        return tuple(_as_call(part, recipient) for part in parts)
    return parts


def _as_result(part: Part, name: str | None) -> Part:
    return replace(part, type="tool_result" if part.type == "text" else part.type, name=name)


def _as_call(part: Part, recipient: str | None) -> Part:
    return replace(part, type="tool_call", name=recipient) if part.type == "text" else part


def _any(content: JsonObject, asset: Asset) -> Iterator[Part]:
    """The texts and asset pointers in `parts`, or the only text of the content."""
    raw = list_of(content, "parts")
    for raw_part in raw:
        yield from _pointed(raw_part, asset) if isinstance(raw_part, dict) else blocks.to_parts(raw_part)
    if not raw:
        yield from blocks.to_parts(text_of(content, "text", "result", "content"))


def _pointed(raw: JsonObject, asset: Asset) -> Iterator[Part]:
    """An image by its asset pointer, the transcript of a voice message, or an unknown block kept as it is."""
    pointer = text_of(raw, "asset_pointer")
    if pointer is None or raw.get("content_type") != "image_asset_pointer":
        texts = blocks.to_parts(text_of(raw, "text"))
        yield from texts or (Part(type="text", extra={"block": raw}),)
        return
    name = pointer
    for scheme in _POINTERS:
        name = name.removeprefix(scheme)
    data = asset(name)
    yield Part(
        type="image",
        data=data,
        media_type=image_type(data) if data else None,
        extra=without_none(pointer=pointer, width=raw.get("width"), height=raw.get("height")),
    )


def _code(content: JsonObject) -> Iterator[Part]:
    language = text_of(content, "language")
    extra = {"language": language} if language not in (None, "unknown") else None
    yield from (replace(part, extra=extra) for part in blocks.to_parts(text_of(content, "text")))


def _quote(content: JsonObject) -> Iterator[Part]:
    """A passage of a page or a file, below its title and address."""
    lines = [text_of(content, "title"), text_of(content, "url", "domain"), text_of(content, "text", "snippet")]
    yield from blocks.to_parts("\n".join(line for line in lines if line))


def _browsing(content: JsonObject) -> Iterator[Part]:
    lines = [text_of(content, "summary"), text_of(content, "result")]
    yield from blocks.to_parts("\n".join(line for line in lines if line))


def _error(content: JsonObject) -> Iterator[Part]:
    lines = [text_of(content, "name"), text_of(content, "text")]
    yield from blocks.to_parts(": ".join(line for line in lines if line))


def _thoughts(content: JsonObject) -> Iterator[Part]:
    for thought in objects_of(content, "thoughts"):
        lines = [text_of(thought, "summary"), text_of(thought, "content")]
        yield Part(type="thinking", text="\n".join(line for line in lines if line))


def _recap(_content: JsonObject) -> Iterator[Part]:
    """The recap only says how long the assistant thought, so it gives no part."""
    yield from ()


def _instructions(content: JsonObject) -> Iterator[Part]:
    names = ("user_profile", "user_instructions", "model_set_context", "repository", "structured_context")
    texts = [text for name in names if (text := text_of(content, name))]
    yield from (Part(type="injected", text=text) for text in texts)


_READERS: dict[str, Callable[[JsonObject], Iterator[Part]]] = {
    "code": _code,
    "tether_quote": _quote,
    "sonic_webpage": _quote,
    "tether_browsing_display": _browsing,
    "system_error": _error,
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
    "user_editable_context": _instructions,
    "model_editable_context": _instructions,
}
