"""What a memory learns from its own history."""

from collections.abc import Iterable

from clew.ingest.encoding import escape_surrogates
from clew.learn.feedback import mark_used
from clew.learn.tuning import Bench
from clew.memory.wiring import Wired
from clew.rows.parameters import history, revert
from clew.types.tuning import Change, TuneReport


class Learning(Wired):
    """Feedback, tuning, and the way back (docs/tuning.md)."""

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
        names = turn_ids if isinstance(turn_ids, str) else [escape_surrogates(name) for name in turn_ids]
        receipt = self._receipts.get(receipt_id)
        self._receipts.flush()
        return mark_used(self._store, self.space, receipt, names, self._clock())

    def tune(self, *, dry_run: bool = False) -> TuneReport:
        """Learns from what became of recalls; adopts only what is significantly better on history that did not choose.

        Nothing moves without feedback. What is adopted holds at once for recall, in every program; a change of window,
        nuance weights or beat threshold has everything analysed anew behind the scenes. Settings that the user chose
        are never replaced. Takes seconds.
        """
        self._check_open()
        self._receipts.flush()
        bench = Bench(self._store, self.space, self._live, self._ranker, self._learned)
        report = bench.tune(self._clock(), dry_run=dry_run)
        self._worker.wake()
        return report

    def learned(self) -> list[Change]:
        """Every change of the learned values, the first one first; the last one holds."""
        self._check_open()
        with self._store.snapshot() as reader:
            return history(reader, self.space)

    def revert(self, version: int) -> int:
        """Takes every learned value back to what it was at a version, as a new version; gives the one that holds then.

        Args:
            version: as `learned` counts them; 0 is before anything was learned.

        Raises:
            NotFoundError: there was no such version.
            ConflictError: another program changed the values at the same time.
        """
        self._check_open()
        number = revert(self._store, self.space, version, self._clock())
        self._worker.wake()
        return number
