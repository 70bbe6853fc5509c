"""The parts of one open memory, and how they are wired together. Start at `open_parts`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from clew.background.worker import Worker, WorkerSources, background_worker
from clew.config import Config, given, load_config
from clew.errors import InputError
from clew.ingest.exclude import exclusion
from clew.maintain.forget import Selection, forget
from clew.maintain.retention import Retention
from clew.models.choose import choose_embedder, choose_llm, find_recogniser
from clew.models.protocol import LLM, Embedder, Recogniser
from clew.recall.read_path import ReadPath, read_path
from clew.store.open import home_of, open_store
from clew.store.protocol import Store
from clew.types import ForgetReport
from clew.write.append import Appender

Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the one place where the real clock enters


class Forget(Protocol):
    """Removes the turns of a selection for good, and what the parts of a memory remember of them."""

    def __call__(self, selection: Selection, *, dry_run: bool = False) -> ForgetReport:
        """See `clew.maintain.forget.forget`."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one memory; None where there is none.

    Attributes:
        previous: serves until the vectors of `embedder` cover every turn.
        find_recogniser: gives the named-entity model, if there is one, and the reason in one line.
        note: why there is no embedder, in one line; None when there is one, or none was asked for.
    """

    embedder: Embedder | None = None
    previous: Embedder | None = None
    llm: LLM | None = None
    find_recogniser: Callable[[], tuple[Recogniser | None, str]] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What one open memory delegates to.

    Attributes:
        reads: everything that a read needs.
        appender: the write path.
        worker: the work behind the acknowledgement; not started yet.
        owns_store: closing the memory closes the store.
    """

    reads: ReadPath
    models: Models
    appender: Appender
    worker: Worker
    retention: Retention
    forget: Forget
    owns_store: bool = False


def wire(
    store: Store,
    space: str,
    config: Config,
    models: Models,
    clock: Clock,
    *,
    settings_given: frozenset[str] = frozenset(),
    owns_store: bool = False,
) -> Parts:
    """Wires the parts over an open store; nothing is started.

    Args:
        settings_given: paths of the settings that the user chose; learned values never replace them.
    """
    reads = read_path(store, space, config, clock, models.embedder, models.previous, settings_given)
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
    worker = background_worker(
        WorkerSources(store, space, config, clock, reads.live, reads.receipts, retention),
        embedder=models.embedder,
        llm=models.llm,
        find_recogniser=models.find_recogniser,
    )
    return Parts(reads, models, appender, worker, retention, forget_turns, owns_store)


def open_parts(
    path: str | Path | Store | None,
    *,
    space: str,
    config: Config | Mapping[str, Any] | None,
    embedder: str | Embedder | None,
    previous: str | Embedder | None,
    llm: str | LLM | None,
    clock: Clock | None,
) -> Parts:
    """Opens or makes a home and wires a memory over it; the arguments and errors are those of `Memory.open`."""
    if not isinstance(space, str) or not space.strip():
        raise InputError(f"space {space!r} is empty; name it, or leave the argument out for 'default'")
    home = home_of(path) if path is None or isinstance(path, str | Path) else None
    settings = load_config(home, config)
    exclusion(settings.ingest.exclude)  # a pattern that cannot be read is reported now, not by the first turn
    asked = choose_llm(llm, settings.llm)
    recogniser = find_recogniser(settings.entities.ner)
    chosen, note = choose_embedder(settings.embedder if embedder is None else embedder, threads=settings.embed_threads)
    store = open_store(path, key=settings.store.key) if path is None or isinstance(path, str | Path) else path
    before, _ = choose_embedder(
        settings.embedder_previous if previous is None else previous, threads=settings.embed_threads
    )
    models = Models(chosen, before, asked, recogniser, note if chosen is None else None)
    return wire(
        store,
        space,
        settings,
        models,
        clock or _utc_now,
        settings_given=given(home, config),
        owns_store=store is not path,
    )
