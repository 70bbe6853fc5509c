"""A memory put together, opened and closed: every stage wired to the next."""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from clew.background.worker import Worker
from clew.config import Config, given, load_config
from clew.derive.embedding import Embedding
from clew.derive.entity_recognition import Recognition
from clew.derive.llm.worker import ModelWork
from clew.errors import ClosedError, InputError
from clew.index.live import LiveIndex
from clew.ingest.exclude import exclusion
from clew.maintain.forget import Selection, forget
from clew.maintain.retention import Retention
from clew.models.choose import choose_embedder, choose_llm, find_recogniser
from clew.models.protocol import LLM, Embedder
from clew.rank.anchors import WeightedRange
from clew.rank.frame import Frame
from clew.rank.graph_context import GraphContextReader
from clew.rank.intent.position_phrases import PositionPhrase
from clew.rank.ranker import Ranker, RankingSources
from clew.recall.filters import Chooser
from clew.recall.positions import outline_of_place
from clew.recall.query_labels import Labelling
from clew.recall.space_status import CircumstancesBook
from clew.rows.parameters import LearnedBook
from clew.rows.receipts import ReceiptBook
from clew.store.open import home_of, open_store
from clew.store.protocol import Reader, Store
from clew.store.values import Row
from clew.types import (
    ForgetReport,
)
from clew.write.append import Appender

Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the one place where the real clock enters


class Wired:
    """What all parts of a memory share."""

    def __init__(
        self,
        store: Store,
        space: str,
        config: Config,
        embedder: Embedder | None,
        clock: Clock,
        previous: Embedder | None = None,
    ) -> None:
        """Wires the stages over an open store; `open` is the usual way."""
        self.space, self.config, self.embedder = space, config, embedder
        self._store, self._clock = store, clock
        self._live = LiveIndex(store, space)
        self._appender = Appender(store, space, config.ingest.batch)
        self._learned = LearnedBook(store, space, config.recall)
        self._chooser = Chooser(store, space, config.analyze)
        sources = RankingSources(
            graph=GraphContextReader(store, space),
            labels=Labelling(store, space, self._chooser.said),
            importance=self._chooser.importance,
            texts=self._told,
            outline=self._outline,
        )
        self._ranker = Ranker(
            self._live, embedder, lambda: self._learned.recall(self._live.version()), previous, sources
        )
        self._circumstances = CircumstancesBook(store, space)
        self._receipts = ReceiptBook(store, space, config.receipts)
        self._retention = Retention(store, space, config.keep_days, clock, self._forget)
        embedding = None if embedder is None else Embedding(store, space, self._live, embedder, clock)
        self._worker = Worker(store, space, self._live, embedding, self._receipts, config, self._retention)
        self._closing = threading.Lock()
        self._closed = False
        self._owns_store = False
        self.embedder_note: str | None = None
        """Why there is no embedder, in one line; None when there is one, or none was asked for."""

    @classmethod
    def open(
        cls,
        path: str | Path | Store | None = None,
        *,
        space: str = "default",
        config: Config | Mapping[str, Any] | None = None,
        embedder: str | Embedder | None = None,
        previous: str | Embedder | None = None,
        llm: str | LLM | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Opens a home, making it if it does not exist.

        Args:
            path: a directory, ":memory:", "postgresql://...", or None for the default (CLEW_STORE, else CLEW_HOME, else
                ~/.clew); or an open store, which stays open when the memory is closed.
            space: unit of isolation; nothing here sees another space.
            config: settings, as a whole or as a nested mapping over clew.toml and CLEW_* variables.
            embedder: overrides the setting `embedder`: a name, or any object with the Embedder protocol.
            previous: overrides the setting `embedder_previous` likewise: it serves while a new one catches up.
            llm: overrides the setting `llm.model`: a name, or any object with the LLM protocol; none by default.
            clock: gives the present, aware; for tests and replays.

        Raises:
            ConfigError: a setting is wrong.
            StoreError: the home cannot be opened; the message says what to do.
        """
        if not isinstance(space, str) or not space.strip():
            raise InputError(f"space {space!r} is empty; name it, or leave the argument out for 'default'")
        home = home_of(path) if path is None or isinstance(path, str | Path) else None
        settings = load_config(home, config)
        exclusion(settings.ingest.exclude)  # a pattern that cannot be read is told now, not by the first turn
        asked = choose_llm(llm, settings.llm)
        find = find_recogniser(settings.entities.ner)
        chosen, note = choose_embedder(
            settings.embedder if embedder is None else embedder, threads=settings.embed_threads
        )
        store = open_store(path, key=settings.store.key) if path is None or isinstance(path, str | Path) else path
        before, _ = choose_embedder(
            settings.embedder_previous if previous is None else previous, threads=settings.embed_threads
        )
        memory = cls(store, space, settings, chosen, clock or _utc_now, before)
        memory.embedder_note = note if chosen is None else None
        memory._learned.given = given(home, config)
        memory._owns_store = store is not path
        if asked is not None:
            memory._worker.models = ModelWork(store, space, asked, settings.llm, memory._clock)
        memory._worker.recognition = Recognition(store, space, find)
        memory._worker.start()
        return memory

    def close(self) -> None:
        """Ends the background work after the step at hand and releases the home; what is left stays to be done."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        try:
            self._worker.stop()
        finally:
            if self._owns_store:
                self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _forget(self, selection: Selection, *, dry_run: bool = False) -> ForgetReport:
        with self._receipts.held():
            report = forget(self._store, self.space, selection, self._clock(), dry_run=dry_run)
            if report.turns and not dry_run:
                self._receipts.drop()
                self._ranker.forget()
                self._appender.forget()
        return report

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError

    def _ranked_by(self, frame: Frame) -> dict[str, Any]:
        """What decided a ranking beside question and filter, for its receipt."""
        embedder = None if frame.similarity is None else self._ranker.serving(frame.view)
        return {
            "fusion": self.config.recall.fusion,
            **({"learned": version} if (version := self._learned.seen().version) else {}),
            "embedder": None if embedder is None else embedder.name,
        }

    def _rows(self, reader: Reader, names: Sequence[tuple[str, int]]) -> list[Row | None]:
        return reader.get_many("turn", [(self.space, *name) for name in names])

    def _told(self, names: Sequence[tuple[str, int]]) -> list[str | None]:
        with self._store.snapshot() as reader:
            return self._words(reader, names)

    def _outline(self, place: PositionPhrase, session: str) -> list[WeightedRange]:
        with self._store.snapshot() as reader:
            return outline_of_place(reader, self.space, place, session)

    def _words(self, reader: Reader, names: Sequence[tuple[str, int]]) -> list[str | None]:
        rows = reader.get_many("turn", [(self.space, *name) for name in names], columns=("text",))
        return [None if row is None else str(row[0]) for row in rows]
