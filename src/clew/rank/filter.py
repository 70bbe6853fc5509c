"""The filters of a recall, search or query: as the caller gives them, and checked in the form that the ranker takes."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from clew.errors import ExpressionError, InputError, shown
from clew.index.view import IndexView, Mask
from clew.ingest.encoding import checked_name, escape_surrogates
from clew.store.rows import to_us
from clew.types.exact import exact_choice, exact_text
from clew.types.record import Record
from clew.types.turn import ROLES, aware

_TOGETHER: Final = 32
"""Turns from which on it is cheaper to look for them in the whole columns than one by one."""
_SEQ_BITS: Final = 32
"""Bits below a session's code in the number of a turn; a session has fewer turns."""


class TurnFilters(TypedDict, total=False):
    """Restrictions of a recall or search. All that are given must hold; one that is absent restricts nothing.

    Attributes:
        session: name of a conversation.
        since: only turns with an event time at or after this moment, or since a time such as "last week".
        until: only turns with an event time before this moment, or up to the end of a time such as "last week".
        role: user, assistant, system or tool.
        speaker: a name as it was stored.
        where: an expression over scores, labels, words and times (docs/query.md).
        as_of: only turns with an event time at or before this moment, or the end of a time such as "last week". "Last
            month" in the question or the expression is counted from here.
        known_at: only turns that were stored by this moment, or the end of such a time, whatever their event time.
        project: only sessions of this project folder: its name, or a path that contains the folder.
        branch: only sessions that began or ended on this git branch.
    """

    session: str | None
    since: datetime | str | None
    until: datetime | str | None
    role: str | None
    speaker: str | None
    where: str | None
    as_of: datetime | str | None
    known_at: datetime | str | None
    project: str | None
    branch: str | None


class SessionFilters(TypedDict, total=False):
    """Restrictions of a call to some conversations; see `TurnFilters`."""

    session: str | None
    project: str | None
    branch: str | None


class RecallOptions(TurnFilters, total=False):
    """The filters of a recall, and the options that choose its strategy.

    Attributes:
        strategy: `default`, `broad`, `temporal`, `sigma`, or `auto`, which goes by the question (docs/recall.md).
        window: tokens of the model's whole window; without a budget the block takes the strategy's share of it.
        in_window: how many of the newest turns are already in the caller's prompt: turns of `session`, else of the
            session of the newest turn. They are left out, and labels of the last 4 of them raise no turn.
    """

    strategy: str
    window: int | None
    in_window: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Record):
    """Checked filters: times in UTC, names as they are stored. None restricts nothing."""

    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    role: str | None = None
    speaker: str | None = None
    where: str | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    project: str | None = None
    branch: str | None = None

    @property
    def by_session(self) -> bool:
        """Whether sessions are chosen by what is known of them, which `mask` does not apply."""
        return self.project is not None or self.branch is not None

    @property
    def by_rows(self) -> bool:
        """Whether stored rows have to be read, for filters that `mask` does not apply."""
        return self.where is not None or self.known_at is not None or self.by_session

    def mask(self, view: IndexView) -> Mask | None:
        """Which turns pass the filters that the index can apply; None for all.

        Raises:
            InputError: the role is unknown.
        """
        until, last = to_us(self.until), to_us(self.as_of)
        ends = [end for end in (until, None if last is None else last + 1) if end is not None]
        return view.mask(
            session=self.session,
            since=to_us(self.since),
            until=min(ends, default=None),
            role=self.role,
            speaker=self.speaker,
        )


_EVERYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where a question looks.

    Attributes:
        session: the one that is going on, when the question counts from it; None where nobody said.
        mask: the turns of a view that the caller's filters let through; None for all.
    """

    session: str | None = None
    mask: Callable[[IndexView], Mask | None] = lambda _: None

    @classmethod
    def of(cls, session: str | None, mask: Callable[[IndexView], Mask | None]) -> "SearchScope":
        """A scope whose mask is computed once for each view, and only if it is asked for."""
        return cls(session, cache(mask))


EVERYWHERE: Final = SearchScope()


def filter_of(only: TurnFilters) -> Filter:
    """Checks filters as a caller gives them.

    Raises:
        InputError: the time range ends before it starts, or starts after `as_of`; or a filter has an unknown name,
            which would let everything through.
    """
    if not only:
        return _EVERYTHING
    unknown = sorted(only.keys() - RecallOptions.__annotations__.keys())
    if unknown:
        raise InputError(f"{unknown[0]!r} is not a filter; expected one of {', '.join(TurnFilters.__annotations__)}")
    since, until = time_range(only.get("since"), only.get("until"))
    as_of, known_at = aware(only.get("as_of"), "as_of"), aware(only.get("known_at"), "known_at")
    if since is not None and as_of is not None and since > as_of:
        raise InputError(
            f"as_of ({as_of.isoformat()}) is before the range starts ({since.isoformat()}): nothing can be both; "
            "leave one of them out"
        )
    where, role = only.get("where"), only.get("role")
    if where is not None and not isinstance(where, str):
        raise ExpressionError(f"where is {type(where).__name__}; expected text such as 'O2 > 7'")
    return Filter(
        session=session_name(only.get("session")),
        since=since,
        until=until,
        role=None if role is None else exact_choice(role, "role", ROLES),
        speaker=escaped(only.get("speaker")),
        where=escaped(where),
        as_of=as_of,
        known_at=known_at,
        project=escaped(only.get("project")),
        branch=escaped(only.get("branch")),
    )


def time_range(since: object, until: object) -> tuple[datetime | None, datetime | None]:
    """Both ends in UTC.

    Raises:
        InputError: an end is not a moment, or the range ends before it starts, or where it starts.
    """
    since, until = _end(since, "since"), _end(until, "until")
    if since is not None and until == since:
        raise InputError(
            f"the range ends where it starts ({since.isoformat()}), and its end is not part of it; move one"
        )
    if since is not None and until is not None and until < since:
        raise InputError(f"the range ends ({until.isoformat()}) before it starts ({since.isoformat()}); swap them")
    return since, until


def _end(moment: object, name: str) -> datetime | None:
    if not isinstance(moment, datetime | None):
        raise InputError(f"{name} is {shown(moment)}; expected a datetime, or words for a time such as 'last week'")
    return aware(moment, name)


def without(view: IndexView, mask: Mask | None, turns: Collection[tuple[str, int]]) -> Mask | None:
    """A mask that also leaves out turns given by (session, seq); turns that the view does not hold are ignored."""
    return without_positions(view, mask, _positions(view, turns))


def without_positions(view: IndexView, mask: Mask | None, places: Sequence[int] | NDArray[np.intp]) -> Mask | None:
    """A mask that also leaves out turns given by their positions in the view."""
    if not len(places):
        return mask
    allowed = np.ones(len(view.turns.ordinal), dtype=bool) if mask is None else mask.copy()
    allowed[np.asarray(places)] = False
    return allowed


def _positions(view: IndexView, turns: Collection[tuple[str, int]]) -> Sequence[int] | NDArray[np.intp]:
    """The positions of those of the turns that the view holds; many are looked for together."""
    if len(turns) < _TOGETHER:
        return [place for place in (view.position(*turn) for turn in turns) if place is not None]
    names = {session for session, _ in turns}
    codes = {name: code for code, name in enumerate(view.sessions) if name in names}
    is_wanted = np.zeros(len(view.sessions), dtype=bool)
    is_wanted[list(codes.values())] = True
    places = np.flatnonzero(is_wanted[view.turns.session])
    limit = 1 << _SEQ_BITS
    wanted = [codes[session] << _SEQ_BITS | seq for session, seq in turns if session in codes and 0 <= seq < limit]
    keys = view.turns.session[places].astype(np.int64) << _SEQ_BITS | view.turns.seq[places]
    positions: NDArray[np.intp] = places[np.isin(keys, wanted)]
    return positions


def newest(view: IndexView, session: str | None, count: int) -> list[tuple[str, int]]:
    """The newest turns of a session as (session, seq), oldest first.

    Args:
        session: None for the session of the newest turn of the space.
    """
    turns = view.turns
    if session is None and len(turns.session):
        session = view.sessions[turns.session[-1]]
    if session is None or session not in view.sessions or count < 1:
        return []
    places = np.flatnonzero(turns.session == view.sessions.index(session))[-count:]
    return [(session, seq) for seq in turns.seq[places].tolist()]


def session_name(name: str | None) -> str | None:
    """The name of a session.

    Raises:
        InputError: it is not text, or holds a NUL or a lone surrogate.
    """
    if not isinstance(name, str | None):
        raise InputError(f"session {shown(name)} is not a name; expected text, as a str")
    return None if name is None else checked_name(exact_text(name), "session")


def escaped(name: str | None) -> str | None:
    """A name as turns are stored under it.

    Raises:
        InputError: it is not text.
    """
    if not isinstance(name, str | None):
        raise InputError(f"{shown(name)} is not a name; expected text, as a str")
    return None if name is None else escape_surrogates(exact_text(name))
