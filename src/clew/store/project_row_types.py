"""The rows of the tables by which conversations meet projects; see `clew.store.row_types`."""

from typing import NamedTuple


class MentionRow(NamedTuple):
    """What one turn says of files and does with them; a turn that says nothing has no row."""

    space: str
    ordinal: int
    data: str  # JSON, see `clew.rows.mentions`
    session: str | None  # of a turn that changes or checks something


class QuestRow(NamedTuple):
    """What is kept of a quest: what a person set, its seal, or a pattern of it.

    Recognised quests have no row: they are found again from the rows of `mention`.
    """

    space: str
    kind: str  # set, seal, pattern
    name: str  # id of the quest; of a pattern its digest
    session: str  # empty for a pattern from elsewhere
    first: int  # seq of the first and of the last turn that the row is about
    last: int
    at: int  # when it was written
    data: str  # JSON, see `clew.rows.quests`
