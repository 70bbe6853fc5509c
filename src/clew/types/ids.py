"""Derived ids: a turn is named by its session and its place in it, so the same log gives the same ids everywhere."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from clew.errors import InputError

BEAT: Final = 1
"""Level of a beat in the hierarchy; chapters have the levels above."""

_TURN_ID = re.compile(r"(?P<session>.+):turn:(?P<seq>[0-9]{1,18})", re.DOTALL)


def turn_id(session: str, seq: int) -> str:
    """`<session>:turn:<seq>`; the session is percent-encoded, so that a colon in it cannot be mistaken."""
    return f"{_quoted(session)}:turn:{seq}"


def node_id(session: str, kind: str, place: int) -> str:
    """`<session>:<kind>:<place>`, for a beat or a chapter; the session as in `turn_id`."""
    return f"{_quoted(session)}:{kind}:{place}"


def session_prefix(session: str) -> str:
    """What the ids of a session's turns and nodes begin with, before the colon."""
    return _quoted(session)


def branch_key(session: str, branch: str) -> str:
    """One name for a line of a session: `<session>`, or `<session>:<branch>`, both percent-encoded."""
    return f"{_quoted(session)}:{_quoted(branch)}" if branch else _quoted(session)


@lru_cache(maxsize=1024)
def _quoted(session: str) -> str:
    """The same few sessions are named again and again."""
    return quote(session, safe="", errors="surrogatepass")


def parse_turn_id(text: str) -> tuple[str, int]:
    """The session and place that `turn_id` was given.

    Raises:
        InputError: the text has another form.
    """
    found = _TURN_ID.fullmatch(text)
    try:
        if found is not None:
            return unquote(found["session"], errors="surrogatepass"), int(found["seq"])
    except UnicodeDecodeError:
        pass  # percent signs that encode no text: the same error as for any other form
    raise InputError(f"{text!r:.200} is not a turn id; expected <session>:turn:<number>, as recall and search print it")
