"""Aligns the last turns of a live history at a cost that does not depend on the length of the session.

A program that sends its last messages with every question sends the end of the session again, and one turn more. As
long as the session is one branch, that is seen from its last turns alone. In every other case nothing is decided here:
the whole session is read and aligned by `clew.ingest.identity.align`, with the same result.
"""

import threading
from collections.abc import Sequence
from typing import Final

from clew.ingest.branches import TurnKey, agree
from clew.ingest.identity import Placement
from clew.store.protocol import Reader
from clew.store.rows import from_us
from clew.store.turn_selections import TURN_HASH, TURN_LINKS
from clew.write.bounded_cache import forget_oldest
from clew.write.session_log import forgotten

_LEAST: Final = 2
"""Turns before the last one by which the end of a session is recognised, see `clew.ingest.branches`."""

_SESSIONS_KEPT: Final = 64
"""Sessions of which is remembered whether they are one branch."""


class LiveWindows:
    """The ends of the sessions of one space. Threads may share it."""

    def __init__(self, space: str) -> None:
        self._space = space
        self._branches: dict[str, tuple[int, str | None]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Clears what is remembered."""
        with self._lock:
            self._branches.clear()

    def places(
        self, reader: Reader, session: str, keys: Sequence[TurnKey], upcoming: int
    ) -> tuple[list[Placement], list[int]] | None:
        """The positions of a live history in the form of `align`, and the seqs that the numbers stand for.

        None if they cannot be decided here.

        Args:
            upcoming: the session's next seq.
        """
        known = len(keys) - 1
        if not _LEAST <= known < upcoming - 1 or any(key.external_id is not None for key in keys):
            return None
        branch = self._branch(reader, session, upcoming)
        if branch is None or any(key.branch != branch for key in keys) or forgotten(reader, self._space, session):
            return None
        start, stop = (self._space, session, upcoming - len(keys)), (self._space, session)
        stored = [TurnKey(row.hash, from_us(row.at), row.external_id) for row in TURN_LINKS.scan(reader, start, stop)]
        first = TURN_HASH.first(reader, stop, stop)
        if len(stored) < len(keys) or first == keys[0].hash or all(map(agree, stored, keys)):
            return None  # it may be the beginning of the session, or all of it may have been said before
        if not all(map(agree, stored[1:], keys)):
            return None
        return [*(Placement(known=n) for n in range(known)), Placement(branch=branch)], [
            *range(upcoming - known, upcoming)
        ]

    def _branch(self, reader: Reader, session: str, upcoming: int) -> str | None:
        """The only branch of a session, if it has no gap; only turns that are new since the last call are read."""
        with self._lock:
            upto, branch = self._branches.pop(session, (0, ""))
            if upto < upcoming:
                rows = TURN_LINKS.scan(reader, (self._space, session, upto), (self._space, session))
                branch = rows[0].branch if upto == 0 and rows else branch
                is_straight = len(rows) == upcoming - upto and all(
                    row.branch == branch and row.parent is None for row in rows
                )
                branch = branch if is_straight else None
            self._branches[session] = (upcoming, branch)
            forget_oldest(self._branches, _SESSIONS_KEPT)
            return branch
