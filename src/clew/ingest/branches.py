"""The branches of a stored session as a tree of turns. Pure and read only."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TurnKey:
    """The fields of a turn that alignment compares.

    Attributes:
        hash: its `content_hash`.
        at: event time; None when unknown.
        external_id: the source's own id; None when it has none.
        branch: as in `Turn.branch`.
        follows: of a stored turn, the place in `stored` of the turn it answers when that is not simply the one before
            in its branch (what `Turn.parent` says). Not looked at in incoming turns.
    """

    hash: bytes
    at: datetime | None = None
    external_id: str | None = None
    branch: str = ""
    follows: int | None = None


def agree(one: TurnKey, other: TurnKey) -> bool:
    """Whether two keys may be the same turn: ids decide where both have one, else content and time."""
    if one.external_id is not None and other.external_id is not None:
        return one.external_id == other.external_id
    return one.hash == other.hash and (one.at == other.at or one.at is None or other.at is None)


class BranchTree:
    """The stored turns of a session as a tree of branches.

    Attributes:
        ids: external id -> place in `stored`, of the first turn that has it.
        ends: branch -> place of its last turn.
    """

    def __init__(self, stored: Sequence[TurnKey]) -> None:
        self.stored = stored
        self.ids: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self._hashes = {key.hash for key in stored}
        self._entries: dict[str, list[int]] = {}  # branch -> the turns that nothing of the branch comes before
        self._before: list[int | None] = []
        self._after: list[list[int]] = [[] for _ in stored]
        for i, key in enumerate(stored):
            before = key.follows if key.follows is not None and key.follows < i else self.ends.get(key.branch)
            self._before.append(before)
            if before is not None:
                self._after[before].append(i)
            if before is None or stored[before].branch != key.branch:
                self._entries.setdefault(key.branch, []).append(i)
            self.ends[key.branch] = i
            if key.external_id is not None:
                self.ids.setdefault(key.external_id, i)

    def goes_on(self, place: int) -> bool:
        """Whether another turn of the same branch comes after this one."""
        return any(self.stored[i].branch == self.stored[place].branch for i in self._after[place])

    def holds(self, key: TurnKey) -> bool:
        """Whether any stored turn has the content of a key."""
        return key.hash in self._hashes

    def walk(self, start: int | str, keys: Sequence[TurnKey], taken: Collection[int | None]) -> list[int]:
        """The longest stored path that agrees with the first of these keys.

        Args:
            start: the stored turn that the path comes after, or the branch whose beginning it starts at.
            taken: stored turns that are known to be others of the incoming ones.

        Returns:
            Places in `stored`. Of paths that are equally long one that ends its branch is taken, then the oldest.
        """
        ends: list[int] = []
        reached = self._entries.get(start, []) if isinstance(start, str) else self._after[start]
        length = 0
        for key in keys:
            matching = [i for i in reached if i not in taken and agree(self.stored[i], key)]
            if not matching:
                break
            ends, length = matching, length + 1
            reached = [after for i in matching for after in self._after[i]]
        if not ends:
            return []
        return self._back(min(ends, key=lambda i: (self.goes_on(i), i)), length)

    def overlap(self, keys: Sequence[TurnKey]) -> list[int]:
        """The longest end of a stored path that the keys begin with, as indexes into `stored`; the newest of several.

        One turn alone counts only when both times are known and equal.
        """
        failure = _failure([key.hash for key in keys])
        best: list[int] = []
        for end in reversed([i for i in range(len(self.stored)) if not self.goes_on(i)]):
            line = self._back(end, len(keys))
            for length in _borders([self.stored[i].hash for i in line], keys, failure):
                if length <= len(best):
                    break
                if self._is_end(line, length, keys):
                    best = line[len(line) - length :]
                    break
        return best

    def _is_end(self, line: Sequence[int], length: int, keys: Sequence[TurnKey]) -> bool:
        first = len(line) - length
        timed = self.stored[line[first]].at is not None and keys[0].at is not None
        return (length > 1 or timed) and all(agree(self.stored[line[first + n]], keys[n]) for n in range(length))

    def _back(self, end: int, length: int) -> list[int]:
        """The last `length` turns of the path that ends with `end`."""
        path: list[int] = []
        place: int | None = end
        while place is not None and len(path) < length:
            path.append(place)
            place = self._before[place]
        path.reverse()
        return path


def _failure(pattern: Sequence[bytes]) -> list[int]:
    """The failure function of Knuth, Morris and Pratt (1977): length of the longest proper border of each prefix."""
    failure = [0] * len(pattern)
    length = 0
    for i in range(1, len(pattern)):
        while length and pattern[i] != pattern[length]:
            length = failure[length - 1]
        length += pattern[i] == pattern[length]
        failure[i] = length
    return failure


def _borders(text: Sequence[bytes], keys: Sequence[TurnKey], failure: Sequence[int]) -> Iterator[int]:
    """Lengths of the suffixes of `text` that are prefixes of `keys`, longest first, compared by content alone."""
    length = 0
    for item in text:
        if length == len(keys):
            length = failure[length - 1]
        while length and item != keys[length].hash:
            length = failure[length - 1]
        length += item == keys[length].hash
    while length:
        yield length
        length = failure[length - 1]
