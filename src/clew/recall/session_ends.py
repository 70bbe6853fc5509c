"""For a question that asks for an overview, shows how the latest session with an assistant began and ended."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import numpy as np

from clew.assemble.first_lines import ENDS, NO_LINES, FirstLines
from clew.assemble.render import Evidence
from clew.condense.material import prose_of
from clew.condense.recap_lines import opening, tells
from clew.index.view import IndexView, Mask
from clew.rank.session_order import in_order, sessions_with
from clew.recall.sessions import names_of_talks
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.counters import CHARS_PER_TOKEN
from clew.types.turn import Turn

SHARE: Final = 12
"""What a budget is divided by for the most tokens of each of the two lines."""

WHOLE: Final = 0.8
"""Share of a turn's characters from which its line stands for it; of a longer one the block may show more."""

LOOKED: Final = 16
"""Turns from either end that are read to find one that says something."""


def session_ends(
    reader: Reader, space: str, view: IndexView, mask: Mask | None, budget: int, now: datetime
) -> FirstLines:
    """The first request and the last answer of the session that was active last.

    Args:
        mask: the turns that may be shown; None for all.
    """
    places = np.arange(len(view.turns.seq)) if mask is None else np.flatnonzero(mask)
    if not len(places):
        return NO_LINES
    among = None if mask is None else sessions_with(view, mask)
    (session,) = names_of_talks(reader, space, view, in_order(view, now, among=among), 1)
    own = places[view.turns.session[places] == view.sessions.index(session)]
    most = budget // SHARE * CHARS_PER_TOKEN
    asked = next(_told(reader, space, session, view.turns.seq[own[:LOOKED]].tolist(), "user"), None)
    answered = next(_told(reader, space, session, view.turns.seq[own[-LOOKED:][::-1]].tolist(), "assistant"), None)
    if answered is None:
        return NO_LINES
    ends = [turn for turn in (asked, answered) if turn is not None]
    lines = [_line(turn, most) for turn in ends]
    whole = [turn for turn, line in zip(ends, lines, strict=True) if len(line.text) >= len(turn.text) * WHOLE]
    instead = [view.position(session, turn.seq or 0) for turn in whole]
    return FirstLines(lines, ENDS, [place for place in instead if place is not None])


def _told(reader: Reader, space: str, session: str, seqs: list[int], role: str) -> Iterator[Turn]:
    """The turns of this role that contain prose."""
    for row in TURN.get_many(reader, [(space, session, seq) for seq in seqs]):
        if row is not None and row.role == row.origin == role:
            turn = turn_from_row(row)
            if tells(prose_of(turn)):
                yield turn


def _line(turn: Turn, most: int) -> Evidence:
    return Evidence.of(turn, opening(prose_of(turn), most), "excerpt")
