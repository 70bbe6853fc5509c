"""Reads what a block shows of turns: their texts with marks for thinking, subagents and paths that were left.

Start at `words_of`. Only sessions with several branches, and turns of an assistant, take more than their text.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import compress, takewhile
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.assemble.stored_words import (
    ABANDONED,
    REPLACED,
    SUBAGENT,
    StoredWords,
    thinking_of,
    with_thinking,
    without_thinking,
)
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rows.tombstones import parent_seq
from clew.rows.turn_words import TURN_VOICE, TURN_WORDS, TurnVoice
from clew.store.protocol import Reader
from clew.store.selections import TURN_BRANCHES, TURN_LINKS, TURN_PARTS, TURN_TEXT
from clew.types.turn import ROLES

Name = tuple[str, int]
"""A session and a place in it."""

_ASSISTANT: Final = ROLES.index("assistant")

ANSWERS: Final = 3
"""Turns after a turn of thinking that may be its answer."""

_SUBAGENTS: Final = "sidechain:"
_NOT_CHOSEN: Final = "branch:"
"""What an account export gives the versions of messages that the person does not see any more (docs/import.md)."""
_VERSION: Final = re.compile(r"(?:branch|rewind|rollback):|edit-\d+$")

_NO_END: Final = 2**31
"""Above every place of a turn."""
_PAGE: Final = 64

_FIRST_OF_BRANCH: Final = CacheKey[NDArray[np.bool_]]("first of branch")
_STARTS: Final = CacheKey[Mapping[str, Sequence[int]]]("starts of branches")


def words_of(
    reader: Reader, space: str, view: IndexView, names: Sequence[Name], positions: NDArray[np.int64]
) -> list[StoredWords | None]:
    """What is shown of turns; None for one that is not stored any more.

    Args:
        positions: of the same turns in the view.
    """
    texts = TURN_TEXT.get_many(reader, [(space, *name) for name in names])
    by_assistant = (view.turns.role[positions] == _ASSISTANT).tolist()
    thinking = _thinking(reader, space, dict(compress(zip(names, texts, strict=True), by_assistant)))
    paths = _Paths(reader, space, view)
    voices = paths.voices(names)
    if not thinking and not voices:  # as mostly
        return [None if text is None else StoredWords(text) for text in texts]
    found: list[StoredWords | None] = []
    for name, text in zip(names, texts, strict=True):
        words = None if text is None else thinking.get(name) or StoredWords(text)
        if words is not None and (voice := voices.get(name)):
            speaker = "assistant" if voice.role == "user" and voice.origin == "assistant" else ""
            words = words._replace(mark=paths.mark(*name, voice), speaker=speaker)
        if words is not None and words.is_thinking:
            words = words._replace(mark=with_thinking(words.mark))
        found.append(words)
    return found


def _thinking(reader: Reader, space: str, texts: Mapping[Name, str | None]) -> dict[Name, StoredWords]:
    """The turns of an assistant that have thinking in them, each with its answer."""
    parts = TURN_PARTS.get_many(reader, [(space, *name) for name in texts])
    found: dict[Name, StoredWords] = {}
    for (name, text), stored in zip(texts.items(), parts, strict=True):
        if text is not None and (stretches := thinking_of(text, stored)):
            words = StoredWords(text, thinking=stretches)
            answer = _answer(reader, space, name) if words.is_thinking else without_thinking(words)
            found[name] = words._replace(answer=answer)
    return found


def _answer(reader: Reader, space: str, name: Name) -> str:
    """What the assistant says right after a turn of thinking."""
    session, seq = name
    first, *rows = TURN_WORDS.get_many(reader, [(space, session, seq + step) for step in range(1 + ANSWERS)])
    following = (row for row in rows if row is not None and first is not None and row.branch == first.branch)
    return "\n".join(row.text for row in takewhile(lambda row: row.role == "assistant", following))


class _Fork(NamedTuple):
    """Where a branch begins: its first turn, and the turn that this one answers."""

    seq: int
    role: str
    parent: int | None


class _Paths:
    """Which turns of sessions with several branches are not on the path that was gone on."""

    def __init__(self, reader: Reader, space: str, view: IndexView) -> None:
        self._reader, self._space = reader, space
        self._starts = view.derived(_STARTS, lambda: _starts(view))
        self._known: dict[str, tuple[dict[str, _Fork], dict[str, int]]] = {}

    def voices(self, names: Sequence[Name]) -> dict[Name, TurnVoice]:
        """Who says the turns that are in sessions with several branches."""
        branched = [name for name in names if name[0] in self._starts] if self._starts else []
        rows = TURN_VOICE.get_many(self._reader, [(self._space, *name) for name in branched])
        return {name: row for name, row in zip(branched, rows, strict=True) if row is not None}

    def mark(self, session: str, seq: int, row: TurnVoice) -> str:
        """The mark of a turn; empty on the path that was gone on, and on branches that the caller named."""
        if row.branch.startswith(_SUBAGENTS):
            return SUBAGENT
        if not _is_a_version(row.branch):
            return ""
        if session not in self._known:
            forks = self._forks(session)
            self._known[session] = forks, self._path(session, forks)
        forks, path = self._known[session]
        end = path.get(row.branch, -1)
        if seq <= end or not path:
            return ""
        first = forks[row.branch].seq if end < 0 and row.branch in forks else _after(forks, end)
        return REPLACED if row.role == "assistant" and seq == first else ABANDONED

    def _forks(self, session: str) -> dict[str, _Fork]:
        """The beginnings of the versions of a session, by the names of their branches."""
        keys = [(self._space, session, seq) for seq in self._starts[session]]
        links, voices = TURN_LINKS.get_many(self._reader, keys), TURN_VOICE.get_many(self._reader, keys)
        return {
            link.branch: _Fork(link.seq, row.role, parent_seq(link.parent))
            for link, row in zip(links, voices, strict=True)
            if link is not None and row is not None and _is_a_version(link.branch)
        }

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
                if _is_a_version(row.branch) and not row.branch.startswith(_NOT_CHOSEN):
                    return row.branch
            if not page[-1].seq:
                break
            end = (self._space, session, page[-1].seq - 1)
        return None


def _is_a_version(branch: str) -> bool:
    """Whether a branch is the main one, or was opened because the person went back."""
    return not branch or _VERSION.match(branch) is not None


def _after(forks: Mapping[str, _Fork], end: int) -> int | None:
    """The place after the end of a branch's part of the path, where an answer was made anew; None where none was."""
    anew = any(fork.role == "assistant" and fork.parent == end for fork in forks.values())
    return end + 1 if anew else None


def _starts(view: IndexView) -> dict[str, list[int]]:
    """The sessions with several branches, each with the places at which its branches begin."""
    begins = view.grown(_FIRST_OF_BRANCH, lambda rows: view.links[0][view.turns.first_piece[rows]] < 0)
    places = np.flatnonzero(begins)
    codes = view.turns.session[places]
    held, counts = np.unique(codes, return_counts=True)
    return {view.sessions[code]: view.turns.seq[places[codes == code]].tolist() for code in held[counts > 1].tolist()}
