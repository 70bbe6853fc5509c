"""Measures the processor time of bulk ingest for each turn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.evaluate.speed.clocks import WORKER, processor, processor_of, settle
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import FullText
from clew.memory import Memory
from clew.types.turn import Turn

WINDOW: Final = 10_000
AGAINST: Final = "SQLite FTS5, batches of 500"


def measure_ingest(home: Path, turns: Sequence[Turn], full_text: FullText) -> list[Measure]:
    """Adds turns in bulk without an embedder, in windows, each packed before the next.

    `acknowledged` excludes the background thread's work, if the system measures threads.
    """
    acknowledged = derived = reference = 0.0
    windows: list[float] = []
    with Memory.open(home, embedder="none") as memory:
        for start in range(0, len(turns), WINDOW):
            some = turns[start : start + WINDOW]
            reference += full_text.add([turn.text for turn in some])
            began, behind = processor(), processor_of(WORKER)
            memory.add_many(some)
            acknowledged += (processor() - began) - (processor_of(WORKER) - behind)
            settle(memory)
            spent = processor() - began
            derived += spent
            windows.append(1e6 * spent / len(some))
    count = len(turns)
    measures = [
        _rate("ingest.acknowledged", "bulk ingest to the acknowledgement", count, acknowledged, reference),
        _rate("ingest.derived", "bulk ingest, fully derived without embedder", count, derived, reference),
    ]
    if len(windows) > 1:
        measures.append(
            Measure(
                name="ingest.flatness",
                title=f"processor time a turn in the last {WINDOW:,} turns, by that in the first",
                value=windows[-1] / windows[0],
                unit="x",
                turns=count,
                parts=tuple(windows),
            )
        )
    return measures


def _rate(name: str, title: str, count: int, seconds: float, reference: float) -> Measure:
    return Measure(
        name=name,
        title=title,
        value=count / seconds,
        unit="turns/CPU s",
        turns=count,
        reference=count / reference,
        against=AGAINST,
    )
