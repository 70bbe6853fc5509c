"""The index entry of one turn, and its encoding in the tail.

This module knows terms and numbers, not text: the write path decides which words become terms.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple

from clew.errors import InputError, StoreCorrupt
from clew.types.turn import ROLES

SATURATION: Final = 255
"""Largest count of one term in one piece; larger counts are stored as this one."""

MAX_DAYS: Final = 31
"""Most days of a date span that get a term of their own; of a longer span only the first days do."""


@dataclass(frozen=True, slots=True)
class PieceTerms:
    """The terms of one piece of a turn. Counts are at least 1; counts above 255 are stored as 255.

    Attributes:
        body: terms of the piece's own text. Neighbouring pieces share them through windows.
        extra: terms that are not shared with neighbours: words of its date, its speaker, the dates it mentions.
        chars: length of the piece's text.
    """

    body: Mapping[str, int]
    extra: Mapping[str, int]
    chars: int


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """The index entry of one turn.

    Attributes:
        ordinal: position in the space; increases with every turn.
        seq: position in the session, below 2**31; increases with the ordinal.
        at: event time in microseconds since 1970; None if unknown.
        chars: length of the turn's text.
        pieces: in text order; a turn without pieces gets one empty piece.
        first_person: the turn uses the first person (I, my, we).
        asks: the turn contains a question.
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
_CHECKED_FROM: Final = 5  # the version and the checksum itself precede the checked bytes
_VERSION: Final = 1
_WIDTHS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
_HAS_SPEAKER, _HAS_TIME, _FIRST_PERSON, _ASKS = 1, 2, 4, 8


def encode(entry: TurnEntry) -> bytes:
    """Encodes an entry as a header, two lists of numbers, and all strings joined.

    Raises:
        InputError: a number is outside its range, or the role is unknown.
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
        raise InputError(f"turn {entry.ordinal} has a term with the count {min(counts)}; expected at least 1")
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


class PieceSizes(NamedTuple):
    """How much one piece says: its characters, and its terms with their repetitions, counts above 255 as 255."""

    chars: int
    body: int
    extra: int


def piece_sizes(entry: TurnEntry) -> list[PieceSizes]:
    """The sizes of an entry's pieces."""
    return [
        PieceSizes(piece.chars, _total(piece.body.values()), _total(piece.extra.values())) for piece in entry.pieces
    ]


def _total(counts: Iterable[int]) -> int:
    return sum(min(count, SATURATION) for count in counts)


def decode(data: bytes) -> TurnEntry:
    """Decodes the bytes that `encode` returned.

    Raises:
        StoreCorrupt: the bytes are damaged, or are not an entry.
    """
    return _decode(data, with_terms=True)[0]


def decode_sizes(data: bytes) -> tuple[TurnEntry, list[PieceSizes]]:
    """An entry without its terms, which are most of a long turn's, and the sizes of its pieces.

    Raises:
        StoreCorrupt: the bytes are damaged, or are not an entry.
    """
    return _decode(data, with_terms=False)


def _decode(data: bytes, *, with_terms: bool) -> tuple[TurnEntry, list[PieceSizes]]:
    if len(data) < _HEAD.size or data[0] != _VERSION:
        raise StoreCorrupt(f"a tail entry of {len(data)} bytes does not have version {_VERSION}; run `clew rebuild`")
    _, checksum, shape_width, width, role, flags, *fixed = _HEAD.unpack_from(data)
    if zlib.crc32(memoryview(data)[_CHECKED_FROM:]) != checksum:
        raise StoreCorrupt(f"a tail entry of {len(data)} bytes does not match its checksum; run `clew rebuild`")
    ordinal, at, seq, chars, stated, n_shape, n_strings = fixed
    shape, offset = _unpack_numbers(data, _HEAD.size, shape_width, n_shape)
    n_counts = sum(shape[1::3]) + sum(shape[2::3])
    numbers, offset = _unpack_numbers(data, offset, width, n_strings + n_counts)
    text = data[offset:].decode("utf-8", "surrogatepass")
    names = 2 + bool(flags & _HAS_SPEAKER)
    ends = list(accumulate(numbers[: n_strings if with_terms else names]))
    strings = iter([text[start:end] for start, end in zip(chain((0,), ends), ends, strict=False)])
    counts = numbers[n_strings:]
    session, branch = next(strings), next(strings)
    entry = TurnEntry(
        ordinal=ordinal,
        session=session,
        seq=seq,
        branch=branch,
        speaker=next(strings) if flags & _HAS_SPEAKER else None,
        role=ROLES[role],
        at=at if flags & _HAS_TIME else None,
        chars=chars,
        pieces=tuple(_pieces(shape, strings, iter(counts))) if with_terms else (),
        first_person=bool(flags & _FIRST_PERSON),
        asks=bool(flags & _ASKS),
        stated=stated,
    )
    return entry, [] if with_terms else list(_sizes(shape, counts))


def _sizes(shape: "bytes | tuple[int, ...]", counts: "bytes | tuple[int, ...]") -> Iterator[PieceSizes]:
    end = 0
    for chars, n_body, n_extra in zip(shape[0::3], shape[1::3], shape[2::3], strict=True):
        start, middle, end = end, end + n_body, end + n_body + n_extra
        yield PieceSizes(chars, _total(counts[start:middle]), _total(counts[middle:end]))


def _pieces(shape: "bytes | tuple[int, ...]", strings: Iterator[str], counts: Iterator[int]) -> Iterator[PieceTerms]:
    for chars, n_body, n_extra in zip(shape[0::3], shape[1::3], shape[2::3], strict=True):
        body = dict(zip(islice(strings, n_body), islice(counts, n_body), strict=True))
        extra = dict(zip(islice(strings, n_extra), islice(counts, n_extra), strict=True))
        yield PieceTerms(body, extra, chars)


def _pack_numbers(numbers: list[int]) -> tuple[int, bytes]:
    """Encodes numbers, little-endian, in the smallest width that holds all of them; returns width and bytes."""
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
"""The term added to a piece that mentions a date or time."""

STANDING: Final = "@standing"
"""The term added to a piece that states a standing instruction or a preference."""


def name_mark(name: str, of: str) -> str:
    """The term added to a turn that calls its `speaker` or its `listener` by a name."""
    return f"{name_head(of)}{name.casefold()}"


def name_head(of: str) -> str:
    """How the terms of `name_mark` begin."""
    return f"@{of}="


def date_marks(start: datetime, end: datetime, grain: str) -> tuple[str, ...]:
    """Terms for a span of time: added to pieces that mention the span, and looked up by questions about it.

    Ordinary text never produces such a term, since no word contains "=".

    Args:
        start: first moment of the span.
        end: first moment after the span.
        grain: `day`, `week`, `month`, `quarter` or `year`: the precision with which the time was named.

    Returns:
        For `day` one term per day (the first 31); for other grains one term, for the calendar week, month, quarter or
        year that contains `start`; nothing for an unknown grain.
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
