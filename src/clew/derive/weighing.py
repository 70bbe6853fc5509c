"""Layers 1 to 3 of many turns whose analysis waits for their vectors (docs/decisions/0008 and 0019).

The analysis weighs a turn with the words that it cuts up anyway. But vectors of thousands of turns take minutes, and
until then each program that asks for their weights would have to weigh them.
"""

from collections.abc import Callable
from typing import Final

from clew.analyze.weigh import ANALYZE_VERSION
from clew.rows.analysis_progress import read_progress
from clew.rows.annotations import weighing_tried
from clew.rows.turn_log import rows_by_ordinal
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import WeighingRow
from clew.store.selections import WEIGHING_ORDINAL
from clew.store.tables import SPACE, WEIGHING
from clew.store.turn_selections import TURN_SEQ

STRETCH: Final = 256
"""Most turns weighed between two commits."""

WORTH: Final = 256
"""Fewer turns than this that wait are left to the analysis, which will come to them soon."""


class WaitingWeights:
    """Weighs the turns of one space ahead of their vectors. Only the holder of the worker's lease may call `step`."""

    def __init__(self, store: Store, space: str, weigh: Callable[[str], str | None] = weighing_tried) -> None:
        """Nothing is read before it is asked for.

        Args:
            weigh: the rules; returns None for a text on which they fail.
        """
        self._store, self._space, self._weigh = store, space, weigh
        self._next = 0  # turns with a lower ordinal have been seen to

    def pending(self) -> int:
        """Turns that are neither analysed nor seen to here, at most; 0 while they are too few."""
        with self._store.snapshot() as reader:
            row = SPACE.get(reader, (self._space,))
            waiting = 0 if row is None else row.next_ordinal - self._start(reader)
        return waiting if waiting >= WORTH else 0

    def step(self) -> bool:
        """Weighs one stretch; returns whether there was anything to do."""
        if not self.pending():
            return False
        space = self._space
        with self._store.snapshot() as reader:
            start = self._start(reader)
            rows = rows_by_ordinal(reader, (space, start), (space,), STRETCH)
            end = rows[-1].ordinal if rows else start + WORTH  # all that came were forgotten
            weighed = set(WEIGHING_ORDINAL.scan(reader, (space, start), (space, end)))
        lacking = [row for row in rows if row.ordinal not in weighed]
        tried = [(row, self._weigh(row.text)) for row in lacking]
        # Turns that the rules fail on are left to the analysis, which sets them aside.
        made = [(row, WeighingRow(space, row.ordinal, text, ANALYZE_VERSION)) for row, text in tried if text]

        def write(tx: Transaction) -> None:
            living = TURN_SEQ.get_many(tx, [(space, row.session, row.seq) for row, _ in made])
            WEIGHING.put(tx, [new for (_, new), seq in zip(made, living, strict=True) if seq is not None])

        if made:
            self._store.transaction(write, durable=False)
        self._next = end + 1
        return True

    def _start(self, reader: Reader) -> int:
        return max(self._next, read_progress(reader, self._space)[1].next)
