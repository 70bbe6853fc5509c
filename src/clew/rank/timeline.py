"""Which turns of a stretch of time answer a question, and how they are spread over its days, weeks or months."""

from collections.abc import Sequence
from datetime import date
from itertools import zip_longest
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.rank.anchors import rarities
from clew.rank.intent import Intent
from clew.rank.intent.position_phrases import cut_out
from clew.rank.search import Ranking
from clew.text.terms import query_terms

T = TypeVar("T")
ON_TOPIC: Final = 1 / 3
"""Share of the best turn's words, or nearness, from which a turn is about a question; a choice, not a measurement."""
_NEAR: Final = ("dense", "dense_rewritten")


def on_topic(ranking: Ranking) -> NDArray[np.int64]:
    """Positions of the ranked turns that are themselves about the question, in the order of their ranks.

    A turn is about the question when its own words, each weighted by rarity, or its vector reach a third of what the
    best ranked turn reaches. A ranking goes on beyond that, with neighbours of matches and with short turns. Words of
    "before" and "after" phrases do not count.
    """
    positions = ranking.positions
    words = rarities(ranking.frame.view, _about(ranking.frame.intent))[positions]
    near = np.asarray(
        [sum(candidate.shares.get(name, 0.0) for name in _NEAR) for candidate in ranking[:]], dtype=np.float64
    )
    about = np.zeros(len(positions), dtype=bool)
    for values in (words, near):
        best = float(values.max(initial=0.0))
        about |= (values >= ON_TOPIC * best) & (best > 0)
    return positions[about]


def _about(intent: Intent) -> Sequence[str]:
    """The question's terms without those of its "before" and "after" phrases; all terms where nothing else is left."""
    spans = [phrase.span for phrase in intent.positions if phrase.kind in ("before", "after")]
    rest = set(query_terms(cut_out(intent.text, spans))) if spans else ()
    return [term for term in intent.terms if term in rest] or intent.terms


def by_period(days: Sequence[date | None]) -> list[str]:
    """The name of the day, week, month or year of each day, whichever gives about a dozen periods.

    Up to two weeks go by the day, up to a quarter of a year by the week, up to two years by the month. The names sort
    by time; None gives an empty name.
    """
    known = [day for day in days if day is not None]
    span = (max(known) - min(known)).days if known else 0
    return ["" if day is None else _period_name(day, span) for day in days]


def _period_name(day: date, span: int) -> str:
    if span <= 14:
        return day.isoformat()
    if span <= 92:
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[:7] if span <= 731 else day.isoformat()[:4]


def in_turns(groups: Sequence[Sequence[T]]) -> list[T]:
    """Interleaves groups: the first element of each group, then the second of each, and so on."""
    nothing = object()
    rounds = zip_longest(*groups, fillvalue=nothing)
    return [each for one in rounds for each in one if each is not nothing]  # type: ignore[misc]  # the filler is gone
