"""Finds the files that turns name and change (`clew.project.links`), in order, in the background.

A row depends on its turn alone, so that forgetting a turn deletes its row and changes no other. Work is found from the
state: a row of META holds the number of the first turn that is not read, and those of turns that are read again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from clew.derive.branch_state import turn_of
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.errors import ConflictError
from clew.project.links import LINKS_VERSION, TurnLinks, links_of
from clew.rows.failed_jobs import RuleStage
from clew.rows.mentions import drop_mentions, mention_text, note_read, read_again, read_until
from clew.rows.set_aside import put_turn_aside, take_turns_back
from clew.rows.turn_log import rows_by_ordinal, rows_of_ordinals
from clew.store.project_row_types import MentionRow
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import TurnRow
from clew.store.rows import turns_from_rows
from clew.store.tables import MENTION
from clew.store.turn_selections import TURN_SEQ
from clew.types.turn import Turn

STRETCH: Final = 256
"""Most turns read between two commits."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns that come next, and the progress before and after them.

    Attributes:
        start: where the reading stood.
        next, again: where it stands after them, and which earlier turns are still to be read again.
        is_again: whether these were set aside once.
    """

    rows: Sequence[TurnRow]
    seen: str | None
    start: int
    next: int
    again: tuple[int, ...]
    is_again: bool = False


class MentionReading:
    """Reads the mentions of one space, for one Memory. Only the holder of the worker's lease calls `step`."""

    def __init__(self, store: Store, space: str, read: Callable[[Turn], TurnLinks] = links_of) -> None:
        """Nothing is read before it is asked for.

        Args:
            read: the rules.
        """
        self._store, self._space, self._read = store, space, read
        self._narrowing = Narrowing(STRETCH)

    def pending(self) -> int:
        """Turns that are not read, or are to be read again."""
        with self._store.snapshot() as reader:
            text, start = read_until(reader, self._space)
            return reader.count("turn", (self._space, start), (self._space,), index="ordinal") + len(read_again(text))

    def step(self) -> bool:
        """Reads one stretch; returns whether there was anything to read.

        Raises:
            ConflictError: another process read meanwhile; nothing was written.
        """
        with self._store.snapshot() as reader:
            stretch = self._next(reader)
        if stretch is None:
            return False
        links = tried(lambda: list(map(self._read, turns_from_rows(stretch.rows))))
        if not isinstance(links, RuleFailure):
            self._store.transaction(lambda tx: self._write(tx, stretch, links), durable=False)
            self._narrowing.widen()
        elif not self._narrowing.narrow(len(stretch.rows)):
            self._set_aside(stretch, links)
        return True

    def _next(self, reader: Reader) -> _Stretch | None:
        seen, start = read_until(reader, self._space)
        again = read_again(seen)
        rows = rows_by_ordinal(reader, (self._space, start), (self._space,), self._narrowing.size)
        if rows:
            return _Stretch(rows, seen, start, rows[-1].ordinal + 1, again)
        if not again:
            return None
        first, rest = again[: self._narrowing.size], again[self._narrowing.size :]
        return _Stretch(rows_of_ordinals(reader, self._space, first), seen, start, start, rest, is_again=True)

    def _set_aside(self, stretch: _Stretch, failure: RuleFailure) -> None:
        row = stretch.rows[0]
        check_rules_work(failure, lambda plain: self._read(turn_of(plain)), row)

        def write(tx: Transaction) -> str:
            self._note(tx, stretch)
            return put_turn_aside(tx, row, RuleStage.MENTIONS, str(LINKS_VERSION), failure.where)

        tell(self._store.transaction(write, durable=False), RuleStage.MENTIONS, failure.where)

    def _write(self, tx: Transaction, stretch: _Stretch, read: Sequence[TurnLinks]) -> None:
        self._note(tx, stretch)
        living = TURN_SEQ.get_many(tx, [(self._space, row.session, row.seq) for row in stretch.rows])
        MENTION.put(
            tx,
            [
                MentionRow(self._space, row.ordinal, mention_text(links), row.session if links.works else None)
                for row, links, seq in zip(stretch.rows, read, living, strict=True)
                if links and seq is not None
            ],
        )
        if stretch.is_again:
            take_turns_back(tx, stretch.rows, RuleStage.MENTIONS)

    def _note(self, tx: Transaction, stretch: _Stretch) -> None:
        """Notes the progress after a stretch."""
        if read_until(tx, self._space)[0] != stretch.seen:
            raise ConflictError("the turns' mentions were read by another process; it is tried again")
        if stretch.seen is not None and stretch.start == 0:
            drop_mentions(tx, self._space)  # of another version
        note_read(tx, self._space, stretch.next, stretch.again)
