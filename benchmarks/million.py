"""Measures recall from a space of a million turns. Run `nice python -m benchmarks.million HOME [--turns N]`.

The home is built once (a quarter of an hour of processor time, 0.9 GB) and kept; `--measure` asks it again. Turns come
through the real append; words and vectors are packed by the real packer. What else follows the acknowledgement is left
undone, since deriving a million turns takes most of an hour and a recall asks for none of it: there are no beats,
labels, names or scores of turns. They wait in the queue, and the memory that is asked has no worker to take them up.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from clew.config import Config, IngestConfig
from clew.derive.embedding import put_living
from clew.evaluate.speed.clocks import Elapsed, Stopwatch, quantile
from clew.evaluate.speed.probe import resident
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.evaluate.speed.vectors import RandomEmbedder
from clew.index.live import LiveIndex
from clew.index.packer import pack
from clew.memory import Memory
from clew.memory.opening import Models, OpenHome
from clew.memory.wiring import wire
from clew.models.quantize import quantize
from clew.store.open import open_store
from clew.store.protocol import Store
from clew.store.row_types import VectorRow
from clew.testing import FrozenClock
from clew.types.turn import Turn
from clew.write.append import Appender
from clew.write.ingest import add_many

SPACE: Final = "default"
TURNS: Final = 1_000_000
WINDOW: Final = 10_000
QUESTIONS: Final = 200
WARM_UP: Final = 20
BUDGET: Final = 2_000
ADDED: Final = datetime(2024, 1, 1, tzinfo=UTC)


def build(home: Path, turns: int) -> None:
    """Fills a home that must not be there yet, and notes questions for it."""
    if home.exists():
        raise SystemExit(f"{home} is there already; --measure asks it, another name builds another")
    writer, texts = ConversationGenerator(), list[str]()
    store = open_store(home)
    appender, live, config = Appender(store, SPACE, IngestConfig().batch), LiveIndex(store, SPACE), IngestConfig()
    clock, coming, started = FrozenClock(ADDED), writer.turns(turns), time.process_time()
    while some := list(islice(coming, min(WINDOW, turns - len(texts)))):
        add_many(appender, some, config, clock)
        pack(store, SPACE)
        _embed(store, live, some)
        pack(store, SPACE)
        texts += [turn.text for turn in some]
        print(f"{len(texts):,} turns, {time.process_time() - started:.0f} CPU s", flush=True)
    questions = [probe.question for probe in writer.probes(texts, QUESTIONS + WARM_UP)]
    (home / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    store.close()


def _embed(store: Store, live: LiveIndex, turns: Sequence[Turn]) -> None:
    """Gives the newest turns their vectors, as the worker writes them."""
    embedder = RandomEmbedder()
    codes, scales = quantize(embedder.embed([turn.text for turn in turns]))
    ordinals = live.view().turns.ordinal[-len(turns) :].tolist()
    rows = [
        VectorRow(SPACE, embedder.name, ordinal, float(scale), code.tobytes())
        for ordinal, code, scale in zip(ordinals, codes, scales, strict=True)
    ]
    store.transaction(lambda tx: put_living(tx, SPACE, rows), durable=False)


def measure(home: Path, *, vectors: bool) -> dict[str, Any]:
    """Asks every question, and says what that took."""
    questions = json.loads((home / "questions.json").read_text(encoding="utf-8"))
    embedder = RandomEmbedder() if vectors else None
    before, started = resident(), time.perf_counter()
    store = open_store(home)
    with Memory(
        wire(OpenHome(store, SPACE, Config(), Models(embedder), FrozenClock(ADDED)))
    ) as memory:  # no worker is started
        memory.recall(questions[0], budget=BUDGET)
        opened, held = time.perf_counter() - started, resident()
        elapsed = [_asked(memory, question) for question in questions][WARM_UP:]
        turns = memory.stats().turns
    store.close()
    walls = [1000 * each.wall for each in elapsed]
    spent = [1000 * each.processor for each in elapsed]
    return {
        "turns": turns,
        "vectors": vectors,
        "opening and first answer, s": round(opened, 2),
        "recall, ms: p50, p95, p99": [round(quantile(walls, share), 1) for share in (0.5, 0.95, 0.99)],
        "recall, CPU ms: p50, p95": [round(quantile(spent, share), 1) for share in (0.5, 0.95)],
        "memory beyond an empty program, bytes a turn": None
        if not before or not held
        else round((held - before) / turns),
        "disk, bytes a turn": round((home / "clew.db").stat().st_size / turns),
    }


def _asked(memory: Memory, question: str) -> Elapsed:
    watch = Stopwatch()
    memory.recall(question, budget=BUDGET)
    return watch.elapsed()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, help="a folder that is made, on a disk with room for 1.6 KB a turn")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--measure", action="store_true", help="build nothing, ask what is there")
    parser.add_argument("--child", choices=("vectors", "words"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(measure(chosen.home, vectors=chosen.child == "vectors")))
        return
    if not chosen.measure:
        build(chosen.home, chosen.turns)
    for kind in ("words", "vectors"):  # each in a process of its own, for its memory
        command = [sys.executable, "-m", "benchmarks.million", str(chosen.home), "--child", kind]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)


if __name__ == "__main__":
    main()
