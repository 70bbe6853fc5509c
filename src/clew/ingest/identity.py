"""Decides which turns of an incoming sequence are stored already, and where the new ones go. Pure: no reads or writes.

Equality alone never drops a turn: a second "ok" is a new turn. Only a sequence that lines up with a stored path counts
as the same sequence sent again. The rules, in this order:

1.  A turn whose `external_id` is stored is that stored turn. If its content differs, it is a conflict and not written.
2.  A sequence that begins like a stored path is that path, as far as the two agree. What follows is appended if the
    path ends there; if the path continues differently, the rest is an edit and opens a branch after the last common
    turn.
3.  A sequence that begins with the end of a stored path (two turns, or one at the same known time), and has more of it
    than of any beginning, comes from a client that sends only recent turns, the first of which may equal the
    conversation's very first ("hi"): the common turns are known, the rest is appended.
4.  A sequence that begins like a stored path and then has a stretch of that path further on comes from a client that
    keeps the first turns and sends the last ones behind them: what lies between is stored already. The stretch has two
    turns or more (or one at the same known time), for one short answer is given at many places; of several places the
    end of a branch is meant, where a conversation goes on, and without one of those there may be only one place. What
    follows is appended, or, where the path continues differently, an edit.
5.  Otherwise everything is new and appended.

In a live history, whose last turn is being said now, the one turn before that is enough for the rules 3 and 4 if it is
the end of a branch: it was said before, and stored then. One or two new turns may stand between the beginning and the
stretch, in the place of more: a summary. They answer the beginning, and open no branch. In a copy the same may be an
edit, after which some of the same was said again, and is stored as that.

Two turns without ids agree when their content is equal and their times are equal or one is unknown. A stored path runs
from a first turn to a last one, through branches too, so an edited history that is sent again lines up with its branch.
A new turn between two known ones is appended and answers the first of them; it opens no branch.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.ingest.branches import PUT_IN, BranchTree, TurnKey, free_name
from clew.ingest.media import holds_text
from clew.types import Part, Turn

__all__ = ["Alignment", "Placement", "TurnKey", "align", "content_hash"]

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
"""Kept, since `json.dumps` with these settings makes a new one for each call."""


def content_hash(turn: Turn) -> bytes:
    """SHA-256 (32 bytes) over role, speaker and parts; ids, times and metadata do not count.

    It is equal before and after `media.offload`, because texts and originals enter by their own SHA-256.
    """
    shape = [turn.role, turn.speaker, [_part_shape(part) for part in turn.parts]]
    return hashlib.sha256(_ENCODER.encode(shape).encode()).digest()


def _part_shape(part: Part) -> list[str | None]:
    if holds_text(part):
        return [part.type, part.name, part.call_id, part.blob, None]
    text = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()
    original = part.blob if part.data is None else hashlib.sha256(part.data).hexdigest()
    return [part.type, part.name, part.call_id, text, original]


@dataclass(frozen=True, slots=True)
class Placement:
    """The decision about one incoming turn.

    Numbers below n = `len(stored)` are indexes into `stored`; n + i is the i-th incoming turn.

    Attributes:
        known: the turn that this one repeats; None for a new turn or a conflict.
        conflict: the turn that has this one's external id but other content; None when there is none.
        branch: the branch that a new turn is added to.
        follows: the turn that a new one answers, unless that is the turn before it in its branch. None for a first turn
            too; then the source's own `parent` applies, if it gave one.
        opens: True for the first turn of a branch that this alignment opens.
    """

    known: int | None = None
    conflict: int | None = None
    branch: str = ""
    follows: int | None = None
    opens: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the turn is to be written."""
        return self.known is None and self.conflict is None


Alignment = tuple[Placement, ...]
"""One `Placement` for each incoming turn, in order."""


def align(stored: Sequence[TurnKey], incoming: Sequence[TurnKey], *, is_live: bool = False) -> Alignment:
    """Aligns an incoming sequence with the stored turns of the same session.

    Args:
        stored: every turn of the session, in order of arrival.
        incoming: the whole sequence in the source's order: a part cut out of its middle aligns with nothing. The turns
            of each branch are aligned on their own, whatever lies between them.
        is_live: whether the last turn is being said now, rather than copied.

    Time and memory grow with the sum of both lengths and the number of branches.
    """
    line_up = _Aligner(stored, incoming, is_live=is_live)
    groups: dict[str, list[int]] = {}
    for i, key in enumerate(incoming):
        groups.setdefault(key.branch, []).append(i)
    for branch, group in groups.items():
        line_up.place(branch, group)
    return tuple(line_up.places)


class _Aligner:
    """Fills `places`, one branch of the incoming turns after the other."""

    def __init__(self, stored: Sequence[TurnKey], incoming: Sequence[TurnKey], *, is_live: bool) -> None:
        self.incoming = incoming
        self._is_live = is_live
        self.lines = BranchTree(stored)
        self.places = [Placement()] * len(incoming)
        self._ends = dict(self.lines.ends)  # branch -> its last turn, new ones included
        self._branches = {key.branch for key in (*stored, *incoming)}
        self._by_id = self._find_by_id()
        self._taken = set(self._by_id.values())  # stored turns that are one of the incoming, so no other of them

    def place(self, branch: str, group: Sequence[int]) -> None:
        """Places the incoming turns of one branch; `group` holds their indexes in `incoming`, in order."""
        count = len(self.lines.stored)
        has_ids = any(i in self._by_id for i in group)
        reached: int | None = None  # the stored turn that the sequence has come to
        at = 0
        while at < len(group):
            found = self._by_id.get(group[at])
            if found is not None:
                self.places[group[at]] = self._named(group[at], found)
                if found < count and (reached is None or found > reached):
                    reached = found  # an id that comes again names a turn before, and leads nowhere back
                at += 1
                continue
            end = next((i for i in range(at, len(group)) if group[i] in self._by_id), len(group))
            stretch = group[at:end]
            path = self._path(branch if reached is None else reached, stretch, has_ids=has_ids)
            self._taken.update(known for known in path if known is not None)
            self._put_in(stretch, path)
            for i, known in zip(stretch, path, strict=False):
                if known is not None:
                    self.places[i] = Placement(known=known)
            reached = path[-1] if path else reached
            following = self._by_id[group[end]] if end < len(group) else None
            self._append(branch, reached, stretch[len(path) :], following)
            at = end

    def _find_by_id(self) -> dict[int, int]:
        """Maps incoming turns whose external id occurred before, stored or incoming, to the turn that has that id."""
        first = dict(self.lines.ids)
        places: dict[int, int] = {}
        for i, key in enumerate(self.incoming):
            if key.external_id is None:
                continue
            if key.external_id in first:
                places[i] = first[key.external_id]
            else:
                first[key.external_id] = len(self.lines.stored) + i
        return places

    def _named(self, i: int, found: int) -> Placement:
        count = len(self.lines.stored)
        other = self.lines.stored[found] if found < count else self.incoming[found - count]
        return Placement(known=found) if other.hash == self.incoming[i].hash else Placement(conflict=found)

    def _path(self, start: int | str, stretch: Sequence[int], *, has_ids: bool) -> list[int | None]:
        """The stored turns that the first turns of a stretch are; None for one put in before others of them."""
        keys = [self.incoming[i] for i in stretch]
        path = self.lines.walk(start, keys, self._taken)
        if has_ids or not isinstance(start, str):
            return [*path]
        if len(path) == len(keys):
            return [*(self._said_again(keys) or path)] if self.lines.goes_on(path[-1]) else [*path]
        again = [] if self._is_live or not path else self.lines.resent(path, keys)
        if again and self._taken.isdisjoint(again):
            return [*again]
        best: list[int | None] = [*path]
        if self.lines.holds(keys[len(path)]):
            overlap = self.lines.overlap(keys, is_live=self._is_live)
            if len(overlap) > len(path) and self._taken.isdisjoint(overlap):
                best = [*overlap]
                if self._is_live and len(best) == len(keys) - 1:
                    return best  # all but what is being said now: no window has more
        window = self._window(path, keys[len(path) :]) if path or self._is_live else []
        return [*path, *window] if sum(known is not None for known in window) > len(best) - len(path) else best

    def _said_again(self, keys: Sequence[TurnKey]) -> list[int]:
        """The end of a path that is all but the last turn of a live history, which is said again then."""
        overlap = self.lines.overlap(keys[:-1], is_live=False) if self._is_live else []
        return overlap if len(overlap) == len(keys) - 1 and self._taken.isdisjoint(overlap) else []

    def _window(self, head: Sequence[int], keys: Sequence[TurnKey]) -> list[int | None]:
        """The stored turns that come after a head without what lies between, behind those that were put in.

        None for one that is put in now.
        """
        best: list[int] = []
        put_in = 0
        for count in range(min(PUT_IN + 1 if self._is_live else 1, len(keys))):
            if not self.lines.holds(keys[count]):
                continue
            found = self.lines.window(head, keys[count:], is_live=self._is_live)
            if found and count + len(found) > put_in + len(best) and self._taken.isdisjoint(found):
                best, put_in = found, count
        taken: set[int | None] = {*self._taken, *head, *best}
        before: list[int | None] = []
        for key in keys[:put_in]:
            before.append(self.lines.newest(key, taken))
            taken.add(before[-1])
        return [*before, *best]

    def _put_in(self, stretch: Sequence[int], path: Sequence[int | None]) -> None:
        """Places the new turns between known ones, which answer the last one before them."""
        new = [i for i, known in zip(stretch, path, strict=False) if known is None]
        if new:
            at = path.index(None)
            before = path[at - 1] if at else None
            branch = self.lines.stored[before].branch if before is not None else self.incoming[new[0]].branch
            for n, i in enumerate(new):
                self.places[i] = Placement(branch=branch, follows=None if n else before)
                self._ends[branch] = len(self.lines.stored) + i

    def _append(self, branch: str, reached: int | None, new: Sequence[int], following: int | None) -> None:
        """Places new turns after the stored one that was reached; `following` is the known turn that comes next."""
        opens = False
        if reached is not None and new:
            branch = self.lines.stored[reached].branch
            if self.lines.goes_on(reached) and not self._leads_to(reached, following):
                branch, opens = self._new_branch(), True
        for n, i in enumerate(new):
            simply_next = n > 0 or reached is None or self._ends.get(branch) == reached
            follows = None if simply_next else reached
            self.places[i] = Placement(branch=branch, follows=follows, opens=opens and n == 0)
            self._ends[branch] = len(self.lines.stored) + i

    def _leads_to(self, place: int, following: int | None) -> bool:
        """Whether a known turn follows in the same branch: then the new turns lie between two known ones: no edit."""
        stored = self.lines.stored
        if following is None or not place < following < len(stored):
            return False
        return stored[place].branch == stored[following].branch

    def _new_branch(self) -> str:
        name = free_name(self._branches)
        self._branches.add(name)
        return name
