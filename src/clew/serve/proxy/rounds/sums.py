"""What all formats need to join rounds: events as they came, sums of usage, errors, and JSON as bytes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from clew.serve.proxy.lenient_json import read_json

_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")


MOST_HELD: Final = 32 << 20
"""Bytes of an event that are held back until it ends; a longer one is given in parts, none of which can be read."""
_LINE_END: Final = re.compile(rb"[\r\n]")
_BAD_GATEWAY: Final = 502
_SHOWN: Final = 200
"""Characters of a body that is not JSON in the message of an error."""
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
        events = []
        start = 0
        for end in _END.finditer(self._rest, searched):
            if end.end() == len(self._rest) and end[0] == b"\r\r":
                break  # a line feed may follow, which belongs to it
            events.append(bytes(self._rest[start : end.end()]))
            start = end.end()
        del self._rest[:start]
        if len(self._rest) > MOST_HELD:
            events.append(self.rest())
        return events

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
        value = read_json(data_of(event))
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


def summed(rounds: Sequence[Mapping[str, Any]], name: str) -> Any:
    """The reports of usage of all rounds as one; `name` is the member of an answer that holds them."""
    usage = rounds[0].get(name)
    for answer in rounds[1:]:
        usage = added(usage, answer.get(name))
    return usage


def error_value(error: bytes) -> dict[str, Any] | None:
    """The object in a provider's body of an error; None for anything else, such as the page of a load balancer.

    Gemini puts it into a list where the answer would have been one.
    """
    try:
        value = read_json(error)
    except (ValueError, RecursionError):
        return None
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else None


def error_line(error: bytes, in_shape: Callable[[int, str], bytes]) -> bytes:
    """A provider's body of an error as JSON in one line, since a line end would end the data of an event.

    Args:
        in_shape: gives an error in the shape of the client's API, for a body that is none.
    """
    value = error_value(error)
    if value is None:
        return in_shape(_BAD_GATEWAY, error.decode("utf-8", "replace").strip()[:_SHOWN] or "no reason was given")
    return error if error.startswith(b"{") and not _LINE_END.search(error) else compact(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


PARAGRAPH: Final = "\n\n"
"""Between the texts of two rounds in formats whose answer is one text."""
