"""Bursts: short messages that one person sends in a row count as one statement."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion
from clew.rank.participants import USER

MATCH: Final = ("lexical", "dense", "dense_rewritten", "window")
"""Signals of a message from which the others of its burst get a share."""

APART_US: Final = 120_000_000
"""Microseconds between two messages of a burst at most: two minutes."""

SHORT: Final = 25.0
"""Characters of a burst's messages, on average, up to which they get the whole share."""


class _Bursts(NamedTuple):
    """The messages of all bursts.

    Attributes:
        positions: of the messages, ascending.
        first: for each burst, the place among `positions` of its first message.
        burst: for each message, the number of its burst.
        short: for each message, how short those of its burst are, up to 1.
    """

    positions: NDArray[np.int64]
    first: NDArray[np.int64]
    burst: NDArray[np.int64]
    short: NDArray[np.float64]


_BURSTS: Final = CacheKey[_Bursts]("bursts")


def burst(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """What `MATCH` adds to the best message of a burst beyond what it adds to the message itself; None without bursts.

    People on phones write a sentence in pieces of a few words, and the piece that matches the question is seldom the
    one that answers it. Where an assistant takes part, only the user's messages form bursts, since what an agent says
    and calls in a row are separate things.
    """
    bursts = frame.view.derived(_BURSTS, lambda: _bursts(frame.view, only_user=frame.with_assistant))
    if not len(bursts.positions):
        return None
    match = np.zeros(len(bursts.positions))
    for name in MATCH:
        if name in known:
            match += known[name].shares(bursts.positions)
    best = np.maximum.reduceat(match, bursts.first)
    values = np.zeros(frame.size)
    values[bursts.positions] = (best[bursts.burst] - match) * bursts.short
    return values


def _bursts(view: IndexView, *, only_user: bool) -> _Bursts:
    """The bursts of a view; those of the user alone where an assistant takes part."""
    turns = view.turns
    goes_on = view.grown(CacheKey("goes on", (only_user,)), lambda rows: _goes_on(view, rows, only_user=only_user))
    inside = goes_on.copy()
    inside[:-1] |= goes_on[1:]
    positions = np.flatnonzero(inside)
    first = np.flatnonzero(~goes_on[positions])
    if not len(first):
        return _Bursts(positions, first, first, np.empty(0))
    sizes = np.diff(np.append(first, len(positions)))
    chars = np.add.reduceat(turns.chars[positions].astype(np.float64), first) / sizes
    burst_of = np.repeat(np.arange(len(first)), sizes)
    return _Bursts(positions, first, burst_of, np.minimum(1.0, SHORT / np.maximum(chars, 1.0))[burst_of])


def _goes_on(view: IndexView, rows: slice, *, only_user: bool) -> NDArray[np.bool_]:
    """Whether each turn of a slice belongs to one burst with the turn before it."""
    turns, belongs = view.turns, np.zeros(rows.stop - rows.start, dtype=np.bool_)
    start = max(rows.start, 1)
    now, before = slice(start, rows.stop), slice(start - 1, rows.stop - 1)
    previous = view.links[0][turns.first_piece[now]]
    goes_on = (previous >= 0) & (view.pieces.turn[np.maximum(previous, 0)] == np.arange(start - 1, rows.stop - 1))
    goes_on &= (turns.role[now] == turns.role[before]) & (turns.speaker[now] == turns.speaker[before])
    goes_on &= (turns.at[now] != view.NO_TIME) & (turns.at[before] != view.NO_TIME)
    goes_on &= np.abs(turns.at[now] - turns.at[before]) <= APART_US
    if only_user:
        goes_on &= turns.role[now] == USER
    belongs[start - rows.start :] = goes_on
    return belongs
