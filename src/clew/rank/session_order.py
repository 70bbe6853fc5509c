"""The sessions of a space in the order of their times, which decides what "the last session" means."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView, Mask
from clew.store.rows import to_us

AHEAD: Final = timedelta(days=7)
"""How far a session may lie ahead of the clock: files have times without a zone, and a computer's clock may lag."""

PAUSE: Final = timedelta(hours=1)
"""Time since its last turn up to which a conversation may still be going on. A choice."""

_MICROSECOND: Final = timedelta(microseconds=1)
_LAST: Final = np.iinfo(np.int64).max


class SessionExtent(NamedTuple):
    """A session's place in a view: positions of its first and last turn, their number, and its times."""

    first: int
    last: int
    turns: int
    start: int | None
    end: int | None


Placed = tuple[str, SessionExtent]
"""A session and its place."""

_EXTENTS: Final = CacheKey[dict[str, SessionExtent]]("extents of sessions")


class FindTalks(Protocol):
    """Finds the sessions in which somebody talked."""

    def __call__(self, view: IndexView, placed: Sequence[Placed], limit: int, /, *, or_any: bool) -> Sequence[str]:
        """The names of the first `limit` of these sessions in which somebody talked.

        Args:
            or_any: the first of all where nobody talked in any of them.
        """


def extents(view: IndexView) -> dict[str, SessionExtent]:
    """Each session of a view with its place; cached with the view."""
    return view.derived(_EXTENTS, lambda: _extents(view))


def _extents(view: IndexView) -> dict[str, SessionExtent]:
    turns, by_name = view.turns, {}
    codes, first, counts = np.unique(turns.session, return_index=True, return_counts=True)
    last = len(turns.session) - 1 - np.unique(turns.session[::-1], return_index=True)[1]
    known = turns.at != view.NO_TIME
    start: NDArray[np.int64] = np.full(len(view.sessions), _LAST)
    end: NDArray[np.int64] = np.full(len(view.sessions), -_LAST)
    np.minimum.at(start, turns.session[known], turns.at[known])
    np.maximum.at(end, turns.session[known], turns.at[known])
    for code, head, tail, count in zip(codes.tolist(), first.tolist(), last.tolist(), counts.tolist(), strict=True):
        has_times = start[code] != _LAST
        times = (int(start[code]), int(end[code])) if has_times else (None, None)
        by_name[view.sessions[code]] = SessionExtent(head, tail, count, *times)
    return by_name


def by_end(placed: Placed) -> tuple[bool, int, str]:
    """Sorts the session that went on last to the front; those without a time come behind, the last to arrive first."""
    name, at = placed
    return (True, -at.last, name) if at.end is None else (False, -at.end, name)


def by_start(placed: Placed) -> tuple[bool, int, str]:
    """Sorts the session that began first to the front; those without a time come behind, the first to arrive first."""
    name, at = placed
    return (True, at.first, name) if at.start is None else (False, at.start, name)


def latest_first(view: IndexView, now: datetime, before: str | None = None) -> list[Placed]:
    """The sessions, the one that was active last first, see `by_end`; those dated in the future come after all others.

    A wrong clock or a misread date would otherwise make one of them the last session for good.

    Args:
        before: only those that went on before this session; where its time is unknown or to come, those that arrived
            before it.
    """
    to_come = to_us(now) + AHEAD // _MICROSECOND
    order = sorted(extents(view).items(), key=by_end)
    order.sort(key=lambda placed: _is_to_come(placed[1], to_come))  # it keeps the order
    own = extents(view).get(before or "")
    if own is None:
        return order
    if own.end is None or _is_to_come(own, to_come):
        return [(name, at) for name, at in order if at.last < own.last]
    return order[order.index((before or "", own)) + 1 :]


def _is_to_come(at: SessionExtent, to_come: int) -> bool:
    return at.end is not None and at.end > to_come


def in_order(
    view: IndexView,
    now: datetime,
    *,
    earliest: bool = False,
    before: str | None = None,
    among: Collection[str] | None = None,
) -> list[Placed]:
    """The sessions, the last one first, as `latest_first` has them.

    Args:
        earliest: those that began first come first, see `by_start`; all of them, whatever `before` says.
        before: only those that went on before this session.
        among: only these sessions; None for all.
    """
    placed = sorted(extents(view).items(), key=by_start) if earliest else latest_first(view, now, before)
    return placed if among is None else [session for session in placed if session[0] in among]


def any_sessions(_view: IndexView, placed: Sequence[Placed], limit: int, /, *, or_any: bool) -> list[str]:  # noqa: ARG001  # the index does not know who talked
    """`FindTalks` by the index alone, which does not know whether somebody talked in a session."""
    return [name for name, _ in placed[:limit]]


def sessions_with(view: IndexView, mask: Mask) -> frozenset[str]:
    """The names of the sessions with a turn that a mask lets through."""
    return frozenset(view.sessions[code] for code in np.unique(view.turns.session[mask]).tolist())


def goes_on(view: IndexView, session: str, now: datetime) -> bool:
    """Whether a session may still be going on, because it had a turn within `PAUSE` before `now`."""
    end = extents(view)[session].end
    return end is not None and to_us(now) - end < PAUSE // _MICROSECOND


@dataclass(frozen=True, slots=True)
class TalksByTime:
    """The sessions of a space as a question counts them.

    Attributes:
        now: when it is asked.
        session: the one that is going on; None where nobody said.
        find: finds those in which somebody talked.
        among: only these count, at least one; None for all.
    """

    view: IndexView
    now: datetime
    session: str | None = None
    find: FindTalks = any_sessions
    among: Collection[str] | None = None

    @property
    def current(self) -> str:
        """The session that is going on, or else the last one; of a view with turns."""
        if self.session is not None and self.session in extents(self.view):
            return self.session
        return self._found(1)[0]

    def back(self, count: int, *, alone: bool) -> list[str]:
        """The last `count` sessions before the one in which the question is asked, the last one first.

        If the caller did not name that session, it is taken to be a new one when the last session had its last turn
        more than `PAUSE` ago. Otherwise the last session may still be going on: unless `alone`, it is added to those
        before it.

        Args:
            alone: of those only the one that is so many back, if there are as many.
        """
        current = self.current
        is_over = self.session is None and self._is_over(current)
        previous = [*([current] if is_over else []), *self._found(count, before=current)][:count]
        if alone:
            return previous[count - 1 :]
        return previous if is_over or self.session is not None else [*previous, current]

    def first(self) -> list[str]:
        """The current session if it is known; otherwise the session that began first, and the last one."""
        if self.session is not None:
            return [self.current]
        return list(dict.fromkeys((*self.earliest(1), self.current)))

    def earliest(self, limit: int) -> Sequence[str]:
        """The current session if it is known; otherwise the sessions that began first, in order."""
        return [self.current] if self.session in extents(self.view) else self._found(limit, earliest=True)

    def latest(self, limit: int) -> Sequence[str]:
        """The current session if it is known; otherwise the last sessions, the last one first."""
        return [self.current] if self.session in extents(self.view) else self._found(limit)

    def _found(self, limit: int, *, earliest: bool = False, before: str | None = None) -> Sequence[str]:
        placed = in_order(self.view, self.now, earliest=earliest, before=before, among=self.among)
        return self.find(self.view, placed, limit, or_any=before is None)

    def _is_over(self, session: str) -> bool:
        return extents(self.view)[session].end is not None and not goes_on(self.view, session, self.now)
