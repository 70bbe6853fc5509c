"""Reads the words of turns that a block shows, with marks for thinking, subagents and abandoned paths.

Start at `words_of`. Only sessions with several branches, and turns of an assistant, take more than their text.
"""

import threading
from collections import OrderedDict, deque
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
from clew.rows.branch_paths import BranchPaths, KnownForks, Left, Name
from clew.rows.turn_words import TURN_SAID, TURN_SPOKEN, TURN_WORDS, TurnSaid, TurnSpoken, TurnVoice
from clew.store.protocol import Reader
from clew.types.turn import ROLES

_ASSISTANT: Final = ROLES.index("assistant")

ANSWERS: Final = 3
"""Turns after a turn of thinking that may be its answer."""

_MARKS: Final = {Left.SUBAGENT: SUBAGENT, Left.ABANDONED: ABANDONED, Left.REPLACED: REPLACED}

LONGEST: Final = 1000
"""Characters above which the words of a turn are read each time."""

MOST: Final = 2_000_000
"""Bytes, about, of the words that are kept: those of some 5,000 short turns."""

OVERHEAD: Final = 280
"""Bytes that words take beside their characters."""

VOICES: Final = 2048
"""Most turns of which is kept who says them, at some 300 bytes."""

_VOICES: Final = CacheKey[dict[Name, TurnVoice]]("voices")
_FORKS: Final = CacheKey[KnownForks]("forks")
_PLAIN: Final = CacheKey["PlainWords"]("plain words")
_FIRST_OF_BRANCH: Final = CacheKey[NDArray[np.bool_]]("first of branch")
_STARTS: Final = CacheKey[Mapping[str, Sequence[int]]]("starts of branches")


def words_of(
    reader: Reader, space: str, view: IndexView, names: Sequence[Name], positions: NDArray[np.int64]
) -> list[StoredWords | None]:
    """Reads what a block shows of each turn; None for a turn that is no longer stored.

    Args:
        positions: of the same turns in the view.
    """
    cache, places = view.shared(_PLAIN, PlainWords), positions.tolist()
    starts, stored = _starts_in(view), cache.at(places)
    if None in stored:
        lacking = [number for number, words in enumerate(stored) if words is None]
        by_assistant = (view.turns.role[positions[lacking]] == _ASSISTANT).tolist()
        read = _read(reader, space, [names[number] for number in lacking], by_assistant)
        cache.keep([places[number] for number in lacking], read)
        for number, words in zip(lacking, read if starts else _as_thinking(read), strict=True):
            stored[number] = words
    if not starts:
        return stored
    paths = BranchPaths(reader, space, starts, view.shared(_FORKS, KnownForks))
    return _with_marks(paths, _voices(view, paths, names), names, stored)


def _read(
    reader: Reader, space: str, names: Sequence[Name], by_assistant: Sequence[bool]
) -> Sequence[StoredWords | None]:
    """Reads the text of each turn, and which parts of it are thinking."""
    keys = [(space, *name) for name in names]
    texts = iter(TURN_SPOKEN.get_many(reader, [key for key, own in zip(keys, by_assistant, strict=True) if not own]))
    said = iter(TURN_SAID.get_many(reader, list(compress(keys, by_assistant))))
    words: list[StoredWords | None] = []
    for name, has_parts in zip(names, by_assistant, strict=True):
        if has_parts:
            row = next(said)
            words.append(None if row is None else _with_thinking(reader, space, name, row))
        else:
            spoken = next(texts)
            words.append(None if spoken is None else _spoken(spoken))
    return words


def _as_thinking(stored: Sequence[StoredWords | None]) -> list[StoredWords | None]:
    """Marks the turns that consist of thinking only."""
    return [
        words._replace(mark=with_thinking(words.mark)) if words and words.thinking and words.is_thinking else words
        for words in stored
    ]


def _voices(view: IndexView, paths: BranchPaths, names: Sequence[Name]) -> dict[Name, TurnVoice]:
    """Who says those turns that are in sessions with several branches; read once of a turn, as it never changes."""
    kept = view.shared(_VOICES, dict[Name, TurnVoice])
    voices = {name: kept[name] for name in names if name in kept}
    voices |= paths.voices([name for name in names if name not in voices])
    if len(kept) < VOICES:
        kept.update(voices)
    return voices


def _with_marks(
    paths: BranchPaths,
    voices: Mapping[Name, TurnVoice],
    names: Sequence[Name],
    stored: Sequence[StoredWords | None],
) -> list[StoredWords | None]:
    """Marks turns that are not on the current path of their session, where a session has several branches."""
    marked = list(stored)
    for number, (name, words) in enumerate(zip(names, stored, strict=True)):
        voice = voices.get(name)
        if words is not None and voice is not None and (mark := _mark(paths, *name, voice)):
            marked[number] = words._replace(mark=mark)
    return _as_thinking(marked)


def _spoken(said: TurnSpoken) -> StoredWords:
    """The words of a turn; where an agent instructs a sub-agent, it is shown as the speaker in place of the user."""
    is_of_agent = said.origin == "assistant" and said.role == "user"
    return StoredWords(said.text, speaker="assistant") if is_of_agent else StoredWords(said.text)


class PlainWords:
    """Caches the text of turns that were shown recently and contain no thinking. Threads may share it.

    Such a text never changes. The mark of a turn depends on the rest of its session, so it is not cached.

    Attributes:
        known: the words by the turn's position in the index, of which forgetting makes another one; those that were
            shown last come last.
    """

    def __init__(self) -> None:
        self.known: OrderedDict[int, StoredWords] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def at(self, places: Sequence[int]) -> list[StoredWords | None]:
        """The cached words of the turns at these positions; None where they are not cached."""
        with self._lock:
            cached = list(map(self.known.get, places))
            deque(map(self.known.move_to_end, compress(places, cached)), maxlen=0)
        return cached

    def keep(self, places: Sequence[int], words: Sequence[StoredWords | None]) -> None:
        """Caches words if they are short, and evicts the least recently used ones when the cache is full."""
        with self._lock:
            for place, stored in zip(places, words, strict=True):
                if stored is None or stored.thinking or len(stored.text) > LONGEST:
                    continue
                if place not in self.known:  # else another thread has read it meanwhile
                    self.known[place] = stored
                    self._size += len(stored.text) + OVERHEAD
            while self._size > MOST:
                _, gone = self.known.popitem(last=False)
                self._size -= len(gone.text) + OVERHEAD


def _with_thinking(reader: Reader, space: str, name: Name, said: TurnSaid) -> StoredWords:
    """The words of an assistant's turn; if it contains thinking, the answer that follows is read as well."""
    stretches = thinking_of(said.text, said.parts)
    if not stretches:
        return StoredWords(said.text)
    words = StoredWords(said.text, thinking=stretches)
    return words._replace(answer=_answer(reader, space, name) if words.is_thinking else without_thinking(words))


def _answer(reader: Reader, space: str, name: Name) -> str:
    """What the assistant says directly after a turn that is thinking."""
    session, seq = name
    first, *rows = TURN_WORDS.get_many(reader, [(space, session, seq + step) for step in range(1 + ANSWERS)])
    following = (row for row in rows if row is not None and first is not None and row.branch == first.branch)
    return "\n".join(row.text for row in takewhile(lambda row: row.role == "assistant", following))


def _mark(paths: BranchPaths, session: str, seq: int, voice: TurnVoice) -> str:
    """The mark of a turn; empty on the current path of a session, and on branches that the caller named."""
    left = paths.left(session, seq, voice)
    return "" if left is None else _MARKS[left]


def prepare_words(view: IndexView) -> None:
    """Finds the branches of all sessions of a view, so that the next call of `words_of` does not have to."""
    _starts_in(view)


def _starts_in(view: IndexView) -> Mapping[str, Sequence[int]]:
    """`_starts`, cached with the view."""
    return view.derived(_STARTS, lambda: _starts(view))


def _starts(view: IndexView) -> dict[str, list[int]]:
    """The sessions with several branches, each with the places at which its branches begin."""
    begins = view.grown(_FIRST_OF_BRANCH, lambda rows: view.links[0][view.turns.first_piece[rows]] < 0)
    places = np.flatnonzero(begins)
    codes = view.turns.session[places]
    several = np.flatnonzero(np.bincount(codes) > 1)
    return {view.sessions[code]: view.turns.seq[places[codes == code]].tolist() for code in several.tolist()}
