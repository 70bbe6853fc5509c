"""Finds the turns that are not on the current path of a session: versions before an edit, and turns of sub-agents."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from clew.ingest.branches import SUBAGENTS
from clew.rows.tombstones import parent_seq
from clew.rows.turn_words import TURN_VOICE, TurnVoice
from clew.store.protocol import Reader
from clew.store.turn_selections import TURN_BRANCHES, TURN_LINKS

Name = tuple[str, int]
"""A session and a place in it."""

_NOT_CHOSEN: Final = "branch:"
"""What an account export gives the versions of messages that the person does not see any more (docs/import.md)."""
_VERSION: Final = re.compile(r"(?:branch|rewind|rollback):|edit-\d+$")

_NO_END: Final = 2**31
"""Above every place of a turn."""
_PAGE: Final = 64


class Left(StrEnum):
    """Why a turn is not on the path that was gone on."""

    SUBAGENT = "subagent"
    """It was said between an agent and one that it started."""
    ABANDONED = "abandoned"
    """The person went back to before it."""
    REPLACED = "replaced"
    """It is an answer that was made again."""


class _Fork(NamedTuple):
    """Where a branch begins: its first turn, and the turn that this one answers."""

    seq: int
    role: str
    parent: int | None


KnownForks = dict[str, tuple[Sequence[int], dict[str, _Fork]]]
"""Of sessions with several branches where these begin: the places that were looked at, and the versions among them."""


class BranchPaths:
    """Which turns of sessions with several branches are not on the path that was gone on."""

    def __init__(
        self, reader: Reader, space: str, starts: Mapping[str, Sequence[int]], forks: KnownForks | None = None
    ) -> None:
        """Nothing is read yet.

        Args:
            starts: the sessions with several branches, each with the places at which its branches begin.
            forks: what was read of turns that are still stored; what is read further is added.
        """
        self._reader, self._space, self._starts = reader, space, starts
        self._read_forks: KnownForks = {} if forks is None else forks
        self._known: dict[str, tuple[dict[str, _Fork], dict[str, int]]] = {}

    def voices(self, names: Sequence[Name]) -> dict[Name, TurnVoice]:
        """Who says the turns that are in sessions with several branches."""
        branched = [name for name in names if name[0] in self._starts] if self._starts else []
        rows = TURN_VOICE.get_many(self._reader, [(self._space, *name) for name in branched])
        return {name: row for name, row in zip(branched, rows, strict=True) if row is not None}

    def left(self, session: str, seq: int, voice: TurnVoice) -> Left | None:
        """Why a turn is not on the current path; None if it is, and for branches that the caller named."""
        if voice.branch.startswith(SUBAGENTS):
            return Left.SUBAGENT
        if session not in self._starts or not is_a_version(voice.branch):
            return None
        forks, path = self._known_forks(session)
        end = path.get(voice.branch, -1)
        if seq <= end or not path:
            return None
        first = forks[voice.branch].seq if end < 0 and voice.branch in forks else _after(forks, end)
        return Left.REPLACED if voice.role == "assistant" and seq == first else Left.ABANDONED

    def parted(self, session: str, branch: str) -> int:
        """The first place behind which a branch, and those that it goes out from, share no path with others."""
        forks = self._known_forks(session)[0]
        first, seen = _NO_END, set[str]()
        while branch in forks and branch not in seen:
            seen.add(branch)
            parent = forks[branch].parent
            row = None if parent is None else TURN_VOICE.get(self._reader, (self._space, session, parent))
            if row is None or parent is None:
                break
            first, branch = min(first, parent + 1), row.branch
        return first

    def _known_forks(self, session: str) -> tuple[dict[str, _Fork], dict[str, int]]:
        """The beginnings of a session's versions, and the path that was gone on."""
        if session not in self._known:
            forks = self._forks(session)
            self._known[session] = forks, self._path(session, forks)
        return self._known[session]

    def _forks(self, session: str) -> dict[str, _Fork]:
        """The beginnings of the versions of a session, by the names of their branches."""
        starts = self._starts[session]
        known = self._read_forks.get(session)
        if known is not None and known[0] == starts:
            return known[1]
        keys = [(self._space, session, seq) for seq in starts]
        links, voices = TURN_LINKS.get_many(self._reader, keys), TURN_VOICE.get_many(self._reader, keys)
        forks = {
            link.branch: _Fork(link.seq, row.role, parent_seq(link.parent))
            for link, row in zip(links, voices, strict=True)
            if link is not None and row is not None and is_a_version(link.branch)
        }
        self._read_forks[session] = starts, forks
        return forks

    def _path(self, session: str, forks: Mapping[str, _Fork]) -> dict[str, int]:
        """Of each branch on the path that was gone on, its last place on the path; empty where there is one branch."""
        if len(forks) < 2:
            return {}
        branch, end = self._newest(session), _NO_END
        path: dict[str, int] = {}
        while branch is not None and branch not in path:
            path[branch] = end
            parent = forks[branch].parent if branch in forks else None
            row = None if parent is None else TURN_VOICE.get(self._reader, (self._space, session, parent))
            branch, end = (None, 0) if row is None or parent is None else (row.branch, parent)
        return path

    def _newest(self, session: str) -> str | None:
        """The branch of the last turn that the person sees."""
        end: tuple[str, str] | tuple[str, str, int] = (self._space, session)
        while page := TURN_BRANCHES.scan(self._reader, (self._space, session), end, limit=_PAGE, reverse=True):
            for row in page:
                if is_a_version(row.branch) and not row.branch.startswith(_NOT_CHOSEN):
                    return row.branch
            if not page[-1].seq:
                break
            end = (self._space, session, page[-1].seq - 1)
        return None


def is_a_version(branch: str) -> bool:
    """Whether a branch is the main one, or was opened because the person went back."""
    return not branch or _VERSION.match(branch) is not None


def _after(forks: Mapping[str, _Fork], end: int) -> int | None:
    """The place after the end of a branch's part of the path, where an answer was made again; None where none was."""
    anew = any(fork.role == "assistant" and fork.parent == end for fork in forks.values())
    return end + 1 if anew else None
