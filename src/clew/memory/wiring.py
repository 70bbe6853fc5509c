"""The parts of one open memory, and how they are wired together. Start at `wire`."""

from dataclasses import dataclass
from typing import Protocol

from clew.background.worker import Worker, WorkerSources, background_worker
from clew.derive.compaction import Compactor
from clew.maintain.forget import Selection, forget
from clew.maintain.retention import Retention
from clew.memory.opening import Models, OpenHome
from clew.rank.tuning.recaps import RATIO
from clew.recall.read_path import ReadPath, read_path
from clew.text.counters import counter
from clew.types import ForgetReport
from clew.write.append import Appender
from clew.write.message_shortener import Shortener


class Forget(Protocol):
    """Permanently deletes the turns of a selection, also from the caches of a memory's parts."""

    def __call__(self, selection: Selection, *, dry_run: bool = False) -> ForgetReport:
        """See `clew.maintain.forget.forget`."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What one open memory delegates to.

    Attributes:
        reads: everything that a read needs.
        models: the embedders, the language model and the named-entity model.
        appender: the write path.
        worker: the background thread; not started yet.
        retention: deletes what is older than `keep_days`.
        forget: deletes turns permanently.
        compactor: makes recaps that stay until the next compaction.
        shortener: stores what is removed from a client's message list, so that it can be restored.
        owns_store: whether closing the memory closes the store.
    """

    reads: ReadPath
    models: Models
    appender: Appender
    worker: Worker
    retention: Retention
    forget: Forget
    compactor: Compactor
    shortener: Shortener
    owns_store: bool = False


def wire(home: OpenHome) -> Parts:
    """Connects the parts over an open home; starts nothing."""
    store, space, config, models, clock = home.store, home.space, home.config, home.models, home.clock
    reads = read_path(store, space, config, clock, models.embedder, models.previous, home.settings_given)
    appender = Appender(store, space, config.ingest.batch)

    def forget_turns(selection: Selection, *, dry_run: bool = False) -> ForgetReport:
        with reads.receipts.held():
            report = forget(store, space, selection, clock(), dry_run=dry_run)
            if report.turns and not dry_run:
                reads.receipts.drop()
                reads.ranker.forget()
                appender.forget()
        return report

    retention = Retention(store, space, config.keep_days, clock, forget_turns)
    compactor = Compactor(
        store,
        space,
        config.condense,
        config.analyze,
        reads.live,
        lambda: counter(config.counter),
        clock,
        keeps_receipts=config.receipts > 0,
        ratio_given=RATIO in home.settings_given,
    )
    worker = background_worker(
        WorkerSources(store, space, config, clock, reads.live, reads.receipts, retention, compactor),
        embedder=models.embedder,
        llm=models.llm,
        find_recogniser=models.find_recogniser,
    )
    shortener = Shortener(store, space, config, clock)
    return Parts(reads, models, appender, worker, retention, forget_turns, compactor, shortener, home.owns_store)
