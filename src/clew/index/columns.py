"""The metadata of every turn and piece of a space: one array per field, ordered by ordinal.

Arrays only grow at the end, and a view keeps the length it was made with. So adding a turn takes constant time, and
older views do not change. Sessions and speakers are numbered in order of first appearance, so their codes do not depend
on how turns are packed into segments.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from clew.index.container import Array
from clew.index.entry import PieceSizes, TurnEntry, piece_sizes
from clew.index.segment import NO_TIME, Segment
from clew.index.string_table import StringTable, to_text
from clew.types.turn import ROLES

_TURN_FIELDS: Final[dict[str, DTypeLike]] = {
    "ordinal": np.int64,
    "at": np.int64,
    "seq": np.int32,
    "session": np.int32,
    "speaker": np.int32,
    "chars": np.int32,
    "stated": np.int32,
    "role": np.uint8,
    "first_person": np.bool_,
    "asks": np.bool_,
    "first_piece": np.int32,
    "piece_count": np.int32,
}
_PIECE_FIELDS: Final[dict[str, DTypeLike]] = {
    "turn": np.int32,
    "chars": np.int32,
    "body": np.int32,
    "extra": np.int32,
    "previous": np.intp,  # the type that indexes without conversion
    "next": np.intp,
}
_LINKS: Final = ("previous", "next")
_SYSTEM: Final = ROLES.index("system")

_Line = tuple[int, str, bool]
"""Code of a session, name of a branch, and whether its turns are of role system: pieces of one line are neighbours."""

_SMALLEST: Final = 4
_GROWTH: Final = 1.125
"""Growth factor of a full array: at most an eighth of it is unused, and each value is copied about eight times."""


class Column:
    """An array that grows at its end. Its last element is never used and holds `blank`, which index -1 reads."""

    __slots__ = ("array", "blank", "size")

    def __init__(self, dtype: DTypeLike, blank: int, width: tuple[int, ...] = ()) -> None:
        self.array: NDArray[Any] = np.full((_SMALLEST, *width), blank, dtype=dtype)
        self.blank = blank
        self.size = 0

    def extend(self, values: Array) -> None:
        """Appends values. A full array is replaced by a larger copy; older views keep the old array."""
        size = self.size + len(values)
        self._reserve(size)
        self.array[self.size : size] = values
        self.size = size

    def append(self, value: int) -> None:
        """Appends one value."""
        self._reserve(self.size + 1)
        self.array[self.size] = value
        self.size += 1

    def reserve(self, size: int) -> None:
        """Makes room for `size` values and a few more."""
        if size >= len(self.array):
            self._enlarge(size + _SMALLEST)

    def _reserve(self, size: int) -> None:
        if size >= len(self.array):
            self._enlarge(int(size * _GROWTH) + _SMALLEST)

    def _enlarge(self, length: int) -> None:
        larger = np.full((length, *self.array.shape[1:]), self.blank, dtype=self.array.dtype)
        larger[: self.size] = self.array[: self.size]
        self.array = larger


class NameTable:
    """Numbers strings in the order of first appearance."""

    __slots__ = ("_codes", "names")

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """The name's code; a new name gets the next free code."""
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
        return code

    def find(self, name: str) -> int:
        """The name's code, or -1 if it is unknown."""
        return self._codes.get(name, -1)


class Columns:
    """The growing columns of one space. One thread at a time may add while others read through views.

    Attributes:
        turn: columns with one value per turn, by name.
        piece: columns with one value per piece; `previous` and `next` are the neighbours in the same session and
            branch. Turns of role system are neighbours of each other alone: what they say goes for the whole session,
            and the policy in front of a greeting does not make the greeting speak of what the policy mentions.
        places: the positions of each session's turns, ascending, by session code.
    """

    def __init__(self) -> None:
        self.turn = {name: Column(dtype, 0) for name, dtype in _TURN_FIELDS.items()}
        self.piece = {name: Column(dtype, -1 if name in _LINKS else 0) for name, dtype in _PIECE_FIELDS.items()}
        self.sessions = NameTable()
        self.speakers = NameTable()
        self.places: list[array[int]] = []
        self._last_pieces: dict[_Line, int] = {}  # the last piece so far

    @property
    def turns(self) -> int:
        """The number of turns."""
        return self.turn["ordinal"].size

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return self.piece["turn"].size

    def add(self, entry: TurnEntry, sizes: Sequence[PieceSizes] | None = None) -> None:
        """Adds the turn of a tail entry, whose ordinal must be greater than all present ones.

        Args:
            sizes: of the entry's pieces, if it was read without its terms.
        """
        sizes = piece_sizes(entry) if sizes is None else sizes
        position, first = self.turns, self.pieces
        session = self._session(entry.session)
        row = {
            "ordinal": entry.ordinal,
            "at": NO_TIME if entry.at is None else entry.at,
            "seq": entry.seq,
            "session": session,
            "speaker": -1 if entry.speaker is None else self.speakers.code(entry.speaker),
            "chars": entry.chars,
            "stated": entry.stated,
            "role": ROLES.index(entry.role),
            "first_person": entry.first_person,
            "asks": entry.asks,
            "first_piece": first,
            "piece_count": len(sizes),
        }
        for name, column in self.turn.items():
            column.append(row[name])
        self.places[session].append(position)
        line = (session, entry.branch, row["role"] == _SYSTEM)
        before = self._last_pieces.get(line, -1)
        for number, piece in enumerate(sizes, start=first):
            self.piece["turn"].append(position)
            self.piece["chars"].append(piece.chars)
            self.piece["body"].append(piece.body)
            self.piece["extra"].append(piece.extra)
            self.piece["previous"].append(before)
            self.piece["next"].append(-1)
            if before >= 0:
                self.piece["next"].array[before] = number
            before = number
        self._last_pieces[line] = before

    def reserve(self, turns: int, pieces: int) -> None:
        """Makes room in empty columns, so that loading copies nothing and leaves little unused.

        It does nothing once there are turns: enlarging by exactly what arrives would copy the columns each time.
        """
        for size, columns in ((turns, self.turn), (pieces, self.piece)) if not self.turns else ():
            for column in columns.values():
                column.reserve(size)

    def extend(self, segment: Segment, skip: int = 0) -> None:
        """Adds the turns of a segment except the first `skip`; their ordinals must be greater than all present ones."""
        turns, number, first = segment.turns.take(slice(skip, None)), self.turns, self.pieces
        skipped = int(segment.turns.pieces[:skip].sum())
        session = _renamed(turns.session, segment.sessions, self._session)
        named = turns.speaker > 0
        speaker = np.full(len(named), -1, dtype=np.int64)
        speaker[named] = _renamed(turns.speaker[named] - np.int64(1), segment.speakers, self.speakers.code)
        columns = {
            "session": session,
            "speaker": speaker,
            "first_piece": first + np.cumsum(turns.pieces, dtype=np.int64) - turns.pieces,
            "piece_count": turns.pieces,
        }
        for name, column in self.turn.items():
            column.extend(columns[name] if name in columns else getattr(turns, name))
        for code, places in _groups(session):
            self.places[code].frombytes((number + places).astype(np.intc).tobytes())
        owner = np.repeat(np.arange(len(session)), turns.pieces)
        self.piece["turn"].extend(number + owner)
        for name in ("chars", "body", "extra"):
            self.piece[name].extend(getattr(segment.pieces, name)[skipped:])
        branches = list(map(to_text, segment.branches.strings()))
        lines = (session.astype(np.int64) * len(branches) + turns.branch) * 2 + (turns.role == _SYSTEM)
        self._link(lines[owner], branches)

    def positions(self, ordinals: Array) -> NDArray[np.intp]:
        """The positions of the turns with these ordinals; -1 for ordinals that are absent."""
        present = self.turn["ordinal"].array[: self.turns]
        places = np.searchsorted(present, ordinals)
        inside = np.minimum(places, len(present) - 1)
        return np.where(present[inside] == ordinals, inside, -1) if len(present) else np.full(len(places), -1)

    def find(self, session: str, seq: int, turns: int) -> int | None:
        """The position of a session's turn, or None if it is not among the first `turns`."""
        code = self.sessions.find(session)
        if code < 0:
            return None
        places = self.places[code]
        size = len(places)  # read first: another thread may be adding a turn, which appends the position last
        seqs = self.turn["seq"].array
        place = bisect_left(places, seq, hi=size, key=seqs.__getitem__)
        if place == size or places[place] >= turns or seqs[places[place]] != seq:
            return None
        return places[place]

    def _session(self, name: str) -> int:
        code = self.sessions.code(name)
        if code == len(self.places):
            self.places.append(array("i"))
        return code

    def _link(self, lines: Array, branches: Sequence[str]) -> None:
        """Links new pieces to each other and to the last pieces of their lines.

        Args:
            lines: of each piece, (session code * number of branches + number of its branch) * 2, + 1 for role system.
            branches: the names of the branches by their number.
        """
        first = self.pieces - len(lines)
        before, after = (np.full(len(lines), -1, dtype=np.intp) for _ in _LINKS)
        joints: list[tuple[int, int]] = []
        for number, places in _groups(lines):
            session, branch = divmod(number // 2, len(branches))
            line = (session, branches[branch], number % 2 == 1)
            last = self._last_pieces.get(line, -1)
            numbers = first + places
            before[places[1:]], after[places[:-1]] = numbers[:-1], numbers[1:]
            before[places[0]] = last
            if last >= 0:
                joints.append((last, int(numbers[0])))
            self._last_pieces[line] = int(numbers[-1])
        self.piece["previous"].extend(before)
        self.piece["next"].extend(after)
        # Last, in the enlarged array: the array of an older view never points past its end.
        for last, number in joints:
            self.piece["next"].array[last] = number


def _renamed(codes: Array, table: StringTable, give: Callable[[str], int]) -> Array:
    """Translates codes of a segment's table to codes of the space, numbering new names by first appearance."""
    codes_present, first = np.unique(codes, return_index=True)
    renamed = np.zeros(table.size, dtype=np.int64)
    for code in codes_present[np.argsort(first)].tolist():
        renamed[code] = give(to_text(table[code]))
    return renamed[codes]


def _groups(values: Array) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yields each distinct value with the indexes at which it occurs, ascending."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    limits = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(values)]
    for start, end in pairwise(limits):
        if start < end:
            yield int(ordered[start]), order[start:end]
