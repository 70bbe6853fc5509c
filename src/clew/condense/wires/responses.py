"""OpenAI Responses: a flat list of items; a call and its output are items of their own, connected by `call_id`.

A `reasoning` item belongs to the item after it and is refused without it, so it leaves together with its call.
Calls that the provider answers itself (web and file search, code interpreter) are one item and stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.condense.wires.protocol import Call, Message, Result, call_label, text_of

_PAIRS: Final = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "computer_call": "computer_call_output",
    "apply_patch_call": "apply_patch_call_output",
}
_OUTPUTS: Final = frozenset(_PAIRS.values())


@dataclass(frozen=True, slots=True)
class _Responses:
    name: str = "responses"
    tied: tuple[str, ...] = ("reasoning",)
    checks_reasoning: bool = False

    def calls(self, message: Message) -> tuple[Call, ...]:
        kind = text_of(message.get("type"))
        if kind not in _PAIRS:
            return ()
        said = message.get("arguments", message.get("input", message.get("action", message.get("operation"))))
        return (
            Call(text_of(message.get("call_id")), call_label(message.get("name") or kind.removesuffix("_call"), said)),
        )

    def results(self, message: Message) -> tuple[Result, ...]:
        if text_of(message.get("type")) not in _OUTPUTS:
            return ()
        return (Result(text_of(message.get("call_id")), message.get("status") in ("failed", "incomplete")),)

    def must_stay(self, _message: Message) -> bool:
        return False

    def rest(self, message: Message) -> Message | None:
        kind = text_of(message.get("type"))
        return None if kind in _PAIRS or kind in _OUTPUTS else message

    def reasons(self, message: Message) -> bool:
        return message.get("type") in self.tied

    def opens_with_reasoning(self, message: Message) -> bool:
        return self.reasons(message)

    def is_question(self, message: Message) -> bool:
        return message.get("role") == "user"

    def between(self, _before: Message) -> list[Message]:
        return []

    def note(self, text: str) -> Message:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def with_note(self, message: Message, text: str) -> Message:
        content = message.get("content")
        rest = content if isinstance(content, list) else [{"type": "input_text", "text": text_of(content)}]
        return {**message, "content": [{"type": "input_text", "text": text}, *rest]}

    def problems(self, messages: Sequence[Message]) -> list[str]:
        complaints = [] if messages else ["the list is empty"]
        waiting: dict[str, str] = {}
        for number, message in enumerate(messages):
            kind, call_id = text_of(message.get("type")), text_of(message.get("call_id"))
            if kind in _PAIRS:
                waiting[call_id] = _PAIRS[kind]
            if kind in _OUTPUTS and waiting.pop(call_id, None) != kind:
                complaints.append(f"item {number}: {kind} for {call_id!r}, which no call before asked for")
            if kind == "reasoning" and not _is_tied(messages[number + 1 : number + 2]):
                complaints.append(f"item {number}: reasoning without the item that follows it")
            if kind in ("", "message") and (message.get("role") is None or not message.get("content")):
                complaints.append(f"item {number}: a message needs a role and content")
        return complaints + [f"no output for the call {call_id!r}" for call_id in waiting]


RESPONSES: Final = _Responses()


def _is_tied(following: Sequence[Message]) -> bool:
    """Whether the item after a reasoning item is the model's: a call, a message, or more reasoning."""
    return any(
        item.get("role") in (None, "assistant") and text_of(item.get("type")) not in _OUTPUTS for item in following
    )
