"""The vectors of one space by one model: which are missing, which the model could not do, and the next step."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from clew.index.live import LiveIndex
from clew.models.protocol import Embedder
from clew.pipeline.embed import embed_batch, missing, next_batch, stored_length
from clew.pipeline.jobs import EMBED, rows_of
from clew.pipeline.switch import current_model, finish, others
from clew.store.protocol import Reader, Store
from clew.store.rows import to_us


@dataclass(frozen=True, slots=True)
class Failed:
    """Turns that a model could not do so far, by ordinal.

    Attributes:
        turns: all of them.
        resting: those that are not to be tried now.
        deferred: those that are not tried again unless somebody asks for it.
        soonest: when the first of the others is tried again, in microseconds since 1970; None when there is none.
    """

    turns: frozenset[int] = frozenset()
    resting: frozenset[int] = frozenset()
    deferred: frozenset[int] = frozenset()
    soonest: int | None = None


def read_failed(reader: Reader, space: str, model: str, now: int) -> Failed:
    """The turns that a model could not do; failures of other models are not held against it."""
    jobs = [(ordinal, job) for job in rows_of(reader, space, EMBED) if (ordinal := _ordinal(job, model)) is not None]
    deferred = frozenset(ordinal for ordinal, job in jobs if job["state"] == "deferred")
    times = {ordinal: int(job["not_before"] or 0) for ordinal, job in jobs if ordinal not in deferred}
    return Failed(
        frozenset(ordinal for ordinal, _ in jobs),
        deferred | {ordinal for ordinal, time in times.items() if time > now},
        deferred,
        min(times.values(), default=None),
    )


def _ordinal(job: dict[str, Any], model: str) -> int | None:
    try:
        payload = json.loads(job["payload"])
        return int(payload["ordinal"]) if payload["model"] == model else None
    except (ValueError, TypeError, KeyError):  # the row may hold anything; `clew verify` names it
        return None


class Embedding:
    """What a worker does with an embedder. One thread at a time calls `step`."""

    def __init__(
        self, store: Store, space: str, live: LiveIndex, embedder: Embedder, clock: Callable[[], datetime]
    ) -> None:
        self.name, self.embedder = embedder.name, embedder
        self._store, self._space, self._live, self._clock = store, space, live, clock
        self._retry_at: int | None = None
        with store.snapshot() as reader:
            self._origin = current_model(reader, space)  # the model that the space had when it was opened

    @property
    def superseded_by(self) -> str | None:
        """The model to which another program moved the space since this one opened it; then nothing is embedded here.

        None in the usual case that nobody did.
        """
        with self._store.snapshot() as reader:
            model = current_model(reader, self._space)
        if model == self.name:
            self._origin = model  # from here on, also a move back is another program's
        return None if model == self._origin else model

    def failed(self) -> Failed:
        """The turns that the model could not do so far."""
        with self._store.snapshot() as reader:
            found = read_failed(reader, self._space, self.name, self._now())
        self._retry_at = found.soonest
        return found

    def is_retry_due(self) -> bool:
        """Whether the time of a turn that failed has come since its jobs were last read."""
        return self._retry_at is not None and self._retry_at <= self._now()

    def pending(self, failed: Failed, *, now: bool) -> dict[str, int]:
        """Turns without a vector, and models whose vectors are superseded.

        Args:
            now: count only what can be done now, else also what failed and is tried again later.
        """
        view = self._live.view()
        lacking = missing(view, self.name, failed.resting if now else failed.deferred)
        stuck = not lacking and bool(missing(view, self.name, frozenset()))
        return {"embed": len(lacking), "switch": 0 if stuck else len(others(view, self.name))}

    def step(self, failed: Failed) -> bool:
        """Embeds one batch, or, when no turn lacks a vector any more, drops those of older models."""
        view = self._live.view()
        ordinals = missing(view, self.name, failed.resting)
        if not ordinals:
            # While the new model cannot do a turn, the old one's vectors stay.
            complete = not missing(view, self.name, frozenset())
            return complete and finish(self._store, self._space, self.name, view)
        length = stored_length(view, self.name)
        batch = next_batch(view, ordinals)
        embed_batch(self._store, self._space, self.embedder, batch, length, now=self._now())
        return True

    def _now(self) -> int:
        return cast(int, to_us(self._clock()))
