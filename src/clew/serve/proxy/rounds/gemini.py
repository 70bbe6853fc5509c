"""Joins rounds in the format of Gemini: `generateContent`, and streams as events or as one JSON list.

The client sees one response, or one stream of responses, with the parts of all rounds without our calls.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.condense.wires import Message
from clew.condense.wires.protocol import blocks
from clew.ingest.importers.json_fields import dict_of
from clew.serve.proxy.exchange import ChatRequest, ToolCall
from clew.serve.proxy.rounds.protocol import IsOurs
from clew.serve.proxy.rounds.sums import MOST_HELD, RawEvents, added, compact, error_line, summed, value_of
from clew.serve.proxy.wires.gemini import GEMINI as WIRE
from clew.serve.proxy.wires.streams import ListStream

_CALLS: Final = ("functionCall", "function_call")
_DECLARATIONS: Final = frozenset(("functionDeclarations", "function_declarations"))


@dataclass(frozen=True, slots=True)
class _Gemini:
    def may_offer(self, request: ChatRequest) -> bool:
        value = request.value
        config = dict_of(value, "generationConfig") or dict_of(value, "generation_config")
        several = (config.get("candidateCount") or config.get("candidate_count") or 1) != 1
        chosen = dict_of(value, "toolConfig") or dict_of(value, "tool_config")
        calling = dict_of(chosen, "functionCallingConfig") or dict_of(chosen, "function_calling_config")
        cached = value.get("cachedContent") or value.get("cached_content")  # brings its tools; others are refused
        if several or cached or calling.get("mode") not in (None, "AUTO", "MODE_UNSPECIFIED"):
            return False
        kinds = _kinds_of_tools(value)
        has_own = not kinds.isdisjoint(_DECLARATIONS)  # then its model takes functions beside the rest
        return has_own or not (kinds or _wants_other_than_text(config))

    def last_round(self) -> Mapping[str, Any]:
        return {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}

    def whole(self, rounds: Sequence[dict[str, Any]], is_ours: IsOurs) -> dict[str, Any]:
        last = rounds[-1]
        parts = [part for exchange in rounds for part in _shown(_candidate(exchange), is_ours)]
        candidate = _candidate(last)
        content = {"role": "model", **dict_of(candidate, "content"), "parts": parts}
        usage = summed(rounds, "usageMetadata")
        return {**last, "candidates": [{**candidate, "content": content}], "usageMetadata": usage}

    def stream(self, is_ours: IsOurs) -> "_Stream":
        return _Stream(is_ours)

    def is_answer(self, message: Message) -> bool:
        return message.get("role") == "model"

    def calls_of(self, message: Message) -> tuple[ToolCall, ...]:
        called = (part[name] for part in blocks(message.get("parts")) for name in _CALLS if name in part)
        return tuple(
            ToolCall(str(call.get("id") or ""), str(call.get("name")), json.dumps(call.get("args", {})))
            for call in called
            if isinstance(call, dict)
        )

    def results_member(self) -> str | None:
        return "parts"

    def is_stored(self, _request: ChatRequest, /) -> bool:
        return False

    def sendable(self, _request: ChatRequest, messages: Iterable[Message], /) -> tuple[Message, ...]:
        return tuple(messages)


GEMINI: Final = _Gemini()


def _kinds_of_tools(value: Mapping[str, Any]) -> set[str]:
    """The kinds of tools in a request: functions, or Google's own, such as its search; most models refuse both."""
    tools = value.get("tools")
    return {kind for tool in blocks([tools] if isinstance(tools, dict) else tools) for kind in tool}


def _wants_other_than_text(config: Mapping[str, Any]) -> bool:
    """Whether the answer shall be JSON, an image or sound: all but the latest models then refuse functions."""
    kind = config.get("responseMimeType") or config.get("response_mime_type") or "text/plain"
    kinds = config.get("responseModalities") or config.get("response_modalities") or ["TEXT"]
    return kind != "text/plain" or kinds != ["TEXT"]


def _candidate(value: Mapping[str, Any]) -> dict[str, Any]:
    return next((block for block in blocks(value.get("candidates")) if not block.get("index")), {})


def _is_our_call(part: Mapping[str, Any], is_ours: IsOurs) -> bool:
    calls = (part[name] for name in _CALLS if isinstance(part.get(name), dict))
    return any(is_ours(str(call.get("name"))) for call in calls)


def _parts(candidate: Mapping[str, Any]) -> list[dict[str, Any]]:
    return blocks(dict_of(candidate, "content").get("parts"))


def _shown(candidate: Mapping[str, Any], is_ours: IsOurs) -> list[dict[str, Any]]:
    return [part for part in _parts(candidate) if not _is_our_call(part, is_ours)]


class _Stream:
    def __init__(self, is_ours: IsOurs) -> None:
        self._is_ours = is_ours
        self._source: RawEvents | ListStream | None = None
        self._begun = b""  # of the first round, before it is known what kind of stream it is
        self._is_list = False
        self._sent = 0  # responses that the client has
        self._rounds = 1
        self._id: object = None
        self._held: list[tuple[bytes, dict[str, Any]]] = []
        self._usage: Any = None
        self._size = 0  # of the round
        self._is_raw = False  # since an element is too long to be read

    def feed(self, piece: bytes) -> bytes:
        if self._is_raw:
            return piece
        self._size += len(piece)
        if self._source is None:
            if not piece.strip() and self._size <= MOST_HELD:
                self._begun += piece
                return b""
            piece, self._begun = self._begun + piece, b""
            self._is_list = piece.lstrip().startswith(b"[")
            self._source = ListStream() if self._is_list else RawEvents()
        if isinstance(self._source, ListStream):
            out = b"".join(self._relayed(b"", value) for value in self._source.feed(piece))
            return out + self._raw(self._source.rest()) if self._source.held > MOST_HELD else out
        events = ((event, value_of(event)) for event in self._source.feed(piece))
        return b"".join(event if value is None else self._relayed(event, value) for event, value in events)

    def _raw(self, begun: bytes) -> bytes:
        """The beginning of an element that is too long to be held; all that follows it is given as it comes."""
        self._is_raw = True
        return self._released() + self._separator() + begun

    def _relayed(self, event: bytes, value: dict[str, Any]) -> bytes:
        if self._size > MOST_HELD:  # no further round follows so long an answer
            return self._released() + self._response(event, value, last=True)
        if self._held or _candidate(value).get("finishReason") or "candidates" not in value:
            self._held.append((event, value))
            return b""
        return self._response(event, value)

    def _released(self) -> bytes:
        """The responses that were held back for a further round."""
        held, self._held = self._held, []
        return b"".join(self._ended(event, value) for event, value in held)

    def _response(self, event: bytes, value: dict[str, Any], *, last: bool = False) -> bytes:
        """A response as the client sees it; empty when nothing is left of it."""
        self._id = self._id or value.get("responseId")
        candidate = _candidate(value)
        shown = _shown(candidate, self._is_ours)
        content, parts = candidate.get("content"), _parts(candidate)
        if event and self._rounds == 1 and len(shown) == len(parts) and not last:
            return event
        if parts and not shown and not last:
            return b""
        told = {**value, **({} if self._id is None else {"responseId": self._id})}
        if candidate and isinstance(content, dict):
            told["candidates"] = [{**candidate, "content": {**content, "parts": shown or [{"text": ""}]}}]
        return self._framed(told)

    def _framed(self, value: dict[str, Any]) -> bytes:
        if not self._is_list:
            return b"data: " + compact(value) + b"\r\n\r\n"
        return self._separator() + compact(value)

    def _separator(self) -> bytes:
        """What stands before the next element of a list."""
        self._sent += 1
        return b"[" if self._sent == 1 else b",\r\n"

    def next_round(self) -> bytes:
        out = b""
        for _, value in self._held:
            self._usage = added(self._usage, value.get("usageMetadata"))
            open_ended = {name: told for name, told in _candidate(value).items() if name != "finishReason"}
            if _shown(open_ended, self._is_ours):
                out += self._response(b"", {**value, "candidates": [open_ended]})
        self._held, self._source, self._size = [], None, 0
        self._rounds += 1
        return out

    def finish(self) -> bytes:
        if self._is_raw:
            return b""
        unchanged = self._rounds == 1 and all(
            event and len(_shown(candidate, self._is_ours)) == len(_parts(candidate))
            for event, value in self._held
            for candidate in [_candidate(value)]
        )
        rest = self._source.rest() if isinstance(self._source, RawEvents) else b""
        if unchanged and not self._is_list:
            return self._begun + b"".join(event for event, _ in self._held) + rest
        out = self._released()
        out += rest if self._rounds == 1 else b""
        if self._is_list:
            out += b"]" if self._sent else b"[]"
        return self._begun + out

    def _ended(self, event: bytes, value: dict[str, Any]) -> bytes:
        usage = added(self._usage, value.get("usageMetadata"))
        return self._response(event, {**value, **({} if usage is None else {"usageMetadata": usage})}, last=True)

    def failed(self, error: bytes) -> bytes:
        line = error_line(error, WIRE.error)
        return self._separator() + line + b"]" if self._is_list else b"data: " + line + b"\r\n\r\n"
