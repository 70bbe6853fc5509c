"""Which stored session a name means, as blocks shorten it and people type it. Start at `session_meant`."""

from difflib import get_close_matches
from typing import Final

from clew.errors import InputError, NotFoundError, shown
from clew.recall.read_path import ReadPath
from clew.recall.titled_sessions import titles_of_sessions
from clew.store.turn_selections import TURN_ORIGINS
from clew.text.printable import printable_name
from clew.types.ids import BEGIN_OF_UUID, cut_session, parse_turn_id, short_session, spelled_out, turn_id

_NEAR: Final = 3
"""Most sessions with a similar name that an error names."""
_COMPARED: Final = 2_000
"""Sessions whose names are compared with a mistyped one, the newest."""
_NAMED: Final = 5
"""Most sessions that an error lists."""


def session_meant(path: ReadPath, name: str) -> str:
    """The stored session with this name, or the only one whose short name, beginning or title it is.

    Raises:
        InputError: several sessions are shown so, begin so, or have this title.
        NotFoundError: there is none.
    """
    session = name if is_session(path, name) else session_shown_as(path, name)
    session = session or _only(
        name, [candidate for candidate in path.live.view().sessions if candidate.startswith(name)]
    )
    session = session or _only(name, _titled(path, name))
    if session is None:
        raise no_such_session(path, name)
    return session


def no_such_session(path: ReadPath, name: str) -> NotFoundError:
    """The error for a name that no session has; it suggests sessions with similar names."""
    near = get_close_matches(name, path.live.view().sessions[-_COMPARED:], n=_NEAR)
    like = f"; there is {' and '.join(map(repr, near))}" if near else ""
    return NotFoundError(f"there is no session {shown(name, 200)}{like}; `clew sessions` lists those that there are")


def _titled(path: ReadPath, title: str) -> list[str]:
    """The stored sessions to which a client gave this title, ignoring case."""
    with path.store.snapshot() as reader:
        titles = titles_of_sessions(reader, path.space)
    return [session for session, its in titles if its.casefold() == title.casefold()]


def is_session(path: ReadPath, name: str) -> bool:
    """Whether a session with exactly this name has stored turns."""
    key = (path.space, name)
    with path.store.snapshot() as reader:
        return bool(TURN_ORIGINS.scan(reader, key, key, limit=1))


def turn_meant(path: ReadPath, ref: str) -> str:
    """The id of a turn, also as a block names it (`f7633853:38`); unchanged where no session is meant.

    Raises:
        InputError: that is not a turn id, or several sessions are shown so.
    """
    session, seq = parse_turn_id(spelled_out(ref))
    return turn_id(session if is_session(path, session) else session_shown_as(path, session) or session, seq)


def session_shown_as(path: ReadPath, name: str) -> str | None:
    """The session that blocks show by this short name, or lists by this printable name; None if there is none.

    Raises:
        InputError: there are several.
    """
    sessions = path.live.view().sessions
    asked = {name, name.lower()}  # the digits of a UUID are shown in lower case, the beginning of a long name as it is
    session = _only(
        name, [candidate for candidate in sessions if candidate != name and short_session(candidate) in asked]
    )
    if session is None and BEGIN_OF_UUID.fullmatch(name):  # of a UUID whose short name has more digits
        begin = f"{name.lower()}-"
        session = _only(name, [candidate for candidate in sessions if short_session(candidate).startswith(begin)])
    wanted = printable_name(name).strip()
    odd = (
        [] if session else [candidate for candidate in sessions if candidate != name and wanted in _printed(candidate)]
    )
    return session or _only(name, odd)


def _printed(session: str) -> tuple[str, str]:
    """A session's name as lists print it, in full and shortened."""
    return printable_name(session).strip(), printable_name(cut_session(session)).strip()


def _only(name: str, candidates: list[str]) -> str | None:
    if len(candidates) > 1:
        some = ", ".join(sorted(candidates)[:_NAMED])
        more = f" and {len(candidates) - _NAMED} more" if len(candidates) > _NAMED else ""
        raise InputError(f"{name!r} may be any of {some}{more}; give the whole name of the session")
    return candidates[0] if candidates else None
