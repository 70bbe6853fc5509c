"""Memory: one space of one installation, with every stage wired to the next. It holds no logic of its own."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from clew.assemble.context import build_context
from clew.assemble.receipt import make_receipt, receipt_id
from clew.config import Config, load_config
from clew.errors import ClosedError, InputError, NotFoundError
from clew.index.live import LiveIndex
from clew.ingest.encoding import escape_surrogates
from clew.ingest.exclude import exclusion
from clew.ingest.media import inline
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.pipeline.append import Appender
from clew.pipeline.export import export_space
from clew.pipeline.forget import Selection, forget
from clew.pipeline.ingest import Progress, add_many, add_one, import_path
from clew.pipeline.pause import pause, paused_since, resume
from clew.pipeline.rebuild import rebuild
from clew.pipeline.receipts import ReceiptBook
from clew.pipeline.retention import Retention
from clew.pipeline.stats import gather_stats
from clew.pipeline.verify import verify
from clew.pipeline.worker import Worker
from clew.recall.only import Only, escaped, filter_of, time_range
from clew.recall.quotes import find_quote
from clew.recall.ranker import Ranker
from clew.store.open import home_of, open_store
from clew.store.protocol import Reader, Store
from clew.store.rows import turn_from_row
from clew.store.tables import Row
from clew.text.counters import counter as counter_named
from clew.types import (
    Context,
    ForgetReport,
    Hit,
    IngestReport,
    Receipt,
    Stats,
    Turn,
    VerifyReport,
    parse_turn_id,
    turn_id,
)

Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the one place where the real clock enters


class Memory:
    """One space. Threads may share it; several processes may open the same home.

    Use `Memory.open`, and close it, or use it in a `with` statement.
    """

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
        self._ranker = Ranker(self._live, embedder, config.recall, previous)
        self._receipts = ReceiptBook(store, space, config.receipts)
        self._retention = Retention(store, space, config.keep_days, clock, self._forget)
        self._worker = Worker(store, space, self._live, embedder, self._receipts, config.index, self._retention)
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
        clock: Clock | None = None,
    ) -> Self:
        """Opens a home, making it if it does not exist.

        Args:
            path: a directory, ":memory:", or None for the default home (CLEW_HOME, else ~/.clew); or an open store,
                which stays open when the memory is closed.
            space: unit of isolation; nothing here sees another space.
            config: settings, as a whole or as a nested mapping over clew.toml and CLEW_* variables.
            embedder: overrides the setting `embedder`: a name, or any object with the Embedder protocol.
            previous: overrides the setting `embedder_previous` likewise: it serves while a new one catches up.
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
        chosen, note = choose_embedder(
            settings.embedder if embedder is None else embedder, threads=settings.embed_threads
        )
        store = open_store(path) if path is None or isinstance(path, str | Path) else path
        before, _ = choose_embedder(
            settings.embedder_previous if previous is None else previous, threads=settings.embed_threads
        )
        memory = cls(store, space, settings, chosen, clock or _utc_now, before)
        memory.embedder_note = note if chosen is None else None
        memory._owns_store = store is not path
        memory._worker.start()
        return memory

    # ------------------------------------------------------------------------------------------------------- writing

    def add(self, turn: Turn) -> str:
        """Stores one turn durably and gives its id. A known external id adds nothing and gives the stored turn's id.

        Raises:
            TurnRejected: the turn is empty or too long, a pattern of `ingest.exclude` or a pause keeps it out, or it
                was forgotten before: its external id was, or the same words at the same time. Words that are said anew
                are a new turn.
            ConflictError: its external id is stored with other content.
        """
        self._check_open()
        name = add_one(self._appender, turn, self.config.ingest, self._clock())
        self._worker.wake()
        return name

    def add_many(self, turns: Iterable[Turn], on_progress: Progress | None = None) -> IngestReport:
        """Stores turns in order, durably, and reports on each; a rejected one does not stop the others.

        Turns of one session are taken as one sequence: a history that is sent again adds nothing, a longer one adds its
        new part, an edited one opens a branch. Turns that a pattern or a pause keeps out are counted as skipped.
        """
        self._check_open()
        report = add_many(self._appender, turns, self.config.ingest, self._clock, on_progress)
        self._worker.wake()
        return report

    def import_path(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002  # the word users know it by
        session: str | None = None,
        on_progress: Progress | None = None,
    ) -> IngestReport:
        """Stores what a file or folder holds; importing it again adds nothing.

        Args:
            format: one of `clew.ingest.importers.FORMATS`; None finds out.
            session: for formats without sessions of their own.

        Raises:
            FormatError: the file as a whole cannot be read.
        """
        self._check_open()
        report = import_path(
            self._appender,
            Path(path),
            self.config.ingest,
            self._clock,
            form=format,
            session=session,
            on_progress=on_progress,
        )
        self._worker.wake()
        return report

    def pause(self) -> None:
        """Stores nothing more in this space, in no process, until `resume`: no turn, and no receipt of a recall."""
        self._check_open()
        pause(self._store, self.space, self._clock())

    def resume(self) -> None:
        """Stores again what comes; what came meanwhile was not kept."""
        self._check_open()
        resume(self._store, self.space)

    # ------------------------------------------------------------------------------------------------------- reading

    def recall(
        self,
        query: str,
        *,
        budget: int | None = None,
        counter: str | Callable[[str], int] | None = None,
        **only: Unpack[Only],
    ) -> Context:
        """The block of remembered turns to put before a model, within an exact budget.

        Args:
            budget: tokens of the whole block, headings included; None takes the setting.
            counter: name of a counter, or any function from text to tokens; None takes the setting.
            only: restricts the turns, see `Only`.

        Raises:
            InputError: the budget is negative, the time range ends before it starts, or the role is unknown.
            ConfigError: no counter has that name; MissingExtra: its package is not installed.
        """
        self._check_open()
        budget = self.config.budget if budget is None else budget
        if budget < 0:
            raise InputError(f"budget {budget} is negative; give the tokens that the block may take, 0 or more")
        count = counter_named(self.config.counter if counter is None else counter)
        chosen = filter_of(only)
        query = escape_surrogates(query)
        started, now = time.perf_counter(), self._clock()
        frame = self._ranker.frame(query, now)
        ranking = self._ranker.rank(frame, chosen, self.config.recall.limit)
        ranked = time.perf_counter()
        settings = {
            "budget": budget,
            "counter": count.name,
            "fusion": self.config.recall.fusion,
            "embedder": None if frame.similarity is None else getattr(self._ranker.serving(frame.view), "name", None),
            "filter": chosen.to_dict(),
        }
        with self._store.snapshot() as reader:
            context = build_context(
                ranking,
                lambda name, seq: self._words(reader, name, seq),
                budget=budget,
                counter=count,
                receipt_id=receipt_id(query, settings, now),
            )
            paused = paused_since(reader, self.space) is not None
        timings = {"rank_ms": 1000 * (ranked - started), "fit_ms": 1000 * (time.perf_counter() - ranked)}
        if not paused:  # a receipt repeats the question
            self._receipts.keep(
                make_receipt(
                    context,
                    frame,
                    settings=settings,
                    created_at=now,
                    timings={name: round(value, 3) for name, value in timings.items()},
                )
            )
        return context

    def search(self, query: str, *, limit: int = 10, **only: Unpack[Only]) -> list[Hit]:
        """The best turns for a query, best first, each with what every signal added to its score.

        Args:
            only: restricts the turns, see `Only`.

        Raises:
            InputError: the limit is negative, the time range ends before it starts, or the role is unknown.
        """
        self._check_open()
        _check_limit(limit)
        frame = self._ranker.frame(escape_surrogates(query), self._clock())
        ranking = self._ranker.rank(frame, filter_of(only), limit)
        with self._store.snapshot() as reader:
            found = [(reader.get("turn", (self.space, each.session, each.seq)), each) for each in ranking]
        return [
            Hit(turn=turn_from_row(row), score=each.score, signals=each.shares)
            for row, each in found
            if row is not None  # forgotten since it was ranked
        ]

    def find_quote(self, text: str, *, limit: int = 10) -> list[Turn]:
        """Turns that hold a phrase word for word (case, accents and marks aside), newest first.

        Raises:
            InputError: the phrase has no letter or digit, or the limit is negative.
        """
        self._check_open()
        _check_limit(limit)
        view = self._live.view()  # not inside the snapshot, whose older state it would take for the newest
        with self._store.snapshot() as reader:
            return find_quote(
                view,
                lambda name, seq: _stored(reader.get("turn", (self.space, name, seq))),
                escape_surrogates(text),
                limit,
            )

    def get(self, ref: str) -> Turn:
        """The stored turn of that id, as it is stored: large parts as pointers to blobs.

        Raises:
            InputError: that is no turn id.
            NotFoundError: no such turn.
        """
        self._check_open()
        session, seq = parse_turn_id(ref)
        with self._store.snapshot() as reader:
            turn = _stored(reader.get("turn", (self.space, session, seq)))
        if turn is None:
            name = turn_id(session, seq)
            raise NotFoundError(f"no turn {name!r} in space {self.space!r}; it may have been forgotten")
        return turn

    def restore(self, ref: str) -> Turn:
        """The turn of that id with every original back in place: images and long tool outputs, byte for byte.

        Raises:
            InputError: that is no turn id.
            NotFoundError: no such turn.
        """
        turn = self.get(ref)
        with self._store.snapshot() as reader:
            return inline(turn, lambda sha: self._blob(reader.get_blob(self.space, sha), sha))

    def explain(self, receipt: str | None = None) -> Receipt:
        """The receipt of a recall: what was considered, every signal's share, what was left out and why.

        Args:
            receipt: its name, as `Context.receipt_id` gives it; None for the newest of the space.

        Raises:
            NotFoundError: no such receipt, or it was dropped as one of the oldest.
        """
        self._check_open()
        return self._receipts.newest() if receipt is None else self._receipts.get(receipt)

    def stats(self) -> Stats:
        """What the space holds, in numbers."""
        self._check_open()
        view = self._live.view()
        details = {
            "embedder": getattr(self.embedder, "name", None),
            "embedder_serving": getattr(self._ranker.serving(view), "name", None),
            "embedder_superseded_by": self._worker.superseded_by,
            "store": self._store.url,
            "embed_failed": self._worker.put_aside,
            "worker_failure": self._worker.failure,
        }
        return gather_stats(self._store, self.space, view, self._worker.pending(), details)

    # --------------------------------------------------------------------------------------------------- looking after

    def drain(self, timeout: float | None = None) -> bool:
        """Waits until the work behind the acknowledgements is done; says whether it is.

        Args:
            timeout: seconds; None waits as long as it takes.
        """
        self._check_open()
        return self._worker.drain(timeout)

    def forget(
        self,
        *,
        turn_ids: Iterable[str] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        match: str | None = None,
        dry_run: bool = False,
    ) -> ForgetReport:
        """Removes turns that meet every given condition, and all that was made of them, for good.

        Raises:
            InputError: no condition is given, a turn id is none, the time range ends before it starts, or `match` holds
                no letter or digit.
        """
        self._check_open()
        since, until = time_range(since, until)
        selection = Selection(
            turn_ids=None if turn_ids is None else tuple(turn_ids),
            session=escaped(session),
            speaker=escaped(speaker),
            since=since,
            until=until,
            match=escaped(match),
        )
        return self._forget(selection, dry_run=dry_run)

    def forget_expired(self, *, dry_run: bool = False) -> ForgetReport:
        """Removes for good what is older than `keep_days` by now, without waiting for the worker, who does the same.

        Raises:
            InputError: `keep_days` is 0.
        """
        self._check_open()
        return self._forget(self._retention.expired(), dry_run=dry_run)

    def export(self, path: str | Path) -> int:
        """Writes every turn and every original to a JSON Lines file that `import_path` reads back; gives the turns.

        Raises:
            InputError: the file exists already.
        """
        self._check_open()
        return export_space(self._store, self.space, Path(path))

    def backup(self, path: str | Path) -> int:
        """Writes all spaces to one new, checked file while others go on; gives its bytes. StoreError if it exists."""
        self._check_open()
        self._store.backup(Path(path))
        return Path(path).stat().st_size

    def rebuild(self) -> int:
        """Drops what is derived from the log without a model, and makes it again; gives the number of turns."""
        self._check_open()
        index = self.config.index
        return rebuild(self._store, self.space, pack_minimum=index.pack_minimum, fan_out=index.fan_out)

    def verify(self) -> VerifyReport:
        """Checks hashes, references, the index against the log, and the database file; changes nothing."""
        self._check_open()
        return verify(self._store, self.space)

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

    # ------------------------------------------------------------------------------------------------------- inside

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

    def _words(self, reader: Reader, session: str, seq: int) -> str | None:
        key = (self.space, session, seq)
        rows = reader.scan("turn", key, key, columns=("text",))
        return str(rows[0][0]) if rows else None

    def _blob(self, data: bytes | None, sha: str) -> bytes:
        if data is None:
            raise NotFoundError(f"blob {sha[:12]} is missing; `clew verify` says what else is")
        return data


def _stored(row: Row | None) -> Turn | None:
    return None if row is None else turn_from_row(row)


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise InputError(f"limit {limit} is negative; give the number of turns wanted, 0 or more")
