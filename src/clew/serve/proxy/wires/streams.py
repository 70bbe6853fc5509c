"""Takes streams apart: server-sent events, or the elements of a JSON list, from bytes in pieces of any size.

`LazyReader` is the `AnswerReader` of every format. While a stream is relayed it only keeps the pieces; they are read
when somebody asks for the answer, which the event loop never does.
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from clew.serve.proxy.exchange import Answer
from clew.serve.proxy.lenient_json import read_json

_LINE_ENDS: Final = (b"\r", b"\n")
_OUTSIDE: Final = re.compile(rb'[^{}"]*+([{}"])')
_IN_STRING: Final = re.compile(rb'(?s:[^"\\]++|\\.)*+(["\\])')
"""Up to the end of the string; up to a backslash where the piece ends with it."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """A server-sent event: its name, empty when the stream gives none, and its data."""

    name: str
    data: str


class EventStream:
    """Reads server-sent events. Pieces may end anywhere, also inside a character or between CR and LF."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of a line that has not ended
        self._is_first = True
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """The events that end in this piece."""
        self._pieces.append(piece)
        if not any(mark in piece for mark in _LINE_ENDS) and not self._pieces[0].endswith(b"\r"):
            return []
        text = b"".join(self._pieces)
        held = text[-1:] if text.endswith(b"\r") else b""  # a line feed may follow, which belongs to it
        *lines, rest = _lines(text[: len(text) - len(held)])
        self._pieces = [rest + held]
        return [event for line in lines if (event := self._line(line)) is not None]

    def pending(self) -> str:
        """Data of the event that has not ended."""
        line = b"".join(self._pieces).rstrip(b"\r").decode("utf-8", "replace")
        more = [line.removeprefix("data:").strip()] if line.startswith("data:") else []
        return "\n".join((*self._data, *more))

    def drop_pending(self) -> None:
        """Forgets the event that has not ended, and the end of its line when that still comes."""
        self._pieces, self._data, self._name = [], [], ""

    def _line(self, line: bytes) -> StreamEvent | None:
        if self._is_first:
            line, self._is_first = line.removeprefix(codecs.BOM_UTF8), False
        if not line:
            event = StreamEvent(self._name, "\n".join(self._data)) if self._data else None
            self._name, self._data = "", []
            return event
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None


def _lines(text: bytes) -> list[bytes]:
    """The lines of a text and what follows the last line end; CR, LF and CR LF end a line."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


class ListStream:
    """Reads the objects of a JSON list that comes in pieces, as Gemini streams without `alt=sse`.

    Each byte is looked at once, and each object is decoded once, when its brace closes.
    """

    def __init__(self, decode: Callable[[str], Any] = read_json) -> None:
        self._decode = decode
        self._begun = bytearray()  # of an object that has not ended
        self._depth = 0
        self._in_string = False
        self._is_escaped = False  # the last piece ended with a backslash in a string

    def feed(self, piece: bytes) -> list[dict[str, Any]]:
        """The objects that end in this piece; one that is not JSON is passed over."""
        ended: list[bytes] = []
        start, at = 0, int(self._is_escaped)
        if piece:
            self._is_escaped = False
        while (match := (_IN_STRING if self._in_string else _OUTSIDE).match(piece, at)) is not None:
            mark, at = match[1], match.end()
            if mark == b'"':
                self._in_string = not self._in_string
            elif mark == b"\\":
                self._is_escaped = True
            elif mark == b"{":
                start = start if self._depth else at - 1
                self._depth += 1
            elif self._depth:
                self._depth -= 1
                if not self._depth:
                    ended.append(bytes(self._begun + piece[start:at]))
                    self._begun.clear()
        if self._depth:
            self._begun += piece[start:]
        return [value for text in ended if (value := self._value(text)) is not None]

    @property
    def held(self) -> int:
        """Bytes of the object that has not ended."""
        return len(self._begun)

    def rest(self) -> bytes:
        """What has come of the object that has not ended."""
        return bytes(self._begun)

    def _value(self, text: bytes) -> dict[str, Any] | None:
        try:
            value: dict[str, Any] = self._decode(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
        return value


class Assembler(Protocol):
    """Puts an answer together from the parsed events of one format."""

    def take(self, value: dict[str, Any]) -> None:
        """Takes the next event; one of an unknown shape is passed over."""
        ...

    def end(self) -> None:
        """Takes the mark `[DONE]`."""
        ...

    def answer(self) -> Answer:
        """What has come so far."""
        ...


class LazyReader:
    """An answer's stream, kept as it comes and read when the answer is asked for.

    A body that is not a stream is taken for a whole answer, since servers answer an error so.
    """

    def __init__(self, assembler: Assembler, whole: Callable[[bytes], Answer]) -> None:
        self._assembler = assembler
        self._whole = whole
        self._new: list[bytes] = []
        self._kept = b""
        self._events: EventStream | ListStream | None = None
        self._is_whole = False

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes."""
        self._new.append(piece)

    def answer(self) -> Answer:
        """What has come so far."""
        piece, self._new = b"".join(self._new), []
        if self._events is None and not self._is_whole:
            piece = self._recognised(self._kept + piece)
        if self._is_whole:
            self._kept += piece
            return self._whole(self._kept)
        if self._events is None:
            return Answer(complete=False)
        self._read(piece)
        return self._assembler.answer()

    def _recognised(self, text: bytes) -> bytes:
        """Chooses by the first byte how to read the stream."""
        start = text.removeprefix(codecs.BOM_UTF8).lstrip()
        if not start:
            self._kept = text
            return b""
        self._kept = b""
        if start.startswith(b"{"):
            self._is_whole = True
        else:
            self._events = ListStream() if start.startswith(b"[") else EventStream()
        return text

    def _read(self, piece: bytes) -> None:
        if isinstance(self._events, ListStream):
            for value in self._events.feed(piece):
                self._assembler.take(value)
        elif self._events is not None:
            for event in self._events.feed(piece):
                self._take_data(event.data)
            if self._take_data(self._events.pending()):  # some servers leave out the empty line at the end
                self._events.drop_pending()

    def _take_data(self, data: str) -> bool:
        """Whether the data was a whole event; what was none is passed over, since it was relayed all the same."""
        if data.strip() == "[DONE]":
            self._assembler.end()
            return True
        try:
            self._take(read_json(data))
        except (ValueError, RecursionError):
            return False
        return True

    def _take(self, value: Any) -> None:
        if isinstance(value, dict):
            self._assembler.take(value)
