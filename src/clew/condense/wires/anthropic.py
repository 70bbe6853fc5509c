"""Anthropic Messages: calls are `tool_use` blocks of the assistant, results `tool_result` blocks of the next message.

Tools that the provider runs itself (`server_tool_use` and its results) stay, since they are complete in one message. So
do calls that wait inside such a tool: those of its code, and those beside one that has no result yet. Results that
load tools (`tool_reference`) stay as well, because without them the model could not call these tools any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.condense.wires.protocol import Call, Message, Result, blocks, call_label, text_of

_REASONING: Final = ("thinking", "redacted_thinking")
_PROVIDERS_RESULT: Final = "_tool_result"
_TOOLS_USED: Final = {"type": "text", "text": "(tools were used here)"}


@dataclass(frozen=True, slots=True)
class _Anthropic:
    name: str = "anthropic"
    tied: tuple[str, ...] = ()
    checks_reasoning: bool = True

    def calls(self, message: Message) -> tuple[Call, ...]:
        return tuple(
            Call(text_of(block.get("id")), call_label(block.get("name"), block.get("input")))
            for block in blocks(message.get("content"))
            if block.get("type") == "tool_use"
        )

    def results(self, message: Message) -> tuple[Result, ...]:
        return tuple(
            Result(text_of(block.get("tool_use_id")), block.get("is_error") is True)
            for block in blocks(message.get("content"))
            if block.get("type") == "tool_result"
        )

    def must_stay(self, message: Message) -> bool:
        content = blocks(message.get("content"))
        answered = {text_of(block.get("tool_use_id")) for block in content if _kind(block).endswith(_PROVIDERS_RESULT)}
        return any(
            _calls_from_code(block)
            or _loads_tools(block)
            or (_kind(block) == "server_tool_use" and text_of(block.get("id")) not in answered)
            for block in content
        )

    def rest(self, message: Message) -> Message | None:
        content = message.get("content")
        if not isinstance(content, list):
            return message
        kept = [block for block in content if not _is_tool(block)]
        if not kept:
            return None
        if _kind(kept[-1]) in _REASONING:  # which may not be the last block of a message
            kept.append(dict(_TOOLS_USED))
        return {**message, "content": kept}

    def reasons(self, message: Message) -> bool:
        return any(_kind(block) in _REASONING for block in blocks(message.get("content")))

    def opens_with_reasoning(self, message: Message) -> bool:
        content = blocks(message.get("content"))
        return bool(content) and _kind(content[0]) in _REASONING

    def is_question(self, message: Message) -> bool:
        if message.get("role") != "user":
            return False
        content = message.get("content")
        return any(not _is_tool(block) for block in content) if isinstance(content, list) else True

    def between(self, before: Message) -> list[Message]:
        return [{"role": "assistant", "content": [dict(_TOOLS_USED)]}] if before.get("role") == "system" else []

    def note(self, text: str) -> Message:
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def with_note(self, message: Message, text: str) -> Message:
        content = message.get("content")
        rest = content if isinstance(content, list) else [{"type": "text", "text": text_of(content)}]
        return {**message, "content": [{"type": "text", "text": text}, *rest]}

    def problems(self, messages: Sequence[Message]) -> list[str]:
        complaints = (
            []
            if messages and messages[0].get("role") == "user"
            else ["message 0: the first message must be the user's"]
        )
        waiting: list[str] = []
        roles = [message.get("role") for message in messages] + ["assistant"]
        for number, message in enumerate(messages):
            complaints += [f"message {number}: {problem}" for problem in _shape(message)]
            if roles[number] == "system" and (roles[number - 1] != "user" or roles[number + 1] != "assistant"):
                complaints.append(f"message {number}: the role system must stand between the user and the assistant")
            given = [result.id for result in self.results(message)]
            if sorted(given) != sorted(waiting):
                complaints.append(f"message {number}: results for {given}, but the calls before were {waiting}")
            if given and any(not _is_tool(block) for block in message["content"][: len(given)]):
                complaints.append(f"message {number}: results must come before everything else")
            waiting = [call.id for call in self.calls(message)]
        return complaints if not waiting else [*complaints, f"the last message calls {waiting} without a result"]


ANTHROPIC: Final = _Anthropic()


def _kind(block: object) -> str:
    return text_of(block.get("type")) if isinstance(block, dict) else ""


def _is_tool(block: object) -> bool:
    return _kind(block) in ("tool_use", "tool_result")


def _calls_from_code(block: Message) -> bool:
    """Whether code that the provider runs made a call, and waits for its result."""
    caller = block.get("caller")
    return _kind(block) == "tool_use" and isinstance(caller, dict) and caller.get("type") != "direct"


def _loads_tools(block: Message) -> bool:
    return _kind(block) == "tool_result" and any(
        _kind(inner) == "tool_reference" for inner in blocks(block.get("content"))
    )


def _shape(message: Message) -> list[str]:
    """What is wrong with a message by itself."""
    role, content = message.get("role"), message.get("content")
    if role == "system":  # which may set options alone, and say nothing
        return []
    if role not in ("user", "assistant"):
        return [f"role {role!r} is unknown"]
    if isinstance(content, str):
        return [] if content.strip() else ["the content is empty"]
    if not isinstance(content, list) or not content:
        return ["the content must be text or a list of blocks, and not empty"]
    problems = [f"block {number} is no object" for number, block in enumerate(content) if not isinstance(block, dict)]
    kinds = [_kind(block) for block in content]
    if any(
        kind == "text" and not text_of(block.get("text")).strip() for kind, block in zip(kinds, content, strict=True)
    ):
        problems.append("a text block is empty")
    if role == "user" and ("tool_use" in kinds or set(kinds) & set(_REASONING)):
        problems.append("a user cannot call tools or think")
    if role == "assistant" and "tool_result" in kinds:
        problems.append("an assistant cannot give results")
    if role == "assistant" and kinds[-1] in _REASONING:
        problems.append("the last block is reasoning")
    return problems
