"""What a Tri-Vector extraction reads, keeps and gives: chunks of a session, its run, and the three vectors.

The three vectors of a session are its semantic graph (`nodes`, `edges`), what is left to do (`open_deltas`), and its
summary.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from clew.types.entity import NodeType
from clew.types.record import Record


class ExtractionState(StrEnum):
    """What became of an extraction of a session, or of one of its chunks.

    Attributes:
        PENDING: it waits: for its turn, for the day's budget, or for a model that could not be reached.
        RUNNING: a process is at work on it.
        DONE: its result is kept.
        FAILED: it failed for a reason of its own; the next extraction tries it again.
        DEFERRED: it failed so three times, and is left alone until `Memory.retry` or new turns.
    """

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DEFERRED = "deferred"


class ExtractionMode(StrEnum):
    """How a session is read: whole in one pass, or in chunks that are reduced."""

    SINGLE = "single"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode(Record):
    """A named thing in a session's graph; `(type, name)` occurs once, whatever the spelling.

    Attributes:
        name: as it was written first.
        aliases: other names and spellings, sorted.
        turn_ids: turns that name it, in order, as far as the extractor tells.
    """

    type: NodeType
    name: str
    aliases: tuple[str, ...] = ()
    turn_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge(Record):
    """A relation of two things; `(source, verb, target)` occurs once.

    Attributes:
        source, target: names of nodes or speakers; a target may also be a value in the words of the turn.
        turn_ids: turns that state it, in order; never empty.
    """

    source: str
    verb: str
    target: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDelta(Record):
    """Something that is left to do at the end of a session.

    Attributes:
        namespace: the feature or topic that it belongs to; the session's own where nothing is said.
        turn_ids: turns that said so, in order; never empty.
    """

    namespace: str
    text: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriVector(Record):
    """The three vectors of a session, or of one chunk of it.

    Attributes:
        feature_namespace: what the session is about in a word or two; empty when unknown.
        closed_deltas: texts of deltas that these turns finish or take back; empty in a session's final vector.
    """

    session: str
    summary: str = ""
    feature_namespace: str = ""
    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    open_deltas: tuple[OpenDelta, ...] = ()
    closed_deltas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord(Record):
    """One chunk of a session: which turns it covers, and what became of it.

    Attributes:
        id: `<session>:chunk:<n>`, from 0 in the order of the turns.
        first, last: positions of its first and last turn in the session; the chunks of a session lie end to end.
        turns: number of turns that the prompt shows.
        tokens: of its whole prompt, instructions included.
        digest: SHA-256 of what the model is shown and of who is asked; a result is kept under it.
        attempts: how often it failed for a reason of its own.
        cached: the result was kept from an earlier run; nothing was asked.
    """

    id: str
    first: int
    last: int
    turns: int
    tokens: int
    digest: str
    state: ExtractionState = ExtractionState.PENDING
    attempts: int = 0
    reason: str | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRun(Record):
    """The state of the extraction of one session.

    Attributes:
        number: how many runs there were, from 1; 0 when this one was not begun.
        extractor: `rules`, or the name of the model.
        last: position of the last turn covered.
        attempts: how many runs in a row failed for a reason of the session's own.
        telemetry: counts only, see docs/extraction.md; no word of the session.
    """

    session: str
    number: int
    state: ExtractionState
    mode: ExtractionMode
    extractor: str
    last: int
    attempts: int = 0
    reason: str | None = None
    chunks: tuple[ChunkRecord, ...] = ()
    telemetry: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved(Record):
    """What the deterministic reduce cannot decide and leaves as it is.

    Attributes:
        kind: `alias`, `reversal`, `contradiction` or `edge` (across chunks).
        items: what is concerned: two names, deltas or relations.
    """

    kind: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction(Record):
    """What `Memory.extract` gives of one session.

    Attributes:
        vector: None unless the run is done; then nothing else was changed either.
        unresolved: pairs that only a model could decide; of a run without the semantic reduce, or beyond its calls.
    """

    run: ExtractionRun
    vector: TriVector | None = None
    unresolved: tuple[Unresolved, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the session's vector was made."""
        return self.vector is not None
