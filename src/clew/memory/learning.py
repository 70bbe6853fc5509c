"""The methods of a memory by which it learns from use. Each checks its arguments and delegates."""

from collections.abc import Iterable

from clew.learn.feedback import mark_used
from clew.learn.tuning import Tuner
from clew.memory.arguments import given_count, given_flag, given_name, given_names
from clew.memory.knowledge import MemoryKnowledge
from clew.rows.parameters import revert
from clew.types.tuning import TuneReport


class MemoryLearning(MemoryKnowledge):
    """What is learned from the use of one space. Threads may share it."""

    def mark_used(self, receipt_id: str, turn_ids: Iterable[str]) -> int:
        """Says that turns of a recall were of use; gives how many were not marked before.

        Args:
            receipt_id: `Context.receipt_id`, or the id of a receipt.
            turn_ids: turns that the receipt shows, or names as left out.

        Raises:
            NotFoundError: no such receipt, or it was dropped as one of the oldest.
            InputError: no turn is named, one is not in the receipt, or the space is paused.
        """
        self._check_open()
        names = given_names(turn_ids, "turn_ids", "turn id")
        receipt = self.reads.receipts.get(given_name(receipt_id, "receipt"))
        self.reads.receipts.flush()
        return mark_used(self.reads.store, self.space, receipt, names, self.reads.clock())

    def tune(self, *, dry_run: bool = False) -> TuneReport:
        """Learns from what became of recalls; adopts only what is significantly better on history that did not choose.

        Nothing moves without feedback. What is adopted holds at once for recall, in every program; a change of window,
        nuance weights or beat threshold has everything analysed anew behind the scenes. Settings that the user chose
        are never replaced. Takes seconds.
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
        """Takes every learned value back to what it was at a version, as a new version; gives the one that holds then.

        Args:
            version: as `learned` counts them; 0 is before anything was learned.

        Raises:
            NotFoundError: there was no such version.
            ConflictError: another program changed the values at the same time.
        """
        self._check_open()
        wanted = given_count(version, "version", "a version of the learned values")
        number = revert(self.reads.store, self.space, wanted, self.reads.clock())
        self.parts.worker.wake()
        return number
