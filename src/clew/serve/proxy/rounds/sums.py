"""What all formats need to join rounds: events as they came, sums of usage, and JSON as bytes."""

import json
import re
from typing import Any, Final

_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_DECODER: Final = json.JSONDecoder(strict=False)


MOST_HELD: Final = 32 << 20
"""Bytes of an event that are held back until it ends; a longer one is given in parts, none of which can be read."""
_BEFORE: Final = 3
"""Bytes before a piece in which the end of an event may begin."""


class RawEvents:
    """Cuts a stream of server-sent events into events, each with its bytes as they came."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """The events that end in this piece, each with the empty line that ends it."""
        searched = max(0, len(self._rest) - _BEFORE)
        self._rest += piece
        found = []
        start = 0
        for end in _END.finditer(self._rest, searched):
            if end.end() == len(self._rest) and end[0] == b"\r\r":
                break  # a line feed may follow, which belongs to it
            found.append(bytes(self._rest[start : end.end()]))
            start = end.end()
        del self._rest[:start]
        if len(self._rest) > MOST_HELD:
            found.append(self.rest())
        return found

    def rest(self) -> bytes:
        """What came after the last whole event; it is then gone from here."""
        rest, self._rest = bytes(self._rest), bytearray()
        return rest


def data_of(event: bytes) -> str:
    """The data of an event; its lines joined."""
    lines = event.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return "\n".join(
        line[5:].removeprefix(b" ").decode("utf-8", "replace") for line in lines if line.startswith(b"data:")
    )


def value_of(event: bytes) -> dict[str, Any] | None:
    """The object that is the data of an event; None for anything else."""
    try:
        value = _DECODER.decode(data_of(event))
    except (ValueError, RecursionError):  # relayed as it came
        return None
    return value if isinstance(value, dict) else None


def compact(value: object) -> bytes:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def event_of(value: dict[str, Any], *, named: bool) -> bytes:
    """An event with this data, and with its type as its name where the format names events."""
    name = f"event: {value['type']}\n".encode() if named else b""
    return name + b"data: " + compact(value) + b"\n\n"


def added(first: Any, second: Any) -> Any:
    """Two reports of usage as one: numbers are added, also inside objects and in lists by place; else the later."""
    if isinstance(first, dict) and isinstance(second, dict):
        names = list(first) + [name for name in second if name not in first]
        return {name: added(first.get(name), second.get(name)) for name in names}
    if _is_number(first) and _is_number(second):
        return first + second
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [added(*pair) for pair in zip(first, second, strict=True)]
    return first if second is None else second


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


PARAGRAPH: Final = "\n\n"
"""Between the texts of two rounds in formats whose answer is one text."""
