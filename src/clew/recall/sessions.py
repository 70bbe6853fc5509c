"""The conversations of a space as people know them: title, project folder, git branch, client, start, end, length.

Importers keep the folder and the branch with each turn. A session is judged by its first and last turn, which need not
all be read.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from clew.assemble.headlines import Headline
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.session_order import Placed, SessionExtent, by_end, extents, latest_first
from clew.recall.made_titles import made_title
from clew.recall.session_topics import topics_of_session
from clew.store.protocol import Reader, Store
from clew.store.row_types import SessionRow, TurnRow
from clew.store.rows import from_us, to_us
from clew.store.tables import SESSION, TURN
from clew.store.turn_selections import TURN_METADATA
from clew.types.facts import CORRECTION_SOURCE, CORRECTIONS
from clew.types.ids import short_session
from clew.types.session import SessionInfo

RECENT: Final = 40
"""Latest sessions, beside those wanted, among which that of the last talk is looked for: its sub-agents may have had
many of their own."""

NOTES_SOURCE: Final = "mcp"
"""Source of the notes that agents store by the tool `remember`."""

_WORKTREES: Final = frozenset((".worktrees", "worktrees", ".claude"))
"""Folders in which a project has further working trees; one that is checked out there is still that project."""

_State = tuple[tuple[int, int], str | None]
"""What a session's headline depends on: the positions of its first and last turn, and its title from a client."""

_HEADLINES: Final = CacheKey[dict[str, Headline | None]]("headlines")
_MADE_HEADLINES: Final = CacheKey[dict[str, tuple[_State, Headline | None]]]("made headlines")


@dataclass(frozen=True, slots=True)
class ProjectFilter:
    """Which sessions are meant, by where they worked; None matches any.

    Attributes:
        project: name of the project folder, or a path that contains it.
        branch: git branch at the first or last turn.
    """

    project: str | None = None
    branch: str | None = None


ANY_PROJECT: Final = ProjectFilter()


class _SessionEnds(NamedTuple):
    """A session in a view, with its first and its last turn."""

    name: str
    at: SessionExtent
    first: TurnRow | None
    last: TurnRow | None

    @property
    def client(self) -> str | None:
        """The client that stored the last turn, or the first turn if the last one is an agent's note."""
        newest = self.last or self.first
        if newest is not None and newest.source == NOTES_SOURCE:
            newest = self.first
        return None if newest is None else newest.source

    def passes(self, chosen: ProjectFilter) -> bool:
        """Whether the first or last turn was in the project that is meant, and one of them on the branch."""
        ends = [_metadata(row) for row in (self.first, self.last) if row is not None]
        in_project = chosen.project is None or any(is_project(end.get("cwd"), chosen.project) for end in ends)
        return in_project and (chosen.branch is None or any(end.get("git_branch") == chosen.branch for end in ends))


def sessions_of(reader: Reader, space: str, view: IndexView, chosen: ProjectFilter) -> set[str]:
    """The names of the sessions that pass a filter."""
    ends = _ends(reader, space, list(extents(view).items()), view)
    return {session.name for session in ends if session.passes(chosen)}


def list_sessions(
    reader: Reader,
    space: str,
    view: IndexView,
    chosen: ProjectFilter = ANY_PROJECT,
    *,
    since: datetime | None = None,
    limit: int | None = None,
) -> list[SessionInfo]:
    """The sessions that pass a filter, the one that was active last first.

    Sessions without a time come after the others, those that were stored last first.

    Args:
        since: only sessions with a turn at or after this moment; None for all.
        limit: the most sessions to return; None for all.
    """
    earliest = to_us(since)
    latest = sorted(
        (
            session
            for session in extents(view).items()
            if earliest is None or (session[1].end is not None and session[1].end >= earliest)
        ),
        key=by_end,
    )
    if chosen == ANY_PROJECT:
        latest = latest[:limit]  # before their turns are read
    passing = [session for session in _ends(reader, space, latest, view) if session.passes(chosen)]
    return [_info(reader, space, view, session) for session in passing[:limit]]


def latest_talks(
    reader: Reader, space: str, view: IndexView, now: datetime, limit: int, chosen: ProjectFilter = ANY_PROJECT
) -> list[SessionInfo]:
    """The latest sessions in which somebody talked, the last one first; the latest of all if nobody talked in any.

    Only the latest `RECENT` + `limit` sessions that pass the filter are looked at. A session that is dated in the
    future (a wrong clock, a misread date) comes after all others; otherwise it would be the last one for good.
    """
    candidates = _candidates(reader, space, view, latest_first(view, now), limit, chosen)
    return [_info(reader, space, view, session) for session in _first_talks(candidates, limit, or_any=True)]


def latest_name(
    store: Store, space: str, view: IndexView, now: datetime, chosen: ProjectFilter = ANY_PROJECT
) -> str | None:
    """The name of the session in which somebody talked last; None if no session passes the filter."""
    with store.snapshot() as reader:
        candidates = _candidates(reader, space, view, latest_first(view, now), 1, chosen)
    talks = _first_talks(candidates, 1, or_any=True)
    return talks[0].name if talks else None


def names_of_talks(
    reader: Reader, space: str, view: IndexView, placed: Sequence[Placed], limit: int, *, or_any: bool = True
) -> list[str]:
    """The names of the first `limit` of these sessions in which somebody talked.

    Only the first `RECENT` + `limit` sessions are looked at. With `or_any`, the first of them are returned if nobody
    talked in any of them.
    """
    candidates = _candidates(reader, space, view, placed, limit, ANY_PROJECT)
    return [session.name for session in _first_talks(candidates, limit, or_any=or_any)]


def _candidates(
    reader: Reader, space: str, view: IndexView, placed: Sequence[Placed], limit: int, chosen: ProjectFilter
) -> list[_SessionEnds]:
    """The first `RECENT` + `limit` of these sessions that pass a filter."""
    if chosen == ANY_PROJECT:
        placed = placed[: RECENT + limit]  # before their turns are read
    return [session for session in _ends(reader, space, placed, view) if session.passes(chosen)][: RECENT + limit]


def _first_talks(sessions: Sequence[_SessionEnds], limit: int, *, or_any: bool) -> Sequence[_SessionEnds]:
    """The first of these sessions in which somebody talked; with `or_any` the first of all if nobody did."""
    talks = [session for session in sessions if not _is_aside(session.name, session.client)]
    return (talks if talks or not or_any else sessions)[:limit]


def _is_aside(name: str, client: str | None) -> bool:
    """Whether a session holds no talk: only corrections of facts, an agent's notes, or the work of a sub-agent."""
    if (name, client) == (CORRECTIONS, CORRECTION_SOURCE) or client == NOTES_SOURCE:
        return True
    return _is_of_sub_agent(name, client)


def _is_of_sub_agent(name: str, client: str | None) -> bool:
    """Whether a session is named `CLIENT/ID/AGENT`, which importers and the proxy use for sub-agents."""
    return client is not None and name.startswith(f"{client}/") and name.count("/") > 1


def headlines(reader: Reader, space: str, view: IndexView, sessions: Sequence[str]) -> dict[str, Headline]:
    """The headlines of those sessions that have a title or folder from a client, or a name that tells nothing."""
    cached = view.derived(_HEADLINES, dict[str, Headline | None])
    new = [(session, ends) for session in sessions if session not in cached and (ends := view.ends(session))]
    if new:
        stored = SESSION.get_many(reader, [(space, session) for session, _ in new])
        cached.update(_headlines(reader, space, view, [(*each, row) for each, row in zip(new, stored, strict=True)]))
    return {session: headline for session in sessions if (headline := cached.get(session))}


def _headlines(
    reader: Reader, space: str, view: IndexView, sessions: Sequence[tuple[str, tuple[int, int], SessionRow | None]]
) -> dict[str, Headline | None]:
    """What each session is called, given its ends and its row; None for one whose name says enough.

    A headline is kept for later views. Only where people talk to each other does it depend on all turns of the space.
    """
    made = {} if view.speakers else view.shared(_MADE_HEADLINES, dict[str, tuple[_State, Headline | None]])
    states = {session: (ends, None if row is None else row.title) for session, ends, row in sessions}
    known = {session: made[session] for session in states if session in made}
    called = {session: headline for session, (state, headline) in known.items() if state == states[session]}
    lacking = [session for session in states if session not in called]
    keys = [(space, session, int(view.turns.seq[place])) for session in lacking for place in states[session][0]]
    details = [json.loads(metadata) if metadata else {} for metadata in TURN_METADATA.get_many(reader, keys)]
    for session, head, tail in zip(lacking, details[::2], details[1::2], strict=True):
        ends, title = states[session]
        folder = _text(tail.get("cwd") or head.get("cwd"))
        headline = None
        if title is not None or folder is not None or short_session(session) != session:
            title = title or made_title(reader, space, view, session, ends)
            branch = _text(tail.get("git_branch") or head.get("git_branch"))
            headline = Headline(title, folder and project_name(folder), branch)
        called[session], made[session] = headline, (states[session], headline)
    return called


class SessionPlace(NamedTuple):
    """Where a session worked, at its first and last turn, in lower case.

    Attributes:
        names: what its branches and project folders are called.
        folders: the paths of the folders, each with a slash behind it.
    """

    names: frozenset[str]
    folders: tuple[str, ...]

    def is_named(self, names: Collection[str]) -> bool:
        """Whether one of these lower-case names is that of a branch or project folder, or a path to the folder."""
        if not self.names.isdisjoint(names):
            return True
        paths = [name.removeprefix("~").strip("/") for name in names if "/" in name]
        return any(folder.endswith(f"/{path}/") for folder in self.folders for path in paths if path)


_PLACES: Final = CacheKey[dict[str, tuple[tuple[int, int], SessionPlace]]]("session places")


def workplaces(reader: Reader, space: str, view: IndexView) -> Mapping[str, SessionPlace]:
    """The folders and branches of all sessions of a view; sessions whose first or last turn changed are read again."""
    cached = view.shared(_PLACES, dict[str, tuple[tuple[int, int], SessionPlace]])
    ends = {session: at for session in view.sessions if (at := view.ends(session)) is not None}
    new = [(session, at) for session, at in ends.items() if session not in cached or cached[session][0] != at]
    keys = [(space, session, int(view.turns.seq[place])) for session, at in new for place in at]
    details = [json.loads(metadata) if metadata else {} for metadata in TURN_METADATA.get_many(reader, keys)]
    for (session, at), head, tail in zip(new, details[::2], details[1::2], strict=True):
        cached[session] = (at, _session_place((head, tail)))
    return {session: cached[session][1] for session in ends}


def _session_place(ends: Sequence[Mapping[str, Any]]) -> SessionPlace:
    folders, branches = ({value for end in ends if (value := _text(end.get(key)))} for key in ("cwd", "git_branch"))
    names = frozenset(name.casefold() for name in (*branches, *map(project_name, folders)))
    return SessionPlace(names, tuple(f"{folder.casefold()}/" for folder in folders))


def _ends(reader: Reader, space: str, sessions: Sequence[Placed], view: IndexView) -> list[_SessionEnds]:
    """These sessions, each with its first and its last turn."""
    keys = [(space, name, int(view.turns.seq[place])) for name, at in sessions for place in (at.first, at.last)]
    rows = TURN.get_many(reader, keys)
    return [
        _SessionEnds(*session, *pair)
        for session, pair in zip(sessions, zip(rows[::2], rows[1::2], strict=True), strict=True)
    ]


def is_project(folder: object, project: str) -> bool:
    """Whether a folder is the project: by its name, or because the project is a path that contains the folder."""
    if not isinstance(folder, str) or not project:
        return False
    path = PurePath(folder)
    return path.is_relative_to(PurePath(project)) or project in (project_name(folder), path.name)


def project_name(folder: str) -> str:
    """The name of the project to which a folder belongs, which may be one of its further working trees."""
    parts = PurePath(folder).parts
    above = next((place for place, part in enumerate(parts) if place and part in _WORKTREES), len(parts))
    return parts[above - 1] if parts else ""


def _metadata(row: TurnRow | None) -> Mapping[str, Any]:
    return json.loads(row.metadata) if row is not None and row.metadata else {}


def _info(reader: Reader, space: str, view: IndexView, session: _SessionEnds) -> SessionInfo:
    name, ends = session.name, (session.at.first, session.at.last)
    head, tail = _metadata(session.first), _metadata(session.last)
    stored = SESSION.get(reader, (space, name))
    return SessionInfo(
        name=name,
        title=(None if stored is None else stored.title) or made_title(reader, space, view, name, ends),
        topics=topics_of_session(reader, space, view, name, ends),
        project=_text(tail.get("cwd") or head.get("cwd")),
        branch=_text(tail.get("git_branch") or head.get("git_branch")),
        client=session.client,
        start=from_us(session.at.start),
        end=from_us(session.at.end),
        turns=session.at.turns,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
