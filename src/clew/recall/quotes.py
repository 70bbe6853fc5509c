"""Word for word: the turns that hold a phrase, found by the index and checked in the text."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from clew.errors import InputError
from clew.index.view import IndexView
from clew.text.normalise import fold, fold_contains
from clew.text.terms import quote_terms
from clew.types.turn import Turn


def find_quote(view: IndexView, fetch: Callable[[str, int], Turn | None], text: str, limit: int) -> list[Turn]:
    """Turns whose text holds the phrase, newest first.

    Case, accents and marks between words do not count. A phrase of stop words alone is looked for in every turn; else
    only turns that hold all its terms are read. Injected text is not looked at.

    Args:
        fetch: gives the turn of a session and place; None when it was forgotten meanwhile.

    Raises:
        InputError: the phrase has no letter or digit.
    """
    if not fold(text):
        raise InputError(f"the phrase {text!r} holds no word; give at least one letter or digit")
    found: list[Turn] = []
    for position in _positions(view, list(dict.fromkeys(quote_terms(text)))):
        if len(found) >= limit:
            break
        session = view.sessions[int(view.turns.session[position])]
        turn = fetch(session, int(view.turns.seq[position]))
        if turn is not None and fold_contains(turn.text, text):
            found.append(turn)
    return found


def _positions(view: IndexView, words: Sequence[str]) -> Iterator[int]:
    """Turns that may hold the phrase, newest first."""
    common = np.flatnonzero(view.turns.chars > 0)  # injected text has none in the index
    for word in words:
        common = np.intersect1d(common, view.pieces.turn[view.postings(word)[0]])
    yield from (int(position) for position in common[::-1])
