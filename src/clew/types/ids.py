"""Ids derived from session and position, so that the same log gives the same ids everywhere."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from clew.errors import InputError, shown

BEAT: Final = 1
"""Level of a beat (a topic segment) in the hierarchy; chapters have the levels above."""

_LONGEST_SHOWN: Final = 100
"""Characters of a session's name that are shown to a model."""

_UUID = re.compile(
    r"(?<![0-9a-f])(?P<begin>[0-9a-f]{8}(?P<rest_of_time>-[0-9a-f]{4}(?=-7))?)(?(rest_of_time)|-[0-9a-f]{4})"
    r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])(?:/(?P<agent>.+)\Z)?",
    re.IGNORECASE | re.DOTALL,
)
BEGIN_OF_UUID: Final = re.compile(r"[0-9a-f]{8}", re.IGNORECASE)
"""The part of a UUID that names its session by itself, unless others begin so."""

_IN_BLOCK: Final = re.compile(r"\A([^:]+):([0-9]{1,18})\Z")
_TURN_ID = re.compile(r"(?P<session>.+):turn:(?P<seq>[0-9]{1,18})", re.DOTALL)


def turn_id(session: str, seq: int) -> str:
    """`<session>:turn:<seq>`; the session is percent-encoded, so that it contains no colon."""
    return f"{_quoted(session)}:turn:{seq}"


def node_id(session: str, kind: str, place: int) -> str:
    """`<session>:<kind>:<place>` for a beat or a chapter; the session is percent-encoded."""
    return f"{_quoted(session)}:{kind}:{place}"


def session_prefix(session: str) -> str:
    """The prefix, before the colon, of the ids of a session's turns and nodes."""
    return _quoted(session)


def branch_key(session: str, branch: str) -> str:
    """Key of a branch of a session: `<session>` for the main branch, else `<session>:<branch>`, percent-encoded."""
    return f"{_quoted(session)}:{_quoted(branch)}" if branch else _quoted(session)


@lru_cache(maxsize=1024)
def session_of(node: str) -> str:
    """The session of a turn or node, from its id."""
    return unquote(node.partition(":")[0], errors="surrogatepass")


@lru_cache(maxsize=1024)
def _quoted(session: str) -> str:
    """Cached, since the same few sessions recur."""
    return quote(session, safe="", errors="surrogatepass")


def short_session(session: str) -> str:
    """A session as a block names it: the first eight digits of a UUID in its name; other names cut if long.

    A UUID of version 7 begins with its time in milliseconds, and sessions that begin within a minute share eight digits
    of it; of such a one it is all twelve. A sub-agent's session has its parent's UUID, so its own name is kept.

    | Session | Short |
    |---|---|
    | `062a8bdd-4322-4ffa-bc38-3e8b8bfb5a56` | `062a8bdd` |
    | `claude-code/062a8bdd-4322-4ffa-bc38-3e8b8bfb5a56/a1b2c3d` | `062a8bdd/a1b2c3d` |
    | `0199a213-81c0-7800-8aa1-bbab2a035a53` | `0199a213-81c0` |
    """
    match = _UUID.search(session)
    if match is None:
        return cut_session(session)
    begin = match["begin"].lower()
    return begin if match["agent"] is None else f"{begin}/{short_session(match['agent'])}"


def cut_session(session: str) -> str:
    """The name of a session, cut where it is so long that it would fill what it stands above."""
    return session if len(session) <= _LONGEST_SHOWN else f"{session[: _LONGEST_SHOWN - 1].rstrip()}…"


def spelled_out(ref: str) -> str:
    """A turn id for a session and a number as a block has them (`f7633853:38`); any other text as it is."""
    return _IN_BLOCK.sub(r"\1:turn:\2", ref)


def parse_turn_id(text: str) -> tuple[str, int]:
    """Splits a turn id into session and position.

    Raises:
        InputError: the text is not a turn id.
    """
    match = _TURN_ID.fullmatch(text)
    try:
        if match is not None:
            return unquote(match["session"], errors="surrogatepass"), int(match["seq"])
    except UnicodeDecodeError:
        pass  # invalid percent-encoding: the error below
    raise InputError(
        f"{shown(text, 200)} is not a turn id; expected <session>:turn:<number>, as search prints it, "
        "or <session>:<number> with the two as a block shows them, such as f7633853:38"
    )
