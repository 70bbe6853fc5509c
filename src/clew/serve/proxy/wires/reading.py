"""What reading a request needs in every format: its parts, checked, and its headers."""

import re
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import add
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks, checked_list, text_of
from clew.errors import FormatError, InputError
from clew.serve.proxy.exchange import PREFIX, ChatRequest, Span
from clew.serve.proxy.wires.json_spans import JsonBody

_INSTRUCTIONS: Final = ("system", "developer")
_OUTPUTS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_GEMINI_OUTPUTS: Final = ("maxOutputTokens", "max_output_tokens")
_SHALLOW: Final = 100
"""Brackets without which no 100 objects and lists can be inside each other, which `checked_list` refuses."""


def checked(messages: object, name: str, body: bytes, spans: Sequence[Span]) -> tuple[Message, ...]:
    """The messages of a request.

    Args:
        name: the member that holds them.
        spans: where they are in the body.

    Raises:
        FormatError: they are no list of objects, or nested too deeply.
    """
    if isinstance(messages, list) and set(map(type, messages)) <= {dict} and not _may_be_deep(body, spans):
        return tuple(messages)
    try:
        return tuple(checked_list(messages))
    except InputError as error:
        raise FormatError(f"{name}: {error}") from None


def _may_be_deep(body: bytes, spans: Sequence[Span]) -> bool:
    """Whether a message has enough brackets to be nested too deeply: most have not, which is found out faster."""
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    objects, lists = (map(body.count, repeat(bracket), starts, ends) for bracket in (b"{", b"["))
    return max(map(add, objects, lists), default=0) > _SHALLOW


def client_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with names in lower case, without Clew's own."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lower.items() if not name.startswith(PREFIX)}


def texts(content: object) -> str:
    """The texts of a content that is text, one block or a list of blocks, a line each."""
    if isinstance(content, str):
        return content
    parts = blocks([content] if isinstance(content, dict) else content)
    return "\n".join(text for block in parts if (text := text_of(block.get("text"))))


def leading_instructions(messages: Sequence[Message]) -> int:
    """How many messages at the beginning are instructions of the developer rather than conversation."""
    return next(
        (number for number, message in enumerate(messages) if message.get("role") not in _INSTRUCTIONS), len(messages)
    )


def names(tools: object, *inside: str) -> tuple[str, ...]:
    """The names of tools; `inside` are members that may hold the name."""
    listed = []
    for tool in blocks(tools):
        holders = [tool, *(tool[name] for name in inside if isinstance(tool.get(name), dict))]
        listed.append(next((text_of(holder.get("name")) for holder in holders if holder.get("name")), ""))
    return tuple(name or text_of(tool.get("type")) for name, tool in zip(listed, blocks(tools), strict=True))


def output_limits(value: Mapping[str, Any]) -> list[int]:
    """How many tokens an answer may have, by each member of a request that says so.

    Negative numbers, by which local servers mean that there is no limit, are left out.
    """
    config = value.get("generationConfig", value.get("generation_config"))
    given = [value.get(name) for name in _OUTPUTS]
    given += [config.get(name) for name in _GEMINI_OUTPUTS] if isinstance(config, dict) else []
    return [number for number in given if isinstance(number, int) and not isinstance(number, bool) and number >= 0]


def without_query(path: str) -> str:
    """The path alone, without a slash at its end."""
    return re.split(r"[?#]", path, maxsplit=1)[0].rstrip("/")


def request_of(
    wire: str, path: str, headers: Mapping[str, str], body: bytes, read: JsonBody, **fields: Any
) -> ChatRequest:
    """A request with what all formats read alike."""
    return ChatRequest(
        **{
            "wire": wire,
            "path": path,
            "headers": client_headers(headers),
            "body": body,
            "value": read.value,
            "model": text_of(read.value.get("model")),
            "stream": read.value.get("stream") is True,
            **fields,
        }
    )
