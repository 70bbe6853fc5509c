"""An immutable state of a space's index, for ranking: columns, postings, neighbours, filters, vectors.

Positions of turns and numbers of pieces count from 0 in the order of ordinals. Results do not depend on how turns are
packed into segments.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.index.columns import Columns
from clew.index.entry import TurnEntry
from clew.index.incremental_cache import CacheKey, IncrementalCache, RecentArrays
from clew.index.kernel import in_c
from clew.index.segment import NO_TIME, Segment
from clew.index.tail import Tail
from clew.index.term_directory import TermDirectory
from clew.index.vector_segment import VectorBlock
from clew.types.exact import exact_choice
from clew.types.turn import ROLES

NOTED: Final = 4096
"""Terms whose document frequency a view caches, since one question looks up each of its terms several times."""

WINDOWED: Final = 24
"""Bytes a piece in which a view caches counts of frequent terms in windows, those asked for last; most take one."""

COUNTED: Final = 4
"""Frequent terms whose counts are made again for a new view before a question asks for them: about as many as the words
that most questions have ("what", "did", "the"), and each takes as long as a thirtieth of taking in new turns."""

T = TypeVar("T")
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_POSTINGS: Final = (np.int64, np.uint8, np.uint8)
"""The types of a term's pieces, and of its counts in their body and extra terms."""

_NOT_MADE: Final[Any] = object()

_FIRST_PIECES: Final = CacheKey[NDArray[np.intp]]("first pieces")


@dataclass(frozen=True, slots=True, eq=False)
class TurnColumns:
    """Read-only columns with one value per turn.

    Attributes:
        ordinal: position in the space, ascending.
        session: index in `IndexView.sessions`.
        speaker: index in `IndexView.speakers`; -1 for none.
        role: index in `clew.types.turn.ROLES`.
        at: event time in microseconds since 1970; `IndexView.NO_TIME` if unknown.
        chars: length of the text.
        stated: characters outside of questions.
        first_person: the turn uses the first person.
        asks: the turn contains a question.
        first_piece: number of the turn's first piece; its pieces are numbered consecutively.
        piece_count: at least 1.
    """

    ordinal: Ints
    at: Ints
    seq: NDArray[np.int32]
    session: NDArray[np.int32]
    speaker: NDArray[np.int32]
    chars: NDArray[np.int32]
    stated: NDArray[np.int32]
    role: NDArray[np.uint8]
    first_person: Mask
    asks: Mask
    first_piece: NDArray[np.int32]
    piece_count: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class PieceColumns:
    """Read-only columns with one value per piece.

    Attributes:
        turn: position of the piece's turn, ascending.
        chars: length of the text.
        body: total count of its body terms.
        extra: total count of its extra terms.
    """

    turn: NDArray[np.int32]
    chars: NDArray[np.int32]
    body: NDArray[np.int32]
    extra: NDArray[np.int32]

    @property
    def length(self) -> NDArray[np.int32]:
        """Total count of all terms of each piece."""
        return self.body + self.extra


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The postings of one term.

    Attributes:
        pieces: numbers of the pieces that contain it, ascending.
        body, extra: its counts in each piece, 0 to 255; at least one of them is above 0.
        df: number of turns that contain it.
    """

    pieces: Ints
    body: Bytes
    extra: Bytes
    df: int


class IndexView:
    """An immutable state of the index. `LiveIndex.view` returns the current one; `of` builds one from segments.

    Attributes:
        turns, pieces: the columns.
        vectors: the vector blocks of each model.
        links: `previous` and `next` as stored: -1 means none and indexes an unused last element; numbers from
            `len(pieces.turn)` on belong to newer views.
        norms, lengths, windowed: cached results of `clew.index.bm25` for this view.
        counted: keys that an older view had in `windowed`, which a question is likely to ask for again.
        codes: where recent terms are in the segments; shared by views of the same segments.
        kept: cache of values derived from turns, shared by all views of the same columns.
        inherited: lengths that an older view of the same columns had computed.
        directory: where terms are in the segments.
    """

    NO_TIME: ClassVar[int] = NO_TIME

    def __init__(
        self,
        columns: Columns,
        segments: Sequence[tuple[Segment, int]] = (),
        tail: Tail | None = None,
        vectors: Mapping[str, Sequence[VectorBlock]] | None = None,
        before: "IndexView | None" = None,
    ) -> None:
        """Makes a view of the columns as they are now.

        Args:
            segments: term segments, each with the number of its first piece.
            before: an older view of the same columns, whose caches are reused.
        """
        self._columns = columns
        self._segments = tuple(segments)
        self.directory = _directory(self._segments, before)
        self._tail = tail
        self._size = columns.turns
        self._names = len(columns.sessions.names), len(columns.speakers.names)
        self.turns = TurnColumns(**{name: _frozen(column.array, self._size) for name, column in columns.turn.items()})
        arrays = {name: column.array for name, column in columns.piece.items()}
        self.links = arrays.pop("previous"), arrays.pop("next")
        self.pieces = PieceColumns(**{name: _frozen(column, columns.pieces) for name, column in arrays.items()})
        self.body_lengths = columns.piece["body"].array
        self.vectors: Mapping[str, Sequence[VectorBlock]] = vectors or {}
        self._derived: dict[CacheKey[Any], Any] = {}
        self._frequencies: dict[str, int] = {}
        self.codes: dict[str, list[tuple[int, int]]] = {}
        if before is not None and before.directory is self.directory:
            self.codes = before.codes  # as long as the segments are the same, for all views
        self._looked_up: dict[str, Postings] = {}  # of recent terms, half as many postings as there are pieces at most
        self._looked_up_size = 0
        self.norms: dict[Hashable, NDArray[np.float64]] = {}
        self.lengths: dict[Hashable, NDArray[np.float64]] = {}
        self.windowed: RecentArrays[NDArray[Any]] = RecentArrays(WINDOWED * max(columns.pieces, 1))
        self.counted: Sequence[Any] = before.lately_counted() if before else ()
        self.kept: IncrementalCache = before.kept if before else IncrementalCache()
        self.inherited: dict[Hashable, NDArray[np.float64]] = {**before.inherited, **before.lengths} if before else {}

    def lately_counted(self) -> list[Any]:
        """The keys of `windowed` that were asked for last, in this view or an older one, the last one last."""
        return list(dict.fromkeys([*reversed(self.windowed.keys()), *reversed(self.counted)]))[COUNTED - 1 :: -1]

    @property
    def segments(self) -> Sequence[tuple[Segment, int]]:
        """The term segments, each with the number of its first piece."""
        return self._segments

    @classmethod
    def of(cls, segments: Sequence[Segment] = (), tail: Sequence[TurnEntry] = ()) -> "IndexView":
        """A view of segments followed by single entries; ordinals must ascend throughout."""
        columns, placed, rest = Columns(), [], Tail()
        for segment in segments:
            placed.append((segment, columns.pieces))
            columns.extend(segment)
        for entry in tail:
            rest.add(entry, columns.pieces)
            columns.add(entry)
        return cls(columns, placed, rest)

    def derived(self, key: CacheKey[T], make: Callable[[], T]) -> T:
        """A value that depends on this view alone: computed on first use and cached for the life of the view."""
        # One look-up: the hash of a key with weights takes a microsecond, and between two of them another thread may
        # come and make the value.
        value: T = self._derived.get(key, _NOT_MADE)
        if value is _NOT_MADE:
            value = self._derived[key] = make()
        return value

    def grown(self, key: CacheKey[NDArray[Any]], make: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
        """An array with one value per turn, each depending on its turn only: see `IncrementalCache.grown`."""
        return self.kept.grown(key, self._size, make)

    def folded(self, key: CacheKey[T], make: Callable[[slice], T], join: Callable[[T, T], T]) -> T:
        """One value for all turns as a whole: see `IncrementalCache.folded`."""
        return self.derived(key, lambda: self.kept.folded(key, self._size, make, join))

    def shared(self, key: CacheKey[T], make: Callable[[], T]) -> T:
        """One object for all views of the columns: see `IncrementalCache.shared`."""
        return self.kept.shared(key, make)

    @property
    def lineage(self) -> object:
        """Identifies the columns: views with the same lineage assign the same positions to turns."""
        return self._columns

    @cached_property
    def sessions(self) -> list[str]:
        """Session names by code, in the order of their first turns."""
        return self._columns.sessions.names[: self._names[0]]

    @cached_property
    def speakers(self) -> list[str]:
        """Speaker names by code, in the order of their first turns."""
        return self._columns.speakers.names[: self._names[1]]

    @cached_property
    def previous(self) -> NDArray[np.intp]:
        """For each piece the preceding one in the same session and branch; -1 for none."""
        return _frozen(self.links[0], len(self.pieces.turn))  # as they never change, nor do those of older views

    @cached_property
    def next(self) -> NDArray[np.intp]:
        """For each piece the following one in the same session and branch; -1 for none."""
        size = len(self.pieces.turn)
        following = self.links[1][:size]
        return np.where(following < size, following, -1)

    @property
    def first_pieces(self) -> NDArray[np.intp]:
        """The number of each turn's first piece, as the integer type that numpy indexes without conversion."""
        return self.grown(_FIRST_PIECES, lambda rows: self.turns.first_piece[rows].astype(np.intp))

    @cached_property
    def further_pieces(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The pieces that are not the first of their turn (usually few): position of the turn, and number, of each."""
        several = np.flatnonzero(self.turns.piece_count > 1)
        further, first = self.turns.piece_count[several] - 1, self.turns.first_piece[several]
        starts = np.repeat(first + 1 - np.cumsum(further) + further, further)
        pieces = starts + np.arange(len(starts))
        return np.repeat(several, further).astype(np.int32), pieces.astype(np.int32)

    def lookup(self, term: str) -> Postings:
        """The postings of a term; empty if no turn contains it. Several signals look up the terms of one question."""
        postings = self._looked_up.get(term)
        if postings is None:
            postings = self._found(term)
            size = 1 + len(postings.pieces)
            if self._looked_up_size + size > len(self.pieces.turn) // 2:
                self._looked_up, self._looked_up_size = {}, 0
            if 2 * size <= len(self.pieces.turn):
                self._looked_up[term] = postings
                self._looked_up_size += size
        return postings

    def _found(self, term: str) -> Postings:
        *columns, df = gather_postings(self._codes_of(term), self._segments)
        numbers, body, extra = (np.frombuffer(column, kind) for column, kind in zip(columns, _POSTINGS, strict=True))
        unpacked = self._tail.postings(term, len(self.pieces.turn)) if self._tail else None
        if unpacked is not None:
            df += self._turns_in(unpacked[0])
            both = zip((numbers, body, extra), unpacked, _POSTINGS, strict=True)
            numbers, body, extra = (np.concatenate((a, b), dtype=kind, casting="unsafe") for a, b, kind in both)
        self._note(term, df)
        return Postings(_closed(numbers), _closed(body), _closed(extra), df)

    def postings(self, term: str) -> tuple[Ints, Bytes, Bytes]:
        """The pieces that contain a term, ascending, with its counts in their body and extra terms."""
        postings = self.lookup(term)
        return postings.pieces, postings.body, postings.extra

    def document_frequency(self, term: str) -> int:
        """The number of turns that contain a term; cheaper than `lookup`, and cached."""
        if (cached := self._frequencies.get(term)) is not None:
            return cached
        df = sum(int(self._segments[number][0].df[code]) for number, code in self._codes_of(term))
        unpacked = self._tail.postings(term, len(self.pieces.turn)) if self._tail else None
        return self._note(term, df + self._turns_in(unpacked[0]) if unpacked else df)

    def may_have_marks(self, head: str) -> bool:
        """Whether some turn may have a mark that begins so, such as `name_head` gives; False is certain."""
        return self.directory.may_begin(head) or (self._tail is not None and self._tail.has_marks(head))

    def similar_terms(self, word: str, edits: int, cut: int) -> set[str]:
        """Terms that may be a few edits from a word, less some letters at its end; see `TermDirectory.similar`."""
        similar = self.directory.similar(word, edits, cut)
        return similar | self._tail.similar(word, edits, cut) if self._tail else similar

    def _codes_of(self, term: str) -> list[tuple[int, int]]:
        """As `TermDirectory.find`: how many turns have a term is often asked just before its postings."""
        codes = self.codes.get(term)
        if codes is None:
            if len(self.codes) >= NOTED:
                self.codes.clear()
            codes = self.codes[term] = self.directory.find(term)
        return codes

    def _note(self, term: str, df: int) -> int:
        if len(self._frequencies) >= NOTED:
            self._frequencies.clear()
        self._frequencies[term] = df
        return df

    def _turns_in(self, pieces: Ints) -> int:
        """The number of turns that these pieces (ascending, at least one) belong to."""
        if len(pieces) == 1:
            return 1
        owners = self.pieces.turn[pieces]
        return 1 + int(np.count_nonzero(owners[1:] != owners[:-1]))

    def position(self, session: str, seq: int) -> int | None:
        """The position of a turn, or None if it is not in this view."""
        return self._columns.find(session, seq, self._size)

    def turn_times(self, ordinals: Collection[int]) -> list[tuple[int, str, int, int | None]]:
        """The ordinal, session, place in the session and event time of those of some turns that are in this view."""
        wanted = np.array(sorted(ordinals), np.int64)
        places = np.searchsorted(self.turns.ordinal, wanted)
        known = places < self._size
        known[known] = self.turns.ordinal[places[known]] == wanted[known]
        places = places[known]
        columns = (self.turns.session[places], self.turns.seq[places], self.turns.at[places])
        rows = zip(wanted[known].tolist(), *(column.tolist() for column in columns), strict=True)
        names = self.sessions
        return [(ordinal, names[code], seq, None if at == NO_TIME else at) for ordinal, code, seq, at in rows]

    def ends(self, session: str) -> tuple[int, int] | None:
        """The positions of a session's first and last turn; None if it has none in this view."""
        code = self._columns.sessions.find(session)
        if not 0 <= code < self._names[0]:
            return None
        places = self._columns.places[code]
        count = bisect_left(places, self._size)
        return (places[0], places[count - 1]) if count else None

    def neighbours(self, position: int, before: int, after: int) -> list[int]:
        """Positions of the turns around one in its session and branch, in order, including itself.

        Args:
            before: most earlier turns.
            after: most later turns.
        """
        earlier = self._walk(position, before, self.links[0], self.turns.first_piece)
        later = self._walk(position, after, self.links[1], self._last_piece)
        return [*reversed(earlier), position, *later]

    def mask(
        self,
        session: str | Collection[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        role: str | None = None,
        speaker: str | None = None,
    ) -> Mask | None:
        """The turns that pass a filter, as a mask; None if no filter is given.

        Args:
            session: a session name, or several, any of which may match. Unknown names match no turn.
            since: earliest event time that passes, in microseconds since 1970.
            until: first event time that no longer passes. With either limit, turns of unknown time do not pass.

        Raises:
            InputError: the role is unknown.
        """
        turns, tests = self.turns, []
        if session is not None:
            names = [session] if isinstance(session, str) else session
            tests.append(np.isin(turns.session, [self._columns.sessions.find(name) for name in names]))
        if since is not None:
            tests.append((turns.at >= since) & (turns.at != NO_TIME))
        if until is not None:
            tests.append((turns.at < until) & (turns.at != NO_TIME))
        if role is not None:
            tests.append(turns.role == ROLES.index(exact_choice(role, "role", ROLES)))
        if speaker is not None:
            code = self._columns.speakers.find(speaker)
            tests.append((turns.speaker == code) & (code >= 0))
        return np.logical_and.reduce(tests) if tests else None

    @cached_property
    def _last_piece(self) -> NDArray[np.int32]:
        return self.turns.first_piece + self.turns.piece_count - 1

    def _walk(self, position: int, steps: int, links: NDArray[np.intp], edge: NDArray[np.int32]) -> list[int]:
        """Up to `steps` turns on one side, nearest first; `edge` is each turn's outermost piece on that side."""
        owner = self.pieces.turn
        positions: list[int] = []
        while len(positions) < steps:
            piece = int(links[edge[position]])
            if not 0 <= piece < len(owner):
                break
            position = int(owner[piece])
            positions.append(position)
        return positions


def _directory(segments: Sequence[tuple[Segment, int]], before: IndexView | None) -> TermDirectory:
    """The directory of these segments: that of the older view where they are the same objects."""
    if before is not None and list(map(id, before.segments)) == list(map(id, segments)):
        return before.directory
    return TermDirectory([segment.terms for segment, _ in segments])


@in_c
def gather_postings(
    places: list[tuple[int, int]], segments: tuple[tuple[Segment, int], ...]
) -> tuple[Ints | bytearray, Bytes | bytearray, Bytes | bytearray, int]:
    """The postings of a term in several segments: pieces, their counts in body and extra terms, and how many turns.

    Args:
        places: the number of each segment that has the term, ascending, and the term's code there.
        segments: each with the number of its first piece.
    """
    parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    firsts: list[int] = []
    df = 0
    for number, code in places:
        segment, first = segments[number]
        low, high = segment.start.item(code), segment.start.item(code + 1)
        parts.append((segment.piece[low:high], segment.body[low:high], segment.extra[low:high]))
        firsts.append(first)
        df += segment.df.item(code)
    if not parts:
        return bytearray(), bytearray(), bytearray(), 0
    pieces, body, extra = parts[0]
    if len(parts) == 1:  # as many are, whose counts need not be copied
        return np.add(pieces, firsts[0], dtype=np.int64), body, extra, df
    numbers, bodies, extras = zip(*parts, strict=True)
    pieces, end = np.concatenate(numbers, dtype=np.int64), 0
    for first, some in zip(firsts, numbers, strict=True):  # `numpy.repeat` takes twice the time of all the rest
        start, end = end, end + len(some)
        pieces[start:end] += first
    return pieces, np.concatenate(bodies), np.concatenate(extras), df


def _closed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _frozen(array: NDArray[Any], size: int) -> NDArray[Any]:
    frozen = array[:size]
    frozen.flags.writeable = False
    return frozen
