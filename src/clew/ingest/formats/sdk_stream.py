"""Puts the pieces of a streamed answer together: events of the SDKs of OpenAI, Anthropic and Google, or plain text.

Each piece is read when it arrives, because the SDKs go on changing the objects that they have handed out.
"""

import codecs
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from clew.ingest.formats.sdk import JsonObject, joined_items, messages_in, plain

_GROWING: Final = ("text", "thinking", "signature", "content", "partial_json")
"""Members of a delta of Anthropic whose pieces make up a text of the block."""

_OLD_CALL: Final = -1
_AUDIO: Final = -2
"""Stand in the place of a call for what a message of Chat Completions has only one of."""


class StreamedAnswer:
    """An answer that comes in pieces. A piece of an unknown shape is passed over."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._refusals: list[str] = []
        self._calls: dict[int, JsonObject] = {}
        self._call_texts: dict[tuple[int, str], list[str]] = {}
        self._blocks: dict[int, JsonObject] = {}
        self._block_texts: dict[tuple[int, str], list[str]] = {}
        self._parts: list[JsonObject] = []
        self._run: list[str] = []  # texts of the last part
        self._items: list[JsonObject] = []
        self._unfinished: dict[str, list[str]] = {}
        self._whole: list[JsonObject] = []

    def take(self, piece: Any) -> None:
        """Adds the next piece."""
        if isinstance(piece, str):
            self._text.append(piece)
        elif isinstance(piece, bytes | bytearray):
            self._text.append(self._decoder.decode(piece))
        elif (reader := self.READERS.get(_kind(piece))) is not None:
            reader(self, piece)
        else:
            self._take_message(piece)

    def messages(self) -> list[JsonObject]:
        """The messages that the pieces so far make up."""
        if self._whole:
            return self._whole
        self._join_run()
        unfinished = ("".join(texts) for texts in self._unfinished.values())
        items = [*self._items, *({"type": "message", "role": "assistant", "content": text} for text in unfinished)]
        content = [self._block(place) for place in sorted(self._blocks)]
        text = "".join(self._text)
        message = {
            **({"reasoning_content": "".join(self._thoughts)} if self._thoughts else {}),
            **({"content": text} if text else {}),
            **({"refusal": "".join(self._refusals)} if self._refusals else {}),
            **({"tool_calls": [self._call(place) for place in sorted(self._calls)]} if self._calls else {}),
            **self._beside("function_call", _OLD_CALL),
            **self._beside("audio", _AUDIO),
        }
        return [
            *joined_items(items),
            *([{"role": "assistant", "content": content}] if content else []),
            *([{"role": "model", "parts": list(self._parts)}] if self._parts else []),
            *([{"role": "assistant", **message}] if message else []),
        ]

    def _take_message(self, piece: Any) -> None:
        """A chunk of Chat Completions or of Gemini, or a message with a piece of text (Ollama, LangChain)."""
        choices, candidates, message = (_member(piece, name) for name in ("choices", "candidates", "message"))
        if choices:
            for choice in _items(choices):
                if not _member(choice, "index"):  # of several answers the first counts
                    self._take_choice(choice)
        elif candidates:
            for candidate in _items(candidates)[:1]:
                for part in _items(_member(_member(candidate, "content"), "parts")):
                    self._take_part(plain(part))
        else:
            self._take_content(piece if message is None else message)

    def _take_content(self, message: Any) -> None:
        content = _member(message, "content")
        if isinstance(content, str):
            self._text.append(content)

    def _take_choice(self, choice: Any) -> None:
        delta = _member(choice, "delta")
        if delta is None:
            delta = {"content": _member(choice, "text")}
        thought = _member(delta, "reasoning_content") or _member(delta, "reasoning")
        texts = (_member(delta, "content"), self._text), (_member(delta, "refusal"), self._refusals)
        for text, texts_so_far in (*texts, (thought, self._thoughts)):
            if isinstance(text, str):
                texts_so_far.append(text)
        for call in _items(_member(delta, "tool_calls")):
            self._take_call(call)
        self._take_texts(_OLD_CALL, _member(delta, "function_call"), ("name", "arguments"))
        self._take_texts(_AUDIO, _member(delta, "audio"), ("id", "transcript"))

    def _take_call(self, call: Any) -> None:
        goes_on = bool(self._calls) and not _member(call, "id")
        place = _place(call, len(self._calls) - goes_on)  # some servers give no place
        held = self._calls.setdefault(place, {"type": "function"})
        if _member(call, "id"):
            held["id"] = _member(call, "id")
        self._take_texts(place, _member(call, "function"), ("name", "arguments"))

    def _take_texts(self, place: int, piece: Any, names: tuple[str, str]) -> None:
        for name in names:
            if isinstance(text := _member(piece, name), str):
                self._call_texts.setdefault((place, name), []).append(text)

    def _call(self, place: int) -> JsonObject:
        function = {name: "".join(self._call_texts.get((place, name), ())) for name in ("name", "arguments")}
        return {**self._calls[place], "function": function}

    def _beside(self, name: str, place: int) -> JsonObject:
        """A member of the message that is put together of texts: its old kind of call, or what was spoken."""
        texts_by_part = {part: "".join(texts) for (held, part), texts in self._call_texts.items() if held == place}
        return {name: texts_by_part} if texts_by_part else {}

    def _take_part(self, part: Any) -> None:
        if not isinstance(part, dict):
            return
        goes_on = bool(self._run) and _is_only_text(part)
        if not goes_on or bool(part.get("thought")) != bool(self._parts[-1].get("thought")):
            self._join_run()
            self._run = []
            self._parts.append(part)
        if _is_only_text(part):
            self._run.append(part["text"])

    def _join_run(self) -> None:
        """Joins the texts of Gemini that follow one another."""
        if self._run:
            self._run = ["".join(self._run)]
            self._parts[-1] = {**self._parts[-1], "text": self._run[0]}

    def _take_chunk(self, event: Any) -> None:
        self.take(_member(event, "chunk"))

    def _open_block(self, event: Any) -> None:
        block = plain(_member(event, "content_block"))
        if isinstance(block, dict):
            self._blocks[_place(event, len(self._blocks))] = block

    def _extend_block(self, event: Any) -> None:
        place, delta = _place(event, -1), _member(event, "delta")
        if place not in self._blocks:
            return
        for name in _GROWING:
            if isinstance(piece := _member(delta, name), str):
                self._block_texts.setdefault((place, name), []).append(piece)
        if (citation := plain(_member(delta, "citation"))) is not None:
            block = self._blocks[place]
            self._blocks[place] = {**block, "citations": [*(block.get("citations") or ()), citation]}

    def _block(self, place: int) -> JsonObject:
        """A block with what was added to it; arguments that broke off stay text."""
        block = dict(self._blocks[place])
        for name in _GROWING:
            if (pieces := self._block_texts.get((place, name))) is not None:
                old = block.get(name)
                block[name] = (old if isinstance(old, str) else "") + "".join(pieces)
        if (arguments := block.pop("partial_json", None)) is not None:
            block["input"] = _parsed(arguments)
        return block

    def _extend_item(self, event: Any) -> None:
        if isinstance(text := _member(event, "delta"), str):
            self._unfinished.setdefault(str(_member(event, "item_id")), []).append(text)

    def _end_item(self, event: Any) -> None:
        item = plain(_member(event, "item"))
        if isinstance(item, dict):
            self._unfinished.pop(str(item.get("id")), None)
            self._items.append(item)

    def _end_response(self, event: Any) -> None:
        self._whole = messages_in(_member(event, "response")) or []

    def _pass_over(self, event: Any) -> None:
        """Helper events of the SDKs repeat what the event before them brought."""

    READERS: ClassVar[Mapping[str, Callable[[Any, Any], None]]] = {
        "chunk": _take_chunk,
        "content_block_start": _open_block,
        "content_block_delta": _extend_block,
        "response.output_text.delta": _extend_item,
        "response.refusal.delta": _extend_item,
        "response.output_item.done": _end_item,
        "response.completed": _end_response,
        "response.incomplete": _end_response,
        **dict.fromkeys(("message_start", "content.delta", "content.done"), _pass_over),
    }
    """How an event is read, by its `type`; other types are pieces of other shapes, or say nothing."""


def is_pieces(value: Any) -> bool:
    """Whether a value is a list of pieces, and not of messages or content blocks."""
    if not isinstance(value, list | tuple) or not value:
        return False
    return all(isinstance(piece, str) for piece in value) or any(map(_is_event, value))


def _is_event(piece: Any) -> bool:
    if _kind(piece) in StreamedAnswer.READERS or _member(piece, "candidates"):
        return True
    return any(_member(choice, "delta") is not None for choice in _items(_member(piece, "choices"))[:1])


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _place(piece: Any, missing: int) -> int:
    place = _member(piece, "index")
    return place if isinstance(place, int) else missing


def _kind(piece: Any) -> str:
    kind = _member(piece, "type")
    return kind if isinstance(kind, str) else ""


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _is_only_text(part: JsonObject) -> bool:
    """Whether a part of Gemini has nothing, such as a signature, that a longer text would not keep in its place."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
