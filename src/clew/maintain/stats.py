"""What a space holds, in numbers."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from clew.index.segment_kinds import STAGED
from clew.index.staged_rebuild import resume_ordinal
from clew.index.vectors import has_vector
from clew.index.view import IndexView
from clew.rows.annotations import BY_TURN, TAG
from clew.rows.extraction_runs import count_runs
from clew.rows.llm_progress import fact_counts
from clew.rows.pause import paused_sessions, paused_since
from clew.rows.spend_ledger import read_ledger
from clew.store.protocol import JobState, Store
from clew.store.selections import JOB_KIND
from clew.types.reports import Stats

LEDGER_DAYS: Final = 7
"""Days of the ledger that are shown; the store keeps all."""


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
        counts["annotation"] += sum(reader.count(table, every, every) for table in BY_TURN)
        counts["segment"] -= reader.count("segment", (space, STAGED), (space, STAGED))
        ledger = read_ledger(reader, space, LEDGER_DAYS)
        model_facts = fact_counts(reader, space)
        labels = reader.count("label", (space, TAG), (space, TAG), index="name")
        aside = JobState.DEFERRED.value
        deferred = Counter(JOB_KIND.scan(reader, (space, aside), (space, aside), index="state"))
        extractions = count_runs(reader, space)
        since, rebuilt = paused_since(reader, space), resume_ordinal(reader, space)
        alone = paused_sessions(reader, space)
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
            **({} if store.encryption is None else {"encryption": store.encryption}),
            "deferred": deferred.total(),
            "deferred_by_kind": dict(sorted(deferred.items())),
            "extractions": extractions,
            "labels": labels,
            "ledger": ledger,
            "model_facts": model_facts,
            "paused_since": None if since is None else since.isoformat(),
            "paused_sessions": {name: at.isoformat() for name, at in alone.items()},
            "rebuilt_up_to": rebuilt,
            "receipts": counts["receipt"],
            "speakers": len(view.speakers),
            "tail": counts["tail"],
            "tombstones": counts["tombstone"],
            "vectors_by_model": vectors,
            **details,
        },
    )
