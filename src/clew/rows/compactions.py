"""Stores compactions: the recap of a session up to a turn, and the receipt of what left the prompt."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from clew.condense.recap import Recap
from clew.store.protocol import Reader
from clew.store.row_types import CompactionRow
from clew.store.rows import dumps, to_us
from clew.store.selections import COMPACTION_MARKS
from clew.store.tables import COMPACTION
from clew.types.context import Receipt

KIND: Final = "condense"
"""`Receipt.kind` of compactions."""

_EFFORT: Final = 6


@dataclass(frozen=True, slots=True)
class Compaction:
    """One compaction of a session.

    Attributes:
        number: from 1.
        last: seq of the last turn that it covers.
        reason: why it was made, see `clew.derive.compaction_trigger.Trigger`.
        tokens_before: of all the session's turns.
        tokens_after: of the recap and the turns after `last`.
        budget: of the recap.
        shortened: what stands for those of the turns after `last` that are shown in part, by seq.
    """

    number: int
    last: int
    reason: str
    tokens_before: int
    tokens_after: int
    budget: int
    recap: Recap
    receipt: Receipt
    shortened: Mapping[int, str] = field(default_factory=dict)

    @property
    def counter(self) -> str:
        """Name of the counter of its tokens."""
        return str(self.receipt.settings.get("counter", "estimate"))


def compaction_row(space: str, compaction: Compaction, now: int) -> CompactionRow:
    """The row of a compaction."""
    said = {
        "budget": compaction.budget,
        "recap": compaction.recap.to_dict(),
        "receipt": compaction.receipt.to_dict(),
        "shortened": {str(seq): text for seq, text in compaction.shortened.items()},
    }
    return CompactionRow(
        space,
        compaction.recap.session,
        compaction.number,
        compaction.last,
        now,
        compaction.reason,
        compaction.tokens_before,
        compaction.tokens_after,
        compaction.receipt.name,
        zlib.compress(dumps(said).encode(), _EFFORT),
    )


def newest_compaction(reader: Reader, space: str, session: str) -> Compaction | None:
    """The last compaction of a session; None if it has none."""
    rows = COMPACTION.scan(reader, (space, session), (space, session), limit=1, reverse=True)
    return _compaction(rows[0]) if rows else None


def compaction_at(reader: Reader, space: str, session: str, at: datetime) -> Compaction | None:
    """The last compaction of a session that was made by then; None if there was none."""
    marks = COMPACTION_MARKS.scan(reader, (space, session), (space, session), reverse=True)
    compaction = next((mark for mark in marks if mark.made_at <= to_us(at)), None)
    row = None if compaction is None else COMPACTION.get(reader, (space, session, compaction.number))
    return None if row is None else _compaction(row)


def last_covered(reader: Reader, space: str, session: str) -> int:
    """Seq of the last turn that a session's compactions cover; -1 if it has none."""
    marks = COMPACTION_MARKS.scan(reader, (space, session), (space, session), limit=1, reverse=True)
    return marks[0].last if marks else -1


def receipt_of_compaction(reader: Reader, space: str, name: str) -> Receipt | None:
    """The receipt of that name; None if no compaction has it."""
    marks = COMPACTION_MARKS.scan(reader, (space,), (space,))
    compaction = next((mark for mark in marks if mark.receipt == name), None)
    row = None if compaction is None else COMPACTION.get(reader, (space, compaction.session, compaction.number))
    return None if row is None else _compaction(row).receipt


def compaction_text(row: CompactionRow) -> str:
    """The JSON of recap, receipt and shortened turns."""
    return zlib.decompress(row.data).decode()


def _compaction(row: CompactionRow) -> Compaction:
    said = json.loads(compaction_text(row))
    return Compaction(
        row.number,
        row.last,
        row.reason,
        row.tokens_before,
        row.tokens_after,
        said["budget"],
        Recap.from_dict(said["recap"]),
        Receipt.from_dict(said["receipt"]),
        {int(seq): text for seq, text in said.get("shortened", {}).items()},
    )
