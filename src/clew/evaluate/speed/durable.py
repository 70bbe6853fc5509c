"""Measures the cost of a durable `add`, alone and with concurrent adds."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from clew.evaluate.speed.clocks import WORKER, Elapsed, Stopwatch, processor, processor_of, quantile
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import BareCommits
from clew.memory import Memory
from clew.types.turn import Turn

ADDERS: Final = 16
BLOCK: Final = 20


def measure_adds(folder: Path, turns: Sequence[Turn]) -> list[Measure]:
    """Adds half of the turns one by one, alternating with bare commits of the same bytes; the rest from many threads.

    They alternate in groups of `BLOCK`, so that both meet the same disk and noise. The first group of each is not
    counted, since it loads word lists.
    """
    half = len(turns) // 2
    commits = BareCommits(folder / "commits.db")
    adds: list[Elapsed] = []
    bare: list[Elapsed] = []
    with Memory.open(folder / "adds", embedder="none") as memory:
        for start in range(0, half, BLOCK):
            some = turns[start : min(start + BLOCK, half)]
            adds += [_add(memory, turn) for turn in some]
            bare += [commits.commit(turn.text.encode()) for turn in some]
        together = _adds_together(memory, turns[half:])
    adds, bare = adds[BLOCK:], bare[BLOCK:]
    commits.close()
    walls, bare_walls = [add.wall for add in adds], [commit.wall for commit in bare]
    serial = len(walls) / sum(walls)
    return [
        Measure(
            name="add.wall",
            title="durable add, median",
            value=1000 * quantile(walls, 0.5),
            unit="ms",
            reference=1000 * quantile(bare_walls, 0.5),
            against="a bare commit of the same bytes",
        ),
        Measure(
            name="add.processor",
            title="durable add, processor time",
            value=1000 * fmean(add.processor for add in adds),
            unit="CPU ms",
            reference=1000 * fmean(commit.processor for commit in bare),
            against="a bare commit of the same bytes",
        ),
        Measure(
            name="add.concurrent",
            title=f"durable adds by {ADDERS} threads",
            value=together,
            unit="adds/s",
            reference=serial,
            against="one thread",
        ),
    ]


def _add(memory: Memory, turn: Turn) -> Elapsed:
    """Time of an add; processor time covers all threads except the background worker."""
    watch, spent, behind = Stopwatch(), processor(), processor_of(WORKER)
    memory.add(turn)
    return Elapsed(watch.elapsed().wall, (processor() - spent) - (processor_of(WORKER) - behind))


def _adds_together(memory: Memory, turns: Sequence[Turn]) -> float:
    """Adds per second by all threads together."""
    ready = threading.Barrier(ADDERS + 1)

    def work(mine: Sequence[Turn]) -> None:
        ready.wait()
        for turn in mine:
            memory.add(turn)

    threads = [threading.Thread(target=work, args=(turns[index::ADDERS],)) for index in range(ADDERS)]
    for thread in threads:
        thread.start()
    ready.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    return len(turns) / (time.perf_counter() - started)
