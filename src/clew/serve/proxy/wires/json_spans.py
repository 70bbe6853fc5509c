"""Where the members and elements of a JSON body are, in bytes, so that a body can be edited without writing it anew.

The scanner of the standard library, in C, reads each value and tells where it ends; nothing here looks at single
characters of a value. Of two members with one name the last counts, as `json.loads` and the vendors' parsers have it.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from clew.errors import FormatError
from clew.serve.proxy.exchange import Span
from clew.serve.proxy.lenient_json import DECODER

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_COMMA: Final = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+(?!\])")
"""Between two elements of a list."""


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON object, parsed, and where its parts are in the body.

    Attributes:
        value: the object.
        members: for each member, where its value is.
        elements: for each element of the list that was asked for, where it is; empty when the member is not a list.
    """

    value: dict[str, Any]
    members: dict[str, Span]
    elements: tuple[Span, ...]


def read_body(body: bytes, elements_of: str) -> JsonBody:
    """Parses a JSON object in UTF-8, with or without a byte order mark.

    Args:
        elements_of: the member whose elements are to be located.

    Raises:
        FormatError: the body is not a JSON object in UTF-8, or is nested too deeply; the message says where.
    """
    mark = len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0
    try:
        text = body[mark:].decode() if mark else body.decode()
        reader = _Scanner(text)
        found = reader.whole_object(elements_of)
    except UnicodeDecodeError as error:
        raise FormatError(f"the body is no UTF-8 at byte {error.start + mark}: send JSON in UTF-8") from None
    except RecursionError:
        raise FormatError("the body is nested too deeply; send fewer objects and lists inside each other") from None
    except ValueError as error:
        raise FormatError(f"the body is no JSON object: {error!s:.200}") from None
    return _in_bytes(found, text, mark)


def member_spans(body: bytes, span: Span) -> dict[str, Span]:
    """Where the values of an object's members are; the object is at `span` of a body that was read."""
    scanner = _Scanner(_as_characters(body, span))
    return {
        name: Span(span.start + start, span.start + end) for name, _, (start, end) in scanner.members(scanner.space(0))
    }


def element_spans(body: bytes, span: Span) -> list[Span]:
    """Where the elements of a list are; the list is at `span` of a body that was read."""
    scanner = _Scanner(_as_characters(body, span))
    return [Span(span.start + start, span.start + end) for _, (start, end) in scanner.elements(scanner.space(0))]


def whole(body: bytes) -> Span:
    """Where the JSON text of a body is: all of it but a byte order mark."""
    return Span(len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0, len(body))


def _as_characters(body: bytes, span: Span) -> str:
    """The bytes as one character each: JSON's marks are ASCII, so the structure is the same, and offsets are bytes."""
    return body[span.start : span.end].decode("latin-1")


_Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Found:
    value: dict[str, Any]
    members: dict[str, _Range]
    elements: list[_Range]


class _Scanner:
    """Reads the structure of a JSON text down to the values that are asked for; offsets are in characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.end = 0  # of the object or list that was read last

    def whole_object(self, elements_of: str) -> _Found:
        found = _Found({}, {}, [])
        for name, value, span in self.members(self.space(0), elements_of, found.elements):
            found.value[name] = value
            found.members[name] = span
        if (after := self.space(self.end)) != len(self._text):
            raise ValueError(f"text follows its end at character {after}")
        return found

    def members(
        self, at: int, elements_of: str | None = None, elements: list[_Range] | None = None
    ) -> Iterator[tuple[str, Any, _Range]]:
        """The members of the object at an offset: name, value and span of the value."""
        text = self._text
        if not text.startswith("{", at):
            raise ValueError(f"expected an object at character {at}")
        at = self.space(at + 1)
        while not text.startswith("}", at):
            if not text.startswith('"', at):
                raise ValueError(f"expected a name in quotes at character {at}")
            name, at = DECODER.raw_decode(text, at)
            at = self.space(self._mark(":", self.space(at)))
            if name == elements_of and elements is not None:
                elements.clear()  # of a member that occurs twice, the last counts
                value, end = self._list_or_value(at, elements)
            else:
                value, end = DECODER.raw_decode(text, at)
            yield name, value, (at, end)
            at = self._next("}", end)
        self.end = at + 1

    def elements(self, at: int) -> Iterator[tuple[Any, _Range]]:
        """The elements of the list at an offset: value and span."""
        text = self._text
        at = self.space(self._mark("[", at))
        is_end = text.startswith("]", at)
        while not is_end:
            value, end = DECODER.raw_decode(text, at)
            yield value, (at, end)
            if (comma := _COMMA.match(text, end)) is not None:
                at = comma.end()
            else:
                at = self._next("]", end)
                is_end = text.startswith("]", at)
        self.end = at + 1

    def space(self, at: int) -> int:
        """The next offset that is not white space."""
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _list_or_value(self, at: int, spans: list[_Range]) -> tuple[Any, int]:
        if not self._text.startswith("[", at):
            return DECODER.raw_decode(self._text, at)
        values: list[Any] = []
        for value, span in self.elements(at):
            values.append(value)
            spans.append(span)
        return values, self.end

    def _mark(self, mark: str, at: int) -> int:
        if not self._text.startswith(mark, at):
            raise ValueError(f"expected {mark!r} at character {at}")
        return at + 1

    def _next(self, close: str, at: int) -> int:
        """The offset of the next member or element, or of the closing mark."""
        at = self.space(at)
        if self._text.startswith(close, at):
            return at
        at = self.space(self._mark(",", at))
        if self._text.startswith(close, at):
            raise ValueError(f"expected a value after the comma at character {at}")
        return at


def _in_bytes(found: _Found, text: str, mark: int) -> JsonBody:
    """The spans as bytes of the body, which differ where characters before them have several bytes."""
    if text.isascii():
        members = {name: Span(start + mark, end + mark) for name, (start, end) in found.members.items()}
        return JsonBody(found.value, members, tuple(Span(start + mark, end + mark) for start, end in found.elements))
    offsets = sorted({offset for range_ in (*found.members.values(), *found.elements) for offset in range_})
    in_bytes: dict[int, int] = {}
    before, size = 0, mark
    for offset in offsets:
        size += len(text[before:offset].encode())
        before, in_bytes[offset] = offset, size
    return JsonBody(
        found.value,
        {name: Span(in_bytes[start], in_bytes[end]) for name, (start, end) in found.members.items()},
        tuple(Span(in_bytes[start], in_bytes[end]) for start, end in found.elements),
    )
