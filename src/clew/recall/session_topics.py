"""What a session was about, by the titles of its beats. Start at `topics_of_session`."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from clew.index.view import IndexView
from clew.store.protocol import Reader
from clew.store.selections import NODE_TITLES
from clew.text.spoken import without_fillers
from clew.text.terms import terms
from clew.types.ids import BEAT

TOPICS: Final = 3
"""Topics of a session that are named."""

_RANKED: Final = 8
"""Topics that most beats name, among which those are looked for."""

_FEW: Final = 10
"""Sessions from which on a topic of all of them tells none apart; fewer may be one piece of work."""

_MORE: Final = 2
"""How many times as often a session speaks of a topic of its own as the others do."""


def topics_of_session(
    reader: Reader, space: str, view: IndexView, session: str, ends: tuple[int, int]
) -> tuple[str, ...]:
    """The topics that most beats of a session name.

    The first topic of a title counts more than the others; of equals the earlier one comes first.

    Args:
        ends: the positions of its first and its last turn in the view.
    """
    counts: dict[str, float] = {}
    for node in NODE_TITLES.scan(reader, (space, session), (space, session), index="level"):
        phrases = node.title.split(", ") if node.level == BEAT and node.title else []
        for place, phrase in enumerate(phrases):
            counts[phrase] = counts.get(phrase, 0.0) + 1 / (1 + place)
    ranked = sorted(counts, key=lambda phrase: -counts[phrase])[:_RANKED]
    return tuple(telling(view, ranked, ends)[:TOPICS])


def telling(view: IndexView, topics: Sequence[str], ends: tuple[int, int]) -> list[str]:
    """The topics that distinguish a session, in their order.

    Names of the speakers and hesitations ("mm-hmm") are left out. Where there are enough other sessions to compare
    with, topics that these mention nearly as often are left out too, unless nothing else would be left.

    Args:
        ends: the positions of the session's first and its last turn in the view.
    """
    names = _names(view, ends) if topics else frozenset()
    named = [topic for topic in topics if without_fillers(topic) and not names.issuperset(topic.split("-"))]
    if len(view.sessions) < _FEW:
        return named
    return [topic for topic in named if _is_its_own(view, topic, ends)] or named


def _is_its_own(view: IndexView, topic: str, ends: tuple[int, int]) -> bool:
    """Whether a session mentions a topic far more often than the other sessions do."""
    codes = view.turns.session
    own = codes[ends[0]]
    in_each = (np.unique(view.pieces.turn[view.lookup(term).pieces]) for term in set(terms(topic.replace("-", " "))))
    turns = next(in_each, np.empty(0, np.int32))
    for more in in_each:
        turns = np.intersect1d(turns, more, assume_unique=True)
    here, size = int(np.count_nonzero(codes[turns] == own)), int(np.count_nonzero(codes == own))
    others = len(codes) - size
    return here * others >= _MORE * (len(turns) - here) * size


def _names(view: IndexView, ends: tuple[int, int]) -> frozenset[str]:
    """The words of the names of those who talk in a session."""
    turns, (first, last) = view.turns, ends
    here = turns.session[first : last + 1] == turns.session[first]
    codes = np.unique(turns.speaker[first : last + 1][here]).tolist()
    return frozenset(word for code in codes if code >= 0 for word in view.speakers[code].casefold().split())
