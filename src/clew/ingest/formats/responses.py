"""Converts items of OpenAI's Responses API, which Codex's rollouts hold too, to a role and parts."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from clew.ingest.encoding import parse_inner
from clew.ingest.formats.blocks import call_part, image_part, result_parts, to_parts
from clew.types import Part

ResponseItem = Mapping[str, Any]


def item_parts(item: ResponseItem) -> tuple[str, tuple[Part, ...]] | None:
    """The item's role, as written, and its parts; None if it is not a message, reasoning, call or output."""
    kind = item.get("type")
    if kind == "message":
        return str(item.get("role")), to_parts(item.get("content"))
    if kind == "reasoning":
        texts = [part.text for name in ("summary", "content") for part in to_parts(item.get(name))]
        return "assistant", tuple(Part(type="thinking", text=text) for text in ("\n\n".join(texts),) if text)
    if isinstance(kind, str) and kind in _CALLS:
        return "assistant", _call_parts(kind, item)
    if isinstance(kind, str) and kind in _OUTPUTS:
        output = next((item[name] for name in ("output", "result", "tools") if item.get(name) is not None), None)
        return "tool", result_parts(_unwrapped(output), item.get("call_id"), name=item.get("name"))
    return None


def _call_parts(kind: str, item: ResponseItem) -> tuple[Part, ...]:
    """A call, and its result if the provider called the tool itself."""
    if kind != "mcp_call" or item.get("output") is None:
        return (_CALLS[kind](item),)
    own = {**item, "call_id": item.get("id")}
    return (_function(own), *result_parts(item["output"], item.get("id"), name=item.get("name")))


def _function(item: ResponseItem) -> Part:
    arguments: Any = next((item[name] for name in ("arguments", "input") if item.get(name) is not None), {})
    name = item.get("name") or str(item.get("type")).removesuffix("_call")
    return call_part(name, arguments, item.get("call_id"))


def _action(item: ResponseItem) -> Part:
    """The call of a built-in tool; its arguments are in `action` or `operation`, or in members of its own."""
    own = {name: value for name, value in item.items() if name not in ("type", "id", "status", "call_id")}
    given = item.get("action", item.get("operation", own))
    return call_part(str(item.get("type")).removesuffix("_call"), given, item.get("call_id"))


def _image(item: ResponseItem) -> Part:
    result = item.get("result")
    return image_part(result, "image/png") if isinstance(result, str) and result else _action(item)


_CALLS: Mapping[str, Callable[[ResponseItem], Part]] = {
    **dict.fromkeys(("function_call", "custom_tool_call", "tool_search_call", "mcp_call"), _function),
    **dict.fromkeys(
        (
            *("local_shell_call", "shell_call", "apply_patch_call", "computer_call"),
            *("web_search_call", "file_search_call", "code_interpreter_call"),
        ),
        _action,
    ),
    "image_generation_call": _image,
}
_ABOUT_A_COMMAND = frozenset(("exit_code", "duration_seconds"))
_OUTPUTS = frozenset(
    f"{name}_output"
    for name in (
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "computer_call",
        "mcp_tool_call",
        "tool_search",
    )
)


def _unwrapped(output: Any) -> Any:
    """The content of an output that some writers wrap in `{content, success}`; a screenshot as a list of its own."""
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        return [output]
    if isinstance(output, list) and any(isinstance(part, dict) and "stdout" in part for part in output):
        return json.dumps(output, ensure_ascii=False)
    if isinstance(output, str):
        return _printed(output)
    is_wrapped = isinstance(output, dict) and "content" in output and output.keys() <= {"content", "success"}
    return output["content"] if is_wrapped else output


def _printed(text: str) -> str:
    """What a command of Codex printed, behind its exit code and time as Codex has written them since it dropped JSON.

    `{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}` becomes the lines `Exit code: 0`,
    `Wall time: 0.1 seconds`, `Output:` and `a`. Any other text stays as it is.
    """
    if not (text.startswith("{") and text.endswith("}") and '"metadata"' in text):
        return text
    try:
        result = parse_inner(text)
    except ValueError:
        return text
    if result.keys() != {"output", "metadata"}:
        return text
    printed, about = result["output"], result["metadata"]
    if not isinstance(printed, str) or not isinstance(about, dict) or not about.keys() <= _ABOUT_A_COMMAND:
        return text
    code, seconds = about.get("exit_code"), about.get("duration_seconds")
    if type(code) is not int or (seconds is not None and type(seconds) not in (int, float)):
        return text
    return "\n".join(
        [f"Exit code: {code}", *([] if seconds is None else [f"Wall time: {seconds} seconds"]), f"Output:\n{printed}"]
    )
