"""What a space holds, in numbers."""

from collections.abc import Mapping
from typing import Any

from clew.index.vectors import has_vector
from clew.index.view import IndexView
from clew.pipeline.pause import paused_since
from clew.store.protocol import Store
from clew.types.reports import Stats


def gather_stats(
    store: Store, space: str, view: IndexView, pending: Mapping[str, int], details: Mapping[str, Any]
) -> Stats:
    """Counts rows by key and reads sizes; cost grows with the number of rows, not with their length."""
    every = (space,)
    with store.snapshot() as reader:
        counts = {
            name: reader.count(name, every, every)
            for name in ("turn", "session", "segment", "blob", "annotation", "receipt", "tombstone", "tail")
        }
        since = paused_since(reader, space)
    vectors = {model: int(has_vector(view, model).sum()) for model in sorted(view.vectors)}
    characters = int(view.turns.chars.sum())
    return Stats(
        turns=counts["turn"],
        sessions=counts["session"],
        pieces=len(view.pieces.turn),
        vectors=sum(vectors.values()),
        segments=counts["segment"],
        blobs=counts["blob"],
        pending=dict(pending),
        details={
            "annotations": counts["annotation"],
            "characters": characters,
            "paused_since": None if since is None else since.isoformat(),
            "receipts": counts["receipt"],
            "speakers": len(view.speakers),
            "tail": counts["tail"],
            "tombstones": counts["tombstone"],
            "vectors_by_model": vectors,
            **details,
        },
    )
