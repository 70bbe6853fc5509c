"""Aligns one long sequence that arrives in parts, at a constant cost per turn.

While the sequence equals the beginning of the session, the session has one branch and no external id was repeated, the
next turn is the session's next turn or a new one. In every other case nothing is decided here: the whole sequence is
aligned again by `clew.ingest.identity.align`, with the same result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from clew.ingest.identity import Placement, TurnKey
from clew.store.protocol import Reader
from clew.store.rows import to_us
from clew.store.turn_selections import TURN_IDENTITIES
from clew.types.ids import parse_turn_id
from clew.write.session_log import SessionContents, by_external_id


class StreamAlignment:
    """The part of a sequence that has arrived so far.

    Attributes:
        keys: alignment keys of its turns, in order, after `restore`. As long as these are the session's first turns,
            none is in memory, since the store has them.
    """

    def __init__(self, earlier: Iterable[TurnKey] = ()) -> None:
        """Begins; `earlier` are keys of turns whose places are not known."""
        self.keys = list(earlier)
        self._length: int | None = None if self.keys else 0  # they are the session's first so many turns; None: not so
        self._stored = 0  # of how many, the first ones, the store has the keys
        self._branch: str | None = None
        self._straight_to = 0  # places below it were seen to be one branch, in order

    @property
    def is_begun(self) -> bool:
        """Whether any turn has arrived."""
        return bool(self.keys or self._stored)

    def take(self, key: TurnKey, name: str | None, *, added: bool) -> None:
        """Adds a turn that was settled.

        Args:
            name: id of the stored turn that it is; None if there is none.
            added: whether the turn is new.
        """
        if self._branch is None:
            self._branch = key.branch
        seq = None if name is None else parse_turn_id(name)[1]
        is_next = seq is not None and seq == self._length and key.branch == self._branch
        if is_next and (added or cast(int, seq) < self._straight_to):
            self._length = self._stored = cast(int, seq) + 1
            self.keys = []
        else:  # among others a repeated external id, which names a turn before
            self._length = None
            self.keys.append(key)

    def restore(self, line: SessionContents) -> None:
        """Takes the keys that only the store has from what the session holds, forgotten turns included."""
        first = (key for seq, key in zip(line.seqs, line.keys, strict=True) if seq < self._stored)
        self.keys[:0] = [replace(key, branch=self._branch or "", follows=None) for key in first]
        self._stored = 0

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
        names = [key.external_id for key in keys if key.external_id is not None]
        if len(set(names)) < len(names):
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
