"""Reads what turns say of files and do with them (`clew.project.links`), in order, behind the acknowledgement.

A row depends on its turn alone, so that forgetting a turn deletes its row and changes no other. Work is found from the
state: a row of META holds the number of the first turn that is not read.
"""

from typing import Final

from clew.derive.branch_state import turn_of
from clew.errors import ConflictError
from clew.project.links import links_of
from clew.rows.mentions import drop_mentions, mention_text, note_read, read_until
from clew.rows.turn_log import rows_by_ordinal
from clew.store.project_row_types import MentionRow
from clew.store.protocol import Store, Transaction
from clew.store.selections import TURN_SEQ
from clew.store.tables import MENTION

STRETCH: Final = 256
"""Most turns read between two commits."""


class MentionReading:
    """Reads the mentions of one space, for one Memory. Only the holder of the worker's lease calls `step`."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before it is asked for."""
        self._store, self._space = store, space

    def pending(self) -> int:
        """Turns that are not read."""
        with self._store.snapshot() as reader:
            _, start = read_until(reader, self._space)
            return reader.count("turn", (self._space, start), (self._space,), index="ordinal")

    def step(self) -> bool:
        """Reads one stretch; says whether there was anything to read.

        Raises:
            ConflictError: another process read meanwhile; nothing was written.
        """
        with self._store.snapshot() as reader:
            seen, start = read_until(reader, self._space)
            rows = rows_by_ordinal(reader, (self._space, start), (self._space,), STRETCH)
        if not rows:
            return False
        found = [(row, links_of(turn_of(row))) for row in rows]

        def write(tx: Transaction) -> None:
            if read_until(tx, self._space)[0] != seen:
                raise ConflictError("the turns' mentions were read by another process; it is tried again")
            if seen is not None and start == 0:
                drop_mentions(tx, self._space)  # of another version
            living = TURN_SEQ.get_many(tx, [(self._space, row.session, row.seq) for row in rows])
            MENTION.put(
                tx,
                [
                    MentionRow(self._space, row.ordinal, mention_text(links), row.session if links.works else None)
                    for (row, links), seq in zip(found, living, strict=True)
                    if links and seq is not None
                ],
            )
            note_read(tx, self._space, rows[-1].ordinal + 1)

        self._store.transaction(write, durable=False)
        return True
