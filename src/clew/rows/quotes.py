"""Renderings stored as positions in turns, instead of repeating their words.

`[[4], [6, 0, 30, 52, 11]]` is all of turn 4, and 30 and 11 characters of turn 6. The places are those in what a turn
says (`plain_line`): a change of that needs a step of the schema which drops the renderings, to be made again.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from clew.condense.node_material import SILENT, plain_line
from clew.condense.node_renderings import NodeLine, quoted, runs_in
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.rows import from_us
from clew.store.table_columns import Columns
from clew.store.tables import TURN

SHORT: Final = 800
"""Most characters of a turn that is quoted by place: of a longer one more is read than shown."""

Quotes = list[list[int]]
"""For each turn its seq, then its runs of sentences, as in `clew.condense.node_renderings.runs_in`."""

Spoken = tuple[str, int]
"""A session, and the seq of a turn in it."""


class SpokenTurn(NamedTuple):
    """The columns that say what a turn of one text tells a reader, and who says it."""

    session: str
    seq: int
    at: int | None
    role: str
    speaker: str | None
    origin: str
    parts: str | None
    text: str


SPOKEN: Final = Columns(TURN, SpokenTurn)


def spoken_line(row: SpokenTurn | TurnRow) -> NodeLine | None:
    """What a turn of one text says; None if that is nothing."""
    if row.role in SILENT or row.origin in SILENT:
        return None
    return plain_line(row.text, row.speaker, row.role, None if row.at is None else from_us(row.at))


def quotes_in(turns: Iterable[tuple[int, NodeLine]], text: str) -> Quotes | None:
    """The places that a rendering quotes; None if it does not consist of sentences of these turns only."""
    short = [(seq, line) for seq, line in turns if len(line.text) <= SHORT]
    matches = runs_in([line for _, line in short], text)
    return None if matches is None else [[short[number][0], *runs] for number, runs in matches]


def lines_of_turns(reader: Reader, space: str, wanted: Iterable[Spoken]) -> dict[Spoken, NodeLine]:
    """What turns say, without turns that are no longer stored."""
    rows = SPOKEN.get_many(reader, [(space, *name) for name in dict.fromkeys(wanted)])
    lines = [(row, spoken_line(row)) for row in rows if row is not None]
    return {(row.session, row.seq): line for row, line in lines if line is not None}


def quoted_text(session: str, quotes: Quotes, lines: Mapping[Spoken, NodeLine]) -> str | None:
    """The text that was given to `quotes_in`; None if one of the turns is no longer stored."""
    if any((session, seq) not in lines for seq, *_ in quotes):
        return None
    return quoted([(lines[session, seq], runs) for seq, *runs in quotes])
