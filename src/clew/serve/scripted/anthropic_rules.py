"""The rules of Anthropic's Messages API, in the words of its error messages.

Each rule yields what it finds; the first refusal counts. A rule may rely on those before it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from clew.serve.scripted.refusal import Denial, is_base64, is_sealed, repeated, signature, unknown

FIVE_MINUTES: Final = 300.0
HOUR: Final = 3600.0
FIELDS: Final = frozenset(
    "max_tokens messages model cache_control container diagnostics inference_geo metadata output_config service_tier "
    "speed stop_sequences stream system thinking tool_choice tools temperature top_p top_k context_management "
    "mcp_servers output_format".split()
)
BLOCKS: Final[Mapping[str, frozenset[str]]] = {
    "text": frozenset("type text cache_control citations".split()),
    "image": frozenset("type source cache_control transformations".split()),
    "document": frozenset("type source cache_control title context citations".split()),
    "tool_use": frozenset("type id name input cache_control caller toolset_name".split()),
    "tool_result": frozenset("type tool_use_id content is_error cache_control toolset_name".split()),
    "thinking": frozenset("type thinking signature".split()),
    "redacted_thinking": frozenset("type data".split()),
}
TOOL_FIELDS: Final = frozenset(
    "type name description input_schema cache_control strict defer_loading allowed_callers input_examples "
    "eager_input_streaming".split()
)
USERS: Final = frozenset({"text", "image", "document", "tool_result"})
ASSISTANTS: Final = frozenset({"text", "tool_use", "thinking", "redacted_thinking"})
IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
MOST_MARKS: Final = 4
LEAST_THINKING: Final = 1024

ContentBlock = Mapping[str, Any]


def refusals(value: Mapping[str, Any]) -> Iterator[Denial]:
    """What is wrong with a request to create a message, or to count its tokens."""
    yield from _fields(value)
    yield from _tools(value)
    yield from _system(value)
    yield from _instructions_between(value["messages"])
    value = {**value, "messages": [each for each in value["messages"] if each.get("role") != "system"]}
    for number, message in enumerate(value["messages"]):
        yield from _message(number, message, last=number == len(value["messages"]) - 1)
    yield from _order(value)
    yield from _marks(value)
    yield from _thinking(value)


def blocks(content: Any) -> list[dict[str, Any]]:
    """Content as a list of blocks; a string is one block of text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _fields(value: Mapping[str, Any]) -> Iterator[Denial]:
    yield from (Denial(f"{name}: Extra inputs are not permitted") for name in unknown(value, FIELDS))
    for name, kind, word in (("model", str, "string"), ("messages", list, "list")):
        if name not in value:
            yield Denial(f"{name}: Field required")
        elif not isinstance(value[name], kind):
            yield Denial(f"{name}: Input should be a valid {word}")
    if not value["messages"]:
        yield Denial("messages: at least one message is required")
    if not isinstance(value.get("stream", False), bool):
        yield Denial("stream: Input should be a valid boolean")


def answer_fields(value: Mapping[str, Any]) -> Iterator[Denial]:
    """What counting of tokens does not ask for, and an answer does."""
    if "max_tokens" not in value:
        yield Denial("max_tokens: Field required")
    elif type(value["max_tokens"]) is not int:
        yield Denial("max_tokens: Input should be a valid integer")
    elif value["max_tokens"] < 1:
        yield Denial("max_tokens: must be greater than or equal to 1")


def _tools(value: Mapping[str, Any]) -> Iterator[Denial]:
    tools = value.get("tools") or []
    for number, tool in enumerate(tools):
        if tool.get("type", "custom") not in ("custom", None):
            continue  # one that the provider runs itself has fields of its own
        yield from (
            Denial(f"tools.{number}.custom.{name}: Extra inputs are not permitted")
            for name in unknown(tool, TOOL_FIELDS)
        )
        yield from (
            Denial(f"tools.{number}.custom.{name}: Field required")
            for name in ("name", "input_schema")
            if name not in tool
        )
        if not NAME.fullmatch(tool["name"]):
            yield Denial(f"tools.{number}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if tool["input_schema"].get("type") != "object":
            yield Denial(f"tools.{number}.custom.input_schema.type: Input should be 'object'")
    if any(True for _ in repeated(tool.get("name", "") for tool in tools)):
        yield Denial("tools: Tool names must be unique.")
    choice = value.get("tool_choice") or {}
    if choice and not tools:
        yield Denial("tool_choice: may only be specified while providing tools.")
    if choice.get("type") == "tool" and choice.get("name") not in {tool.get("name") for tool in tools}:
        yield Denial(f"Tool '{choice.get('name')}' not found in provided tools")


def _system(value: Mapping[str, Any]) -> Iterator[Denial]:
    system = value.get("system")
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        yield Denial("system: Input should be a valid list")
    for number, block in enumerate(system):
        if block.get("type") != "text":
            yield Denial(f"system.{number}.type: Input should be 'text'")
        yield from _text(f"system.{number}", "system", block)


def _instructions_between(messages: list[dict[str, Any]]) -> Iterator[Denial]:
    """Where messages of the role `system` may stand among the others, which Claude models take since Opus 4.8."""
    roles = [message.get("role") for message in messages] + ["assistant"]
    for number, role in enumerate(roles[:-1]):
        if role == "system" and number == 0:
            yield Denial("messages.0.role: Input should be 'user' or 'assistant'")
        if role == "system" and roles[number - 1] != "user":
            yield Denial(f"messages.{number}: role 'system' must follow a message of role 'user'")
        if role == "system" and roles[number + 1] != "assistant":
            yield Denial(f"messages.{number}: role 'system' must be last, or come before a message of role 'assistant'")


def _message(number: int, message: Mapping[str, Any], *, last: bool) -> Iterator[Denial]:
    path = f"messages.{number}"
    yield from (
        Denial(f"{path}.{name}: Extra inputs are not permitted")
        for name in unknown(message, frozenset({"role", "content"}))
    )
    yield from (Denial(f"{path}.{name}: Field required") for name in ("role", "content") if name not in message)
    role, content = message["role"], message["content"]
    if role not in ("user", "assistant"):
        yield Denial(f"{path}.role: Input should be 'user' or 'assistant'")
    if not isinstance(content, str | list):
        yield Denial(f"{path}.content: Input should be a valid list")
    if not content and not (last and role == "assistant"):
        yield Denial(
            f"{path}: all messages must have non-empty content except for the optional final assistant message"
        )
    if last and role == "assistant" and content and str(blocks(content)[-1].get("text", ".")).endswith((" ", "\n")):
        yield Denial("messages: final assistant content cannot end with trailing whitespace")
    if isinstance(content, str):
        if content and not content.strip():
            yield Denial("messages: text content blocks must contain non-whitespace text")
        return
    for index, block in enumerate(content):
        yield from _block(f"{path}.content.{index}", block, USERS if role == "user" else ASSISTANTS)


def _block(path: str, block: ContentBlock, allowed: frozenset[str]) -> Iterator[Denial]:
    kind = block.get("type")
    if kind not in BLOCKS:
        tags = ", ".join(f"'{name}'" for name in BLOCKS)
        yield Denial(f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    if kind not in allowed:
        yield Denial(f"{path}: `{kind}` blocks are not permitted in messages of this role")
    yield from (
        Denial(f"{path}.{kind}.{name}: Extra inputs are not permitted") for name in unknown(block, BLOCKS[str(kind)])
    )
    check = _BLOCK_RULES.get(str(kind))
    if check is not None:
        yield from check(path, block)


def _tool_use(path: str, block: ContentBlock) -> Iterator[Denial]:
    for name in ("id", "name", "input"):
        if name not in block:
            yield Denial(f"{path}.tool_use.{name}: Field required")
    if not isinstance(block["input"], dict):
        yield Denial(f"{path}.tool_use.input: Input should be a valid dictionary")


def _tool_result(path: str, block: ContentBlock) -> Iterator[Denial]:
    if "tool_use_id" not in block:
        yield Denial(f"{path}.tool_result.tool_use_id: Field required")
    if isinstance(block.get("content"), list):
        for index, inner in enumerate(block["content"]):
            yield from _block(f"{path}.tool_result.content.{index}", inner, USERS - {"tool_result"})


def _text(path: str, where: str, block: ContentBlock) -> Iterator[Denial]:
    text = block.get("text")
    if not isinstance(text, str):
        yield Denial(f"{path}.text.text: Field required")
    elif not text:
        yield Denial(f"{where}: text content blocks must be non-empty")
    elif not text.strip():
        yield Denial(f"{where}: text content blocks must contain non-whitespace text")


def _image(path: str, block: ContentBlock) -> Iterator[Denial]:
    source = block.get("source")
    if not isinstance(source, dict):
        yield Denial(f"{path}.image.source: Field required")
        return
    if source.get("type") == "base64":
        if source.get("media_type") not in IMAGES:
            options = ", ".join(f"'{name}'" for name in sorted(IMAGES))
            yield Denial(f"{path}.image.source.base64.media_type: Input should be {options}")
        if not is_base64(source.get("data")):
            yield Denial(f"{path}.image.source.base64: The image data is not valid base64")


def _signed(path: str, block: ContentBlock) -> Iterator[Denial]:
    if block["type"] == "redacted_thinking":
        if not is_sealed(block.get("data")):
            yield Denial(f"{path}: Invalid `data` in `redacted_thinking` block")
        return
    yield from (
        Denial(f"{path}.thinking.{name}: Field required") for name in ("thinking", "signature") if name not in block
    )
    if block["signature"] != signature(block["thinking"]):
        yield Denial(f"{path}: Invalid `signature` in `thinking` block")


_BLOCK_RULES: Final[Mapping[str, Callable[[str, ContentBlock], Iterator[Denial]]]] = {
    "text": lambda path, block: _text(path, "messages", block),
    "image": _image,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "thinking": _signed,
    "redacted_thinking": _signed,
}


def _order(value: Mapping[str, Any]) -> Iterator[Denial]:
    """Roles, and each call with its result at the beginning of the next message."""
    messages = value["messages"]
    if messages[0]["role"] != "user":
        yield Denial('messages: first message must use the "user" role')
    used = [block["id"] for message in messages for block in blocks(message["content"]) if block["type"] == "tool_use"]
    if any(True for _ in repeated(used)):
        yield Denial("messages: `tool_use` ids must be unique")
    waiting: list[str] = []
    for number, message in enumerate([*messages, {"role": "user", "content": []}]):
        content = blocks(message["content"])
        leading = _leading_results(content)
        missing = [name for name in waiting if name not in leading]
        if missing and number < len(messages):
            yield Denial(
                f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )
        for index, block in enumerate(content):
            if block["type"] == "tool_result" and block["tool_use_id"] not in waiting:
                yield Denial(
                    f"messages.{number}.content.{index}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message."
                )
        if any(True for _ in repeated(leading)):
            yield Denial(
                f"messages.{number}: each tool_use must have a single result. Found multiple `tool_result` blocks"
            )
        waiting = [block["id"] for block in content if block["type"] == "tool_use"]


def _leading_results(content: list[dict[str, Any]]) -> list[str]:
    names = []
    for block in content:
        if block["type"] != "tool_result":
            break
        names.append(block["tool_use_id"])
    return names


def marked_blocks(value: Mapping[str, Any]) -> Iterator[tuple[ContentBlock, ContentBlock | None]]:
    """Every block of the prompt in the order in which it is cached (tools, system, messages), with its cache mark."""
    for tool in value.get("tools") or []:
        yield tool, tool.get("cache_control")
    for block in blocks(value.get("system") or []):
        yield block, block.get("cache_control")
    for message in value["messages"]:
        for block in blocks(message["content"]):
            yield block, block.get("cache_control")


def _marks(value: Mapping[str, Any]) -> Iterator[Denial]:
    marked = [(block, mark) for block, mark in marked_blocks(value) if mark is not None]
    automatic = value.get("cache_control")
    marks = [mark for _, mark in marked] + ([automatic] if automatic is not None else [])
    if len(marks) > MOST_MARKS:
        yield Denial(f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {len(marks)}.")
    for block, mark in marked:
        if mark.get("type") != "ephemeral":
            yield Denial("cache_control.type: Input should be 'ephemeral'")
        if mark.get("ttl", "5m") not in ("5m", "1h"):
            yield Denial("cache_control.ttl: Input should be '5m' or '1h'")
        if block.get("type") == "text" and not block["text"]:
            yield Denial("cache_control cannot be set for empty text blocks")
    lives = [lifetime(mark) for mark in marks]
    if lives != sorted(lives, reverse=True):
        yield Denial("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")


def lifetime(mark: ContentBlock) -> float:
    """Seconds that a cache mark asks for."""
    return HOUR if mark.get("ttl") == "1h" else FIVE_MINUTES


def _thinking(value: Mapping[str, Any]) -> Iterator[Denial]:
    thinking = value.get("thinking") or {}
    if thinking.get("type") == "enabled":
        budget = thinking.get("budget_tokens")
        if not isinstance(budget, int) or budget < LEAST_THINKING:
            yield Denial(f"thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_THINKING}")
        elif "max_tokens" in value and value["max_tokens"] <= budget:
            yield Denial("`max_tokens` must be greater than `thinking.budget_tokens`")
        yield from _begins_with_thinking(value["messages"])
        if (value.get("tool_choice") or {}).get("type") in ("any", "tool"):
            yield Denial("Thinking may not be enabled when tool_choice forces tool use.")


def _begins_with_thinking(messages: list[dict[str, Any]]) -> Iterator[Denial]:
    """While a chain of calls runs, the answer that began it must still begin with its thinking."""
    if not _leading_results(blocks(messages[-1]["content"])):
        return
    for number in range(len(messages) - 1, -1, -1):
        if messages[number]["role"] != "assistant":
            continue
        kind = blocks(messages[number]["content"])[0]["type"]
        if kind not in ("thinking", "redacted_thinking"):
            yield Denial(
                f"messages.{number}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. "
                "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
                "(preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
            )
        return
