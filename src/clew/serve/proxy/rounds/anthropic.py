"""Joins rounds in the format of Anthropic Messages.

The client sees one message: the blocks of all rounds, numbered through, without our calls. Thinking stays where it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks
from clew.ingest.importers.json_fields import dict_of
from clew.serve.proxy.exchange import ChatRequest, ToolCall
from clew.serve.proxy.rounds.protocol import IsOurs
from clew.serve.proxy.rounds.sums import RawEvents, added, error_line, event_of, summed, value_of
from clew.serve.proxy.wires.anthropic import ANTHROPIC as WIRE


@dataclass(frozen=True, slots=True)
class _Anthropic:
    def may_offer(self, request: ChatRequest) -> bool:
        choice = request.value.get("tool_choice")
        return choice is None or (isinstance(choice, dict) and choice.get("type") == "auto")

    def last_round(self) -> Mapping[str, Any]:
        return {"tool_choice": {"type": "none"}}

    def whole(self, rounds: Sequence[dict[str, Any]], is_ours: IsOurs) -> dict[str, Any]:
        content = [
            block
            for exchange in rounds
            for block in blocks(exchange.get("content"))
            if not _is_our_call(block, is_ours)
        ]
        usage = summed(rounds, "usage")
        calls = any(block.get("type") == "tool_use" for block in content)
        last = rounds[-1]
        return {**last, "content": content, "stop_reason": _stop(last.get("stop_reason"), calls=calls), "usage": usage}

    def stream(self, is_ours: IsOurs) -> "_Stream":
        return _Stream(is_ours)

    def is_answer(self, message: Message) -> bool:
        return message.get("role") == "assistant"

    def calls_of(self, message: Message) -> tuple[ToolCall, ...]:
        used = (block for block in blocks(message.get("content")) if block.get("type") == "tool_use")
        return tuple(ToolCall(str(block.get("id")), str(block.get("name")), "") for block in used)

    def results_member(self) -> str | None:
        return "content"

    def is_stored(self, _request: ChatRequest, /) -> bool:
        return False

    def sendable(self, _request: ChatRequest, messages: Iterable[Message], /) -> tuple[Message, ...]:
        return tuple(messages)


ANTHROPIC: Final = _Anthropic()


def _is_our_call(block: Mapping[str, Any], is_ours: IsOurs) -> bool:
    return block.get("type") == "tool_use" and is_ours(str(block.get("name")))


def _stop(reason: object, *, calls: bool) -> object:
    """The reason of the end; an answer that shows no call does not end for one."""
    return "end_turn" if reason == "tool_use" and not calls else reason


class _Stream:
    def __init__(self, is_ours: IsOurs) -> None:
        self._is_ours = is_ours
        self._events = RawEvents()
        self._shown_indexes: dict[
            object, int | None
        ] = {}  # index in the round -> index that the client sees; None for ours
        self._next = 0
        self._rounds = 1
        self._calls = False  # the client sees a call
        self._changed = False
        self._held: list[tuple[bytes, dict[str, Any]]] = []
        self._usage: Any = None  # of the rounds that have ended
        self._round_usage: dict[str, Any] = {}

    def feed(self, piece: bytes) -> bytes:
        return b"".join(map(self._relayed, self._events.feed(piece)))

    def _relayed(self, event: bytes) -> bytes:
        value = value_of(event)
        kind = None if value is None else value.get("type")
        if value is None or kind is None:
            return event
        if kind == "message_start":
            self._count(dict_of(value, "message").get("usage"))
            return event if self._rounds == 1 else b""
        if kind in ("message_delta", "message_stop"):
            self._count(value.get("usage"))
            self._held.append((event, value))
            return b""
        if str(kind).startswith("content_block_"):
            return self._of_block(event, value, started=kind == "content_block_start")
        return event

    def _of_block(self, event: bytes, value: dict[str, Any], *, started: bool) -> bytes:
        index = value.get("index")
        if isinstance(index, list | dict):  # no index at all
            return event
        if started:
            block = dict_of(value, "content_block")
            ours = _is_our_call(block, self._is_ours)
            self._changed |= ours
            self._shown_indexes[index] = None if ours else self._next
            self._next += not ours
            self._calls |= not ours and block.get("type") == "tool_use"
        if index not in self._shown_indexes:
            return event  # of a block that did not begin: the client sees it as the provider sent it
        shown_index = self._shown_indexes[index]
        if shown_index is None:
            return b""
        return event if shown_index == index else event_of({**value, "index": shown_index}, named=True)

    def next_round(self) -> bytes:
        self._usage = added(self._usage, self._round_usage)
        self._round_usage = {}
        self._shown_indexes, self._held = {}, []
        self._rounds += 1
        self._events.rest()
        return b""

    def finish(self) -> bytes:
        rest = self._events.rest()
        if self._rounds == 1 and not self._changed:
            return b"".join(event for event, _ in self._held) + rest
        usage = added(self._usage, self._round_usage)
        ended = b"".join(self._ended(event, value, usage) for event, value in self._held)
        return ended + (rest if self._rounds == 1 else b"")

    def _ended(self, event: bytes, value: dict[str, Any], usage: Any) -> bytes:
        if value["type"] != "message_delta":
            return event
        delta = dict_of(value, "delta")
        delta = {**delta, "stop_reason": _stop(delta.get("stop_reason"), calls=self._calls)}
        return event_of({**value, "delta": delta, "usage": usage}, named=True)

    def failed(self, error: bytes) -> bytes:
        return b"event: error\ndata: " + error_line(error, WIRE.error) + b"\n\n"

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._round_usage |= {name: number for name, number in usage.items() if number is not None}
