"""Stretches: in a meeting a point is talked over for dozens of turns, of which few name it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import FLAT, Opinion
from clew.rank.participants import USER

MATCH: Final = ("lexical", "dense", "dense_rewritten")
"""Signals whose sum is averaged over the turns around each."""

REACH: Final = 10
"""Turns on each side of a mean. Two such means, one of the other, weigh the turns like a bell of 8 or 9 turns."""

PEOPLE: Final = 2.0
"""Speakers up to which talk is not a meeting; one more makes it one. Each counts by how much he says (`_effective`)."""

LONG: Final = 100
"""Turns without a silence from which talk of many is wholly a meeting."""

SHORT: Final = 30
"""Turns up to which it is a chat, where each message says its own."""

SILENCE_US: Final = 1_800_000_000
"""Microseconds of silence that end a meeting: half an hour, as for a beat."""


@dataclass(frozen=True, slots=True, eq=False)
class _Talk:
    """The turns of all meetings.

    Attributes:
        positions: of the turns, meeting by meeting, in order.
        start: for each of them, the place among `positions` where the turns around it begin.
        end: where they end.
        share: how far each is part of a meeting, above 0 to 1.
    """

    positions: NDArray[np.intp]
    start: NDArray[np.intp]
    end: NDArray[np.intp]
    share: Scores

    def around(self, values: Scores) -> Scores:
        """The mean of the values around each turn."""
        sums = np.concatenate(([0.0], np.cumsum(values)))
        return np.asarray((sums[self.end] - sums[self.start]) / (self.end - self.start))


_TALK: Final = CacheKey[_Talk | None]("meetings")


def stretch(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """How well the turns around a turn match, in a meeting; as far spread as the turns' own match.

    None without a meeting, and for a search that wants the turns with its very words. Chats of two are none: there the
    turn that matches is the one that answers (docs/recall-figures.md).
    """
    talk = frame.view.derived(_TALK, lambda: _talk(frame.view))
    if talk is None or frame.intent.wants.exact:
        return None
    match = np.zeros(len(talk.positions))
    for name in MATCH:
        if name in known:
            match += known[name].shares(talk.positions)
    around = talk.around(talk.around(match))
    around -= around.mean()
    spread = float(around.std())
    if spread < FLAT:
        return None
    values = np.zeros(frame.size)
    values[talk.positions] = around * (float(match.std()) / spread) * talk.share
    return values


def _talk(view: IndexView) -> _Talk | None:
    """The meetings of a view: long talk of more than two named people, with no assistant among them."""
    if len(view.speakers) <= PEOPLE:
        return None
    turns = view.turns
    named = np.flatnonzero((turns.speaker >= 0) & (turns.role == USER))
    session = turns.session[named]
    if not len(named) or np.bincount(session).max() <= SHORT:
        return None
    order = np.argsort(session, kind="stable")
    positions, session = named[order], session[order]
    begins = np.flatnonzero(np.diff(session, prepend=-1) | _silence(view, positions))
    sizes = np.diff(np.append(begins, len(positions)))
    run = np.repeat(np.arange(len(begins)), sizes)
    long = (sizes > SHORT)[run]
    if not long.any():
        return None
    share = np.zeros(len(begins))
    share[sizes > SHORT] = _effective(run[long], turns.speaker[positions[long]])
    share = np.clip(share - PEOPLE, 0.0, 1.0) * np.minimum(1.0, sizes / LONG)
    taken = (share > 0.0)[run]
    if not taken.any():
        return None
    sizes = sizes[share > 0.0]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(len(first))
    start = np.maximum(place - REACH, first)
    end = np.minimum(place + REACH + 1, first + np.repeat(sizes, sizes))
    return _Talk(positions[taken], start, end, share[run[taken]])


def _silence(view: IndexView, positions: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether more than `SILENCE_US` passed between each turn and the one before it; no for turns without a time."""
    at = view.turns.at[positions]
    is_silent = np.zeros(len(at), dtype=np.bool_)
    known = (at[1:] != view.NO_TIME) & (at[:-1] != view.NO_TIME)
    is_silent[1:][known] = np.abs(at[1:][known] - at[:-1][known]) > SILENCE_US
    return is_silent


def _effective(run: NDArray[np.intp], speaker: NDArray[np.integer]) -> Scores:
    """Of each run, e to the entropy of its turns' speakers: four who say as much as each other count 4.

    Args:
        run: the run of each turn, ascending; those of the result are the ones that occur.
        speaker: its speaker's code.
    """
    width = int(speaker.max()) + 1
    pairs, counts = np.unique(run * width + speaker, return_counts=True)
    first = np.flatnonzero(np.diff(pairs // width, prepend=-1))
    totals = np.add.reduceat(counts, first)
    parts = counts / np.repeat(totals, np.diff(np.append(first, len(pairs))))
    return np.asarray(np.exp(np.add.reduceat(-parts * np.log(parts), first)))
