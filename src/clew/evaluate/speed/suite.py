"""All speed measures in one run, so that figures and references are measured under the same conditions."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from clew.errors import InputError
from clew.evaluate.speed.clocks import settle
from clew.evaluate.speed.durable import BLOCK, measure_adds
from clew.evaluate.speed.footprint import measure_core, measure_home, measure_start
from clew.evaluate.speed.ingest import measure_ingest
from clew.evaluate.speed.lookup import WARM_UP, measure_recall
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.references import FullText
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.evaluate.speed.vectors import RandomEmbedder
from clew.memory import Memory
from clew.types.turn import Turn

SIZES: Final = (10_000, 100_000)
QUICK: Final = (10_000,)
PROBES: Final = 200
ADDS: Final = 480
SMALL: Final = 20
"""Turns of the small home whose memory use is subtracted."""

OnStep = Callable[[str], None]


def run_speed(
    sizes: Sequence[int] = SIZES, *, probes: int = PROBES, adds: int = ADDS, on_progress: OnStep = lambda _: None
) -> list[Measure]:
    """Measures everything, in a temporary folder that is removed afterwards (TMPDIR says on which disk).

    Args:
        sizes: numbers of turns of the memories that are built.
        probes: number of questions asked of each memory.
        adds: number of turns added one by one.
        on_progress: called with a description of the next measurement.

    Raises:
        InputError: a number is too small to measure anything.
    """
    if not sizes or min(sizes) < SMALL or probes < 1 or adds < 2 * BLOCK + 2:
        raise InputError(
            f"sizes {tuple(sizes)!r}, {probes} probes, {adds} adds: expected sizes of at least {SMALL} turns, "
            f"a probe or more, and more than {2 * BLOCK + 1} adds"
        )
    with tempfile.TemporaryDirectory(prefix="clew-speed-") as name:
        folder = Path(name)
        on_progress("start and size")
        measures = [measure_start(), *measure_core()]
        on_progress("durable adds")
        measures += measure_adds(folder, list(ConversationGenerator().turns(adds)))
        for size in sorted(sizes):
            measures += _measure_size(folder / str(size), size, probes, on_progress)
        return measures


def _measure_size(folder: Path, size: int, count: int, on_progress: OnStep) -> list[Measure]:
    folder.mkdir()
    writer = ConversationGenerator()
    turns = list(writer.turns(size))
    texts = [turn.text for turn in turns]
    probes = writer.probes(texts, count + WARM_UP)
    full_text = FullText(folder / "fts.db")
    on_progress(f"ingest of {size:,} turns")
    measures = measure_ingest(folder / "home", turns, full_text)
    on_progress(f"vectors of {size:,} turns (not measured)")
    _embed(folder / "home", [])
    _embed(folder / "small", turns[:SMALL])
    on_progress(f"recall from {size:,} turns")
    measures += measure_recall(folder / "home", probes, texts, full_text)
    full_text.close()
    on_progress(f"disk and memory of {size:,} turns")
    measures += measure_home(folder / "home", folder / "small", probes[0], texts)
    shutil.rmtree(folder)
    return measures


def _embed(home: Path, turns: Sequence[Turn]) -> None:
    """Adds turns, and embeds every turn of a home."""
    with Memory.open(home, embedder=RandomEmbedder()) as memory:
        memory.add_many(turns)
        settle(memory)
