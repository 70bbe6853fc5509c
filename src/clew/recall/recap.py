"""The recap of a stored session. Start at `recap_of`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

from clew.condense.material import Judged, recap_turns
from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.errors import NotFoundError
from clew.recall.insurance import lost_source, lost_turns
from clew.recall.open_tasks import open_tasks
from clew.recall.read_path import ReadPath
from clew.rows.annotations import said_of
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import ANALYSIS, SESSION, TURN
from clew.text.counters import Counter
from clew.types.ids import BEAT
from clew.types.turn import Turn

Style = Literal["auto", "quest", "chat"]
STYLES: Final[tuple[str, ...]] = get_args(Style)


def recap_of(path: ReadPath, session: str, count: Counter, *, budget: int, style: Style = "auto") -> Recap:
    """The recap of a session as it is stored now; reads every turn of the session.

    Raises:
        NotFoundError: there is no such session.
    """
    source, _ = _read(path, session)
    return compose_recap(source, count, budget=budget, style=None if style == "auto" else style)


def insurance(
    path: ReadPath, session: str, messages: Sequence[Mapping[str, Any]], count: Counter, *, budget: int
) -> Recap:
    """The recap of what the messages have lost of a session; empty when nothing was lost.

    Raises:
        NotFoundError: there is no such session.
    """
    source, turns = _read(path, session)
    lost = lost_turns(turns, messages)
    return compose_recap(lost_source(source, lost, messages), count, budget=budget if lost else 0)


def _read(path: ReadPath, session: str) -> tuple[RecapSource, list[Turn]]:
    """What a recap of a session is made from, and its turns."""
    with path.store.snapshot() as reader:
        rows = TURN.scan(reader, (path.space, session), (path.space, session))
        if not rows:
            raise NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")
        turns = [turn for row in rows if (turn := turn_from_row(row)).origin != "injected"]
        judged = _judged(reader, path.space, turns)
        nodes = NODE_TITLES.scan(reader, (path.space, session), (path.space, session), index="level")
        stored = SESSION.get(reader, (path.space, session))
    source = RecapSource(
        session,
        recap_turns(zip(turns, judged, strict=True)),
        topics=[(node.title, node.low) for node in nodes if node.level == BEAT and node.title],
        tasks=open_tasks(turns),
        title=None if stored is None else stored.title,
    )
    return source, turns


def _judged(reader: Reader, space: str, turns: Sequence[Turn]) -> list[Judged]:
    said = said_of(reader, space, ANALYSIS.name, [turn.ordinal or 0 for turn in turns])
    return [
        Judged(
            float(values.get("importance", 0.0)), bool(values.get("paradigm_shift", False)), values.get("overlays", {})
        )
        for values in ({} if value is None else value for value in said)
    ]
