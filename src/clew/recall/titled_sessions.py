"""Finds the conversations whose title has the words of a question; clients and exports give titles to conversations."""

from collections.abc import Callable
from typing import Final

from clew.index.view import IndexView
from clew.rank.anchors import START, WeightedRange
from clew.store.protocol import Reader, Store
from clew.store.selections import SESSION_NAME, SESSION_TITLE
from clew.text.terms import terms

MOST: Final = 5
"""Most conversations of a title, the newest; a title that more have names none of them."""


Titles = tuple[tuple[str, str], ...]
"""Sessions and their titles."""


def titles_of_sessions(reader: Reader, space: str) -> Titles:
    """The sessions to which a client gave a title, in the order of their names."""
    key = (space,)
    pairs = zip(SESSION_NAME.scan(reader, key, key), SESSION_TITLE.scan(reader, key, key), strict=True)
    return tuple((session, title) for session, title in pairs if title)


class TitleMatcher:
    """Looks titles up when a question asks for a conversation by what it was about. Threads may share it."""

    def __init__(self, store: Store, space: str, version: Callable[[], int]) -> None:
        """Reads nothing yet; takes what tells the version of the store that a question is answered from."""
        self._store, self._space, self._version = store, space, version
        self._cached: tuple[int, Titles] | None = None

    def __call__(self, view: IndexView, words: frozenset[str]) -> tuple[WeightedRange, ...]:
        """The beginnings of the conversations whose titles have all words."""
        titled = [session for session, title in self._titles() if _has(title, words)]
        stored = [name for name in titled if view.ends(name) is not None][-MOST:]
        return tuple(WeightedRange(name, low, high, value) for name in stored for low, high, value in START)

    def _titles(self) -> Titles:
        """The sessions with a title, kept until anything is written."""
        version, cached = self._version(), self._cached
        if cached is not None and cached[0] == version:
            return cached[1]
        with self._store.snapshot() as reader:
            found = titles_of_sessions(reader, self._space)
        self._cached = version, found
        return found


def _has(title: str, words: frozenset[str]) -> bool:
    """Whether a title has all words; stems begin as their words do, which rules out most titles at once."""
    plain = title.lower()
    if plain.isascii() and not all(word[:2] in plain for word in words):
        return False
    return words.issubset(terms(title))
