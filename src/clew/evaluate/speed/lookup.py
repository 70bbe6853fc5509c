"""Measures the time of a recall and of a search; questions are embedded beforehand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.evaluate.speed.clocks import Elapsed, Stopwatch, quantile
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import FullText, scan
from clew.evaluate.speed.synthetic import ConversationGenerator, Probe
from clew.evaluate.speed.vectors import EmbeddedOnce, RandomEmbedder
from clew.memory import Memory
from clew.models.protocol import Embedder

BUDGET: Final = 2000
WARM_UP: Final = 20
BLOCK: Final = 20
TOP: Final = 10
"""Results of a search."""


def measure_recall(home: Path, probes: Sequence[Probe], texts: Sequence[str], full_text: FullText) -> list[Measure]:
    """Asks each question of a settled memory, of FTS5, and of a numpy scan, alternating.

    They alternate in groups of `BLOCK` questions, so that all meet the same noise with warm caches. The first `WARM_UP`
    questions are not counted. Recall uses vectors and includes ranking, fitting, rendering and the receipt. Search uses
    words alone, as FTS5 does, and returns the best turns with the share of each signal.
    """
    random = RandomEmbedder()
    embedder = EmbeddedOnce(random)
    matrix = random.embed(texts)
    queries = embedder.embed([probe.question for probe in probes])
    embed_questions(embedder, probes)
    recalls: list[Elapsed] = []
    searches: list[Elapsed] = []
    indexed: list[Elapsed] = []
    scanned: list[Elapsed] = []
    with Memory.open(home, embedder=embedder) as memory, Memory.open(home, embedder="none") as words_only:
        for start in range(0, len(probes), BLOCK):
            some = probes[start : start + BLOCK]
            indexed += [full_text.search(probe.words) for probe in some]
            scanned += [scan(matrix, query) for query in queries[start : start + BLOCK]]
            searches += [_searched(words_only, probe.question) for probe in some]
            recalls += [_recalled(memory, probe.question) for probe in some]
    own, found, words, vectors = (elapsed[WARM_UP:] for elapsed in (recalls, searches, indexed, scanned))
    full_text_is, scan_is = "SQLite FTS5, bm25", "a numpy scan of float32 vectors"
    return [
        _figure("recall.wall", "recall, median", "ms", texts, _wall(own), _wall(words), full_text_is),
        _figure("recall.processor", "recall, median", "CPU ms", texts, _spent(own), _spent(words), full_text_is),
        _figure("recall.scan", "recall, median", "ms", texts, _wall(own), _wall(vectors), scan_is),
        _figure("search.processor", "search, median", "CPU ms", texts, _spent(found), _spent(words), full_text_is),
        _figure("recall.tail", "recall, 95th percentile", "ms", texts, _wall(own, 0.95), _wall(own), "its own median"),
    ]


def embed_questions(embedder: Embedder, probes: Sequence[Probe]) -> None:
    """Embeds the questions, and the other form in which each is compared, by asking them of another memory."""
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.add_many(ConversationGenerator().turns(2))
        for probe in probes:
            memory.search(probe.question, limit=1)


def _recalled(memory: Memory, question: str) -> Elapsed:
    watch = Stopwatch()
    memory.recall(question, budget=BUDGET)
    return watch.elapsed()


def _searched(memory: Memory, question: str) -> Elapsed:
    watch = Stopwatch()
    memory.search(question, limit=TOP)
    return watch.elapsed()


def _wall(elapsed: Sequence[Elapsed], share: float = 0.5) -> float:
    return 1000 * quantile([clock_reading.wall for clock_reading in elapsed], share)


def _spent(elapsed: Sequence[Elapsed]) -> float:
    return 1000 * quantile([clock_reading.processor for clock_reading in elapsed], 0.5)


def _figure(
    name: str, title: str, unit: str, texts: Sequence[str], value: float, reference: float, against: str
) -> Measure:
    turns = len(texts)
    return Measure(name=name, title=title, value=value, unit=unit, turns=turns, reference=reference, against=against)
