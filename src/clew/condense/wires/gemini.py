"""Gemini: calls are `functionCall` parts of a content by the model, results `functionResponse` parts of the next one.

Names are read as the REST API writes them (`functionCall`) and as the Python SDK does (`function_call`). A part with a
`thoughtSignature` that is not a call stays as it is; that of a call leaves together with the call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires.protocol import Call, Message, Result, blocks, call_label, text_of

_CALLS: Final = ("functionCall", "function_call")
_RESULTS: Final = ("functionResponse", "function_response")
SIGNATURES: Final = ("thoughtSignature", "thought_signature")
"""Members of a part that sign the reasoning before it."""


@dataclass(frozen=True, slots=True)
class _Gemini:
    name: str = "gemini"
    tied: tuple[str, ...] = ()
    checks_reasoning: bool = True

    def calls(self, message: Message) -> tuple[Call, ...]:
        read = [call for part in blocks(message.get("parts")) if (call := _member(part, _CALLS)) is not None]
        return tuple(
            Call(
                text_of(call.get("id")) or f"{number}:{text_of(call.get('name'))}",
                call_label(call.get("name"), call.get("args")),
            )
            for number, call in enumerate(read)
        )

    def results(self, message: Message) -> tuple[Result, ...]:
        found = [given for part in blocks(message.get("parts")) if (given := _member(part, _RESULTS)) is not None]
        return tuple(
            Result(text_of(given.get("id")) or f"{number}:{text_of(given.get('name'))}", _failed(given.get("response")))
            for number, given in enumerate(found)
        )

    def must_stay(self, _message: Message) -> bool:
        return False

    def rest(self, message: Message) -> Message | None:
        parts = message.get("parts")
        if not isinstance(parts, list):
            return message
        kept = [part for part in parts if not _is_tool(part)]
        return {**message, "parts": kept} if kept else None

    def reasons(self, message: Message) -> bool:
        return any(name in part for part in blocks(message.get("parts")) for name in SIGNATURES)

    def opens_with_reasoning(self, message: Message) -> bool:
        return self.reasons(message)  # the signature of a step is in its first call, which need not be the first part

    def is_question(self, message: Message) -> bool:
        return message.get("role", "user") == "user" and any(
            not _is_tool(part) for part in blocks(message.get("parts"))
        )

    def between(self, _before: Message) -> list[Message]:
        return []

    def note(self, text: str) -> Message:
        return {"role": "user", "parts": [{"text": text}]}

    def with_note(self, message: Message, text: str) -> Message:
        return {**message, "parts": [{"text": text}, *blocks(message.get("parts"))]}

    def problems(self, messages: Sequence[Message]) -> list[str]:
        complaints = [] if messages else ["the list is empty"]
        waiting: list[str] = []
        before = "user"
        for number, message in enumerate(messages):
            role = message.get("role", "user")
            if role not in ("user", "model", "function"):
                complaints.append(f"content {number}: role {role!r} is unknown")
            if not isinstance(message.get("parts"), list) or not message["parts"]:
                complaints.append(f"content {number}: parts must be a list that is not empty")
            given = [result.id for result in self.results(message)]
            if sorted(given) != sorted(waiting):
                complaints.append(f"content {number}: responses for {given}, but the calls before were {waiting}")
            waiting = [call.id for call in self.calls(message)]
            if waiting and (role != "model" or before == "model"):
                complaints.append(
                    f"content {number}: calls must be the model's and follow a user or a function response"
                )
            before = role
        return complaints if not waiting else [*complaints, f"the last content calls {waiting} without a response"]


GEMINI: Final = _Gemini()


def _member(part: Message, names: Sequence[str]) -> dict[str, Any] | None:
    return next((part[name] for name in names if isinstance(part.get(name), dict)), None)


def _is_tool(part: object) -> bool:
    return isinstance(part, dict) and _member(part, (*_CALLS, *_RESULTS)) is not None


def _failed(response: object) -> bool:
    return isinstance(response, dict) and "error" in response and "output" not in response and "result" not in response
