"""Finds the conversations whose title has the words of a question; clients and exports give titles to conversations."""

from typing import Final

from clew.index.view import IndexView
from clew.rank.anchors import START, WeightedRange
from clew.store.protocol import Store
from clew.store.tables import SESSION
from clew.text.terms import terms

MOST: Final = 5
"""Most conversations of a title, the newest; a title that more have names none of them."""


class TitleMatcher:
    """Looks titles up when a question asks for a conversation by what it was about."""

    def __init__(self, store: Store, space: str) -> None:
        """Reads nothing yet."""
        self._store = store
        self._space = space

    def __call__(self, view: IndexView, words: frozenset[str]) -> tuple[WeightedRange, ...]:
        """The beginnings of the conversations whose titles have all words."""
        with self._store.snapshot() as reader:
            rows = SESSION.scan(reader, (self._space,), (self._space,))
            titled = [row.session for row in rows if row.title and _has(row.title, words)]
        stored = [name for name in titled if view.ends(name) is not None][-MOST:]
        return tuple(WeightedRange(name, low, high, value) for name in stored for low, high, value in START)


def _has(title: str, words: frozenset[str]) -> bool:
    """Whether a title has all words; stems begin as their words do, which rules out most titles at once."""
    plain = title.lower()
    if plain.isascii() and not all(word[:2] in plain for word in words):
        return False
    return words.issubset(terms(title))
