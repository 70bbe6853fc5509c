"""Gathers what the next compaction of a session needs from its new turns, a bounded stretch at a time.

Each stretch is committed with the state that it leads to, so that work which is killed goes on where it stopped, and
a turn is read once for all recaps to come.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from clew.condense.loss import TurnLedger, ledger_of
from clew.condense.material import recap_turns
from clew.condense.prompt_tokens import prompt_tokens
from clew.config import AnalyzeConfig
from clew.rows.recap_source import scores_of
from clew.rows.recap_states import StoredState, material_row, read_state, replace_state, state_row
from clew.rows.turn_log import rows_by_seq
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MaterialRow, RecapStateRow, TurnRow
from clew.store.rows import turn_from_row
from clew.store.tables import MATERIAL
from clew.text.counters import Counter

STRETCH: Final = 256
"""Most turns gathered between two commits."""

STRETCH_CHARACTERS: Final = 200_000
"""Most characters of them, if there is more than one turn."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    rows: Sequence[TurnRow]
    ledger: Sequence[TurnLedger]


@dataclass(frozen=True, slots=True)
class RecapGathering:
    """Gathers the turns of one space.

    Attributes:
        limits: says which turns are preserved and which are routine.
    """

    store: Store
    space: str
    limits: AnalyzeConfig

    def stored(self, session: str, count: Counter) -> StoredState:
        """The state of a session as it is stored."""
        with self.store.snapshot() as reader:
            return read_state(reader, self.space, session, count.name)

    def step(self, session: str, stored: StoredState, until: int, count: Counter) -> bool:
        """Gathers and commits one stretch; returns whether the turns were as they had been read.

        Args:
            stored: goes on by the stretch, and has to be read again after False.
            until: seq of the last turn to gather.
        """
        with self.store.snapshot() as reader:
            stretch = self._gathered(reader, session, stored, until, count)
        new = [turn for turn in stretch.ledger if turn.seq > stored.mark]
        row = state_row(self.space, session, stored)
        material = material_row(self.space, session, new) if new else None
        if not self.store.transaction(partial(_keep, row, material, stretch.rows), durable=False):
            return False
        stored.revision = row.revision
        return True

    def try_out(
        self, session: str, stored: StoredState, until: int, count: Counter, tell: Callable[[int], None]
    ) -> list[TurnLedger]:
        """Gathers all turns up to `until` and writes nothing; returns what is new since the last compaction.

        Args:
            tell: called with the last turn gathered after each stretch.
        """
        ledgers: list[TurnLedger] = []
        with self.store.snapshot() as reader:
            while stored.state.last < until:
                ledgers += self._gathered(reader, session, stored, until, count).ledger
                tell(stored.state.last)
        return [turn for turn in ledgers if turn.seq > stored.mark]

    def _gathered(self, reader: Reader, session: str, stored: StoredState, until: int, count: Counter) -> _Stretch:
        """Takes the next stretch into the state."""
        state = stored.state
        key = (self.space, session)
        rows = _bounded(rows_by_seq(reader, (*key, state.last + 1), (*key, until), STRETCH, STRETCH_CHARACTERS))
        turns = [turn for turn in map(turn_from_row, rows) if turn.origin != "injected"]
        read = recap_turns(zip(turns, scores_of(reader, self.space, turns), strict=True), state.labels)
        tokens = {turn.seq or 0: prompt_tokens(turn, count) for turn in turns}
        state.gather(read, tokens, stored.literal)
        for turn in turns:
            state.tasks.read(turn)
        state.last = rows[-1].seq if rows else until
        preserve, routine = self.limits.preserve_threshold, self.limits.routine_threshold
        ledger = [ledger_of(turn, tokens[turn.seq], preserve=preserve, routine=routine) for turn in read]
        return _Stretch(rows, ledger)


def _bounded(rows: Sequence[TurnRow]) -> Sequence[TurnRow]:
    """The first rows that have no more characters than a stretch, at least one."""
    characters = 0
    for number, row in enumerate(rows):
        characters += len(row.text)
        if number and characters > STRETCH_CHARACTERS:
            return rows[:number]
    return rows


def _keep(row: RecapStateRow, material: MaterialRow | None, read: Sequence[TurnRow], tx: Transaction) -> bool:
    """Writes a stretch unless another process was faster, or a turn of it was forgotten."""
    if read:
        key = (row.space, row.session)
        count = tx.count("turn", (*key, read[0].seq), (*key, read[-1].seq))
        if count != len(read):
            return False
    if not replace_state(tx, row):
        return False
    if material is not None:
        key = (row.space, row.session)
        tx.delete(MATERIAL.name, (*key, material.low), key)  # of a state that was made by other rules
        MATERIAL.put(tx, [material])
    return True
