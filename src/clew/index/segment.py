"""Packed segments: the entries of some turns as sorted numpy arrays in one byte string.

A segment's bytes are a function of the set of its entries alone: building them at once, merging parts in any order, or
taking turns out of a larger segment gives the same bytes. Postings stand in the order of terms, then of pieces.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.index.container import Array, narrow, seal, unseal
from clew.index.entry import SATURATION, PieceTerms, TurnEntry
from clew.index.terms import StringTable, sections, to_bytes, to_text, union
from clew.types.turn import ROLES

Ints = NDArray[np.int64]

MAGIC: Final = b"CLWT"
VERSION: Final = 1
NO_TIME: Final = int(np.iinfo(np.int64).min)
"""Stands for an unknown event time in the column `at`."""

_COLUMNS: Final = (
    "ordinal", "at", "seq", "chars", "stated", "role", "first_person", "asks", "session", "branch", "speaker", "pieces"
)  # fmt: skip  # one line, as one list of names
_SECTIONS: Final = len(_COLUMNS) + 3 + 4 * 2 + 5  # columns of turns and pieces, string tables, postings


@dataclass(frozen=True, slots=True)
class Turns:
    """One value a turn in each column, in ascending order of ordinals.

    Attributes:
        at: microseconds since 1970, or NO_TIME.
        role: place in `clew.types.turn.ROLES`.
        session: code in the segment's table of sessions; `branch` likewise.
        speaker: code in the table of speakers plus 1; 0 is no speaker.
        pieces: how many pieces the turn has, at least 1.
    """

    ordinal: Array
    at: Array
    seq: Array
    chars: Array
    stated: Array
    role: Array
    first_person: Array
    asks: Array
    session: Array
    branch: Array
    speaker: Array
    pieces: Array

    def take(self, which: Array | slice) -> "Turns":
        """The turns at these places, in this slice, or where the mask holds."""
        return Turns(*(getattr(self, name)[which] for name in _COLUMNS))


@dataclass(frozen=True, slots=True)
class Pieces:
    """One value a piece in each column, turn by turn: characters, and sums of the counts of body and extra terms."""

    chars: Array
    body: Array
    extra: Array


@dataclass(frozen=True, slots=True)
class Segment:
    """A packed segment, read in place.

    Attributes:
        start: `piece[start[t]:start[t + 1]]` are the postings of term t; likewise `body` and `extra`.
        df: turns that hold each term.
        piece: piece numbers inside the segment, ascending within a term.
        body: count of the term in the piece's own text, at most 255; 0 when it is an extra only.
        extra: likewise for the extra terms.
    """

    turns: Turns
    pieces: Pieces
    sessions: StringTable
    branches: StringTable
    speakers: StringTable
    terms: StringTable
    start: Ints
    df: Array
    piece: Array
    body: Array
    extra: Array

    @classmethod
    def load(cls, data: bytes) -> "Segment":
        """Reads a segment without copying its arrays.

        Raises:
            StoreCorrupt: the bytes are not, or no longer, those of a segment.
            SchemaError: they are of a newer format.
        """
        arrays = iter(unseal(data, MAGIC, VERSION, _SECTIONS))
        turns = Turns(*(next(arrays) for _ in _COLUMNS))
        pieces = Pieces(next(arrays), next(arrays), next(arrays))
        sessions, branches, speakers, terms = (StringTable(next(arrays), next(arrays)) for _ in range(4))
        counts, df, piece, body, extra = arrays
        start = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=start[1:])
        return cls(turns, pieces, sessions, branches, speakers, terms, start, df, piece, body, extra)

    @property
    def piece_turn(self) -> Ints:
        """The place of each piece's turn in the segment."""
        return np.repeat(np.arange(len(self.turns.ordinal)), self.turns.pieces)

    @property
    def term_of_posting(self) -> Ints:
        """The code of each posting's term."""
        return np.repeat(np.arange(self.terms.size), np.diff(self.start))


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a segment is sealed from: string tables sorted and without unused strings, postings in any order.

    Attributes:
        chars: length of each piece.
        term, piece, body, extra: one value a posting.
    """

    turns: Turns
    chars: Array
    sessions: Sequence[bytes]
    branches: Sequence[bytes]
    speakers: Sequence[bytes]
    terms: Sequence[bytes]
    term: Array
    piece: Array
    body: Array
    extra: Array


def build(entries: Iterable[TurnEntry]) -> bytes:
    """Packs entries, given in any order.

    Raises:
        InputError: two entries have the same ordinal.
    """
    held = sorted(entries, key=lambda entry: entry.ordinal)
    flat = [piece for entry in held for piece in entry.pieces]
    sessions, session = _coded([entry.session for entry in held])
    branches, branch = _coded([entry.branch for entry in held])
    named = [entry.speaker for entry in held if entry.speaker is not None]
    speakers, spoken = _coded(named)
    speaker = np.zeros(len(held), dtype=np.int64)
    speaker[[entry.speaker is not None for entry in held]] = spoken + 1
    turns = Turns(
        ordinal=_column(entry.ordinal for entry in held),
        at=_column(NO_TIME if entry.at is None else entry.at for entry in held),
        seq=_column(entry.seq for entry in held),
        chars=_column(entry.chars for entry in held),
        stated=_column(entry.stated for entry in held),
        role=_column(ROLES.index(entry.role) for entry in held),
        first_person=_column(entry.first_person for entry in held),
        asks=_column(entry.asks for entry in held),
        session=session,
        branch=branch,
        speaker=speaker,
        pieces=_column(len(entry.pieces) for entry in held),
    )
    chars = _column(piece.chars for piece in flat)
    return _seal(_Draft(turns, chars, sessions, branches, speakers, *_postings(flat)))


def merge(segments: Sequence[Segment]) -> bytes:
    """Packs the entries of several segments into one, without looking at any of them singly.

    Raises:
        InputError: a turn is in two of them.
    """
    sessions, session = _joined([each.sessions for each in segments], [each.turns.session for each in segments])
    branches, branch = _joined([each.branches for each in segments], [each.turns.branch for each in segments])
    speakers, new_speakers = union(each.speakers.strings() for each in segments)
    # Code 0, no speaker, stays 0.
    shifted = [np.concatenate(([0], codes + 1)) for codes in new_speakers]
    speaker = _concatenate([codes[each.turns.speaker] for codes, each in zip(shifted, segments, strict=True)])
    terms, term = _joined([each.terms for each in segments], [each.term_of_posting for each in segments])
    offsets = np.cumsum([0, *(len(each.pieces.chars) for each in segments)])
    turns = Turns(*(_concatenate([getattr(each.turns, name) for each in segments]) for name in _COLUMNS))
    draft = _Draft(
        turns=replace(turns, session=session, branch=branch, speaker=speaker),
        chars=_concatenate([each.pieces.chars for each in segments]),
        sessions=sessions,
        branches=branches,
        speakers=speakers,
        terms=terms,
        term=term,
        piece=_concatenate([each.piece + offset for each, offset in zip(segments, offsets, strict=False)]),
        body=_concatenate([each.body for each in segments]),
        extra=_concatenate([each.extra for each in segments]),
    )
    return _seal(_in_order(draft))


def without(segment: Segment, ordinals: Iterable[int]) -> bytes | None:
    """The segment without some turns, as if they had never been in it: their strings are gone as well.

    Returns:
        The new bytes; None when nothing is left.
    """
    keep = ~np.isin(segment.turns.ordinal, np.fromiter(ordinals, dtype=np.int64))
    if not keep.any():
        return None
    turns = segment.turns.take(keep)
    pieces = np.repeat(keep, segment.turns.pieces)
    number = np.cumsum(pieces) - 1
    held = pieces[segment.piece]
    sessions, session = _used(segment.sessions, turns.session)
    branches, branch = _used(segment.branches, turns.branch)
    named = turns.speaker > 0
    speakers, spoken = _used(segment.speakers, turns.speaker[named] - np.int64(1))
    speaker = np.zeros(len(named), dtype=np.int64)
    speaker[named] = spoken + 1
    terms, term = _used(segment.terms, segment.term_of_posting[held])
    draft = _Draft(
        turns=replace(turns, session=session, branch=branch, speaker=speaker),
        chars=segment.pieces.chars[pieces],
        sessions=sessions,
        branches=branches,
        speakers=speakers,
        terms=terms,
        term=term,
        piece=number[segment.piece[held]],
        body=segment.body[held],
        extra=segment.extra[held],
    )
    return _seal(draft)


def entries(segment: Segment) -> Iterator[TurnEntry]:
    """The entries of a segment, in order; counts above 255 come back as 255."""
    names = list(map(to_text, segment.terms.strings()))
    order = np.argsort(segment.piece, kind="stable")
    terms = segment.term_of_posting[order].tolist()
    ends = np.searchsorted(segment.piece[order], np.arange(len(segment.pieces.chars)), side="right").tolist()
    body, extra, chars = segment.body[order].tolist(), segment.extra[order].tolist(), segment.pieces.chars.tolist()

    def piece(number: int) -> PieceTerms:
        low, high = ends[number - 1] if number else 0, ends[number]
        return PieceTerms(
            {names[terms[place]]: body[place] for place in range(low, high) if body[place]},
            {names[terms[place]]: extra[place] for place in range(low, high) if extra[place]},
            chars[number],
        )

    first = 0
    for turn, count in enumerate(segment.turns.pieces.tolist()):
        yield _entry(segment, turn, tuple(map(piece, range(first, first + count))))
        first += count


def _entry(segment: Segment, turn: int, pieces: tuple[PieceTerms, ...]) -> TurnEntry:
    row = {name: getattr(segment.turns, name)[turn].item() for name in _COLUMNS}
    return TurnEntry(
        ordinal=row["ordinal"],
        session=to_text(segment.sessions[row["session"]]),
        seq=row["seq"],
        branch=to_text(segment.branches[row["branch"]]),
        speaker=to_text(segment.speakers[row["speaker"] - 1]) if row["speaker"] else None,
        role=ROLES[row["role"]],
        at=None if row["at"] == NO_TIME else row["at"],
        chars=row["chars"],
        pieces=pieces,
        first_person=bool(row["first_person"]),
        asks=bool(row["asks"]),
        stated=row["stated"],
    )


def _seal(draft: _Draft) -> bytes:
    turns, size = draft.turns, len(draft.chars)
    if np.any(np.diff(turns.ordinal) == 0):
        twice = turns.ordinal[:-1][np.diff(turns.ordinal) == 0]
        raise InputError(f"turn {int(twice[0])} is there twice; expected each ordinal once: run `clew rebuild`")
    order = np.argsort(draft.term.astype(np.int64) * size + draft.piece, kind="stable")
    term, piece, body, extra = (
        values[order].astype(np.int64) for values in (draft.term, draft.piece, draft.body, draft.extra)
    )
    turn = np.repeat(np.arange(len(turns.ordinal)), turns.pieces)[piece]
    first = np.ones(len(term), dtype=bool)
    first[1:] = (np.diff(term) != 0) | (np.diff(turn) != 0)
    columns = [narrow(getattr(turns, name)) for name in _COLUMNS[2:]]
    arrays = [
        np.asarray(turns.ordinal, dtype=np.int64),
        np.asarray(turns.at, dtype=np.int64),
        *columns,
        narrow(draft.chars),
        narrow(np.bincount(piece, weights=body, minlength=size).astype(np.int64)),
        narrow(np.bincount(piece, weights=extra, minlength=size).astype(np.int64)),
        *chain.from_iterable(map(sections, (draft.sessions, draft.branches, draft.speakers, draft.terms))),
        narrow(np.bincount(term, minlength=len(draft.terms))),
        narrow(np.bincount(term[first], minlength=len(draft.terms))),
        narrow(piece),
        narrow(body),
        narrow(extra),
    ]
    return seal(MAGIC, VERSION, arrays)


def _in_order(draft: _Draft) -> _Draft:
    """The draft with its turns in the order of their ordinals, and the pieces with them."""
    turns = draft.turns
    if np.all(np.diff(turns.ordinal) > 0):
        return draft
    order = np.argsort(turns.ordinal, kind="stable")
    moved = turns.take(order)
    first = np.cumsum(turns.pieces, dtype=np.int64) - turns.pieces
    new_first = np.cumsum(moved.pieces, dtype=np.int64) - moved.pieces
    old = np.repeat(first[order] - new_first, moved.pieces) + np.arange(len(draft.chars))
    number = np.empty(len(old), dtype=np.int64)
    number[old] = np.arange(len(old))
    return replace(draft, turns=moved, chars=draft.chars[old], piece=number[draft.piece])


def _postings(pieces: Sequence[PieceTerms]) -> tuple[Sequence[bytes], Ints, Ints, Ints, Ints]:
    """Terms, and the postings' terms, pieces, body counts and extra counts."""
    names: list[str] = []
    counts: list[int] = []
    for piece in pieces:
        names += piece.body
        names += piece.extra
        counts += piece.body.values()
        counts += piece.extra.values()
    sizes = [len(group) for piece in pieces for group in (piece.body, piece.extra)]
    group = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    terms, term = _coded(names)
    count = np.minimum(np.array(counts, dtype=np.int64), SATURATION)
    # A term that is body and extra of one piece stands in the list twice; both go to one posting.
    key, posting = np.unique(term * len(pieces) + (group >> 1), return_inverse=True)
    body, extra = np.zeros(len(key), dtype=np.int64), np.zeros(len(key), dtype=np.int64)
    in_body = group % 2 == 0
    body[posting[in_body]] = count[in_body]
    extra[posting[~in_body]] = count[~in_body]
    return terms, key // max(len(pieces), 1), key % max(len(pieces), 1), body, extra


def _column(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _concatenate(arrays: Sequence[Array]) -> Array:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


def _coded(strings: Sequence[str]) -> tuple[list[bytes], Ints]:
    """The distinct strings, sorted, and each string's code in that order."""
    table = sorted(set(strings))
    codes = {string: code for code, string in enumerate(table)}
    return list(map(to_bytes, table)), np.fromiter(map(codes.__getitem__, strings), dtype=np.int64, count=len(strings))


def _joined(tables: Sequence[StringTable], codes: Sequence[Array]) -> tuple[list[bytes], Array]:
    """One table of all strings, and the codes that point into it instead of into their own."""
    merged, renamed = union(table.strings() for table in tables)
    return merged, _concatenate([new[old] for new, old in zip(renamed, codes, strict=True)])


def _used(table: StringTable, codes: Array) -> tuple[list[bytes], Array]:
    """The strings that the codes point to, in order, and the codes that point into this smaller table."""
    held, new = np.unique(codes, return_inverse=True)
    return [table[code] for code in held.tolist()], new
