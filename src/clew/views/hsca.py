"""The HSCA document's interface: an engine that turns a conversation into snapshots by the document's own rule.

`Memory` closes its beats differently (`clew.structure.beats`): taken alone, the rule makes a beat of one fluent chunk.
This engine is for those who want the document's own behaviour. It keeps everything in memory.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Self

from clew.analyze.layer1 import SHORT_SCORE, WINDOW
from clew.analyze.weigh import weigh, weigh_joint
from clew.errors import InputError
from clew.memory.arguments import given_count, given_text
from clew.structure.density import (
    COHERENCE_THRESHOLD,
    MAX_CHUNKS,
    domain_summary,
    macro_weight,
    weighted_coherence,
)
from clew.types.chunk import ContextSnapshot, DomainTag, NuanceFlag, WeightedChunk, listed, need
from clew.views.claims import MIN_MACRO_WEIGHT, ClaimGraph, ClaimNode
from clew.views.own_lock import OwnLock
from clew.views.typed_arguments import typed

__all__ = [
    "MIN_MACRO_WEIGHT",
    "ClaimGraph",
    "ClaimNode",
    "ContextSnapshot",
    "DomainTag",
    "HSCAEngine",
    "NuanceFlag",
    "SessionState",
    "WeightedChunk",
]


def _new_id() -> str:
    return str(uuid.uuid4())


class HSCAEngine:
    """Scores turns through layers 1 to 3 and freezes them into snapshots once they are coherent.

    Several threads may use one engine; their turns enter the buffer one after another.

    Attributes:
        snapshot_coherence_threshold: weighted mean coherence of the buffer from which a snapshot is taken.
        max_buffer_chunks: chunks in the buffer at which a snapshot is forced.
        cooccurrence_window: tokens in the window of layer 1.
    """

    @typed
    def __init__(
        self,
        snapshot_coherence_threshold: float = COHERENCE_THRESHOLD,
        max_buffer_chunks: int = MAX_CHUNKS,
        cooccurrence_window: int = WINDOW,
        *,
        clock: Callable[[], float] = time.time,  # noqa: TID251  # what the document uses; tests give their own
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        """Create an engine; the first three arguments are the document's.

        Args:
            clock: returns `created_at`, seconds since 1970.
            new_id: makes ids of chunks and snapshots; by default a random UUID, as in the document.

        Raises:
            InputError: one of the three is no such number, or one of the last two is negative.
        """
        if isnan(snapshot_coherence_threshold):
            raise InputError("snapshot_coherence_threshold is nan, which no coherence reaches; expected a number")
        self.snapshot_coherence_threshold = snapshot_coherence_threshold
        self.max_buffer_chunks = given_count(max_buffer_chunks, "max_buffer_chunks", "the chunks that force a snapshot")
        self.cooccurrence_window = given_count(cooccurrence_window, "cooccurrence_window", "the tokens of the window")
        self._clock = clock
        self._new_id = new_id
        self._buffer: list[WeightedChunk] = []
        self._snapshots: list[ContextSnapshot] = []
        self._short: list[WeightedChunk] = []  # of the buffer, those too short to be scored alone
        self._scored_short: WeightedChunk | None = None  # what `score_layers` gave last, when that was short
        self._lock = OwnLock()

    def ingest_turn(self, text: str) -> WeightedChunk:
        """Score a turn, add it to the buffer, and take a snapshot when one is due.

        Short chunks of the buffer (fewer than 3 sentences) are weighed again together once they have 3 sentences
        between them (HSCA 8.4): their `layer1_score` may change until the snapshot is taken, but never falls below the
        flat low score of a short chunk.

        Raises:
            InputError: the turn is not text.
        """
        with self._lock:
            chunk = self.score_layers(text)
            self._buffer.append(chunk)
            if chunk is self._scored_short:
                self._short.append(chunk)
                self._weigh_short_together()
            if self.should_snapshot():
                self.take_snapshot()
            return chunk

    def score_layers(self, text: str) -> WeightedChunk:
        """Run a text through layers 1 to 3 without touching the buffer. Accepts any string.

        Raises:
            InputError: the turn is not text.
        """
        weighing = weigh(given_text(text, "turn"), self.cooccurrence_window)
        chunk = WeightedChunk(
            chunk_id=self._new_id(),
            text=text,
            layer1_score=weighing.layer1.score,
            domain_tags=list(weighing.domains),
            coherence_score=weighing.coherence,
            nuance_flags=list(weighing.nuance),
            parent_id=None,
            created_at=self._clock(),
        )
        with self._lock:  # not while another thread asks for the shortness of its own chunk
            self._scored_short = chunk if weighing.layer1.short else None
        return chunk

    def should_snapshot(self) -> bool:
        """Whether the buffer is full, or its weighted mean coherence has reached the threshold.

        False for an empty buffer and, short of a full one, when all weights are 0.
        """
        with self._lock:
            chunks = list(self._buffer)
        if not chunks:
            return False
        if len(chunks) >= self.max_buffer_chunks:
            return True
        coherence = weighted_coherence((chunk.coherence_score, chunk.layer1_score) for chunk in chunks)
        return coherence is not None and coherence >= self.snapshot_coherence_threshold

    def take_snapshot(self) -> ContextSnapshot:
        """Freeze the buffer into a snapshot, append it to the macro layer, and empty the buffer.

        Every chunk of the snapshot gets the snapshot's id as its `parent_id`.

        Raises:
            InputError: the buffer is empty.
        """
        with self._lock:
            if not self._buffer:
                raise InputError("there is nothing to take a snapshot of: the buffer is empty; ingest a turn first")
            chunks = list(self._buffer)
            snapshot = ContextSnapshot(
                snapshot_id=self._new_id(),
                chunks=chunks,
                macro_weight=macro_weight([chunk.layer1_score for chunk in chunks]),
                domain_summary=domain_summary((chunk.domain_tags, chunk.layer1_score) for chunk in chunks),
                conversation_position=len(self._snapshots),
                forced=len(chunks) >= self.max_buffer_chunks,
                created_at=self._clock(),
            )
            for chunk in chunks:
                chunk.parent_id = snapshot.snapshot_id
            self._buffer.clear()
            self._short.clear()
            self._snapshots.append(snapshot)
            return snapshot

    def get_macro_context(self) -> list[ContextSnapshot]:
        """All snapshots taken, in order; chunks still in the buffer are in none of them."""
        return list(self._snapshots)

    def _weigh_short_together(self) -> None:
        weighed = weigh_joint([chunk.text for chunk in self._short], self.cooccurrence_window)
        for chunk, weighing in zip(self._short, weighed, strict=True):
            chunk.layer1_score = max(SHORT_SCORE, weighing.layer1.score)


_KNOWN = ("session_id", "task_summaries", "context_snapshots")


@dataclass
class SessionState:
    """A session in the document's storage format: task summaries and snapshots.

    Attributes:
        task_summaries: plain text, kept for programs that do not know snapshots.
        context_snapshots: the macro layer, in order; empty in records of older programs.
        extra: further fields of the record, preserved unread.
    """

    session_id: str = ""
    task_summaries: list[str] = field(default_factory=list)
    context_snapshots: list[ContextSnapshot] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, *, include_text: bool = True) -> dict[str, Any]:
        """The fields as primitives, those of `extra` beside the others; `include_text` as for a snapshot."""
        return {
            **self.extra,
            "session_id": self.session_id,
            "task_summaries": list(self.task_summaries),
            "context_snapshots": [snapshot.to_dict(include_text=include_text) for snapshot in self.context_snapshots],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict`, or a program that does not know snapshots, wrote.

        Raises:
            InputError: the record, or a snapshot in it, cannot be read.
        """
        need(cls, data)
        return cls(
            session_id=data.get("session_id", ""),
            task_summaries=listed(cls, data, "task_summaries"),
            context_snapshots=[
                ContextSnapshot.from_dict(snapshot) for snapshot in listed(cls, data, "context_snapshots")
            ],
            extra={name: value for name, value in data.items() if name not in _KNOWN},
        )
