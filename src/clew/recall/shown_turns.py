"""Reads what a block shows of turns: their texts with marks for thinking, subagents and paths that were left.

Start at `words_of`. Only sessions with several branches, and turns of an assistant, take more than their text.
"""

from collections.abc import Mapping, Sequence
from itertools import compress, takewhile
from typing import Final

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
from clew.rows.branch_paths import BranchPaths, Left, Name
from clew.rows.turn_words import TURN_WORDS, TurnVoice
from clew.store.protocol import Reader
from clew.store.selections import TURN_PARTS, TURN_TEXT
from clew.types.turn import ROLES

_ASSISTANT: Final = ROLES.index("assistant")

ANSWERS: Final = 3
"""Turns after a turn of thinking that may be its answer."""

_MARKS: Final = {Left.SUBAGENT: SUBAGENT, Left.ABANDONED: ABANDONED, Left.REPLACED: REPLACED}

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
    starts = view.derived(_STARTS, lambda: _starts(view))
    paths = BranchPaths(reader, space, starts)
    voices = paths.voices(names)
    if not thinking and not voices:  # as mostly
        return [None if text is None else StoredWords(text) for text in texts]
    found: list[StoredWords | None] = []
    for name, text in zip(names, texts, strict=True):
        words = None if text is None else thinking.get(name) or StoredWords(text)
        if words is not None and (voice := voices.get(name)):
            speaker = "assistant" if voice.role == "user" and voice.origin == "assistant" else ""
            words = words._replace(mark=_mark(paths, *name, voice), speaker=speaker)
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


def _mark(paths: BranchPaths, session: str, seq: int, voice: TurnVoice) -> str:
    """The mark of a turn; empty on the path that was gone on, and on branches that the caller named."""
    left = paths.left(session, seq, voice)
    return "" if left is None else _MARKS[left]


def _starts(view: IndexView) -> dict[str, list[int]]:
    """The sessions with several branches, each with the places at which its branches begin."""
    begins = view.grown(_FIRST_OF_BRANCH, lambda rows: view.links[0][view.turns.first_piece[rows]] < 0)
    places = np.flatnonzero(begins)
    codes = view.turns.session[places]
    several = np.flatnonzero(np.bincount(codes) > 1)
    return {view.sessions[code]: view.turns.seq[places[codes == code]].tolist() for code in several.tolist()}
