"""Joins rounds in the format of OpenAI Responses.

The client sees one response: the items of all rounds, numbered through, without our calls, and without the reasoning
that led to one: that is refused when it comes back without the item after it. So reasoning is shown when the item after
it begins. A streamed response keeps the id that began it, as the SDKs demand. Where the provider stores answers, only
the last id names what it holds: so no tools are offered in a stream that is stored. Nor are they in a conversation that
the provider keeps: it would hold each round by itself, with the question and our calls again in the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks
from clew.ingest.importers.json_fields import dict_of
from clew.serve.proxy.exchange import ChatRequest, ToolCall
from clew.serve.proxy.rounds.protocol import IsOurs
from clew.serve.proxy.rounds.sums import RawEvents, added, error_line, error_value, event_of, summed, value_of
from clew.serve.proxy.wires.responses import RESPONSES as WIRE

_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_STARTS: Final = ("response.created", "response.in_progress", "response.queued")


@dataclass(frozen=True, slots=True)
class _Responses:
    def may_offer(self, request: ChatRequest) -> bool:
        value = request.value
        return (
            value.get("tool_choice") in (None, "auto")
            and not value.get("background")
            and value.get("conversation") is None
            and not (request.stream and self.is_stored(request))
        )

    def last_round(self) -> Mapping[str, Any]:
        return {"tool_choice": "none"}

    def whole(self, rounds: Sequence[dict[str, Any]], is_ours: IsOurs) -> dict[str, Any]:
        output = [item for exchange in rounds for item in _shown(blocks(exchange.get("output")), is_ours)]
        usage = summed(rounds, "usage")
        return {**_without_our_tools(rounds[-1], is_ours), "output": output, "usage": usage}

    def stream(self, is_ours: IsOurs) -> "_Stream":
        return _Stream(is_ours)

    def is_answer(self, message: Message) -> bool:
        kind = str(message.get("type") or "message")
        return message.get("role") == "assistant" if kind == "message" else not kind.endswith("_output")

    def calls_of(self, message: Message) -> tuple[ToolCall, ...]:
        if "call_id" not in message:
            return ()
        return (ToolCall(str(message["call_id"]), str(message.get("name")), ""),)

    def results_member(self) -> str | None:
        return None

    def is_stored(self, request: ChatRequest, /) -> bool:
        return request.value.get("store") is not False

    def sendable(self, request: ChatRequest, messages: Iterable[Message], /) -> tuple[Message, ...]:
        if self.is_stored(request):
            return tuple(messages)
        return tuple(message for message in messages if not _is_only_named(message))


RESPONSES: Final = _Responses()


def _is_only_named(item: Mapping[str, Any]) -> bool:
    """Whether an item is reasoning that has no text of its own: the provider finds it by its id, if it stored it."""
    return item.get("type") == "reasoning" and not item.get("encrypted_content")


def _is_our_call(item: Mapping[str, Any], is_ours: IsOurs) -> bool:
    return item.get("type") == "function_call" and is_ours(str(item.get("name")))


def _without_our_tools(response: dict[str, Any], is_ours: IsOurs) -> dict[str, Any]:
    """The response without our tools in the list that it repeats; the same object when they are not there."""
    tools = response.get("tools")
    if not any(is_ours(str(tool.get("name"))) for tool in blocks(tools)):
        return response
    return {**response, "tools": [tool for tool in blocks(tools) if not is_ours(str(tool.get("name")))]}


def _shown(items: Sequence[dict[str, Any]], is_ours: IsOurs) -> list[dict[str, Any]]:
    """The items without our calls, and without the reasoning right before one of them."""
    shown: list[dict[str, Any]] = []
    for item in items:
        if _is_our_call(item, is_ours):
            while shown and shown[-1].get("type") == "reasoning":
                shown.pop()
        else:
            shown.append(item)
    return shown


class _Stream:
    def __init__(self, is_ours: IsOurs) -> None:
        self._is_ours = is_ours
        self._events = RawEvents()
        self._shown_indexes: dict[
            object, int | None
        ] = {}  # index in the round -> index that the client sees; None for ours
        self._next = 0
        self._number = 0  # of the next event
        self._rounds = 1
        self._changed = False
        self._id: object = None
        self._reasoning: list[tuple[bytes, dict[str, Any]]] = []  # held until the item after it begins
        self._thinks: set[object] = set()  # indexes of held items of reasoning
        self._held: list[tuple[bytes, dict[str, Any]]] = []
        self._items: list[dict[str, Any]] = []  # that the client was shown, of the rounds that have ended
        self._round_items: list[dict[str, Any]] = []
        self._usage: Any = None

    def feed(self, piece: bytes) -> bytes:
        return b"".join(map(self._relayed, self._events.feed(piece)))

    def _relayed(self, event: bytes) -> bytes:
        value = value_of(event)
        kind = None if value is None else value.get("type")
        if value is None or not isinstance(kind, str):
            return event
        if kind in _STARTS:
            return self._started(event, value)
        if kind in _ENDS:
            self._held.append((event, value))
            return b""
        if not isinstance(value.get("output_index"), int):
            return self._numbered(event, value)
        before = b""
        if kind == "response.output_item.added":
            before = self._opened(value)
        if value["output_index"] in self._thinks:
            self._reasoning.append((event, value))
            return before
        return before + self._of_item(event, value)

    def _started(self, event: bytes, value: dict[str, Any]) -> bytes:
        if self._rounds > 1:
            return b""
        response = value.get("response")
        if isinstance(response, dict):
            self._id = response.get("id")
            value = {**value, "response": _without_our_tools(response, self._is_ours)}
        return self._numbered(event, value)

    def _opened(self, value: dict[str, Any]) -> bytes:
        """Decides about an item that begins, and with it about the reasoning before it."""
        item = dict_of(value, "item")
        if item.get("type") == "reasoning":
            self._thinks.add(value["output_index"])
            return b""
        ours = _is_our_call(item, self._is_ours)
        before = b""
        if ours:
            self._changed = True
            self._reasoning = []
        else:
            before = self._reasoned()
        self._thinks = set()
        self._shown_indexes[value["output_index"]] = None if ours else self._next
        self._next += not ours
        return before

    def _reasoned(self) -> bytes:
        """The reasoning that was held, now that it may be shown."""
        held, self._reasoning = self._reasoning, []
        for _, value in held:
            if value["output_index"] not in self._shown_indexes:
                self._shown_indexes[value["output_index"]] = self._next
                self._next += 1
        return b"".join(self._of_item(event, value) for event, value in held)

    def _of_item(self, event: bytes, value: dict[str, Any]) -> bytes:
        index = self._shown_indexes.get(value["output_index"], value["output_index"])
        if index is None:
            return b""
        if value["type"] == "response.output_item.done" and isinstance(value.get("item"), dict):
            self._round_items.append(value["item"])
        return self._numbered(event, value if index == value["output_index"] else {**value, "output_index": index})

    def _numbered(self, event: bytes, value: dict[str, Any]) -> bytes:
        """The event with the next number, as it came if it had that and nothing else changed."""
        number = self._number
        self._number += 1
        if "sequence_number" not in value:
            return event if value == value_of(event) else event_of(value, named=True)
        if value["sequence_number"] == number and value == value_of(event):
            return event
        return event_of({**value, "sequence_number": number}, named=True)

    def next_round(self) -> bytes:
        for _, value in self._held:
            self._usage = added(self._usage, dict_of(value, "response").get("usage"))
        self._items += self._round_items
        self._round_items, self._held, self._reasoning = [], [], []
        self._shown_indexes, self._thinks = {}, set()
        self._rounds += 1
        self._events.rest()
        return b""

    def finish(self) -> bytes:
        before = self._reasoned()
        ended = b"".join(self._ended(event, value) for event, value in self._held)
        rest = self._events.rest()
        return before + ended + (rest if self._rounds == 1 else b"")

    def _ended(self, event: bytes, value: dict[str, Any]) -> bytes:
        response = value.get("response")
        if not isinstance(response, dict):
            return self._numbered(event, value)
        response = _without_our_tools(response, self._is_ours)
        if self._rounds == 1 and not self._changed:
            return self._numbered(event, {**value, "response": response})
        output = [*self._items, *_shown(blocks(response.get("output")), self._is_ours)]
        joined = {**response, "output": output, "usage": added(self._usage, response.get("usage"))}
        if self._id is not None:
            joined["id"] = self._id
        return self._numbered(event, {**value, "response": joined})

    def failed(self, error: bytes) -> bytes:
        about = (error_value(error_line(error, WIRE.error)) or {}).get("error")
        said = about if isinstance(about, dict) else {}
        told = {"type": "error", "code": said.get("code"), "message": said.get("message"), "param": said.get("param")}
        return event_of({**told, "sequence_number": self._number}, named=True)
