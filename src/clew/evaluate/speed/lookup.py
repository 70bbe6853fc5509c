"""How long a recall takes, embedding excluded."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.evaluate.speed.clocks import quantile
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import FullText, scan
from clew.evaluate.speed.synthetic import Probe
from clew.evaluate.speed.vectors import RandomEmbedder
from clew.memory import Memory

BUDGET: Final = 2000
WARM_UP: Final = 10


def measure_recall(home: Path, probes: Sequence[Probe], texts: Sequence[str], full_text: FullText) -> list[Measure]:
    """Asks each question of a settled memory with vectors, of FTS5, and of a numpy scan, by turns.

    The first `WARM_UP` questions are not counted. Recall is the whole of it: ranking, fitting, rendering, receipt.
    """
    embedder = RandomEmbedder()
    matrix = embedder.embed(texts)
    queries = embedder.embed([probe.question for probe in probes])
    recalls: list[float] = []
    indexed: list[float] = []
    scanned: list[float] = []
    with Memory.open(home, embedder=embedder) as memory:
        for probe, query in zip(probes, queries, strict=True):
            indexed.append(full_text.search(probe.words))
            scanned.append(scan(matrix, query))
            started = time.perf_counter()
            memory.recall(probe.question, budget=BUDGET)
            recalls.append(time.perf_counter() - started)
    count, half = len(texts), 1000 * quantile(recalls[WARM_UP:], 0.5)
    title = "recall, embedding excluded, median"
    return [
        Measure(
            name="recall.full_text",
            title=title,
            value=half,
            unit="ms",
            turns=count,
            reference=1000 * quantile(indexed[WARM_UP:], 0.5),
            against="SQLite FTS5, bm25",
        ),
        Measure(
            name="recall.scan",
            title=title,
            value=half,
            unit="ms",
            turns=count,
            reference=1000 * quantile(scanned[WARM_UP:], 0.5),
            against="a numpy scan of float32 vectors",
        ),
        Measure(
            name="recall.tail",
            title="recall, 95th percentile",
            value=1000 * quantile(recalls[WARM_UP:], 0.95),
            unit="ms",
            turns=count,
            reference=half,
            against="its own median",
        ),
    ]
