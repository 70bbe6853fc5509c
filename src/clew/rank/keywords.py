"""Ends a search for one or two words where turns neither stand near the words nor are near in meaning.

What such a question tells is exhausted there. Further turns would be taken by who says them and by their length alone,
and are evidence no more often than any other turn of the space (docs/recall-figures.md).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.information import information
from clew.rank.search import Ranking
from clew.rank.signals.coverage import turns_with
from clew.text.terms import terms

MOST: Final = 2
"""Words of such a question at most."""

AROUND: Final = 4
"""Turns on either side of one with a word that count: what it answers, its answer, the rest of a burst or of a call."""

TOLD: Final = 0.7
"""Information that the words which some turn has must tell: about that of "boiler". Commoner ones are often answered in
other words. The least value with which, whichever data set is left out, the others lose no more than 0.1 % of their
evidence at 500 to 2,000 tokens (docs/recall-figures.md)."""

Mask = NDArray[np.bool_]


def is_keyword_search(frame: Frame) -> bool:
    """Whether a question is one or two telling words that some turn has, and asks for nothing beside them.

    Names of speakers do not count, since all turns of theirs are meant; nor do questions that name a time.
    """
    intent = frame.intent
    wants = intent.wants
    if not wants.exact or wants.several or wants.order or wants.decisions or wants.outcome or wants.open_tasks:
        return False
    if intent.dates or "?" in intent.text or len(intent.text.split()) > MOST:
        return False
    names = {term for code in intent.speakers for term in terms(frame.view.speakers[code])}
    values = {term: value for term, value in information(intent).items() if frame.view.document_frequency(term)}
    return sum(values.values()) >= TOLD and any(term not in names for term in values)


def without_noise(ranking: Ranking, least: float) -> Ranking:
    """The ranking of a keyword search without turns that are unrelated to its words.

    A turn stays if it has a word, if one of the `AROUND` turns on either side has one, if it stands at the beginning of
    a conversation that the words name, or if it is as near to the question as half of the turns with its words.

    Args:
        least: cosine below which nearness is noise.
    """
    frame, positions, opinions = ranking.frame, ranking.positions, ranking.opinions
    has = np.zeros(frame.size, dtype=np.bool_)
    for term in frame.intent.terms:
        has[turns_with(frame, term)] = True
    related = _beside(frame.view, has, positions)
    for name in ("lexical", "position"):
        if name in opinions:
            related |= opinions[name].values[positions] > 0
    if frame.similarity is not None:
        related |= _near(frame.similarity, has, positions, least)
    return ranking.only(related)


def _beside(view: IndexView, has: Mask, positions: NDArray[np.int64]) -> Mask:
    """Whether each of these turns, or a turn near it in its session and branch, has a word."""
    turns, owner = view.turns, view.pieces.turn
    is_beside = has[positions]
    for links, is_next in zip(view.links, (False, True), strict=True):
        at = positions
        for _ in range(AROUND):
            edge = turns.first_piece[at] + (turns.piece_count[at] - 1 if is_next else 0)
            piece = links[edge]
            goes_on = (piece >= 0) & (piece < len(owner))
            at = np.where(goes_on, owner[np.where(goes_on, piece, 0)], at)
            is_beside |= has[at]
    return is_beside


def _near(similarity: Scores, has: Mask, positions: NDArray[np.int64], least: float) -> Mask:
    """Whether each of these turns is as near to the question, in either form, as half of the turns with its words."""
    with_words = _nearest(similarity[:, has])
    return _nearest(similarity[:, positions]) >= max(least, float(np.median(with_words)))


def _nearest(similarity: Scores) -> Scores:
    """The higher cosine of both forms; the least that there is for a turn without a vector."""
    nearest: Scores = np.nan_to_num(np.fmax(similarity[0], similarity[1]), nan=-1.0)
    return nearest
