"""Packed segments: the entries of some turns as sorted numpy arrays in one byte string.

A segment's bytes depend only on the set of its entries: building them at once, merging parts in any order, or removing
turns from a larger segment gives the same bytes. Postings are sorted by term, then by piece.
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
from clew.index.string_table import StringTable, sections, to_bytes, to_text, union
from clew.types.turn import ROLES

Ints = NDArray[np.int64]

MAGIC: Final = b"CLWT"
VERSION: Final = 1
NO_TIME: Final = int(np.iinfo(np.int64).min)
"""The value of the column `at` for an unknown event time."""

_COLUMNS: Final = (
    "ordinal", "at", "seq", "chars", "stated", "role", "first_person", "asks", "session", "branch", "speaker", "pieces"
)  # fmt: skip  # one line, as one list of names
_PIECE_COLUMNS: Final = ("chars", "body", "extra")
_SECTIONS: Final = (
    len(_COLUMNS) + len(_PIECE_COLUMNS) + 4 * 2 + 5
)  # columns of turns and pieces, string tables, postings


@dataclass(frozen=True, slots=True)
class Turns:
    """Columns with one value per turn, sorted by ordinal.

    Attributes:
        at: microseconds since 1970, or NO_TIME.
        role: index in `clew.types.turn.ROLES`.
        session: code in the segment's table of sessions.
        branch: code in the segment's table of branches.
        speaker: code in the table of speakers plus 1; 0 means no speaker.
        pieces: number of pieces, at least 1.
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
        """The turns selected by indexes, a slice or a mask."""
        return Turns(*(getattr(self, name)[which] for name in _COLUMNS))


@dataclass(frozen=True, slots=True)
class Pieces:
    """Columns with one value per piece, turn by turn: characters, and total counts of body and extra terms."""

    chars: Array
    body: Array
    extra: Array


@dataclass(frozen=True, slots=True)
class Segment:
    """A packed segment, read in place.

    Attributes:
        start: `piece[start[t]:start[t + 1]]` are the postings of term t; the same slice applies to `body` and `extra`.
        df: document frequency of each term, in turns.
        piece: piece numbers within the segment, ascending within a term.
        body: count of the term among the piece's body terms, at most 255.
        extra: count of the term among the piece's extra terms, at most 255.
    """

    turns: Turns
    pieces: Pieces
    sessions: StringTable
    branches: StringTable
    speakers: StringTable
    terms: StringTable
    start: Array
    df: Array
    piece: Array
    body: Array
    extra: Array

    @classmethod
    def load(cls, data: bytes) -> "Segment":
        """Reads a segment without copying its arrays.

        Raises:
            StoreCorrupt: the bytes are damaged, or are not a term segment.
            SchemaError: the segment has another format version.
        """
        arrays = iter(unseal(data, MAGIC, VERSION, _SECTIONS))
        turns = Turns(*(next(arrays) for _ in _COLUMNS))
        pieces = Pieces(next(arrays), next(arrays), next(arrays))
        sessions, branches, speakers, terms = (StringTable(next(arrays), next(arrays)) for _ in range(4))
        counts, df, piece, body, extra = arrays
        start = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=start[1:])
        return cls(turns, pieces, sessions, branches, speakers, terms, narrow(start), df, piece, body, extra)

    @property
    def term_of_posting(self) -> Ints:
        """The code of each posting's term."""
        return np.repeat(np.arange(self.terms.size), np.diff(self.start))


@dataclass(frozen=True, slots=True)
class _Draft:
    """The content of a segment before it is packed; its string tables contain only strings that are used.

    Attributes:
        counts: number of postings of each term.
        df: document frequency of each term, in turns.
    """

    turns: Turns
    pieces: Pieces
    sessions: Sequence[bytes]
    branches: Sequence[bytes]
    speakers: Sequence[bytes]
    terms: Sequence[bytes]
    counts: Array
    df: Array
    piece: Array
    body: Array
    extra: Array


def build(entries: Iterable[TurnEntry]) -> bytes:
    """Packs entries, given in any order, into a segment.

    Raises:
        InputError: two entries have the same ordinal.
    """
    ordered = sorted(entries, key=lambda entry: entry.ordinal)
    flat = [piece for entry in ordered for piece in entry.pieces]
    sessions, session = _coded([entry.session for entry in ordered])
    branches, branch = _coded([entry.branch for entry in ordered])
    named = [entry.speaker for entry in ordered if entry.speaker is not None]
    speakers, spoken = _coded(named)
    speaker = np.zeros(len(ordered), dtype=np.int64)
    speaker[[entry.speaker is not None for entry in ordered]] = spoken + 1
    turns = Turns(
        ordinal=_column(entry.ordinal for entry in ordered),
        at=_column(NO_TIME if entry.at is None else entry.at for entry in ordered),
        seq=_column(entry.seq for entry in ordered),
        chars=_column(entry.chars for entry in ordered),
        stated=_column(entry.stated for entry in ordered),
        role=_column(ROLES.index(entry.role) for entry in ordered),
        first_person=_column(entry.first_person for entry in ordered),
        asks=_column(entry.asks for entry in ordered),
        session=session,
        branch=branch,
        speaker=speaker,
        pieces=_column(len(entry.pieces) for entry in ordered),
    )
    names, term, piece, body, extra = _postings(flat)
    pieces = Pieces(_column(each.chars for each in flat), *_lengths(len(flat), piece, body, extra))
    counts, df = _frequencies(len(names), term, _owners(turns)[piece])
    return _seal(_Draft(turns, pieces, sessions, branches, speakers, names, counts, df, piece, body, extra))


def merge(segments: Sequence[Segment]) -> bytes:
    """Merges segments, given in any order, into one; works on whole arrays, not on single entries.

    Raises:
        InputError: the segments' ranges of ordinals overlap.
    """
    parts = sorted(segments, key=lambda part: int(part.turns.ordinal[0]))
    sessions, session = _joined([part.sessions for part in parts], [part.turns.session for part in parts])
    branches, branch = _joined([part.branches for part in parts], [part.turns.branch for part in parts])
    speakers, new_speakers = union(part.speakers.strings() for part in parts)
    # Code 0, no speaker, stays 0.
    shifted = [np.concatenate(([0], codes + 1)) for codes in new_speakers]
    speaker = np.concatenate([codes[part.turns.speaker] for codes, part in zip(shifted, parts, strict=True)])
    turns = Turns(*(np.concatenate([getattr(part.turns, name) for part in parts]) for name in _COLUMNS))
    terms, renamed = union(part.terms.strings() for part in parts)
    counts, df = np.zeros(len(terms), dtype=np.int64), np.zeros(len(terms), dtype=np.int64)
    for new, part in zip(renamed, parts, strict=True):
        counts[new] += np.diff(part.start)
        df[new] += part.df
    draft = _Draft(
        turns=replace(turns, session=session, branch=branch, speaker=speaker),
        pieces=Pieces(*(np.concatenate([getattr(part.pieces, name) for part in parts]) for name in _PIECE_COLUMNS)),
        sessions=sessions,
        branches=branches,
        speakers=speakers,
        terms=terms,
        counts=counts,
        df=df,
        **_interleaved(parts, renamed, counts),
    )
    return _seal(draft)


def _interleaved(parts: Sequence[Segment], renamed: Sequence[Ints], counts: Ints) -> dict[str, Array]:
    """Merges the postings of several segments: ordered by term, and within a term by segment."""
    size = int(counts.sum())
    columns: dict[str, Array] = {
        "piece": np.empty(size, np.uint32),
        "body": np.empty(size, np.uint8),
        "extra": np.empty(size, np.uint8),
    }
    free = np.cumsum(counts) - counts  # where the next posting of each term goes
    offset = 0
    for new, part in zip(renamed, parts, strict=True):
        sizes = np.diff(part.start)
        places = np.repeat(free[new] - part.start[:-1], sizes) + np.arange(len(part.piece))
        columns["piece"][places] = np.add(part.piece, offset, dtype=np.uint32)
        columns["body"][places], columns["extra"][places] = part.body, part.extra
        free[new] += sizes
        offset += len(part.pieces.chars)
    return columns


def without(segment: Segment, ordinals: Iterable[int]) -> bytes | None:
    """Removes turns from a segment, including strings that only they used, as if they had never been in it.

    Returns:
        The new bytes; None if no turn is left.
    """
    keep = ~np.isin(segment.turns.ordinal, np.fromiter(ordinals, dtype=np.int64))
    if not keep.any():
        return None
    turns = segment.turns.take(keep)
    piece_is_kept = np.repeat(keep, segment.turns.pieces)
    is_kept = piece_is_kept[segment.piece]
    sessions, session = _used(segment.sessions, turns.session)
    branches, branch = _used(segment.branches, turns.branch)
    named = turns.speaker > 0
    speakers, spoken = _used(segment.speakers, turns.speaker[named] - np.int64(1))
    speaker = np.zeros(len(named), dtype=np.int64)
    speaker[named] = spoken + 1
    terms, term = _used(segment.terms, segment.term_of_posting[is_kept])
    piece = (np.cumsum(piece_is_kept) - 1)[segment.piece[is_kept]]
    counts, df = _frequencies(len(terms), term, _owners(turns)[piece])
    draft = _Draft(
        turns=replace(turns, session=session, branch=branch, speaker=speaker),
        pieces=Pieces(*(getattr(segment.pieces, name)[piece_is_kept] for name in _PIECE_COLUMNS)),
        sessions=sessions,
        branches=branches,
        speakers=speakers,
        terms=terms,
        counts=counts,
        df=df,
        piece=piece,
        body=segment.body[is_kept],
        extra=segment.extra[is_kept],
    )
    return _seal(draft)


def entries(segment: Segment) -> Iterator[TurnEntry]:
    """Decodes the entries of a segment, in order; counts above 255 were stored as 255."""
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
    turns = draft.turns
    unordered = np.flatnonzero(np.diff(turns.ordinal) <= 0)
    if len(unordered):
        raise InputError(
            f"the ordinal {int(turns.ordinal[unordered[0] + 1])} occurs twice, or segments overlap; expected each "
            "ordinal once, in separate ranges: run `clew rebuild`"
        )
    tables = (draft.sessions, draft.branches, draft.speakers, draft.terms)
    arrays = [
        np.asarray(turns.ordinal, dtype=np.int64),
        np.asarray(turns.at, dtype=np.int64),
        *(narrow(getattr(turns, name)) for name in _COLUMNS[2:]),
        *(narrow(getattr(draft.pieces, name)) for name in _PIECE_COLUMNS),
        *chain.from_iterable(map(sections, tables)),
        *map(narrow, (draft.counts, draft.df, draft.piece, draft.body, draft.extra)),
    ]
    return seal(MAGIC, VERSION, arrays)


def _owners(turns: Turns) -> Ints:
    """The index of each piece's turn."""
    return np.repeat(np.arange(len(turns.ordinal)), turns.pieces)


def _lengths(size: int, piece: Array, body: Array, extra: Array) -> tuple[Ints, Ints]:
    """The total counts of each piece's body terms and of its extra terms."""
    sums = (np.bincount(piece, weights=counts, minlength=size) for counts in (body, extra))
    first, second = (sum_.astype(np.int64) for sum_ in sums)
    return first, second


def _frequencies(size: int, term: Array, turn: Array) -> tuple[Ints, Ints]:
    """The numbers of postings and of turns of each of `size` terms, from the sorted postings."""
    first = np.ones(len(term), dtype=bool)
    first[1:] = (np.diff(term) != 0) | (np.diff(turn) != 0)
    return np.bincount(term, minlength=size), np.bincount(term[first], minlength=size)


def _postings(pieces: Sequence[PieceTerms]) -> tuple[Sequence[bytes], Ints, Ints, Ints, Ints]:
    """The sorted terms, and the postings as columns: term, piece, body count, extra count."""
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
    # A term that is both body and extra of a piece is in the list twice; both counts go to one posting.
    key, posting = np.unique(term * len(pieces) + (group >> 1), return_inverse=True)
    body, extra = np.zeros(len(key), dtype=np.int64), np.zeros(len(key), dtype=np.int64)
    in_body = group % 2 == 0
    body[posting[in_body]] = count[in_body]
    extra[posting[~in_body]] = count[~in_body]
    return terms, key // max(len(pieces), 1), key % max(len(pieces), 1), body, extra


def _column(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _coded(strings: Sequence[str]) -> tuple[list[bytes], Ints]:
    """The distinct strings, sorted, and the code of each given string in that order."""
    table = sorted(set(strings))
    codes = dict(zip(table, range(len(table)), strict=True))
    return list(map(to_bytes, table)), np.fromiter(map(codes.__getitem__, strings), dtype=np.int64, count=len(strings))


def _joined(tables: Sequence[StringTable], codes: Sequence[Array]) -> tuple[list[bytes], Array]:
    """Merges string tables, and translates codes of each table to codes of the merged one."""
    merged, renamed = union(table.strings() for table in tables)
    return merged, np.concatenate([new[old] for new, old in zip(renamed, codes, strict=True)])


def _used(table: StringTable, codes: Array) -> tuple[list[bytes], Array]:
    """Reduces a string table to the strings that codes refer to, and translates the codes."""
    used, new = np.unique(codes, return_inverse=True)
    return [table[code] for code in used.tolist()], new
