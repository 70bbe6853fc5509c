"""The tasks that keep a space's derived data up to date. Each says what is pending and does it in bounded steps.

Work is found from the state (docs/decisions/0002): a turn without a vector is work; one that failed has a job as well.
"""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from clew.config import IndexConfig
from clew.derive.analysis import Analysis
from clew.derive.compaction import Compactor
from clew.derive.embedding import Embedding, FailedTurns
from clew.derive.entity_counts import EntityCounting
from clew.derive.entity_recognition import Recognition
from clew.derive.facts import FactReading
from clew.derive.mentions import MentionReading
from clew.derive.project_meeting import MeetSweep
from clew.derive.rendering import NodeRendering
from clew.derive.weighing import WaitingWeights
from clew.index.packer import pack
from clew.rows.receipts import ReceiptBook
from clew.rows.scrub_requests import noted, scrub_left
from clew.store.protocol import Store


class Task(Protocol):
    """One kind of background work in one space. One thread at a time calls `step`."""

    def pending(self, *, now: bool) -> Mapping[str, int]:
        """What is accepted and not done, by kind.

        Args:
            now: count only what can be done now, else also what failed and is tried again later.
        """
        ...

    def is_due(self) -> bool:
        """Whether `step` would find anything to do."""
        ...

    def step(self) -> bool:
        """Does one bounded piece; returns whether there was anything to do."""
        ...


class Retried(Protocol):
    """Work that may be due though nothing has changed, since it was left for later or failed."""

    def is_retry_due(self) -> bool:
        """Whether its time has come."""
        ...


class Held(Protocol):
    """Work that is left for later for a program that ends soon."""

    def release(self) -> None:
        """Has it done at once: somebody waits for it."""
        ...


class Readiness:
    """Takes in what was written, once nothing else is to be done; only where somebody asked for that.

    So a question finds ready what depends on no question, instead of reading it while its asker waits.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._refresh: Callable[[], object] | None = None
        self._seen = -1

    def keep(self, refresh: Callable[[], object]) -> None:
        """Has `refresh` called after what was written from now on."""
        self._refresh, self._seen = refresh, -1

    def refresh(self) -> None:
        """Takes in what was written since the last time."""
        refresh = self._refresh
        if refresh is not None and (version := self._store.version()) != self._seen:
            self._seen = version  # what is written meanwhile is taken in next time
            refresh()


class ReceiptWriting:
    """Writes the receipts of recalls, many at once."""

    def __init__(self, receipts: ReceiptBook) -> None:
        self._receipts = receipts

    def pending(self, *, now: bool) -> Mapping[str, int]:
        """See `Task.pending`."""
        return {"receipts": self._receipts.waiting if self._receipts.is_due() or not now else 0}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._receipts.is_due()

    def step(self) -> bool:
        """See `Task.step`."""
        return self._receipts.is_due() and bool(self._receipts.flush())


class Sweep(Protocol):
    """Deletes what is too old, in bounded steps."""

    def due(self) -> bool:
        """Whether a sweep is due, or unfinished."""
        ...

    def step(self) -> bool:
        """Does one step of a sweep that is due; returns whether there was one."""
        ...


class RetentionSweep:
    """Deletes what is older than a setting says: turns (`retention`), or what the proxy keeps (`pruning`)."""

    def __init__(self, kind: str, sweep: Sweep) -> None:
        self._kind, self._sweep = kind, sweep

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {self._kind: int(self._sweep.due())}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._sweep.due()

    def step(self) -> bool:
        """See `Task.step`."""
        return self._sweep.step()


class Scrubbing:
    """Has the database overwrite what was forgotten; it may have to wait until an older snapshot ends."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        with self._store.snapshot() as reader:
            return {"scrub": int(noted(reader, self._space) is not None)}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return any(self.pending(now=True).values())

    def step(self) -> bool:
        """See `Task.step`."""
        return scrub_left(self._store, self._space)


class Packing:
    """Packs loose rows into segments and merges segments; merging follows packing and is not looked for by itself."""

    def __init__(self, store: Store, space: str, config: IndexConfig) -> None:
        self._store, self._space, self._config = store, space, config

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """Nothing: loose rows are searched like packed ones, and no caller waits for them to be packed."""
        return {}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        with self._store.snapshot() as reader:
            loose = (reader.count(table, (self._space,), (self._space,)) for table in ("tail", "vector"))
            return any(count >= self._config.pack_minimum for count in loose)

    def step(self) -> bool:
        """See `Task.step`."""
        minimum, fan_out = self._config.pack_minimum, self._config.fan_out
        return pack(self._store, self._space, minimum=minimum, fan_out=fan_out, most_steps=1).steps > 0


class WeightMaking:
    """Weighs many turns that wait for their vectors. Nobody waits for it: the analysis weighs what is not weighed."""

    def __init__(self, weights: WaitingWeights) -> None:
        self._weights = weights

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._weights.pending() > 0

    def step(self) -> bool:
        """See `Task.step`."""
        return self._weights.step()


class VectorMaking:
    """Embeds turns, and drops the vectors of older models. Does nothing once another program moved the space."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def pending(self, *, now: bool) -> Mapping[str, int]:
        """See `Task.pending`."""
        if self._embedding.superseded_by is not None:
            return {}
        return self._embedding.pending(self._embedding.failed(), now=now)

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return any(self.pending(now=True).values())

    def step(self) -> bool:
        """See `Task.step`."""
        return self._embedding.superseded_by is None and self._embedding.step(self._embedding.failed())


class TurnReading:
    """Analyses a stretch of turns, then counts the entities in it: both read the same turns, which are cut up once."""

    def __init__(self, analysis: Analysis, counting: EntityCounting, embedding: Embedding | None) -> None:
        self._analysis, self._counting, self._embedding = analysis, counting, embedding

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        uncounted = {"entities": self._counting.pending()}
        return uncounted if self._is_superseded() else {"analyse": self._analysis.pending(self._failed()), **uncounted}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return any(self.pending(now=True).values())

    def step(self) -> bool:
        """See `Task.step`."""
        analysed = not self._is_superseded() and self._analysis.step(self._failed())
        return self._counting.step() or analysed

    def _is_superseded(self) -> bool:
        return self._embedding is not None and self._embedding.superseded_by is not None

    def _failed(self) -> frozenset[int]:
        """Turns that the embedder cannot do: the analysis does not wait for their vectors."""
        return FailedTurns().turns if self._embedding is None else self._embedding.failed().turns


class MentionTask:
    """Reads which files the turns are about."""

    def __init__(self, reading: MentionReading) -> None:
        self._reading = reading

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {"mentions": self._reading.pending()}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._reading.pending() > 0

    def step(self) -> bool:
        """See `Task.step`."""
        return self._reading.step()


class FactFinding:
    """Reads turns for facts. Old turns of a home are read with rests, which leave the processor to who asks."""

    def __init__(self, reading: FactReading) -> None:
        self._reading = reading

    def pending(self, *, now: bool) -> Mapping[str, int]:
        """See `Task.pending`."""
        return {"facts": self._reading.pending(now=now)}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._reading.pending(now=True) > 0

    def step(self) -> bool:
        """See `Task.step`."""
        began = time.monotonic()
        if not self._reading.step():
            return False
        if self._reading.is_catching_up():
            time.sleep(time.monotonic() - began)
        return True


class MeetTask:
    """Meets analysed turns again when a project has changed."""

    def __init__(self, sweep: MeetSweep) -> None:
        self._sweep = sweep

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {"meet": self._sweep.pending()}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._sweep.pending() > 0

    def step(self) -> bool:
        """See `Task.step`."""
        return self._sweep.step()


class NodeRenderingTask:
    """Makes the renderings of closed beats and of what stands above them, once their turns are analysed."""

    def __init__(self, rendering: NodeRendering) -> None:
        self._rendering = rendering

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {"render": self._rendering.pending()}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._rendering.pending() > 0

    def step(self) -> bool:
        """See `Task.step`."""
        return self._rendering.step()


class Condensing:
    """Compacts sessions that are due, once their turns are analysed, a bounded piece at a time."""

    def __init__(self, compactor: Compactor) -> None:
        self._compactor = compactor

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        """See `Task.pending`."""
        return {"condense": len(self._compactor.due())}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return any(self.pending(now=True).values())

    def step(self) -> bool:
        """See `Task.step`."""
        return self._compactor.step()


class NameRecognition:
    """Asks a named-entity model about turns that the rules have counted."""

    def __init__(self, recognition: Recognition) -> None:
        self._recognition = recognition

    def pending(self, *, now: bool) -> Mapping[str, int]:
        """See `Task.pending`."""
        return {"recognise": self._recognition.pending(now=now)}

    def is_due(self) -> bool:
        """See `Task.is_due`."""
        return self._recognition.pending(now=True) > 0

    def step(self) -> bool:
        """See `Task.step`."""
        return self._recognition.step()
