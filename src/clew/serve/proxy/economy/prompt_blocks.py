"""A request as the blocks that a provider's cache compares, before and after our edits."""

import hashlib
import json
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clew.condense.message_tokens import part_tokens
from clew.condense.wires import Message
from clew.serve.proxy.economy.cache_model import Block
from clew.serve.proxy.exchange import ChatRequest, Edit, Span, edited
from clew.serve.proxy.history_prefixes import HistoryPrefixes
from clew.serve.proxy.lenient_json import read_json
from clew.serve.proxy.wires import WIRES, before_messages
from clew.text.counters import Counter

MINUTES: Final = 300.0
HOUR: Final = 3600.0
DAY: Final = 86_400.0

_HISTORIES: Final = 64
"""Histories of which the hashes of all messages are remembered."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_MARKS: Final = ("cache_control", "prompt_cache_breakpoint")
_HEADS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("tools", "system"),
    "openai": ("tools", "functions", "response_format"),
    "responses": ("tools", "instructions", "text"),
    "gemini": ("tools", "systemInstruction", "system_instruction", "cachedContent"),
}
"""Members before the messages that are part of the prompt, in the order in which the provider reads them."""

_SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {"anthropic": ("tool_choice", "thinking")}
"""Members without tokens of their own that make the messages another prompt."""

_PARTS: Final[Mapping[str, str]] = {"anthropic": "content", "gemini": "parts"}


class BlockReader:
    """Makes the blocks of requests; what it has read of a message serves the later requests that resend it."""

    def __init__(self, count: Counter, most: int = 16 << 20) -> None:
        """Counts by `count`; remembers the last messages, of `most` bytes together."""
        self._count = count
        self._most, self._bytes = most, 0
        self._known: OrderedDict[bytes, tuple[Block, ...]] = OrderedDict()
        self._histories: HistoryPrefixes[tuple[bytes, ...]] = HistoryPrefixes(_HISTORIES)
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes of the messages that are remembered."""
        return self._bytes

    def head(self, request: ChatRequest) -> list[Block]:
        """The blocks before the messages: tools, the system prompt, and settings that make it another prompt."""
        wire, value = request.wire, request.value
        blocks = [
            self._block(wire, name, part) for name in _HEADS[wire] if name in value for part in _as_list(value[name])
        ]
        blocks += [self._block(wire, "message", message) for message in before_messages(request)]
        settings = {name: value[name] for name in _SETTINGS.get(wire, ()) if name in value}
        return [*blocks, Block(_ENCODER.encode(settings).encode("utf-8", "surrogatepass"), 0)] if settings else blocks

    def messages(
        self, request: ChatRequest, edits: Sequence[Edit] = (), plain: Sequence[tuple[Block, ...]] | None = None
    ) -> list[tuple[Block, ...]]:
        """The blocks of each message, once the edits are made.

        Args:
            plain: the blocks without edits, where they are known.
        """
        if plain is None:
            plain = self._plain(request)
        if not edits:
            return list(plain)
        inside: dict[int, list[Edit]] = {}
        first, last = (request.spans[0].start, request.spans[-1].end) if request.spans else (0, 0)
        among = [edit for edit in edits if first <= edit.span.start and edit.span.end <= last]
        for edit in among:
            holder = _holder(request.spans, edit)
            if holder is None:
                return self._all_anew(request, among)
            inside.setdefault(holder, []).append(edit)
        return [
            self._message(request.wire, _stretch(request.body, request.spans[index], inside[index]))
            if index in inside
            else message
            for index, message in enumerate(plain)
        ]

    def blocks(self, request: ChatRequest, edits: Sequence[Edit] = ()) -> list[Block]:
        """All blocks of a request, once the edits are made."""
        listed = [*self.head(request), *self.added(request, edits)]
        listed += [block for message in self.messages(request, edits) for block in message]
        asked = asked_for(request)
        return [*listed[:-1], replace(listed[-1], mark=max(listed[-1].mark, asked))] if listed and asked else listed

    def tokens(self, request: ChatRequest, edits: Sequence[Edit] = ()) -> int:
        """Tokens of the whole prompt, once the edits are made."""
        return sum(block.tokens for block in self.blocks(request, edits))

    def added(self, request: ChatRequest, edits: Sequence[Edit]) -> Iterator[Block]:
        """What edits add outside of the messages, as tools."""
        if edits and request.spans:
            first, last = request.spans[0].start, request.spans[-1].end
            for edit in edits:
                if not (first <= edit.span.start and edit.span.end <= last) and edit.text:
                    yield Block(edit.text, self._count(edit.text.decode("utf-8", "replace")))

    def _all_anew(self, request: ChatRequest, edits: Sequence[Edit]) -> list[tuple[Block, ...]]:
        first, last = request.spans[0].start, request.spans[-1].end
        moved = [Edit(Span(edit.span.start - first, edit.span.end - first), edit.text) for edit in edits]
        text = edited(request.body[first:last], moved)
        is_list = isinstance(request.value.get(WIRES[request.wire].messages_member), list)
        messages = read_json(b"[" + text + b"]") if is_list else _as_list(read_json(text))
        return [
            self._message(request.wire, _ENCODER.encode(message).encode("utf-8", "surrogatepass"))
            for message in messages
        ]

    def _plain(self, request: ChatRequest) -> list[tuple[Block, ...]]:
        """The blocks of each message as it came."""
        wire, body, spans = request.wire, request.body, request.spans
        begun = self._histories.find(request)
        keys = list(() if begun.value is None else begun.value[: begun.count])
        keys += [_key(wire, body[span.start : span.end]) for span in spans[len(keys) :]]
        if begun.keys:
            self._histories.keep(begun, len(keys), tuple(keys))
        return [
            blocks if blocks is not None else self._read_now(key, wire, _value(request, index))
            for index, (key, blocks) in enumerate(zip(keys, self._read_before(keys), strict=True))
        ]

    def _read_before(self, keys: Sequence[bytes]) -> list[tuple[Block, ...] | None]:
        """The blocks of messages that are remembered; None for each other one."""
        known = self._known
        with self._lock:
            rows = [known.get(key) for key in keys]
            for key, blocks in zip(keys, rows, strict=True):
                if blocks is not None:
                    known.move_to_end(key)
        return rows

    def _message(self, wire: str, raw: bytes) -> tuple[Block, ...]:
        key = _key(wire, raw)
        (known,) = self._read_before([key])
        return known if known is not None else self._read_now(key, wire, read_json(raw))

    def _read_now(self, key: bytes, wire: str, message: Any) -> tuple[Block, ...]:
        known = tuple(self._blocks_of(wire, message))
        with self._lock:
            if key not in self._known:
                self._known[key] = known
                self._bytes += _size(known)
            while self._bytes > self._most and len(self._known) > 1:
                self._bytes -= _size(self._known.popitem(last=False)[1])
        return known

    def _blocks_of(self, wire: str, message: Any) -> Iterator[Block]:
        name = _PARTS.get(wire)
        if name is None or not isinstance(message, dict):
            yield self._block(wire, "message", message)
            return
        role = str(message.get("role", ""))
        content = message.get(name)
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else _as_list(content):
            yield self._block(wire, role, part)

    def _block(self, wire: str, kind: str, value: Any) -> Block:
        bare, mark = _without_mark(value)
        data = f"{kind}\x1f{_ENCODER.encode(bare)}".encode("utf-8", "surrogatepass")
        if isinstance(bare, str):
            return Block(data, self._count(bare), mark)
        return Block(data, part_tokens(bare, wire, self._count) if isinstance(bare, dict) else 0, mark)


def _value(request: ChatRequest, index: int) -> Any:
    """What stands in the body as a message: the message as it was read, or a text that was made one."""
    span = request.spans[index]
    is_object = request.body.startswith(b"{", span.start)
    return request.messages[index] if is_object else read_json(request.body[span.start : span.end])


def _key(wire: str, raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16, person=wire.encode()).digest()


def asked_for(request: ChatRequest) -> float:
    """Seconds for which a request asks as a whole to keep its prompt; 0 if it does not ask."""
    if request.wire == "anthropic":
        return _mark(request.value)
    return DAY if request.value.get("prompt_cache_retention") == "24h" else 0.0


def _without_mark(value: Any) -> tuple[Any, float]:
    """A part without its cache mark, and the mark's seconds."""
    if not isinstance(value, Mapping):
        return value, 0.0
    mark = _mark(value)
    if mark:
        return {name: inner for name, inner in value.items() if name not in _MARKS}, mark
    inner = value.get("content")
    if isinstance(inner, list) and (within := max((_mark(part) for part in inner), default=0.0)):
        return {**value, "content": [_without_mark(part)[0] for part in inner]}, within
    return value, 0.0


def without_marks(message: Message) -> Message:
    """A message without the cache marks of its parts."""
    bare = {name: value for name, value in message.items() if name not in _MARKS}
    for name in _PARTS.values():
        if isinstance(bare.get(name), list):
            bare[name] = [_without_mark(part)[0] for part in bare[name]]
    return bare


def _mark(value: Any) -> float:
    asked = next((value[name] for name in _MARKS if value.get(name)), None) if isinstance(value, Mapping) else None
    if asked is None:
        return 0.0
    return HOUR if isinstance(asked, Mapping) and asked.get("ttl") == "1h" else MINUTES


def _size(blocks: Sequence[Block]) -> int:
    """About the bytes that the blocks of a message take up."""
    return sum(len(block.data) + 200 for block in blocks)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _stretch(body: bytes, span: Span, edits: Sequence[Edit] = ()) -> bytes:
    raw = body[span.start : span.end]
    if not edits:
        return raw
    return edited(
        raw, [Edit(Span(edit.span.start - span.start, edit.span.end - span.start), edit.text) for edit in edits]
    )


def _holder(spans: Sequence[Span], edit: Edit) -> int | None:
    """The message inside of which an edit lies; None for one that adds, removes or replaces messages."""
    index = bisect_right(spans, edit.span.start, key=lambda span: span.start) - 1
    held = index >= 0 and spans[index].start < edit.span.start and edit.span.end < spans[index].end
    return index if held else None
