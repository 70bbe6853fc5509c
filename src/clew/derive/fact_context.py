"""Chooses the turns that are read for facts, and the earlier turns to read them with. Start at `FactContext`."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from clew.derive.branch_state import turn_of
from clew.rows.branch_paths import BranchPaths, is_a_version
from clew.rows.tombstones import parent_seq
from clew.rows.turn_words import TurnVoice
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_BRANCHES, TURN_ORDINAL, TURN_ORDINAL_BRANCHES, TURN_ORIGINS, TurnBranch
from clew.types.turn import Turn

_PAGE: Final = 8
_PAGES: Final = 32
"""How far back the turn before a turn is looked for: in a session with many branches there may be others between."""


class BranchStarts:
    """Where the branches of sessions begin; kept between stretches, so that no session is gone through twice."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[str, tuple[int, dict[str, int]]] = {}

    def forget(self) -> None:
        """Drops what is known of all sessions, for use after turns were deleted."""
        self._known.clear()

    def of(self, reader: Reader, space: str, session: str) -> list[int]:
        """The places at which the branches of a session begin."""
        upcoming, starts = self._known.get(session, (0, {}))
        for row in TURN_BRANCHES.scan(reader, (space, session, upcoming), (space, session)):
            starts.setdefault(row.branch, row.seq)
            upcoming = row.seq + 1
        self._known[session] = upcoming, starts
        return sorted(starts.values())


class FactContext:
    """What is read of turns, as of one snapshot."""

    def __init__(
        self, reader: Reader, space: str, starts: BranchStarts, reach: int, without: frozenset[int] = frozenset()
    ) -> None:
        """Nothing is read yet.

        Args:
            reach: turns before a turn that it is read with.
            without: ordinals of turns that none is read with.
        """
        self._reader, self._space, self._reach, self._without = reader, space, reach, without
        self._starts, self._branched = starts, dict[str, Sequence[int]]()
        self._paths = BranchPaths(reader, space, self._branched)

    def branch_out(self, session: str) -> None:
        """Has the paths of a session told apart from now on: it has several branches, or had."""
        if session not in self._branched:
            self._branched[session] = self._starts.of(self._reader, self._space, session)

    def is_read(self, row: TurnRow) -> bool:
        """Whether a turn is somebody's words, on the path that was gone on."""
        voice = TurnVoice(row.branch, row.role, row.origin)
        return row.origin != "injected" and self._paths.left(row.session, row.seq, voice) is None

    def before(self, row: TurnRow) -> list[Turn]:
        """The turns that a turn is read with, oldest first: each with the one that it answers before it."""
        turns: list[Turn] = []
        place: TurnRow | None = row
        while place is not None and len(turns) < self._reach:
            place = self._previous(place)
            if place is not None and place.origin != "injected" and place.ordinal not in self._without:
                turns.append(turn_of(place))
        return turns[::-1]

    def switched(self, rows: Sequence[TurnRow]) -> set[int]:
        """Ordinals of earlier turns that come onto the path, or off it, because of where turns were said.

        That may be so of all turns behind the point at which two versions part, when a turn of the one follows a turn
        of the other.
        """
        last: dict[str, str] = {}
        seqs: set[int] = set()
        for row in rows:
            if not is_a_version(row.branch):
                continue
            before = last.get(row.session, row.branch) if row.session in last else self._version_before(row)
            last[row.session] = row.branch
            if before == row.branch:
                continue
            self.branch_out(row.session)
            parted = min(self._paths.parted(row.session, each) for each in (before, row.branch))
            bounds = (self._space, row.session, parted), (self._space, row.session, row.seq)
            if parted < row.seq:
                seqs |= {each.ordinal for each in TURN_ORDINAL_BRANCHES.scan(self._reader, *bounds)}
        return seqs

    def _version_before(self, row: TurnRow) -> str:
        """The version that the turn before a turn belongs to; its own where it is the first."""
        for page in self._pages_before(row):
            for each in page:
                if is_a_version(each.branch):
                    return each.branch
        return row.branch

    def _previous(self, row: TurnRow) -> TurnRow | None:
        """The turn that a turn answers, or the one before it in its branch; None for the first."""
        parent = parent_seq(row.parent)
        if parent is not None:
            return TURN.get(self._reader, (self._space, row.session, parent))
        for page in self._pages_before(row):
            for each in page:
                if each.branch == row.branch:
                    return TURN.get(self._reader, (self._space, row.session, each.seq))
        return None

    def _pages_before(self, row: TurnRow) -> Iterator[list[TurnBranch]]:
        """The turns of a session before a turn, the last one first; no further than `_PAGES` pages."""
        end = row.seq - 1
        for _ in range(_PAGES):
            if end < 0:
                return
            low, high = (self._space, row.session), (self._space, row.session, end)
            page = TURN_BRANCHES.scan(self._reader, low, high, limit=_PAGE, reverse=True)
            yield page
            end = page[-1].seq - 1 if page else -1


def read_together(reader: Reader, space: str, turns: Sequence[Turn], reach: int) -> set[int]:
    """Ordinals of the turns that may have been read together with one of these: as many as `reach` behind each.

    In a session with several branches these are all of its turns, since paths may change as well.
    """
    together: set[int] = set()
    starts = BranchStarts()
    for session in {turn.session for turn in turns}:
        seqs = {cast(int, turn.seq) for turn in turns if turn.session == session}
        if len(starts.of(reader, space, session)) > 1:
            together.update(TURN_ORDINAL.scan(reader, (space, session), (space, session)))
            continue
        passed = 0
        for row in TURN_ORIGINS.scan(reader, (space, session, min(seqs)), (space, session)):
            passed = 0 if row.seq in seqs else passed + (row.origin != "injected")
            if 0 < passed <= reach:
                together.update(TURN_ORDINAL.scan(reader, *[(space, session, row.seq)] * 2))
    return together
