"""Converts the content blocks of any provider to parts.

One reader serves all, because the block names of Anthropic, OpenAI (Chat Completions and Responses) and Gemini do not
collide. It refuses nothing: a block of an unknown kind is kept in `extra`. Lists and results inside each other, some
hundreds deep, are a `RecursionError`, as they are for JSON's own reader.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from clew.errors import TurnRejected
from clew.ingest.base64 import decode_base64
from clew.types import Part

Block = Mapping[str, Any]

TEXTS = ("text", "input_text", "output_text", "summary_text", "reasoning_text", "voice_note")
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_OWN = ("tool_call", "tool_result", "thinking", "injected")
"""Parts as Clew names them that no provider's blocks are like: they have a `text`."""
_OF_OWN = frozenset(("type", "text", "name", "call_id", "extra"))


def to_parts(content: Any) -> tuple[Part, ...]:
    """The parts of a content: text, one block, or a list of blocks. Empty texts are left out."""
    if isinstance(content, str):
        return (Part(type="text", text=content),) if content else ()
    if isinstance(content, Mapping):
        return tuple(_block(content))
    if isinstance(content, list | tuple):
        return tuple(part for item in content for part in to_parts(item))
    return ()


def call_part(name: Any, arguments: Any, call_id: Any) -> Part:
    """A tool call; arguments that are not text are written as JSON."""
    text = arguments if isinstance(arguments, str) else _json(arguments)
    return Part(type="tool_call", name=_text(name), call_id=_text(call_id), text=text)


def result_parts(content: Any, call_id: Any, *, name: Any = None, is_error: Any = None) -> tuple[Part, ...]:
    """The parts of a tool's result, linked to its call: texts as `tool_result`, images as `image`; at least one."""
    extra = {"is_error": True} if is_error is True else None
    read = to_parts(content) if isinstance(content, str | list | tuple) else _from_object(content)
    parts = read or (Part(type="tool_result"),)
    return tuple(
        replace(
            part,
            type="tool_result" if part.type == "text" and part.data is None else part.type,
            call_id=_text(call_id) or part.call_id,
            name=_text(name) or part.name,
            extra={**(part.extra or {}), **extra} if extra else part.extra,
        )
        for part in _joined_texts(parts)
    )


def _joined_texts(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts with plain texts that follow one another as one: providers take one result for each call."""
    for is_plain, run in groupby(parts, key=lambda part: part == Part(type="text", text=part.text)):
        if is_plain:
            yield Part(type="text", text="\n".join(part.text for part in run))
        else:
            yield from run


def image_part(data: str, media_type: Any) -> Part:
    """An image that is written as base64."""
    original, form = decode_base64(data)
    extra = {"encoding": form} if form else None
    return Part(type="image", data=original, media_type=_text(media_type) or "application/octet-stream", extra=extra)


def linked_part(url: Any, media_type: Any = None) -> Part:
    """An image given by its URL: a `data:` URL is decoded, any other URL is kept."""
    address = url if isinstance(url, str) else ""
    head, comma, data = address.partition(",")
    if address.startswith("data:") and comma and head.endswith(";base64"):
        return image_part(data, head[len("data:") : -len(";base64")])
    text = address if address.startswith(("http://", "https://")) else ""
    return Part(type="image", text=text, media_type=_text(media_type), extra={"url": url})


def _block(block: Block) -> Iterator[Part]:
    raw = block.get("type")
    kind = raw if isinstance(raw, str | None) else "unknown"
    if kind in TEXTS:
        text = block.get("text")
        yield from to_parts(text if isinstance(text, str) else None)
    elif kind in _OWN and isinstance(block.get("text"), str) and block.keys() <= _OF_OWN:
        yield _own(block)
    elif kind in CALLS:
        yield call_part(block.get("name"), block.get("input", {}), block.get("id"))
    elif kind is not None and kind.endswith("tool_result"):
        yield from result_parts(
            block.get("content"), block.get("tool_use_id"), name=block.get("name"), is_error=block.get("is_error")
        )
    elif kind in _READERS:
        yield _READERS[kind](block)
    elif kind is None and (vendor := next((name for name in _GEMINI if name in block), None)):
        yield from _GEMINI[vendor](block)
    else:
        yield _unknown(block)


def _unknown(block: Block) -> Part:
    text = block.get("text")
    return Part(type="text", text=text if isinstance(text, str) else "", extra={"block": dict(block)})


def _own(block: Block) -> Part:
    try:
        return Part.from_dict(block)
    except TurnRejected:
        return _unknown(block)


def _thinking(block: Block) -> Part:
    extra = {name: block[name] for name in ("signature", "data") if block.get(name)}
    return Part(type="thinking", text=_text(block.get("thinking")) or "", extra=extra or None)


def _refusal(block: Block) -> Part:
    return Part(type="text", text=_text(block.get("refusal")) or "", extra={"refusal": True})


def _image(block: Block) -> Part:
    source = block.get("source")
    if isinstance(source, Mapping) and isinstance(data := source.get("data"), str):
        return image_part(data, source.get("media_type"))
    if isinstance(source, Mapping) and isinstance(url := source.get("url"), str):
        return linked_part(url)
    return Part(type="image", extra={"source": source})


def _image_url(block: Block) -> Part:
    link = block.get("image_url")
    return linked_part(link.get("url") if isinstance(link, Mapping) else link or block.get("file_id"))


def _document(block: Block) -> Part:
    """A document as a text part with a media type: its text, or its bytes with the title as text."""
    source = block.get("source")
    title = _text(block.get("title")) or ""
    if not isinstance(source, Mapping):
        return Part(type="text", text=title, media_type="text/plain", extra={"block": dict(block)})
    data, media_type = source.get("data"), _text(source.get("media_type")) or "text/plain"
    if not isinstance(data, str):
        texts = [part.text for part in to_parts(source.get("content"))]
        return Part(
            type="text", name=title or None, text="\n".join(texts), media_type="text/plain", extra={"source": source}
        )
    if source.get("type") == "text":
        return Part(type="text", name=title or None, text=data, media_type=media_type)
    return replace(image_part(data, media_type), type="text", text=title)


def _file(block: Block) -> Part:
    raw = block.get("file")
    file = raw if isinstance(raw, Mapping) else block
    name = _text(file.get("filename")) or ""
    if isinstance(data := file.get("file_data"), str):
        return replace(linked_part(data), type="text", text=name)
    return Part(type="text", text=name, extra={"block": dict(block)})


def _audio(block: Block) -> Part:
    raw = block.get("input_audio")
    if isinstance(raw, Mapping) and isinstance(data := raw.get("data"), str):
        return replace(image_part(data, f"audio/{_text(raw.get('format')) or 'wav'}"), type="text")
    return _unknown(block)


def _search_result(block: Block) -> Part:
    """What a search found: a page with its title and address, or a text that the caller gave with its source."""
    texts = [part.text for part in to_parts(block.get("content"))]
    address = _text(block.get("url")) or _text(block.get("source"))
    known = (_text(block.get("title")), address, *texts)
    text = "\n".join(line for line in known if line)
    return Part(type="text", text=text, media_type="text/plain", extra={"block": dict(block)})


def _compaction(block: Block) -> Part:
    """The summary that stands for earlier messages; one that is encrypted has no text."""
    return Part(type="injected", text=_text(block.get("content")) or "", extra={"block": dict(block)})


def _screenshot(block: Block) -> Part:
    return linked_part(block.get("image_url") or block.get("file_id"))


_READERS: dict[str, Callable[[Block], Part]] = {
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "refusal": _refusal,
    "image": _image,
    "image_url": _image_url,
    "input_image": _image_url,
    "document": _document,
    "file": _file,
    "input_file": _file,
    "input_audio": _audio,
    "search_result": _search_result,
    "web_search_result": _search_result,
    "compaction": _compaction,
    "computer_screenshot": _screenshot,
}


def _gemini_text(block: Block) -> Iterator[Part]:
    for part in to_parts(block.get("text")):
        yield replace(part, type="thinking") if block.get("thought") is True else part


def _gemini_member(block: Block, name: str) -> Any:
    """The member of a part by its name in the REST API, or in snake case, which the API takes too."""
    return block[name] if name in block else block.get(_snake(name))


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _gemini_data(block: Block) -> Iterator[Part]:
    raw = _gemini_member(block, "inlineData")
    if isinstance(raw, Mapping) and isinstance(data := raw.get("data"), str):
        yield image_part(data, _gemini_member(raw, "mimeType"))
    else:
        yield _unknown(block)


def _gemini_file(block: Block) -> Iterator[Part]:
    raw = _gemini_member(block, "fileData")
    if isinstance(raw, Mapping):
        yield linked_part(_gemini_member(raw, "fileUri"), _gemini_member(raw, "mimeType"))
    else:
        yield _unknown(block)


def _gemini_call(block: Block) -> Iterator[Part]:
    call = _gemini_member(block, "functionCall")
    if isinstance(call, Mapping):
        yield call_part(call.get("name"), call.get("args", {}), call.get("id"))
    else:
        yield _unknown(block)


def _gemini_result(block: Block) -> Iterator[Part]:
    answer = _gemini_member(block, "functionResponse")
    if isinstance(answer, Mapping):
        yield from result_parts(answer.get("response"), answer.get("id"), name=answer.get("name"))
        name = _text(answer.get("name"))
        for part in to_parts(answer.get("parts")):  # files; what links them to the call tells whose they are
            yield replace(part, call_id=_text(answer.get("id")) or name, name=name)
    else:
        yield _unknown(block)


def _gemini_code(block: Block) -> Iterator[Part]:
    """Code that the model ran itself, and what it printed."""
    code, result = (_gemini_member(block, name) for name in ("executableCode", "codeExecutionResult"))
    if isinstance(code, Mapping):
        yield call_part("code_execution", code.get("code"), code.get("id"))
    elif isinstance(result, Mapping):
        yield from result_parts(_text(result.get("output")) or "", result.get("id"), name="code_execution")
    else:
        yield _unknown(block)


_GEMINI: dict[str, Callable[[Block], Iterator[Part]]] = {
    "text": _gemini_text,
    "inlineData": _gemini_data,
    "fileData": _gemini_file,
    "functionCall": _gemini_call,
    "functionResponse": _gemini_result,
    "executableCode": _gemini_code,
    "codeExecutionResult": _gemini_code,
}
_GEMINI |= {_snake(name): read for name, read in _GEMINI.items()}


def _from_object(content: Any) -> tuple[Part, ...]:
    """The parts of a result that is an object: its only member if that is text, else the object as JSON."""
    if content is None:
        return ()
    if isinstance(content, Mapping):
        for name in ("output", "content", "text", "error"):
            if isinstance(text := content.get(name), str) and len(content) == 1:
                return to_parts(text)
    return to_parts(_json(content))


def _json(value: Any) -> str:
    """A value as JSON; what a program put into it that JSON has not (bytes, a date, a set) as the text of it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _text(value: Any) -> str | None:
    """An id or name as text; some sources write numbers."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
