"""What the index keeps of one turn, and its wire form in the tail.

Borders: knows terms and numbers, not text. Whoever writes turns decides which words become terms.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, chain, islice
from typing import Final

from clew.errors import InputError, StoreCorrupt
from clew.types.turn import ROLES

SATURATION: Final = 255
"""Greatest count of one term in one piece that the index tells from a greater one."""

MAX_DAYS: Final = 31
"""A span of days longer than this is marked by its first days only: nobody asks for it day by day."""


@dataclass(frozen=True, slots=True)
class PieceTerms:
    """The terms of one piece of a turn. Counts are at least 1; above 255 they count as 255.

    Attributes:
        body: terms of the piece's own text. Neighbouring pieces share them through windows.
        extra: terms that belong to this piece alone: words of its date, its speaker, the dates that it names.
        chars: length of the piece's text.
    """

    body: Mapping[str, int]
    extra: Mapping[str, int]
    chars: int


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """One turn as the index knows it.

    Attributes:
        ordinal: place in the space; rises with every turn.
        seq: place in the session, below 2**31; rises with the ordinal.
        at: event time, microseconds since 1970; None when nobody said it.
        chars: length of the turn's text.
        pieces: in text order; a turn without any gets one empty piece.
        first_person: the turn speaks of itself (I, my, we).
        asks: it asks something.
        stated: characters outside of its questions.
    """

    ordinal: int
    session: str
    seq: int
    branch: str
    speaker: str | None
    role: str
    at: int | None
    chars: int
    pieces: tuple[PieceTerms, ...]
    first_person: bool = False
    asks: bool = False
    stated: int = 0

    def __post_init__(self) -> None:
        if not self.pieces:
            object.__setattr__(self, "pieces", (PieceTerms({}, {}, 0),))  # the instance is frozen for everyone else


# version, checksum, widths of the two number lists, role, flags, ordinal, at, seq, chars, stated, lengths of the lists
_HEAD: Final = struct.Struct("<BIBBBBqqiIIII")
_CHECKED_FROM: Final = 5  # what stands before is the version and the checksum itself
_VERSION: Final = 1
_WIDTHS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_HAS_SPEAKER, _HAS_TIME, _FIRST_PERSON, _ASKS = 1, 2, 4, 8


def encode(entry: TurnEntry) -> bytes:
    """The entry as bytes: a head, two lists of numbers, and all strings joined.

    Raises:
        InputError: a number lies outside its range, or the role is unknown.
    """
    strings = [entry.session, entry.branch]
    if entry.speaker is not None:
        strings.append(entry.speaker)
    shape: list[int] = []
    counts: list[int] = []
    for piece in entry.pieces:
        shape += (piece.chars, len(piece.body), len(piece.extra))
        strings += piece.body
        strings += piece.extra
        counts += piece.body.values()
        counts += piece.extra.values()
    if counts and min(counts) < 1:
        raise InputError(f"turn {entry.ordinal} counts a term {min(counts)} times; expected 1 or more: leave it out")
    flags = (
        _HAS_SPEAKER * (entry.speaker is not None)
        + _HAS_TIME * (entry.at is not None)
        + _FIRST_PERSON * entry.first_person
        + _ASKS * entry.asks
    )
    try:
        shape_width, shape_bytes = _pack_numbers(shape)
        width, numbers = _pack_numbers([*map(len, strings), *counts])
        body = b"".join((shape_bytes, numbers, "".join(strings).encode("utf-8", "surrogatepass")))
        fixed = (entry.ordinal, entry.at or 0, entry.seq, entry.chars, entry.stated, len(shape), len(strings))
        head = _HEAD.pack(_VERSION, 0, shape_width, width, ROLES.index(entry.role), flags, *fixed)
    except (struct.error, ValueError) as error:
        raise InputError(
            f"turn {entry.ordinal!r} of {entry.session!r} cannot be indexed ({error}); expected 64-bit ordinal and at, "
            f"seq and chars below 2**31, and one of the roles {', '.join(ROLES)}"
        ) from error
    checked = zlib.crc32(body, zlib.crc32(head[_CHECKED_FROM:]))
    return b"".join((head[:1], checked.to_bytes(4, "little"), head[_CHECKED_FROM:], body))


def decode(data: bytes) -> TurnEntry:
    """The entry that `encode` was given.

    Raises:
        StoreCorrupt: these are not, or no longer, the bytes of an entry.
    """
    if len(data) < _HEAD.size or data[0] != _VERSION:
        raise StoreCorrupt(f"a tail entry of {len(data)} bytes is not of version {_VERSION}; run `clew rebuild`")
    _, checksum, shape_width, width, role, flags, *fixed = _HEAD.unpack_from(data)
    if zlib.crc32(memoryview(data)[_CHECKED_FROM:]) != checksum:
        raise StoreCorrupt(f"a tail entry of {len(data)} bytes does not match its checksum; run `clew rebuild`")
    ordinal, at, seq, chars, stated, n_shape, n_strings = fixed
    shape, offset = _unpack_numbers(data, _HEAD.size, shape_width, n_shape)
    n_counts = sum(shape[1::3]) + sum(shape[2::3])
    numbers, offset = _unpack_numbers(data, offset, width, n_strings + n_counts)
    text = data[offset:].decode("utf-8", "surrogatepass")
    ends = list(accumulate(numbers[:n_strings]))
    strings = iter([text[start:end] for start, end in zip(chain((0,), ends), ends, strict=False)])
    session, branch = next(strings), next(strings)
    return TurnEntry(
        ordinal=ordinal,
        session=session,
        seq=seq,
        branch=branch,
        speaker=next(strings) if flags & _HAS_SPEAKER else None,
        role=ROLES[role],
        at=at if flags & _HAS_TIME else None,
        chars=chars,
        pieces=tuple(_pieces(shape, strings, iter(numbers[n_strings:]))),
        first_person=bool(flags & _FIRST_PERSON),
        asks=bool(flags & _ASKS),
        stated=stated,
    )


def _pieces(shape: "bytes | tuple[int, ...]", strings: Iterator[str], counts: Iterator[int]) -> Iterator[PieceTerms]:
    for chars, n_body, n_extra in zip(shape[0::3], shape[1::3], shape[2::3], strict=True):
        body = dict(zip(islice(strings, n_body), islice(counts, n_body), strict=True))
        extra = dict(zip(islice(strings, n_extra), islice(counts, n_extra), strict=True))
        yield PieceTerms(body, extra, chars)


def _pack_numbers(numbers: list[int]) -> tuple[int, bytes]:
    """The narrowest width in bytes that holds all of them, and the numbers in it, little-endian."""
    try:
        return 1, bytes(numbers)
    except ValueError:  # one of them is above 255
        top = max(numbers)
    width = 2 if top < 1 << 16 else 4 if top < 1 << 32 else 8
    return width, struct.pack(f"<{len(numbers)}{_WIDTHS[width]}", *numbers)


def _unpack_numbers(data: bytes, offset: int, width: int, size: int) -> tuple["bytes | tuple[int, ...]", int]:
    end = offset + width * size
    if width == 1:
        return data[offset:end], end
    return struct.unpack_from(f"<{size}{_WIDTHS[width]}", data, offset), end


DATED: Final = "@dated"
"""The term of a piece whose words name a time."""

STANDING: Final = "@standing"
"""The term of a piece that says how something is always to be done, or what its speaker prefers."""


def name_mark(name: str, of: str) -> str:
    """The term that a turn carries which calls somebody by a name: its `speaker`, or its `listener`."""
    return f"@{of}={name.casefold()}"


def date_marks(start: datetime, end: datetime, grain: str) -> tuple[str, ...]:
    """Terms that stand for a span of time: a text that names the span carries them, a question for it looks them up.

    No text gives such a term by itself, since no word contains "=".

    Args:
        start: first moment of the span.
        end: first moment after it.
        grain: `day`, `week`, `month`, `quarter` or `year`: how exactly the words named the time.

    Returns:
        For days one mark each (the first 31); else one mark, of the calendar week, month, quarter or year that `start`
        lies in; none for another grain.
    """
    if grain == "day":
        days = min(max((end - start) // timedelta(days=1), 1), MAX_DAYS)
        return tuple(f"@day={start + timedelta(days=n):%Y-%m-%d}" for n in range(days))
    if grain == "week":
        year, week, _ = start.isocalendar()
        return (f"@week={year:04}-{week:02}",)
    names = {
        "month": f"{start.year:04}-{start.month:02}",
        "quarter": f"{start.year:04}-{(start.month + 2) // 3}",
        "year": f"{start.year:04}",
    }
    return (f"@{grain}={names[grain]}",) if grain in names else ()
