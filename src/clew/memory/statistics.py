"""The numbers that `Memory.stats` gives: counts of rows, and the state of models and background work."""

from clew.maintain.stats import gather_stats
from clew.memory.wiring import Parts
from clew.types import Stats


def stats_of(parts: Parts) -> Stats:
    """Counts what the space holds, with the state of its models and of the background work."""
    reads, worker = parts.reads, parts.worker
    view = reads.live.outline()
    details = {
        "embedder": getattr(parts.models.embedder, "name", None),
        "embedder_serving": getattr(reads.ranker.serving(view), "name", None),
        "embedder_superseded_by": worker.superseded_by,
        "store": reads.store.url,
        "embed_failed": worker.put_aside,
        "worker_failure": worker.failure,
        "llm": getattr(parts.models.llm, "name", None),
        "llm_failure": worker.llm_failure,
        **worker.recognition_state(),
        "learned": reads.learned.now().version,
    }
    pending = worker.pending()
    seconds = worker.seconds_left(pending)
    details["pending_seconds"] = None if seconds is None else round(seconds, 1)
    return gather_stats(reads.store, reads.space, view, pending, details)
