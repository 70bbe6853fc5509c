"""Finds conversations by the title, git branch or project folder that clients and exports give them."""

from collections.abc import Callable
from typing import Final

from clew.index.view import IndexView
from clew.rank.anchors import START, WeightedRange
from clew.rank.intent.workplaces import Workplace
from clew.recall.sessions import workplaces
from clew.store.protocol import Reader, Store
from clew.store.selections import SESSION_NAME, SESSION_TITLE
from clew.text.terms import terms

MOST: Final = 5
"""Most conversations of a title, the newest; a title that more have names none of them."""


Titles = tuple[tuple[str, str], ...]
"""Sessions and their titles."""


def titles_of_sessions(reader: Reader, space: str) -> Titles:
    """The sessions that have a title from a client, with the titles, ordered by name."""
    key = (space,)
    pairs = zip(SESSION_NAME.scan(reader, key, key), SESSION_TITLE.scan(reader, key, key), strict=True)
    return tuple((session, title) for session, title in pairs if title)


class TitleMatcher:
    """Finds the conversations whose titles contain the words of a question. Threads may share it."""

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
        """The sessions with a title, cached until anything is written."""
        version, cached = self._version(), self._cached
        if cached is not None and cached[0] == version:
            return cached[1]
        with self._store.snapshot() as reader:
            titles = titles_of_sessions(reader, self._space)
        self._cached = version, titles
        return titles


class WorkplaceMatcher:
    """Finds the conversations on a git branch or in a project folder. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        """Reads nothing yet."""
        self._store, self._space = store, space

    def __call__(self, view: IndexView, place: Workplace) -> tuple[WeightedRange, ...]:
        """The newest conversations of a place that a question names: how they began and ended, or all of their turns.

        Where the question asks for more than the place, all of their turns are a little nearer.
        """
        with self._store.snapshot() as reader:
            known = workplaces(reader, self._space, view)
        titled = [
            name for name in view.sessions if (worked := known.get(name)) is not None and worked.is_named(place.names)
        ]
        ends = [(name, at) for name in titled if (at := view.ends(name)) is not None]
        newest = sorted(ends, key=lambda item: int(view.turns.ordinal[item[1][1]]))
        if not place.is_all:
            return tuple(WeightedRange(name, 0, _LAST, _NEARER) for name, _ in newest)
        return tuple(
            WeightedRange(name, low, high, value)
            for name, (_, last) in newest[-MOST:]
            for low, high, value in (*START, (max(0, int(view.turns.seq[last]) - _ENDING), _LAST, 1.0))
        )


_LAST: Final = 1 << 62
_ENDING: Final = 5
_NEARER: Final = 0.2
"""What a turn gets for its branch where the question asks for more; a title's beginning has 1."""


def _has(title: str, words: frozenset[str]) -> bool:
    """Whether a title has all words; stems begin as their words do, which rules out most titles at once."""
    plain = title.lower()
    if plain.isascii() and not all(word[:2] in plain for word in words):
        return False
    return words.issubset(terms(title))
