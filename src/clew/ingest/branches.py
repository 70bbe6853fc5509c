"""The branches of a stored session as a tree of turns. Pure and read only."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Final

SUBAGENTS: Final = "sidechain:"
"""Begins the name of a branch in which an agent and one that it started talk with each other."""

PUT_IN: Final = 2
"""Most turns that a client puts in the place of what it leaves out: a summary, and an answer to it."""

_LEAST: Final = 2
"""Turns in a row by which a place is recognised: one short answer ("ok") is given at many places."""

_TRIED: Final = 16
"""Places that are looked at of those where the same turns end."""


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


def free_name(branches: Collection[str]) -> str:
    """A name for a branch that none of these has: `edit-1`, `edit-2`, ..."""
    return next(name for number in count(1) if (name := f"edit-{number}") not in branches)


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

    def new_branch(self) -> str:
        """A name that no branch has: `edit-1`, `edit-2`, ..."""
        return free_name(self.ends)

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

    def overlap(self, keys: Sequence[TurnKey], *, is_live: bool) -> list[int]:
        """The longest end of a stored path that the keys begin with, as indexes into `stored`; the newest of several.

        Args:
            is_live: as for `window`.
        """
        least = _least(keys, is_live=is_live)
        failure = _failure([key.hash for key in keys])
        best: list[int] = []
        for end in reversed([i for i in range(len(self.stored)) if not self.goes_on(i)]):
            line = self._back(end, len(keys))
            for length in _borders([self.stored[i].hash for i in line], keys, failure):
                if length <= len(best):
                    break
                if self._is_end(line, length, keys, least):
                    best = line[len(line) - length :]
                    break
        return best

    def window(self, head: Sequence[int], keys: Sequence[TurnKey], *, is_live: bool) -> list[int]:
        """The stored turns further on with which the keys begin, as indexes into `stored`; empty where it is not clear.

        They come after the head without a gap in themselves, and are `_LEAST` turns or more. The longest ones count; of
        several places equally long the end of a branch, since that is where a conversation goes on; without one of
        those, they have to be the only ones, unless they are all of the keys, to which nothing is added anywhere.

        Args:
            head: the stored turns that came before the keys, if any.
            is_live: whether the last key is being said now: that it was said before as well counts for nothing then
                where all but it are the end of a branch. The last `PUT_IN` turns of the head may then have been put in,
                so that nothing goes on from them.
        """
        matched = self._matched(head, keys, PUT_IN if is_live else 0)
        found = [i for i, length in enumerate(matched) if length]
        ends = sorted((i for i in found if not self.goes_on(i)), key=lambda i: (matched[i], i), reverse=True)
        least = _least(keys, is_live=is_live)
        end = next((i for i in ends[:_TRIED] if self._is_same(i, matched[i], keys, least)), None)
        longest = max((matched[i] for i in found), default=0)
        if end is not None and (matched[end] == longest or (is_live and matched[end] == len(keys) - 1)):
            return self._back(end, matched[end])
        most = [i for i in found if matched[i] == longest]
        if len(most) > _TRIED and longest < len(keys):
            return []
        places = [i for i in most[-_TRIED:] if self._is_same(i, longest, keys, least)]
        is_clear = len(places) == 1 or (longest == len(keys) and not is_live)
        return self._back(places[-1], longest) if places and is_clear else []

    def resent(self, head: Sequence[int], keys: Sequence[TurnKey]) -> list[int]:
        """The places of all the keys, where the first are turns of the head and the others come further on; else empty.

        So a window that was lined up once is known again, although a branch begins with more of it by now.

        Args:
            head: the stored turns that the first keys are.
        """
        ends = [i for i, key in enumerate(self.stored) if key.hash == keys[-1].hash]
        for end in reversed(ends[-_TRIED:]):
            path = self._back(end, len(self.stored))
            places = {i: n for n, i in enumerate(path)}
            length = 0
            while length < min(len(path), len(keys)) and agree(self.stored[path[-1 - length]], keys[-1 - length]):
                length += 1
            for same in range(length, max(_LEAST, len(keys) - len(head)) - 1, -1):
                kept = len(keys) - same
                if kept and places.get(head[kept - 1], len(path)) < len(path) - same:
                    return [*head[:kept], *path[len(path) - same :]]
        return []

    def newest(self, key: TurnKey, taken: Collection[int | None]) -> int | None:
        """The last stored turn that agrees with a key."""
        same = (i for i in reversed(range(len(self.stored))) if i not in taken and agree(self.stored[i], key))
        return next(same, None) if self.holds(key) else None

    def _matched(self, head: Sequence[int], keys: Sequence[TurnKey], put_in: int) -> list[int]:
        """For each stored turn behind the head how many of the keys, from the first one on, end with it.

        Args:
            put_in: how many turns at the end of the head may have been put in.
        """
        failure = _failure([key.hash for key in keys])
        inside, matched, shared = set(head), [0] * len(self.stored), [0] * len(self.stored)
        is_put_in = bool(head) and not self._after[head[-1]]
        least = max(1, len(head) - put_in) if is_put_in else len(head)
        for i, key in enumerate(self.stored):
            before = self._before[i]
            shared[i] = (0 if before is None else shared[before]) + (i in inside)
            if i not in inside and shared[i] >= least:
                matched[i] = _advanced(0 if before is None else matched[before], key.hash, keys, failure)
        return matched

    def _is_same(self, end: int, length: int, keys: Sequence[TurnKey], least: int) -> bool:
        return self._is_end(self._back(end, length), length, keys, least)

    def _is_end(self, line: Sequence[int], length: int, keys: Sequence[TurnKey], least: int) -> bool:
        first = len(line) - length
        timed = self.stored[line[first]].at is not None and keys[0].at is not None
        return (length >= least or timed) and all(agree(self.stored[line[first + n]], keys[n]) for n in range(length))

    def _back(self, end: int, length: int) -> list[int]:
        """The last `length` turns of the path that ends with `end`."""
        path: list[int] = []
        place: int | None = end
        while place is not None and len(path) < length:
            path.append(place)
            place = self._before[place]
        path.reverse()
        return path


def _least(keys: Sequence[TurnKey], *, is_live: bool) -> int:
    """Turns in a row by which a place is recognised; of a live history one, if only one more is said now.

    Whatever stands before what is being said now was said before, and was stored then.
    """
    return 1 if is_live and len(keys) == _LEAST else _LEAST


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
        length = _advanced(length, item, keys, failure)
    while length:
        yield length
        length = failure[length - 1]


def _advanced(length: int, item: bytes, keys: Sequence[TurnKey], failure: Sequence[int]) -> int:
    """How many of the keys end with an item, given how many ended before it."""
    if length == len(keys):
        length = failure[length - 1]
    while length and item != keys[length].hash:
        length = failure[length - 1]
    return length + (item == keys[length].hash)
