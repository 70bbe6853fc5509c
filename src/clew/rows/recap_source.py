"""Reads from the store what the recap of a session is made from."""

from collections.abc import Sequence
from typing import Final

from clew.condense.material import TurnScores, recap_turns
from clew.condense.open_tasks import open_tasks
from clew.condense.recap import RecapSource
from clew.condense.session_titles import title_of as title_from
from clew.errors import NotFoundError
from clew.rows.annotations import annotation_values
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import ANALYSIS, SESSION, TURN
from clew.store.turn_selections import TURN_ORIGINS
from clew.types.ids import BEAT
from clew.types.turn import Turn

_BEATS: Final = 64
"""Beats whose titles are read: more than a recap has room for."""

_TAIL: Final = 16  # turns read at a time to find the last ones, and those read for a title


def recap_source(
    reader: Reader, space: str, session: str, *, last: int | None = None
) -> tuple[RecapSource, list[Turn]]:
    """What a recap of a session is made from, and the turns that it covers; text that Clew injected is left out.

    Args:
        last: seq of the last turn covered; None covers all.

    Raises:
        NotFoundError: there is no such session.
    """
    turns = session_turns(reader, space, session, last=last)
    source = RecapSource(
        session,
        recap_turns(zip(turns, scores_of(reader, space, turns), strict=True)),
        topics=topics_of(reader, space, session, last),
        tasks=open_tasks(turns),
        title=title_of(reader, space, session),
    )
    return source, turns


def session_turns(reader: Reader, space: str, session: str, *, last: int | None = None) -> list[Turn]:
    """The turns of a session up to `last`; text that Clew injected is left out.

    Raises:
        NotFoundError: there is no such session.
    """
    rows = TURN.scan(reader, (space, session), (space, session))
    if not rows:
        raise NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")
    turns = [turn_from_row(row) for row in rows if last is None or row.seq <= last]
    return [turn for turn in turns if turn.origin != "injected"]


def last_besides(reader: Reader, space: str, session: str, left: int) -> int:
    """The seq of the last turn before the newest `left` ones; -1 if there is none. Injected text does not count."""
    end: tuple[str, str] | tuple[str, str, int] = (space, session)
    while rows := TURN_ORIGINS.scan(reader, (space, session), end, limit=_TAIL, reverse=True):
        for row in rows:
            if row.origin != "injected" and (left := left - 1) < 0:
                return row.seq
        end = (space, session, rows[-1].seq - 1)
    return -1


def topics_of(reader: Reader, space: str, session: str, last: int | None) -> list[tuple[str, int]]:
    """Titles of the newest beats that begin at `last` or before, oldest first, each with its first turn."""
    key = (space, session, BEAT)
    nodes = NODE_TITLES.scan(reader, key, key, index="level", limit=_BEATS, reverse=True)[::-1]
    return [(node.title, node.low) for node in nodes if node.title and (last is None or node.low <= last)]


def title_of(reader: Reader, space: str, session: str) -> str | None:
    """The title of a session, or one made from the first requests; None if there is neither."""
    stored = SESSION.get(reader, (space, session))
    if stored is not None and stored.title:
        return stored.title
    rows = TURN.scan(reader, (space, session), (space, session), limit=_TAIL)
    return title_from(row.text for row in rows if row.origin == row.role == "user")


def scores_of(reader: Reader, space: str, turns: Sequence[Turn]) -> list[TurnScores]:
    """The scores of turns from the analysis; zeros for turns that are not analysed."""
    said = annotation_values(reader, space, ANALYSIS.name, [turn.ordinal or 0 for turn in turns])
    return [
        TurnScores(
            float(values.get("importance", 0.0)), bool(values.get("paradigm_shift", False)), values.get("overlays", {})
        )
        for values in ({} if value is None else value for value in said)
    ]
