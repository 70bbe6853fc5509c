"""Aligns one long sequence of a session that arrives in stretches, at a constant cost per turn.

While the sequence equals the beginning of the session, the session has one branch and no external id was repeated, the
next turn is the session's next turn or a new one. In every other case nothing is decided here: the whole sequence is
aligned again by `clew.ingest.identity.align`, with the same result.
"""

from collections.abc import Iterable, Sequence

from clew.ingest.identity import Placement, TurnKey
from clew.store.protocol import Reader
from clew.store.rows import from_us, to_us
from clew.store.selections import TURN_IDENTITIES
from clew.types.ids import parse_turn_id
from clew.write.session_log import SessionContents, by_external_id


class StreamAlignment:
    """The part of a sequence that has arrived so far.

    Attributes:
        keys: alignment keys of its turns, in order.
    """

    def __init__(self, earlier: Iterable[TurnKey] = ()) -> None:
        """Begins; `earlier` are keys of turns whose places are not known."""
        self.keys = list(earlier)
        self._length: int | None = None if self.keys else 0  # they are the session's first so many turns; None: not so
        self._branch: str | None = None
        self._straight_to = 0  # places below it were seen to be one branch, in order
        self._ids: set[str] = set()  # external ids of the sequence
        self._is_released = False

    def take(self, key: TurnKey, name: str | None, *, added: bool) -> None:
        """Adds a turn that was settled.

        Args:
            name: id of the stored turn that it is; None if there is none.
            added: whether the turn is new.
        """
        if self._branch is None:
            self._branch = key.branch
        self.keys.append(key)
        if self._length is None:
            return
        seq = None if name is None else parse_turn_id(name)[1]
        repeated = key.external_id is not None and key.external_id in self._ids
        if (
            repeated
            or seq is None
            or seq != self._length
            or key.branch != self._branch
            or not (added or seq < self._straight_to)
        ):
            self._length = None
            return
        self._length += 1
        if key.external_id is not None:
            self._ids.add(key.external_id)

    def release(self) -> None:
        """Drops the keys if `restore` can read them from the store again: they are the session's first turns."""
        if self._length and self._length == len(self.keys):
            self.keys = []
            self._ids = set()
            self._is_released = True

    def restore(self, reader: Reader, space: str, session: str) -> None:
        """Reads the keys again that were dropped; nothing otherwise."""
        if not self._is_released:
            return
        rows = TURN_IDENTITIES.scan(reader, (space, session), (space, session), limit=self._length)
        for row in rows:
            at = None if row.at is None else from_us(row.at)
            self.keys.append(TurnKey(row.hash, at, row.external_id, self._branch or ""))
            if row.external_id is not None:
                self._ids.add(row.external_id)
        self._is_released = False

    def look(self, line: SessionContents, upcoming: int) -> None:
        """Checks whether the session, up to its next seq, consists of this sequence alone."""
        if self._branch is None and line.keys:
            self._branch = line.keys[0].branch
        whole = line.seqs == tuple(range(upcoming)) and not line.gone
        straight = whole and all(key.branch == self._branch and key.follows is None for key in line.keys)
        self._straight_to = upcoming if straight else 0

    def places(
        self, reader: Reader, space: str, session: str, keys: Sequence[TurnKey], upcoming: int
    ) -> tuple[list[Placement], list[int]] | None:
        """The positions of the next turns in the form of `align`, and the seqs that the numbers stand for.

        None if they cannot be decided here. No turn of the session may have been forgotten.

        Args:
            upcoming: the session's next seq.
        """
        length = self._length
        branch = self._branch
        if not length or branch is None or any(key.branch != branch for key in keys):
            return None
        if length < upcoming != self._straight_to:
            return None
        known = _again(reader, (space, session, length), keys) if length < upcoming else 0
        if known < len(keys) and length + known < upcoming:
            return None
        names = {key.external_id for key in keys if key.external_id is not None}
        if len(names) < sum(key.external_id is not None for key in keys) or not self._ids.isdisjoint(names):
            return None  # what follows a repeated external id depends on the turns that followed it before
        places = [Placement(known=number) for number in range(known)]
        for key in keys[known:]:
            if key.external_id is not None and by_external_id(reader, space, session, key.external_id):
                return None
            places.append(Placement(branch=branch))
        return places, list(range(length, length + known))


def _again(reader: Reader, first: tuple[str, str, int], keys: Sequence[TurnKey]) -> int:
    """How many of the keys are, one after the other, the turns that the session holds from `first` on."""
    rows = TURN_IDENTITIES.scan(reader, first, first[:2], limit=len(keys))
    count = 0
    for row, key in zip(rows, keys, strict=False):
        if row != (key.hash, to_us(key.at), key.external_id):
            break
        count += 1
    return count
