"""For a question about what is left to do, finds the open tasks, and the turns whose task lists are out of date."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from clew.assemble.first_lines import NO_LINES, OPEN_TASK, FirstLines
from clew.assemble.render import Evidence
from clew.condense.left_open import LeftOpen, left_open
from clew.condense.open_tasks import is_list, tasks_by_turn
from clew.index.view import IndexView, Mask
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types.turn import Turn

SESSIONS: Final = 3
"""Latest sessions that are looked through for one with a list of tasks."""

TAIL: Final = 2_000
"""Last turns of each that are read."""

ANSWERED: Final = 40
"""Last turns among which the last answer is looked for."""

WORDS: Final = 200
"""Most characters of one task."""

_NUMBERED: Final = "Task #"
"""In results that give a created task its number."""


def required_tasks(reader: Reader, space: str, view: IndexView, mask: Mask | None, readable: Mask | None) -> FirstLines:
    """The open tasks of the latest session that has any, one line for each turn that lists tasks.

    They come from an agent's task list, and from what the last answer says is left to do.

    Args:
        mask: the turns that may be shown; None for all. A task of another turn is not shown.
        readable: the turns that say which tasks there are and which are done; None for all.
    """
    for session, seqs in _latest(view, readable):
        rows = [row for row in TURN.get_many(reader, [(space, session, seq) for seq in seqs]) if row is not None]
        turns = [turn_from_row(row) for row in rows if _may_tell(row)]
        has_list = any(is_list(part) for turn in turns for part in turn.parts)
        left = left_open([turn_from_row(row) for row in rows[-ANSWERED:]])
        if has_list or left is not None:
            return _found(view, turns if has_list else (), mask, left)
    return NO_LINES


def _latest(view: IndexView, readable: Mask | None) -> list[tuple[str, list[int]]]:
    """The latest sessions, the last one first, each with the seqs of its last turns."""
    places = np.arange(len(view.turns.seq)) if readable is None else np.flatnonzero(readable)
    codes = view.turns.session[places]
    by_time = codes[np.argsort(view.turns.at[places], kind="stable")[::-1]]
    latest = list(dict.fromkeys(by_time.tolist()))[:SESSIONS]
    return [(view.sessions[code], view.turns.seq[places[codes == code]][-TAIL:].tolist()) for code in latest]


def _may_tell(row: TurnRow) -> bool:
    return row.parts is not None and (_NUMBERED in row.text or _NUMBERED in row.parts or is_list(row.parts))


def _found(view: IndexView, turns: Sequence[Turn], mask: Mask | None, left: LeftOpen | None) -> FirstLines:
    lines, lists = [], []
    told = [*tasks_by_turn(turns), *([(left.turn, left.points)] if left is not None else [])]
    for turn, tasks in told:
        place = view.position(turn.session, turn.seq or 0)
        if place is not None and (mask is None or mask[place]):
            lines.append(_line(turn, tasks))
    for turn in turns:
        place = view.position(turn.session, turn.seq or 0)
        if place is not None and turn.parts and all(is_list(part) for part in turn.parts):
            lists.append(place)
    return FirstLines(lines, OPEN_TASK, lists)


def _line(turn: Turn, tasks: Sequence[str]) -> Evidence:
    return Evidence.of(turn, "; ".join(map(_short, tasks)), "open tasks", mark="open tasks")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 2].rstrip()} …"
