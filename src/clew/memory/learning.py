"""The methods of a memory by which it learns from use. Each checks its arguments and delegates."""

from collections.abc import Iterable

from clew.learn.feedback import mark_used
from clew.learn.tuning import Tuner
from clew.memory.arguments import given_count, given_flag, given_name, given_names
from clew.memory.knowledge import MemoryKnowledge
from clew.rows.parameters import revert
from clew.types.tuning import TuneReport


class MemoryLearning(MemoryKnowledge):
    """Learning from the use of one space. Threads may share it."""

    def mark_used(self, receipt_id: str, turn_ids: Iterable[str]) -> int:
        """Marks turns of a recall as useful; returns how many were not marked before.

        Args:
            receipt_id: as in `Context.receipt_id`.
            turn_ids: turns that the block contained, or that the receipt lists as left out.

        Raises:
            NotFoundError: there is no such receipt, or it was dropped because newer ones took its place.
            InputError: no turn is given, a turn is not in the receipt, or the space is paused.
        """
        self._check_open()
        names = given_names(turn_ids, "turn_ids", "turn id")
        receipt = self.reads.receipts.get(given_name(receipt_id, "receipt"))
        self.reads.receipts.flush()
        return mark_used(self.reads.store, self.space, receipt, names, self.reads.clock())

    def tune(self, *, dry_run: bool = False) -> TuneReport:
        """Learns values of settings from which recalled turns were useful; takes some seconds.

        A value is adopted only if it is significantly better on feedback that was not used to choose it. Adopted values
        hold at once, in every program; if the window, the weights of nuances or the threshold of beats change,
        everything is analysed again in the background. Settings that the user chose are never replaced.
        """
        self._check_open()
        self.reads.receipts.flush()
        reads = self.reads
        tuner = Tuner(
            reads.store, self.space, reads.live, reads.ranker, reads.learned, self.config.condense, self._counter(None)
        )
        report = tuner.tune(reads.clock(), dry_run=given_flag(dry_run, "dry_run"))
        self.parts.worker.wake()
        return report

    def revert(self, version: int) -> int:
        """Restores the learned values of an earlier version as a new version; returns the version now in force.

        Args:
            version: as numbered by `learned`; 0 is before anything was learned.

        Raises:
            NotFoundError: there is no such version.
            ConflictError: another program changed the values at the same time.
        """
        self._check_open()
        wanted = given_count(version, "version", "a version of the learned values")
        number = revert(self.reads.store, self.space, wanted, self.reads.clock())
        self.parts.worker.wake()
        return number
