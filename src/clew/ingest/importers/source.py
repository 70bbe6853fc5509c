"""One file to import, in a folder or a zip: opened as often as needed, read by lines or JSON records, never as a whole.

Knows bytes, lines and JSON, but no format.
"""

import codecs
import io
import json
import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from clew.ingest.encoding import ESCAPE, LATIN, depth, escape_surrogates, escape_value, is_latin, undecoded
from clew.ingest.importers.json_scan import elements, members
from clew.ingest.importers.record import FileEnd, ImportLimits, ImportRecord, NamedFile, UnfinishedRecord, no_object
from clew.types import Rejection

log = logging.getLogger("clew.ingest")

T = TypeVar("T")

DEEPEST = 100  # levels of a record: no source nests deeper, and recursive readers are safe up to here
_TROUBLE = re.compile(rb"\\u(?:d[89a-f]|0000)|\x00|" + ESCAPE.encode(), re.IGNORECASE)
_SAMPLE = 1 << 20
_NAMED = 3  # lines in another encoding than their file's that the log names
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ((re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"), (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"))

Asset = Callable[[str], bytes | None]


def _no_asset(_name: str) -> None:
    return None


@dataclass(slots=True)
class Position:
    """How far a file that is followed was read.

    Attributes:
        offset: bytes of the lines that were read.
        number: how many these are.
        is_whole: whether the last of them has an end, so that what is written next is another line.
        end: the file's end as it is now.
    """

    offset: int = 0
    number: int = 0
    is_whole: bool = True
    end: FileEnd = field(default_factory=lambda: FileEnd("", ""))


@dataclass(slots=True)
class OddLines:
    """The lines of a file that are not UTF-8 as the rest of it; the log names the first."""

    places: set[str] = field(default_factory=set)

    def note(self, where: str, *, as_latin: bool) -> None:
        """Tells of a line, once: a file is read more than once.

        Args:
            as_latin: whether it was read as Windows-1252.
        """
        if where in self.places or len(self.places) >= _NAMED:
            return
        self.places.add(where)
        how = "was read as Windows-1252 (Latin-1)" if as_latin else "keeps the bytes that are none as ␛dcff; for 0xFF"
        more = "; further lines are not named" if len(self.places) == _NAMED else ""
        log.warning("%s is not UTF-8; it %s%s", where, how, more)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import.

    Attributes:
        label: the file's name in `where`.
        stem: names the session if the file does not.
        opener: opens the file at its first byte; may raise OSError and the errors of zip files.
        session: if given, every turn goes to this session.
        asset: returns the bytes of a file beside this one by the beginning of its name; None when there is none.
        path: of a file on the disk, for formats that are not streams; None for a member of a zip.
        position: of a file that is followed: its records end with a `FileEnd`, after which they go on.
        odd: the lines that are in another encoding.
        file: what tells it from others of its name; None where no session is called after it alone.
        former: what names the session in homes of earlier versions; None where that is the stem.
    """

    label: str
    stem: str
    opener: Callable[[], BinaryIO]
    session: str | None = None
    limits: ImportLimits = field(default_factory=ImportLimits)
    asset: Asset = _no_asset
    path: Path | None = None
    position: Position | None = None
    odd: OddLines = field(default_factory=OddLines)
    former: str | None = None
    file: NamedFile | None = None

    def open(self) -> BinaryIO:
        """Opens the file as UTF-8 without a byte order mark; UTF-16, UTF-32 and Windows-1252 are recoded.

        Where no line ends otherwise, CR ends one.
        """
        mark, encoding, is_of_cr = self._form()
        stream = self.opener()
        stream.read(len(mark))
        recoded = stream if encoding == "utf-8" else io.BufferedReader(_Recoded(stream, encoding))
        return io.BufferedReader(_LinesOfCr(recoded)) if is_of_cr else recoded

    def is_plain(self) -> bool:
        """Whether the file is UTF-8 with LF and no byte order mark, so that it can be read from any line on."""
        return self._form() == (b"", "utf-8", False)

    def is_latin(self) -> bool:
        """Whether the file is read as Windows-1252, of which Latin-1 is a part."""
        return self._form()[1] == LATIN

    def _form(self) -> tuple[bytes, str, bool]:
        """The byte order mark, empty when there is none, the encoding, and whether lines end with CR alone.

        Programs of old Macs, and some editors, end them so. The beginning of the file tells.
        """
        with self.opener() as stream:
            head = stream.read(_SAMPLE)
        is_of_cr = b"\r" in head and b"\n" not in head
        marked = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), None)
        if marked:
            return *marked, is_of_cr
        wide = next((name for pattern, name in _UNMARKED if pattern.match(head)), None)
        return b"", wide or (LATIN if is_latin(head) else "utf-8"), is_of_cr

    def session_for(self, own: str | None) -> str:
        """The session of a turn: the one given for the file, else the turn's own, else the file's stem."""
        return self.session or own or self.stem

    def where(self, place: object) -> str:
        """`file:place`."""
        return f"{self.label}:{place}"

    def too_long(self, what: str, where: str) -> Rejection:
        """Refuses a message or section of several lines that is longer than one line may be."""
        reason = f"a {what} of more than {self.limits.max_line_bytes} characters; see max_line_bytes"
        return Rejection(where=where, reason=reason)


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """One parsed record and its position; `place` is its line, counted from 1, or its index in a list."""

    where: str
    value: dict[str, Any]
    place: int = 0


def read_each(items: Iterable[T | Rejection], read: Callable[[T], Iterable[ImportRecord]]) -> Iterator[ImportRecord]:
    """What is read of each record or line; those that were rejected are passed on."""
    for item in items:
        if isinstance(item, Rejection):
            yield item
        else:
            yield from read(item)


def lines(source: Source) -> Iterator[tuple[int, bytes] | Rejection]:
    """The lines of a file with their numbers from 1, without their ends; a line over the limit is rejected."""
    with source.open() as stream:
        yield from _lines(source, stream, Position())


def _lines(source: Source, stream: BinaryIO, position: Position) -> Iterator[tuple[int, bytes] | Rejection]:
    """The lines of a stream from a position on, which follows them; none is held here while it is worked on."""
    return iter(partial(_next_line, source, stream, position), None)


def _next_line(source: Source, stream: BinaryIO, position: Position) -> tuple[int, bytes] | Rejection | None:
    """The line at the position, which moves behind it; None at the end."""
    limit = source.limits.max_line_bytes
    line = stream.readline(limit + 2)
    if not line:
        return None
    stripped = line.rstrip(b"\r\n")
    is_passed = len(stripped) > limit and not line.endswith(b"\n")
    size = len(line) + (_pass_line(stream) if is_passed else 0)
    position.is_whole = line.endswith(b"\n")  # of one that was passed over it is not known
    position.offset, position.number = position.offset + size, position.number + 1
    if len(stripped) <= limit:
        return position.number, stripped
    reason = f"a line of {size} bytes; the limit is {limit}, see max_line_bytes"
    return Rejection(where=source.where(position.number), reason=reason)


def text_lines(source: Source) -> Iterator[tuple[int, str] | Rejection]:
    """The lines of a file, numbered from 1, as text that can be stored; a line over the limit is rejected."""
    for line in lines(source):
        yield line if isinstance(line, Rejection) else (line[0], _text(source, *line))


def _text(source: Source, number: int, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text, as_latin = undecoded(data)
        source.odd.note(source.where(number), as_latin=as_latin)
    return escape_surrogates(text)


def json_lines(source: Source) -> Iterator[JsonRecord | Rejection]:
    """The objects of a file with one JSON object on each line; empty lines are ignored."""
    return _records(source, lines(source))


def appended_json_lines(source: Source) -> Iterator[JsonRecord | Rejection]:
    """The objects of a file that a program appends to; a last line without its end is an `UnfinishedRecord`."""
    position = Position()
    with source.open() as stream:
        yield from _appended(_records(source, _lines(source, stream, position)), position)


def followed_json_lines(source: Source) -> Iterator[JsonRecord | Rejection | FileEnd]:
    """The objects of a file that is followed: a `FileEnd` comes after them, and then the lines written since."""
    position = source.position
    if position is None:
        yield from appended_json_lines(source)
        return
    while True:
        with source.opener() as stream:
            stream.seek(position.offset)
            yield from _appended(_records(source, _lines(source, stream, position)), position)
        yield position.end


def _appended(records: Iterator[JsonRecord | Rejection], position: Position) -> Iterator[JsonRecord | Rejection]:
    for record in records:
        if isinstance(record, Rejection) and not position.is_whole:
            yield UnfinishedRecord(where=record.where, reason=record.reason)
        else:
            yield record


def _records(source: Source, values: Iterator[tuple[int, bytes] | Rejection]) -> Iterator[JsonRecord | Rejection]:
    for line in values:
        record = _line_record(source, line)
        del line  # a long one is not held while its turns are stored
        if record is not None:
            yield record


def _line_record(source: Source, line: tuple[int, bytes] | Rejection) -> JsonRecord | Rejection | None:
    """None for an empty line."""
    if isinstance(line, Rejection):
        return line
    number, data = line
    return json_record(source.where(number), data, number, source.odd) if data.strip() else None


def json_list(source: Source, key: str | None, limit: int | None = None) -> Iterator[JsonRecord | Rejection]:
    """The objects of a JSON array: the document itself, or the array under a key of the document.

    Args:
        limit: bytes of one object; the limit of a line when not given.
    """
    with source.open() as stream:
        for element in elements(stream, key, limit or source.limits.max_line_bytes):
            where = source.where(f"{key or ''}[{element.index}]")
            if element.data is None:
                yield Rejection(where=where, reason=element.problem or "unreadable")
            else:
                yield json_record(where, element.data, element.index, source.odd)


def json_header(source: Source, longest: int = 1 << 16) -> dict[str, Any]:
    """The members of a document that is one JSON object, except those longer than `longest` bytes."""
    with source.open() as stream:
        fields = members(stream, longest)
    header: dict[str, Any] = {}
    for name, data in fields.items():
        try:
            header[escape_surrogates(name)] = parse(data)
        except ValueError:
            continue  # a member that cannot be parsed counts as absent; records are reported one by one
    return header


def json_document(source: Source) -> JsonRecord | Rejection:
    """A document that is one JSON object as a whole, up to the limit of a conversation."""
    limit = source.limits.max_conversation_bytes
    with source.open() as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        return Rejection(where=source.label, reason=f"longer than {limit} bytes; see max_conversation_bytes")
    return json_record(source.label, data, 0, source.odd)


def parse(data: bytes, on_odd: Callable[[bool], None] | None = None) -> Any:
    """Parses JSON into values that can be stored: NaN and infinities are None.

    Text that is not UTF-8 is read as Windows-1252 where it is such, and escaped otherwise. A number that is too large
    for a float, such as 1e999, is kept as text.

    Args:
        on_odd: called with whether text that is not UTF-8 was read as Windows-1252.

    Raises:
        ValueError: the data is not JSON, or nested deeper than DEEPEST; the message says where.
    """
    try:
        text = data.decode()
        is_clean = not _TROUBLE.search(data)
    except UnicodeDecodeError:
        text, as_latin = undecoded(data)
        is_clean = False
        if on_odd is not None:
            on_odd(as_latin)
    try:
        # control characters are kept
        value = json.loads(text, strict=False, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip():
            raise ValueError(f"not JSON: it breaks off after {len(text):,} characters") from error
        what = error.msg.removesuffix(" starting at")
        raise ValueError(f"not JSON: {what} at character {error.pos + 1} of {len(text)}") from error
    except ValueError as error:  # the only other one that json raises
        raise ValueError("a number with more digits than are read; write it as text") from error
    except RecursionError as error:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from error
    if data.count(b"[") + data.count(b"{") > DEEPEST and depth(value) > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value if is_clean else escape_value(value)


def json_record(where: str, data: bytes, place: int, odd: OddLines) -> JsonRecord | Rejection:
    """A JSON object as a record; a rejection for anything else."""
    try:
        value = parse(data, lambda as_latin: odd.note(where, as_latin=as_latin))
    except ValueError as error:
        return Rejection(where=where, reason=str(error))
    if not isinstance(value, dict):
        return no_object(value, where)
    return JsonRecord(where, value, place)


def _finite(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _no_number(_name: str) -> None:
    return None


def _pass_line(stream: BinaryIO) -> int:
    """Reads to the end of the line without keeping it, and returns its length."""
    size = 0
    while piece := stream.readline(1 << 20):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size


class _LinesOfCr(io.RawIOBase):
    """A stream with LF for each CR."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer as far as there is something; 0 at the end."""
        piece = self._stream.read(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Closes the stream beneath, too."""
        self._stream.close()
        super().close()


class _Recoded(io.RawIOBase):
    """A stream of another encoding as UTF-8. Lone surrogates pass; bytes that are no character become U+FFFD."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        errors = "surrogatepass" if encoding.startswith("utf-16") else "replace"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer as far as there is something; 0 at the end."""
        while not self._ready and not self._ended:
            self._ready = self._next()
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def close(self) -> None:
        """Closes the stream beneath, too."""
        self._stream.close()
        super().close()

    def _next(self) -> bytes:
        chunk = self._stream.read(1 << 16)
        self._ended = not chunk
        try:
            text = self._decoder.decode(chunk, self._ended)
        except UnicodeDecodeError:
            text = "\ufffd"
            self._decoder.reset()
        return text.encode("utf-8", "surrogatepass")
