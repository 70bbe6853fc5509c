"""OpenAI Chat Completions: calls are in `tool_calls` of the assistant, each result is a message with the role `tool`.

The older `function_call` with its message of the role `function` is read as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires.protocol import Call, Message, Result, blocks, call_label, text_of

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
_OLD_CALL: Final = "function_call"
_REASONING: Final = ("reasoning_content", "reasoning_details")  # as compatible servers write it


@dataclass(frozen=True, slots=True)
class _OpenAI:
    name: str = "openai"
    tied: tuple[str, ...] = ()
    checks_reasoning: bool = False

    def calls(self, message: Message) -> tuple[Call, ...]:
        if message.get("role") != "assistant":
            return ()
        old = message.get(_OLD_CALL)
        found = [_call(call) for call in blocks(message.get("tool_calls"))]
        if isinstance(old, dict):
            found.append(
                Call(f"function:{text_of(old.get('name'))}", call_label(old.get("name"), old.get("arguments")))
            )
        return tuple(found)

    def results(self, message: Message) -> tuple[Result, ...]:
        if message.get("role") == "tool":
            return (Result(text_of(message.get("tool_call_id"))),)
        if message.get("role") == "function":
            return (Result(f"function:{text_of(message.get('name'))}"),)
        return ()

    def must_stay(self, _message: Message) -> bool:
        return False

    def rest(self, message: Message) -> Message | None:
        if message.get("role") in ("tool", "function"):
            return None
        kept = {name: value for name, value in message.items() if name not in ("tool_calls", _OLD_CALL)}
        return kept if len(kept) == len(message) or _says(kept) else None

    def reasons(self, message: Message) -> bool:
        return any(message.get(name) for name in _REASONING)

    def opens_with_reasoning(self, message: Message) -> bool:
        return self.reasons(message)

    def is_question(self, message: Message) -> bool:
        return message.get("role") == "user"

    def between(self, _before: Message) -> list[Message]:
        return []

    def note(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def with_note(self, message: Message, text: str) -> Message:
        content = message.get("content")
        if isinstance(content, list):
            return {**message, "content": [{"type": "text", "text": text}, *content]}
        return {**message, "content": f"{text}\n\n{text_of(content)}"}

    def problems(self, messages: Sequence[Message]) -> list[str]:
        complaints = [] if messages else ["the list is empty"]
        waiting: set[str] = set()
        for number, message in enumerate(messages):
            if message.get("role") not in _ROLES:
                complaints.append(f"message {number}: role {message.get('role')!r} is unknown")
            given = {result.id for result in self.results(message)}
            if given - waiting:
                complaints.append(
                    f"message {number}: a result for {sorted(given - waiting)}, which no call just before asked for"
                )
            waiting -= given
            if not given and waiting:
                complaints.append(f"message {number}: comes before the results for {sorted(waiting)}")
                waiting = set()
            if (
                message.get("role") in ("system", "developer", "user", "assistant")
                and not self.calls(message)
                and not _says(message)
            ):
                complaints.append(f"message {number}: the content is empty")
            waiting |= {call.id for call in self.calls(message)}
        return (
            complaints if not waiting else [*complaints, f"the last message calls {sorted(waiting)} without a result"]
        )


OPENAI: Final = _OpenAI()


def _call(call: dict[str, Any]) -> Call:
    about = call.get("function") or call.get("custom") or {}
    about = about if isinstance(about, dict) else {}
    return Call(text_of(call.get("id")), call_label(about.get("name"), about.get("arguments", about.get("input"))))


def _says(message: Message) -> bool:
    """Whether a message says something besides its calls."""
    content = message.get("content")
    return bool(content.strip() if isinstance(content, str) else content) or bool(
        message.get("refusal") or message.get("audio")
    )
