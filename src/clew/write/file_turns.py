"""Remembers which turns an imported file yielded, without their text. Start at `turns_of`."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from clew.rows.imported_files import ImportedFile, imported_file
from clew.store.protocol import Reader
from clew.store.turn_selections import TURN_ORDINAL, TURN_PLACES
from clew.types.ids import turn_id

_ANY_STATE: Final = "any"


class FileTurns(NamedTuple):
    """The turns of a file that was imported.

    Attributes:
        path: of the file, and how it was read.
        runs: session, first place and number of turns that follow one another in it.
    """

    path: str
    stamp: str
    turns: int
    runs: Sequence[tuple[str, int, int]]


class KnownTurns(NamedTuple):
    """The turns of a file that has not changed: their number, and their ids if these are known."""

    turns: int
    ids: Sequence[str]


def turns_of(reader: Reader, space: str, path: str, stamp: str) -> KnownTurns | None:
    """The turns that a file yielded when it was imported in this state; None if it was not."""
    file = imported_file(reader, space, path, stamp)
    if file is None:
        return None
    ids: list[str] = []
    for first, count in file.runs:
        for place in TURN_PLACES.scan(reader, (space, first), (space, first), index="ordinal"):
            ids += (turn_id(place.session, place.seq + step) for step in range(count))
    return KnownTurns(file.turns, ids)


def as_stored(reader: Reader, space: str, files: Iterable[FileTurns]) -> list[ImportedFile]:
    """The records by which files are remembered, with ordinals in place of session and seq."""
    return [ImportedFile(file.path, file.stamp, file.turns, _by_ordinal(reader, space, file.runs)) for file in files]


def sessions_of(reader: Reader, space: str, place: str) -> frozenset[str]:
    """The sessions of a file that was imported in any state; empty if they are not known.

    Args:
        place: as `placed_files` was given it.
    """
    file = imported_file(reader, space, _placed(place), _ANY_STATE)
    if file is None:
        return frozenset()
    firsts = (TURN_PLACES.scan(reader, (space, first), (space, first), index="ordinal") for first, _ in file.runs)
    return frozenset(place.session for places in firsts for place in places)


def placed_file(place: str, file: FileTurns) -> FileTurns:
    """What is remembered of a file's sessions, however it changes and is read."""
    firsts = {session: (session, first, 1) for session, first, _ in reversed(file.runs)}
    return FileTurns(_placed(place), _ANY_STATE, file.turns, list(firsts.values()))


def _placed(place: str) -> str:
    return f"{place}\0sessions"


def _by_ordinal(reader: Reader, space: str, runs: Sequence[tuple[str, int, int]]) -> tuple[tuple[int, int], ...]:
    ordinals = TURN_ORDINAL.get_many(reader, [(space, session, first) for session, first, _ in runs])
    if None in ordinals:  # forgotten meanwhile
        return ()
    return tuple((ordinal, count) for ordinal, (_, _, count) in zip(ordinals, runs, strict=True) if ordinal is not None)
