"""The rules of OpenAI's Chat Completions API, in the words of its error messages; the first refusal counts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.serve.scripted.refusal import Denial, repeated, unknown

FIELDS: Final = frozenset(
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens "
    "max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key "
    "prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier "
    "stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity "
    "web_search_options".split()
)
ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
PARTS: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "tool": frozenset({"text"}),
    "assistant": frozenset({"text", "refusal"}),
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
}
NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MOST_TOOLS: Final = 128


def refusals(value: Mapping[str, Any]) -> Iterator[Denial]:
    """What is wrong with a request for a chat completion."""
    yield from unknown_fields(value, FIELDS)
    if not isinstance(value.get("model"), str):
        yield Denial("you must provide a model parameter")
    if "messages" not in value:
        yield missing("messages")
    messages = value["messages"]
    if not isinstance(messages, list):
        yield wrong_type("messages", "an array of objects", messages)
    if not messages:
        yield Denial(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            param="messages",
            code="empty_array",
        )
    if value.get("stream_options") is not None and not value.get("stream"):
        yield Denial("The 'stream_options' parameter is only allowed when 'stream' is enabled.", param="stream_options")
    if "max_tokens" in value and "max_completion_tokens" in value:
        yield Denial("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    yield from _tools(value.get("tools"))
    for number, message in enumerate(messages):
        yield from _message(number, message)
    yield from _order(messages)


def unknown_fields(value: Mapping[str, Any], known: frozenset[str]) -> Iterator[Denial]:
    """Parameters that the API does not know."""
    for name in unknown(value, known):
        yield Denial(f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")


def missing(name: str) -> Denial:
    """A required parameter that is not there."""
    return Denial(f"Missing required parameter: '{name}'.", param=name, code="missing_required_parameter")


def wrong_type(name: str, expected: str, value: object) -> Denial:
    """A parameter of another type than the API expects."""
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "an integer"}
    got = "null" if value is None else kinds.get(type(value), "a number")
    return Denial(
        f"Invalid type for '{name}': expected {expected}, but got {got} instead.", param=name, code="invalid_type"
    )


def _tools(tools: Any) -> Iterator[Denial]:
    if tools is None:
        return
    if not tools:
        yield Denial("Invalid 'tools': empty array. Expected an array with minimum length 1.", param="tools")
    if len(tools) > MOST_TOOLS:
        yield Denial(
            f"Invalid 'tools': array too long. Expected at most {MOST_TOOLS}, got {len(tools)}.", param="tools"
        )
    for number, tool in enumerate(tools):
        if tool.get("type") not in ("function", "custom"):
            yield Denial(f"Invalid value: '{tool.get('type')}'. Supported values are: 'function' and 'custom'.")
        function = tool.get(tool["type"])
        if not isinstance(function, dict):
            yield missing(f"tools[{number}].{tool['type']}")
        elif not NAME.fullmatch(str(function.get("name", ""))):
            path = f"tools[{number}].function.name"
            yield Denial(
                f"Invalid '{path}': string does not match pattern. Expected a string that matches the pattern "
                "'^[a-zA-Z0-9_-]+$'.",
                param=path,
                code="invalid_value",
            )
    for name in repeated(str(tool[tool["type"]]["name"]) for tool in tools):
        yield Denial(f"Invalid 'tools': tool names must be unique, but '{name}' was given twice.", param="tools")


def _message(number: int, message: Any) -> Iterator[Denial]:
    path = f"messages[{number}]"
    if not isinstance(message, dict):
        yield wrong_type(path, "an object", message)
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        options = ", ".join(f"'{name}'" for name in ROLES)
        yield Denial(f"Invalid value: '{role}'. Supported values are: {options}.", param=f"{path}.role")
    if content is None:
        if role != "assistant" or not (
            message.get("tool_calls") or message.get("function_call") or "refusal" in message
        ):
            yield Denial("Invalid value for 'content': expected a string, got null.", param=f"{path}.content")
        return
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield wrong_type(f"{path}.content", "one of a string or array of objects", content)
    if not content:
        yield Denial(f"Invalid '{path}.content': empty array. Expected an array with minimum length 1.")
    for index, part in enumerate(content):
        yield from _part(f"{path}.content[{index}]", part, PARTS.get(role, frozenset()))


def _part(path: str, part: Mapping[str, Any], allowed: frozenset[str]) -> Iterator[Denial]:
    kind = part.get("type")
    if kind not in allowed:
        options = ", ".join(f"'{name}'" for name in sorted(allowed))
        yield Denial(f"Invalid value: '{kind}'. Supported values are: {options}.", param=path, code="invalid_value")
    if kind == "text" and not isinstance(part.get("text"), str):
        yield missing(f"{path}.text")
    if kind == "image_url":
        url = (part.get("image_url") or {}).get("url", "")
        if not url.startswith(("https://", "http://", "data:image/")):
            yield Denial(
                f"Invalid '{path}.image_url.url'. Expected a valid URL, but got a value with an invalid format."
            )


def _order(messages: list[dict[str, Any]]) -> Iterator[Denial]:
    """Each call has its result among the tool messages directly behind it, and each result its call."""
    waiting: list[str] = []
    for number, message in enumerate([*messages, {"role": "end"}]):
        if message["role"] == "tool":
            name = message.get("tool_call_id")
            if name is None:
                yield missing(f"messages[{number}].tool_call_id")
            if not waiting or name not in waiting:
                yield Denial(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'.",
                    param=f"messages[{number}].role",
                )
            waiting.remove(str(name))
            continue
        if waiting:
            yield Denial(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
                param=f"messages[{number}].role",
            )
        calls = message.get("tool_calls")
        if calls == []:
            yield Denial(
                f"Invalid 'messages[{number}].tool_calls': empty array. Expected an array with minimum length 1."
            )
        for call in calls or []:
            if not isinstance(call.get("id"), str) or call.get("type") not in ("function", "custom"):
                yield missing(f"messages[{number}].tool_calls[0].id")
        waiting = [call["id"] for call in calls or []]
