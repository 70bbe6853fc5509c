"""Which stored session a name means, as blocks shorten it and people type it. Start at `session_meant`."""

from difflib import get_close_matches
from typing import Final

from clew.errors import InputError, NotFoundError
from clew.recall.read_path import ReadPath
from clew.recall.titled_sessions import titles_of_sessions
from clew.store.selections import TURN_ORIGINS
from clew.text.printable import printable_name
from clew.types.ids import BEGIN_OF_UUID, cut_session, parse_turn_id, short_session, spelled_out, turn_id

_NEAR: Final = 3
"""Most sessions with a similar name that an error names."""
_COMPARED: Final = 2_000
"""Sessions whose names are compared with a mistyped one, the newest."""
_NAMED: Final = 5
"""Most sessions that an error lists."""


def session_meant(path: ReadPath, name: str) -> str:
    """The stored session of this name, else the only one that a block shows so, that begins so, or that has this title.

    Raises:
        InputError: several sessions are shown so, begin so, or have this title.
        NotFoundError: there is none.
    """
    found = name if is_session(path, name) else session_shown_as(path, name)
    found = found or _only(name, [each for each in path.live.view().sessions if each.startswith(name)])
    found = found or _only(name, _titled(path, name))
    if found is None:
        raise no_such_session(path, name)
    return found


def no_such_session(path: ReadPath, name: str) -> NotFoundError:
    """The error that there is no session of this name; it names those with a similar one."""
    near = get_close_matches(name, path.live.view().sessions[-_COMPARED:], n=_NEAR)
    like = f"; there is {' and '.join(map(repr, near))}" if near else ""
    return NotFoundError(f"there is no session {name!r:.200}{like}; `clew sessions` lists those that there are")


def _titled(path: ReadPath, title: str) -> list[str]:
    """The stored sessions to which a client gave this title, without regard to case."""
    with path.store.snapshot() as reader:
        titles = titles_of_sessions(reader, path.space)
    return [session for session, its in titles if its.casefold() == title.casefold()]


def is_session(path: ReadPath, name: str) -> bool:
    """Whether turns of a session of exactly this name are stored."""
    key = (path.space, name)
    with path.store.snapshot() as reader:
        return bool(TURN_ORIGINS.scan(reader, key, key, limit=1))


def turn_meant(path: ReadPath, ref: str) -> str:
    """The id of a turn, also as a block names it (`f7633853:38`); unchanged where no session is meant.

    Raises:
        InputError: that is no turn id, or several sessions are shown so.
    """
    session, seq = parse_turn_id(spelled_out(ref))
    return turn_id(session if is_session(path, session) else session_shown_as(path, session) or session, seq)


def session_shown_as(path: ReadPath, name: str) -> str | None:
    """The session that a block shows by this short name, or a list by this printable one; None if there is none.

    Raises:
        InputError: there are several.
    """
    sessions = path.live.view().sessions
    asked = {name, name.lower()}  # the digits of a UUID are shown in lower case, the beginning of a long name as it is
    found = _only(name, [each for each in sessions if each != name and short_session(each) in asked])
    if found is None and BEGIN_OF_UUID.fullmatch(name):  # of a UUID whose short name has more digits
        begin = f"{name.lower()}-"
        found = _only(name, [each for each in sessions if short_session(each).startswith(begin)])
    wanted = printable_name(name).strip()
    odd = [] if found else [each for each in sessions if each != name and wanted in _printed(each)]
    return found or _only(name, odd)


def _printed(session: str) -> tuple[str, str]:
    """A session's name as lists print it, whole and cut."""
    return printable_name(session).strip(), printable_name(cut_session(session)).strip()


def _only(name: str, found: list[str]) -> str | None:
    if len(found) > 1:
        some = ", ".join(sorted(found)[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise InputError(f"{name!r} may be any of {some}{more}; give the whole name of the session")
    return found[0] if found else None
