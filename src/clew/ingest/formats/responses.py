"""Converts items of OpenAI's Responses API, which Codex's rollouts hold too, to a role and parts."""

from collections.abc import Callable, Mapping
from typing import Any

from clew.ingest.formats.blocks import call_part, image_part, result_parts, to_parts
from clew.types import Part

ResponseItem = Mapping[str, Any]


def item_parts(item: ResponseItem) -> tuple[str, tuple[Part, ...]] | None:
    """The item's role, as written, and its parts; None if it is no message, reasoning, call or output."""
    kind = item.get("type")
    if kind == "message":
        return str(item.get("role")), to_parts(item.get("content"))
    if kind == "reasoning":
        texts = [part.text for name in ("summary", "content") for part in to_parts(item.get(name))]
        return "assistant", tuple(Part(type="thinking", text=text) for text in ("\n\n".join(texts),) if text)
    if isinstance(kind, str) and kind in _CALLS:
        return "assistant", (_CALLS[kind](item),)
    if isinstance(kind, str) and kind in _OUTPUTS:
        output = next((item[name] for name in ("output", "result", "tools") if item.get(name) is not None), None)
        return "tool", result_parts(_unwrapped(output), item.get("call_id"), name=item.get("name"))
    return None


def _function(item: ResponseItem) -> Part:
    arguments: Any = next((item[name] for name in ("arguments", "input") if item.get(name) is not None), {})
    name = item.get("name") or str(item.get("type")).removesuffix("_call")
    return call_part(name, arguments, item.get("call_id"))


def _action(item: ResponseItem) -> Part:
    """The call of a built-in tool; its arguments are in `action`, or in members of its own."""
    own = {name: value for name, value in item.items() if name not in ("type", "id", "status", "call_id")}
    return call_part(str(item.get("type")).removesuffix("_call"), item.get("action", own), item.get("call_id"))


def _image(item: ResponseItem) -> Part:
    result = item.get("result")
    return image_part(result, "image/png") if isinstance(result, str) and result else _action(item)


_CALLS: Mapping[str, Callable[[ResponseItem], Part]] = {
    **dict.fromkeys(("function_call", "custom_tool_call", "tool_search_call", "mcp_call"), _function),
    **dict.fromkeys(
        ("local_shell_call", "web_search_call", "file_search_call", "code_interpreter_call", "computer_call"), _action
    ),
    "image_generation_call": _image,
}
_OUTPUTS = frozenset(
    f"{name}_output"
    for name in (
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "computer_call",
        "mcp_tool_call",
        "tool_search",
    )
)


def _unwrapped(output: Any) -> Any:
    """The content of an output that some writers wrap in `{content, success}`."""
    is_wrapped = isinstance(output, dict) and "content" in output and output.keys() <= {"content", "success"}
    return output["content"] if is_wrapped else output
