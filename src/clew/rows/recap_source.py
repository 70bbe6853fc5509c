"""Reads from the store what the recap of a session is made from."""

from collections.abc import Sequence

from clew.condense.material import TurnScores, recap_turns
from clew.condense.open_tasks import open_tasks
from clew.condense.recap import RecapSource
from clew.errors import NotFoundError
from clew.rows.annotations import said_of
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import ANALYSIS, SESSION, TURN
from clew.types.ids import BEAT
from clew.types.turn import Turn


def recap_source(
    reader: Reader, space: str, session: str, *, last: int | None = None
) -> tuple[RecapSource, list[Turn]]:
    """What a recap of a session is made from, and the turns that it covers; text that Clew injected is left out.

    Args:
        last: seq of the last turn covered; None covers all.

    Raises:
        NotFoundError: there is no such session.
    """
    rows = TURN.scan(reader, (space, session), (space, session))
    if not rows:
        raise NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")
    turns = [turn_from_row(row) for row in rows if last is None or row.seq <= last]
    turns = [turn for turn in turns if turn.origin != "injected"]
    nodes = NODE_TITLES.scan(reader, (space, session), (space, session), index="level")
    covered = [node for node in nodes if node.level == BEAT and node.title and (last is None or node.low <= last)]
    stored = SESSION.get(reader, (space, session))
    source = RecapSource(
        session,
        recap_turns(zip(turns, _scores(reader, space, turns), strict=True)),
        topics=[(node.title, node.low) for node in covered if node.title],
        tasks=open_tasks(turns),
        title=None if stored is None else stored.title,
    )
    return source, turns


def _scores(reader: Reader, space: str, turns: Sequence[Turn]) -> list[TurnScores]:
    said = said_of(reader, space, ANALYSIS.name, [turn.ordinal or 0 for turn in turns])
    return [
        TurnScores(
            float(values.get("importance", 0.0)), bool(values.get("paradigm_shift", False)), values.get("overlays", {})
        )
        for values in ({} if value is None else value for value in said)
    ]
