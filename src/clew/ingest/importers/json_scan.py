"""Reads the elements of a JSON array one by one from a document of any size, with one element in memory at a time.

Only strings and brackets are looked at. An element that is not valid JSON is noticed when it is parsed, and does not
affect the others. A document that breaks off gives every whole element before the break.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

CHUNK = 1 << 20
_LONGEST_NAME = 1 << 16
_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # up to the closing quote, or as far as the buffer goes
_STRUCTURE = re.compile(rb'["\[\]{}]')
_SCALAR = re.compile(rb'[^\s,\]}"\[{]*+')
_SPACE = re.compile(rb"[\s\x00]*+")
_OPEN, _CLOSE, _QUOTE = b"[{", b"]}", b'"'


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an array.

    Attributes:
        data: the element's bytes; None when there is a problem.
        problem: why the element cannot be read.
    """

    index: int
    data: bytes | None = None
    problem: str | None = None


def elements(stream: BinaryIO, key: str | None, limit: int) -> Iterator[Element]:
    """The elements of the top-level array, or of the array under a key of the top-level object.

    Args:
        stream: at its beginning, UTF-8.
        key: None for a top-level array.
        limit: bytes of one element; a larger one is skipped and reported as a problem.
    """
    reader = _JsonScanner(stream)
    index = -1
    try:
        if key is None:
            reader.skip(b"[")
        elif not _find_member(reader, key):
            return
        for index, data in enumerate(_array(reader, limit)):
            problem = f"longer than {limit} bytes; split it or raise max_line_bytes" if data is None else None
            yield Element(index, data, problem)
        if key is None and reader.peek():
            yield Element(index + 1, problem="text follows the end of the list")
    except EOFError:
        yield Element(index + 1, problem="the file ends inside this record; the records before it were read")


def members(stream: BinaryIO, limit: int) -> dict[str, bytes]:
    """The members of the top-level object that are no longer than the limit, as bytes, up to any break."""
    reader = _JsonScanner(stream)
    values: dict[str, bytes] = {}
    try:
        reader.skip(b"{")
        for name in _names(reader):
            data = reader.value(limit)
            if data is not None:
                values[name] = data
    except EOFError:
        pass  # what was whole is returned; reading the elements reports the break
    return values


def _find_member(reader: "_JsonScanner", key: str) -> bool:
    reader.skip(b"{")
    for name in _names(reader):
        if name == key and reader.peek() == b"[":
            reader.skip(b"[")
            return True
        reader.value(0)
    return False


def _names(reader: "_JsonScanner") -> Iterator[str]:
    """The names of an object's members; the caller reads each value before asking for the next name."""
    while reader.peek() == _QUOTE:
        name = reader.value(_LONGEST_NAME) or b'""'
        reader.skip(b":")
        yield _name(name)
        reader.skip(b",")


def _name(data: bytes) -> str:
    try:
        return str(json.loads(data))
    except ValueError:
        return data.decode("utf-8", "replace")


def _array(reader: "_JsonScanner", limit: int) -> Iterator[bytes | None]:
    while True:
        head = reader.peek()
        if head == b"]":
            reader.skip(b"]")
            return
        if not head:
            raise EOFError("the document ends inside a value")
        yield reader.value(limit)
        reader.skip(b",")


class _JsonScanner:
    """Scans a stream of JSON value by value."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = b""
        self._at = 0

    def peek(self) -> bytes:
        """The next byte that is not white space; empty at the end."""
        while True:
            self._at = self._match(_SPACE)
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._fill():
                return b""

    def skip(self, mark: bytes) -> None:
        """Skips the mark if it comes next."""
        if self.peek() == mark:
            self._at += 1

    def value(self, limit: int) -> bytes | None:
        """The bytes of the next value; None when it is longer than the limit.

        Raises:
            EOFError: the document ends inside it.
        """
        head = self.peek()
        if not head:
            raise EOFError("the document ends inside a value")
        taken = _ValueBytes(limit)
        if head in _OPEN:
            self._nested(taken)
        elif head == _QUOTE:
            self._take(taken, self._at + 1)
            self._string(taken)
        else:
            self._scalar(taken)
        return taken.data()

    def _nested(self, taken: "_ValueBytes") -> None:
        depth = 0
        while True:
            match = _STRUCTURE.search(self._buffer, self._at)
            self._take(taken, match.end() if match else len(self._buffer))
            if not match:
                self._need()
            elif match[0] == _QUOTE:
                self._string(taken)
            else:
                depth += 1 if match[0] in _OPEN else -1
                if depth == 0:
                    return

    def _string(self, taken: "_ValueBytes") -> None:
        """Takes a string from after its opening quote to after its closing quote."""
        while True:
            self._take(taken, self._match(_STRING))
            if self._buffer[self._at : self._at + 1] == _QUOTE:
                self._take(taken, self._at + 1)
                return
            self._need()

    def _scalar(self, taken: "_ValueBytes") -> None:
        """Takes a number or a word; a stray mark counts as one, so that reading always advances."""
        while True:
            end = self._match(_SCALAR)
            self._take(taken, end)
            if end < len(self._buffer):
                break
            if not self._fill():
                break
        if not taken.size:
            self._take(taken, self._at + 1)

    def _match(self, pattern: re.Pattern[bytes]) -> int:
        match = pattern.match(self._buffer, self._at)
        return match.end() if match else self._at

    def _take(self, taken: "_ValueBytes", end: int) -> None:
        taken.add(self._buffer[self._at : end])
        self._at = end

    def _need(self) -> None:
        if not self._fill():
            raise EOFError("the document ends inside a value")

    def _fill(self) -> bool:
        chunk = self._stream.read(CHUNK)
        self._buffer, self._at = self._buffer[self._at :] + chunk, 0
        return bool(chunk)


class _ValueBytes:
    """Collects the bytes of a value, and drops them once they exceed the limit."""

    def __init__(self, limit: int) -> None:
        self.size = 0
        self._limit = limit
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def data(self) -> bytes | None:
        return b"".join(self._pieces) if self.size <= self._limit else None
