"""The rules of OpenAI's Responses API, in the words of its error messages; the first refusal counts."""

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from clew.serve.scripted.openai_rules import NAME, missing, unknown_fields, wrong_type
from clew.serve.scripted.refusal import Denial, is_sealed, repeated, sealed

FIELDS: Final = frozenset(
    "background background_options context_management conversation include input instructions max_output_tokens "
    "max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key "
    "prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options "
    "temperature text tool_choice tools top_logprobs top_p truncation user client_metadata".split()
)
PARTS: Final[Mapping[str, frozenset[str]]] = {
    "user": frozenset({"input_text", "input_image", "input_file"}),
    "system": frozenset({"input_text", "input_image", "input_file"}),
    "developer": frozenset({"input_text", "input_image", "input_file"}),
    "assistant": frozenset({"output_text", "refusal"}),
}
CALLS: Final[Mapping[str, str]] = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
}
OUTPUTS: Final = {output: call for call, output in CALLS.items()}

Item = Mapping[str, Any]


def items(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The input as a list of items."""
    given = value.get("input", [])
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)


def refusals(value: Mapping[str, Any], earlier: list[dict[str, Any]]) -> Iterator[Denial]:
    """What is wrong with a request for a response; `earlier` are the items that the API stored before."""
    yield from unknown_fields(value, FIELDS)
    if not isinstance(value.get("model"), str):
        yield missing("model")
    if "input" not in value and "prompt" not in value and "conversation" not in value:
        yield missing("input")
    if not isinstance(value.get("input", ""), str | list):
        yield wrong_type("input", "one of an array of input items or a string", value["input"])
    yield from _tools(value.get("tools") or [])
    for number, item in enumerate(items(value)):
        yield from _item(f"input[{number}]", item)
    yield from _order([*earlier, *items(value)])


def unkept(value: Mapping[str, Any], stored: Container[str]) -> Iterator[Denial]:
    """Reasoning that the request only names, and the API has not stored; `stored` are the ids of all stored items."""
    for item in items(value):
        is_reasoning = isinstance(item, dict) and item.get("type") == "reasoning"
        if is_reasoning and not item.get("encrypted_content") and item.get("id") not in stored:
            yield Denial(
                f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set to false. Try "
                "again with `store` set to true, or remove this item from your input.",
                404,
                param="input",
            )


def _tools(tools: list[dict[str, Any]]) -> Iterator[Denial]:
    named = [tool for tool in tools if tool.get("type") in ("function", "custom")]
    for number, tool in enumerate(named):
        if "name" not in tool:
            yield missing(f"tools[{number}].name")
        if not NAME.fullmatch(str(tool["name"])):
            yield Denial(
                f"Invalid 'tools[{number}].name': string does not match pattern. Expected a string that matches the "
                "pattern '^[a-zA-Z0-9_-]+$'.",
                param=f"tools[{number}].name",
                code="invalid_value",
            )
    for name in repeated(str(tool["name"]) for tool in named):
        yield Denial(f"Invalid 'tools': tool names must be unique, but '{name}' was given twice.", param="tools")


def _item(path: str, item: Item) -> Iterator[Denial]:
    if not isinstance(item, dict):
        yield wrong_type(path, "an object", item)
    kind = item.get("type", "message")
    if kind == "message":
        yield from _message(path, item)
    elif kind in CALLS and kind != "local_shell_call":
        needed = ("call_id", "name", "arguments" if kind == "function_call" else "input")
        yield from (missing(f"{path}.{name}") for name in needed if not isinstance(item.get(name), str))
    elif kind in OUTPUTS:
        yield from (missing(f"{path}.{name}") for name in ("call_id", "output") if name not in item)
    elif kind == "reasoning" and not is_sealed(item.get("encrypted_content") or sealed("")):
        text = f"The encrypted content for item {item.get('id')} could not be verified."
        yield Denial(text, code="invalid_encrypted_content")


def _message(path: str, item: Item) -> Iterator[Denial]:
    role, content = item.get("role"), item.get("content")
    if role not in PARTS:
        options = ", ".join(f"'{name}'" for name in PARTS)
        yield Denial(f"Invalid value: '{role}'. Supported values are: {options}.", param=f"{path}.role")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield wrong_type(f"{path}.content", "one of an array of objects or a string", content)
    for index, part in enumerate(content or []):
        if part.get("type") not in PARTS[str(role)]:
            options = ", ".join(f"'{name}'" for name in sorted(PARTS[str(role)]))
            yield Denial(
                f"Invalid value: '{part.get('type')}'. Supported values are: {options}.",
                param=f"{path}.content[{index}]",
                code="invalid_value",
            )


def _order(history: list[dict[str, Any]]) -> Iterator[Denial]:
    """Every call has an output, every output its call before it, and reasoning the item that it led to."""
    called = {item["call_id"]: item["type"] for item in history if item.get("type") in CALLS}
    answered: set[str] = set()
    known: set[str] = set()
    for number, item in enumerate(history):
        kind = item.get("type", "message")
        if kind in CALLS:
            known.add(item["call_id"])
        if kind in OUTPUTS:
            if item["call_id"] not in known:
                yield Denial(
                    f"No tool call found for {kind.replace('_', ' ')} with call_id {item['call_id']}.", param="input"
                )
            answered.add(item["call_id"])
        following = history[number + 1] if number + 1 < len(history) else {"role": "user"}
        own = following.get("type") in CALLS or following.get("type") == "reasoning"
        if kind == "reasoning" and not own and following.get("role") != "assistant":
            yield Denial(
                f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item.",
                param="input",
            )
    for name, kind in called.items():
        if name not in answered:
            yield Denial(f"No tool output found for {kind.replace('_', ' ')} {name}.", param="input")
