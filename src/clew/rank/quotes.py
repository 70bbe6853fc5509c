"""Finds the turns that contain a phrase word for word: candidates from the index, checked in the text."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.index.view import IndexView
from clew.text.normalise import fold, fold_contains
from clew.text.terms import quote_terms
from clew.types.turn import Turn

FEWEST: Final = 16
"""Turns in the first batch that is read; each further batch is twice as large."""

MOST: Final = 256
"""Largest batch of turns."""

ReadTurns = Callable[[Sequence[tuple[str, int]]], Sequence[Turn | None]]
"""Maps (session, seq) pairs to turns; None for a turn that was forgotten meanwhile."""


def find_quote(view: IndexView, fetch: ReadTurns, text: str, limit: int) -> list[Turn]:
    """Turns whose text contains the phrase, newest first.

    Case, accents and punctuation between words are ignored. For a phrase of stop words alone every turn is read; else
    only turns that contain all its terms are. Injected text is skipped.

    Raises:
        InputError: the phrase has no letter or digit.
    """
    if not fold(text):
        raise InputError(f"the phrase {text!r} contains no word; give at least one letter or digit")
    matches: list[Turn] = []
    positions = _positions(view, list(dict.fromkeys(quote_terms(text))))
    size = max(FEWEST, limit)
    while len(positions) and len(matches) < limit:
        size = min(size, MOST)
        some, positions = positions[:size], positions[size:]
        sessions = [view.sessions[number] for number in view.turns.session[some].tolist()]
        turns = fetch(list(zip(sessions, view.turns.seq[some].tolist(), strict=True)))
        matches += [turn for turn in turns if turn is not None and fold_contains(turn.text, text)]
        size *= 2
    return matches[:limit]


def _positions(view: IndexView, words: Sequence[str]) -> NDArray[np.int64]:
    """Positions of the turns that may contain the phrase, newest first."""
    common = np.flatnonzero(holding(view, words) & (view.turns.chars > 0))  # injected text has none in the index
    return common[::-1]


def holding(view: IndexView, words: Sequence[str]) -> NDArray[np.bool_]:
    """Which turns contain all of the terms according to the index, which has no terms of injected text."""
    common = np.ones(len(view.turns.chars), dtype=np.bool_)
    for word in words:
        has_all = np.zeros_like(common)
        has_all[view.pieces.turn[view.postings(word)[0]]] = True
        common &= has_all
    return common
