"""Joins rounds in the format of OpenAI Chat Completions.

The client sees one message: the texts of all rounds with an empty line between, and its own calls, numbered through.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks
from clew.ingest.importers.json_fields import dict_of
from clew.serve.proxy.exchange import ChatRequest, ToolCall
from clew.serve.proxy.rounds.protocol import IsOurs
from clew.serve.proxy.rounds.sums import PARAGRAPH, RawEvents, added, data_of, error_line, event_of, summed, value_of
from clew.serve.proxy.wires.openai import OPENAI as WIRE

_TEXTS: Final = ("content", "reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class _OpenAI:
    def may_offer(self, request: ChatRequest) -> bool:
        value = request.value
        several = isinstance(value.get("n"), int) and value["n"] > 1
        searches = "web_search_options" in value and not request.tools  # models that search take no functions
        is_free = value.get("tool_choice") in (None, "auto") and "functions" not in value
        return is_free and not several and not searches

    def last_round(self) -> Mapping[str, Any]:
        return {"tool_choice": "none"}

    def whole(self, rounds: Sequence[dict[str, Any]], is_ours: IsOurs) -> dict[str, Any]:
        last = rounds[-1]
        choice = _choice(last)
        message = {**dict_of(choice, "message")}
        for name in _TEXTS:
            said = [dict_of(_choice(exchange), "message").get(name) for exchange in rounds]
            texts = [text for text in said if isinstance(text, str) and text]
            if texts:
                message[name] = PARAGRAPH.join(texts)
        calls = [call for call in blocks(message.get("tool_calls")) if not _is_our_call(call, is_ours)]
        message.pop("tool_calls", None)
        if calls:
            message["tool_calls"] = calls
        stop = _stop(choice.get("finish_reason"), calls=bool(calls))
        usage = summed(rounds, "usage")
        choices = [{**choice, "message": message, "finish_reason": stop}]
        return {**last, "choices": choices, **({} if usage is None else {"usage": usage})}

    def stream(self, is_ours: IsOurs) -> "_Stream":
        return _Stream(is_ours)

    def is_answer(self, message: Message) -> bool:
        return message.get("role") == "assistant"

    def calls_of(self, message: Message) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(str(call.get("id")), _name(call), "") for call in blocks(message.get("tool_calls")))

    def results_member(self) -> str | None:
        return None

    def is_stored(self, _request: ChatRequest, /) -> bool:
        return False

    def sendable(self, _request: ChatRequest, messages: Iterable[Message], /) -> tuple[Message, ...]:
        return tuple(messages)


OPENAI: Final = _OpenAI()


def _choice(value: Mapping[str, Any]) -> dict[str, Any]:
    return next((choice for choice in blocks(value.get("choices")) if not choice.get("index")), {})


def _name(call: Mapping[str, Any]) -> str:
    about = call.get("function") or call.get("custom")
    return str(about.get("name") or "") if isinstance(about, dict) else ""


def _is_our_call(call: Mapping[str, Any], is_ours: IsOurs) -> bool:
    return is_ours(_name(call))


def _stop(reason: object, *, calls: bool) -> object:
    return "stop" if reason == "tool_calls" and not calls else reason


class _Stream:
    def __init__(self, is_ours: IsOurs) -> None:
        self._is_ours = is_ours
        self._events = RawEvents()
        self._shown_indexes: dict[object, int | None] = {}  # index of a call in the round -> index that the client sees
        self._next = 0
        self._rounds = 1
        self._changed = False
        self._first: dict[str, Any] = {}  # what is the same in all chunks of one answer
        self._said: set[str] = set()  # kinds of text that earlier rounds had
        self._says: set[str] = set()  # and that this round has
        self._held: list[tuple[bytes, dict[str, Any] | None]] = []
        self._usage: Any = None
        self._round_usage: Any = None

    def feed(self, piece: bytes) -> bytes:
        return b"".join(map(self._relayed, self._events.feed(piece)))

    def _relayed(self, event: bytes) -> bytes:
        value = value_of(event)
        if value is None:
            if data_of(event).strip() != "[DONE]":
                return event
            self._held.append((event, None))
            return b""
        if "error" in value:
            return event
        if value.get("usage"):
            self._round_usage = value["usage"]
        choice = _choice(value)
        if self._held or choice.get("finish_reason") or not value.get("choices"):
            self._held.append((event, value))
            return b""
        return self._chunk(event, value, choice)

    def _chunk(self, event: bytes, value: dict[str, Any], choice: dict[str, Any]) -> bytes:
        """A chunk as the client sees it; empty when nothing is left of it."""
        if not self._first:
            self._first = {name: value[name] for name in ("id", "created") if name in value}
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return event if self._rounds == 1 else b""
        shown = self._shown(delta)
        if event and self._rounds == 1 and shown == delta:
            return event
        if not any(text not in (None, "") for text in shown.values()) and not choice.get("finish_reason"):
            return b""
        return event_of({**value, **self._first, "choices": [{**choice, "delta": shown}]}, named=False)

    def _shown(self, delta: dict[str, Any]) -> dict[str, Any]:
        shown = dict(delta)
        if self._rounds > 1:
            shown.pop("role", None)
        for name in _TEXTS:
            if isinstance(text := delta.get(name), str) and text:
                if name in self._said and name not in self._says:
                    shown[name] = PARAGRAPH + text
                self._says.add(name)
        if "tool_calls" in delta:
            calls = [call for block in blocks(delta["tool_calls"]) if (call := self._call(block)) is not None]
            shown.pop("tool_calls")
            if calls:
                shown["tool_calls"] = calls
        return shown

    def _call(self, call: dict[str, Any]) -> dict[str, Any] | None:
        index = call.get("index", 0)
        if isinstance(index, list | dict):  # no index at all
            return call
        if index not in self._shown_indexes:
            ours = _is_our_call(call, self._is_ours)
            self._changed |= ours
            self._shown_indexes[index] = None if ours else self._next
            self._next += not ours
        shown_index = self._shown_indexes[index]
        return None if shown_index is None else {**call, "index": shown_index}

    def next_round(self) -> bytes:
        self._usage = added(self._usage, self._round_usage)
        held = b"".join(self._chunk(b"", value, _unfinished(value)) for _, value in self._held if value is not None)
        self._shown_indexes, self._held, self._round_usage = {}, [], None
        self._said |= self._says
        self._says = set()
        self._rounds += 1
        self._events.rest()
        return held

    def finish(self) -> bytes:
        rest = self._events.rest()
        if self._rounds == 1 and not self._changed:
            return b"".join(event for event, _ in self._held) + rest
        usage = added(self._usage, self._round_usage)
        ended = b"".join(self._ended(event, value, usage) for event, value in self._held)
        return ended + (rest if self._rounds == 1 else b"")

    def _ended(self, event: bytes, value: dict[str, Any] | None, usage: Any) -> bytes:
        if value is None:
            return event
        told = {"usage": usage} if value.get("usage") else {}
        choice = _choice(value)
        if not choice:
            return event_of({**value, **self._first, **told}, named=False)
        delta = choice.get("delta")
        shown = self._shown(delta) if isinstance(delta, dict) else delta
        stop = _stop(choice.get("finish_reason"), calls=self._next > 0)
        choices = [{**choice, "delta": shown, "finish_reason": stop}]
        return event_of({**value, **self._first, "choices": choices, **told}, named=False)

    def failed(self, error: bytes) -> bytes:
        return b"data: " + error_line(error, WIRE.error) + b"\n\n"


def _unfinished(value: Mapping[str, Any]) -> dict[str, Any]:
    return {**_choice(value), "finish_reason": None}
