"""What the SDKs of OpenAI, Anthropic and Google take and return, as plain messages. Start at `messages_in`.

Objects are read by their shape, so that no SDK is imported and dicts of the same shape, and other libraries that follow
these shapes, are read too.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clew.errors import InputError
from clew.ingest.formats.responses import item_parts

JsonObject = dict[str, Any]

_DEEPEST: Final = 100
_DUMPS: Final = ("model_dump", "to_dict")
_CONTENTS: Final = ("content", "parts", "text")
_ROLE_TYPES: Final = frozenset(("human", "ai", "user", "assistant", "system", "tool"))
"""Values of `type` that stand for a role in messages without one (LangChain)."""


def plain(value: Any, depth: int = 0) -> Any:
    """A value in which objects of an SDK have become dicts in their wire format; None members are left out.

    Raises:
        InputError: it is nested too deeply.
    """
    if depth > _DEEPEST:
        raise InputError(f"a {type(value).__name__} is nested more than {_DEEPEST} levels deep; give messages or text")
    if value is None or isinstance(value, str | bytes | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth + 1) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [plain(element, depth + 1) for element in value]
    for name in _DUMPS:
        dump = getattr(value, name, None)
        if callable(dump) and not isinstance(value, type):
            options = {"mode": "json", "by_alias": True, "warnings": False} if name == "model_dump" else {}
            return plain(dump(**options), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    members = getattr(value, "__dict__", {})
    return plain(dict(members), depth + 1) if members.keys() & {"role", "choices", "output", *_CONTENTS} else value


def messages_in(value: Any, role: str = "assistant") -> list[JsonObject] | None:
    """The messages that a value holds, each with a role; None if it is nothing that is known.

    Args:
        value: text, a message, a list of messages or of content blocks, or an answer of Chat Completions, Responses,
            Messages or Gemini: a dict, or an object of the SDK.
        role: the role of messages that name none.

    Raises:
        InputError: it is nested too deeply.
    """
    value = plain(value)
    if value is None:
        return []
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value.strip() else []
    if isinstance(value, dict):
        return _from_object(value, role)
    return _from_list(value, role) if isinstance(value, list) else None


def _from_list(values: list[Any], role: str) -> list[JsonObject] | None:
    if not any(isinstance(value, dict) and is_message(value) for value in values):
        known = all(isinstance(value, str | dict) for value in values)
        return ([{"role": role, "content": values}] if values else []) if known else None
    lists = [messages_in(value, role) for value in values]
    if any(messages is None for messages in lists):
        return None
    return joined_items(message for messages in lists for message in messages or ())


def _from_object(value: JsonObject, role: str) -> list[JsonObject] | None:
    for name, read in _ENVELOPES.items():
        if isinstance(value.get(name), list):
            return read(value, role)
    if isinstance(value.get("message"), dict):
        return messages_in(value["message"], role)
    known = is_message(value) or any(name in value for name in _CONTENTS)
    return [_with_role(value, role)] if known else None


def _from_choices(value: JsonObject, role: str) -> list[JsonObject]:
    return [message for choice in value["choices"][:1] for message in _from_choice(choice, role)]


def _from_candidates(value: JsonObject, role: str) -> list[JsonObject]:
    contents = (candidate.get("content") for candidate in value["candidates"][:1] if isinstance(candidate, dict))
    return [{"role": role, **content} for content in contents if isinstance(content, dict)]


def _from_output(value: JsonObject, role: str) -> list[JsonObject] | None:
    if "role" in value or "call_id" in value:  # a tool's result with several blocks
        return [_with_role(value, role)]
    return _from_list(value["output"], role)


def _from_messages(value: JsonObject, role: str) -> list[JsonObject] | None:
    return _from_list(value["messages"], role)


_ENVELOPES: Final = {
    "choices": _from_choices,
    "candidates": _from_candidates,
    "output": _from_output,
    "messages": _from_messages,
}
"""How an answer is read, by the member that holds its messages; of several alternatives the first counts."""


def _from_choice(choice: Any, role: str) -> list[JsonObject]:
    if not isinstance(choice, dict):
        return []
    return messages_in(choice.get("message") or choice.get("text"), role) or []


def is_message(value: JsonObject) -> bool:
    """Whether an object is a message or an item of Responses, and no content block."""
    if "role" in value or any(name in value for name in ("choices", "candidates", "messages")):
        return True
    kind = value.get("type")
    return isinstance(kind, str) and (kind in _ROLE_TYPES or item_parts(value) is not None)


def _with_role(value: JsonObject, role: str) -> JsonObject:
    if "role" in value:
        return value
    kind = value.get("type")
    if kind in _ROLE_TYPES:
        return {**{name: each for name, each in value.items() if name != "type"}, "role": kind}
    return value if item_parts(value) is not None else {"role": role, **value}


def joined_items(messages: Iterable[JsonObject]) -> list[JsonObject]:
    """The messages, with the items of one answer of Responses (reasoning, text, calls) as one message of `items`."""
    items: list[JsonObject] = []
    for message in messages:
        item = None if "items" in message else _own_item(message)
        if item is None:
            items.append(message)
        elif items and "items" in items[-1] and items[-1]["items"]:
            items[-1]["items"].append(message)
        else:
            items.append({"role": "assistant", "items": [message]})
    return items


def _own_item(message: JsonObject) -> JsonObject | None:
    """An item that the assistant made; None for every other message."""
    if message.get("type") is None or (read := item_parts(message)) is None:
        return None
    return message if read[0] == "assistant" else None


def texts_of(message: JsonObject) -> Iterator[str]:
    """The texts of a message's content, without thoughts, calls and results."""
    content = next((message[name] for name in _CONTENTS if message.get(name) is not None), None)
    for block in content if isinstance(content, list) else [content]:
        text = block.get("text") if isinstance(block, dict) and not block.get("thought") else block
        if isinstance(text, str):
            yield text


def with_text(message: JsonObject, text: str) -> JsonObject:
    """A message whose last text is another one; its images and other blocks stay."""
    name = next((name for name in _CONTENTS if message.get(name) is not None), "content")
    content = message.get(name)
    if not isinstance(content, list):
        return {**message, name: text}
    blocks = list(content)
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        if isinstance(block, str) or (isinstance(block, dict) and isinstance(block.get("text"), str)):
            blocks[place] = text if isinstance(block, str) else {**block, "text": text}
            return {**message, name: blocks}
    return message
