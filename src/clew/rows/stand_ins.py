"""Stores the shorter forms that stand for turns of condensed sessions; each row is one `StandIn`."""

import json
import zlib
from collections.abc import Iterator
from typing import Final, cast

from clew.condense.stand_ins import StandIn
from clew.store.protocol import Reader
from clew.store.row_types import StandInRow
from clew.store.rows import dumps
from clew.store.tables import STAND_IN
from clew.types.shown import ShownAs

_EFFORT: Final = 6
_BATCH: Final = 64


def stand_in_row(space: str, session: str, stand_in: StandIn) -> StandInRow:
    """The row of a stand-in."""
    said = [stand_in.seqs, stand_in.full_tokens, stand_in.texts, stand_in.labels, stand_in.method]
    data = zlib.compress(dumps(said).encode("utf-8", "surrogatepass"), _EFFORT)
    return StandInRow(space, session, stand_in.low, stand_in.rendering, stand_in.tokens, data)


def stand_ins_from(reader: Reader, space: str, session: str, low: int = 0) -> Iterator[StandIn]:
    """The stand-ins of a session whose first turn is at `low` or later, in order; read a batch at a time."""
    while True:
        rows = STAND_IN.scan(reader, (space, session, low), (space, session), limit=_BATCH)
        yield from map(_stand_in, rows)
        if len(rows) < _BATCH:
            return
        low = rows[-1].low + 1


def stand_in_text(row: StandInRow) -> str:
    """The JSON of a row."""
    return zlib.decompress(row.data).decode("utf-8", "surrogatepass")


def _stand_in(row: StandInRow) -> StandIn:
    seqs, full_tokens, texts, labels, method = json.loads(stand_in_text(row))
    rendering = cast(ShownAs, row.rendering)
    shortened = {name: (text, tokens) for name, (text, tokens) in texts.items()}
    return StandIn(tuple(seqs), rendering, row.tokens, full_tokens, shortened, tuple(labels), method)
