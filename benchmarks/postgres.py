"""What a server costs beside a home, in one run: the same turns and questions, in turns, on both engines.

    python -m benchmarks.postgres [--server embedded|debian] [--turns 10000,100000] [--spaces 1000]

Starts a PostgreSQL of its own with its usual settings (fsync on) in a temporary directory; TMPDIR says on which disk.
Wall times, medians; of ratios only those of one run mean something.
"""

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from clew.evaluate.speed.synthetic import ConversationGenerator, Probe
from clew.memory import Memory
from clew.store.open import open_store
from clew.store.protocol import Store, Transaction
from clew.store.tables import TABLES
from clew.store.values import Row
from clew.types.turn import Turn
from tests.support.postgres_servers import own

BLOCK = 20
ADDERS = 16
SPACE_TURNS = 1_000
ASKED_SPACES = 40
SETTINGS = {
    "fsync": "on",
    "autovacuum": "on",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "deadlock_timeout": "1s",
}

StoreAddresses = dict[str, str]
"""Engine -> where its memory is."""


def opened(place: str | Store, space: str = "default") -> Memory:
    return Memory.open(place, space=space, embedder="none")


def timed(work: Callable[..., object], *arguments: object) -> float:
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def show(what: str, unit: str, sqlite: float, postgres: float) -> None:
    print(f"| {what} | {sqlite:,.4g} {unit} | {postgres:,.4g} {unit} | {postgres / sqlite:.2f} |", flush=True)


@contextmanager
def both(places: StoreAddresses) -> Iterator[dict[str, Memory]]:
    memories = {engine: opened(place) for engine, place in places.items()}
    yield memories
    for memory in memories.values():
        memory.close()


def add(memory: Memory, turns: Sequence[Turn], number: int) -> None:
    memory.add(turns[number])


def recall(memory: Memory, probes: Sequence[Probe], number: int) -> None:
    memory.recall(probes[number].question, budget=2000)


def in_turns(works: Mapping[str, Callable[[int], None]], times: int) -> dict[str, float]:
    """Median seconds of each, `BLOCK` of one and then of the other, the first block of each left out."""
    taken: dict[str, list[float]] = {engine: [] for engine in works}
    for start in range(0, times, BLOCK):
        for engine, work in works.items():
            taken[engine] += [timed(work, number) for number in range(start, start + BLOCK)]
    return {engine: statistics.median(seconds[BLOCK:]) for engine, seconds in taken.items()}


def adding(places: StoreAddresses, turns: Sequence[Turn]) -> None:
    half = len(turns) // 2
    with both(places) as memories:
        found = in_turns({name: partial(add, memory, turns) for name, memory in memories.items()}, half)
        show("durable add, median", "ms", *(1e3 * found[engine] for engine in ("sqlite", "postgres")))
        rates = {name: len(turns[half:]) / timed(together, memory, turns[half:]) for name, memory in memories.items()}
        show(f"adds a second by {ADDERS} threads", "", rates["sqlite"], rates["postgres"])


def together(memory: Memory, turns: Sequence[Turn]) -> None:
    def work(mine: Sequence[Turn]) -> None:
        for turn in mine:
            memory.add(turn)

    threads = [threading.Thread(target=work, args=(turns[place::ADDERS],)) for place in range(ADDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sized(places: StoreAddresses, count: int) -> None:
    """Bulk ingest, recall, opening and size at so many turns."""
    writer = ConversationGenerator()
    turns = list(writer.turns(count))
    probes = writer.probes([turn.text for turn in turns], 10 * BLOCK)
    text = sum(len(turn.text.encode()) for turn in turns)
    rates, sizes, opens = {}, {}, {}
    for engine, place in places.items():
        with opened(place) as memory:
            rates[engine] = count / timed(memory.add_many, turns)
            assert memory.drain(600)
        store = open_store(place)
        sizes[engine] = (store.size() - text) / count
        store.close()
    show(f"bulk ingest, {count:,} turns", "turns/s", rates["sqlite"], rates["postgres"])
    with both(places) as memories:
        works = {name: partial(recall, memory, probes) for name, memory in memories.items()}
        found = in_turns(works, len(probes))
    show(f"recall, median, {count:,} turns", "ms", *(1e3 * found[engine] for engine in ("sqlite", "postgres")))
    for engine, place in places.items():
        opens[engine] = statistics.median(timed(first_answer, place, probes[0]) for _ in range(7))
    show(f"opening and the first answer, {count:,} turns", "ms", 1e3 * opens["sqlite"], 1e3 * opens["postgres"])
    show(f"bytes a turn beyond its text, {count:,} turns", "", sizes["sqlite"], sizes["postgres"])


def first_answer(place: str | Store, probe: Probe, space: str = "default") -> None:
    with opened(place, space) as memory:
        memory.recall(probe.question, budget=2000)


def many_spaces(alone: StoreAddresses, crowd: StoreAddresses, spaces: int) -> None:
    """One space of an installation with many, beside the same space in an installation of its own."""
    writer = ConversationGenerator()
    turns = list(writer.turns(SPACE_TURNS))
    probes = writer.probes([turn.text for turn in turns], 4 * BLOCK)
    for engine, place in alone.items():
        with opened(place) as memory:
            memory.add_many(turns)
            memory.rebuild()  # packs what came last as well
            assert memory.drain(60)
        filled = timed(multiply, place, crowd[engine], spaces)
        print(f"<!-- {engine}: {spaces} spaces written in {filled:.0f} s -->", flush=True)
    for engine in alone:
        lone, full = open_store(alone[engine]), open_store(crowd[engine])
        chosen = random.Random(1).sample(range(spaces), min(spaces, ASKED_SPACES))  # noqa: S311  # which are asked
        firsts = [
            (timed(first_answer, lone, probes[0]), timed(first_answer, full, probes[0], f"user {number}"))
            for number in chosen
        ]
        with opened(lone) as one, opened(full, f"user {chosen[0]}") as other:
            works = {"alone": partial(recall, one, probes), "crowd": partial(recall, other, probes)}
            found = in_turns(works, len(probes))
        first = [statistics.median(column) for column in zip(*firsts, strict=True)]
        size = full.size() / (spaces * SPACE_TURNS)
        per_text = sum(len(turn.text.encode()) for turn in turns) / SPACE_TURNS
        lone.close()
        full.close()
        print(
            f"| {engine} | {1e3 * found['alone']:.3g} ms | {1e3 * found['crowd']:.3g} ms | "
            f"{found['crowd'] / found['alone']:.2f} | {1e3 * first[0]:.3g} ms | {1e3 * first[1]:.3g} ms | "
            f"{first[1] / first[0]:.2f} | {size:,.0f} ({per_text:.0f} of text) |",
            flush=True,
        )


def multiply(source: str, target: str, spaces: int) -> None:
    """Writes one space's rows under many names: as if so many people had said it."""
    giver, taker = open_store(source), open_store(target)
    with giver.snapshot() as reader:
        rows = {name: reader.scan(name, ("default",), ("default",)) for name in TABLES if name != "lease"}
    for number in range(spaces):
        named: dict[str, list[Row]] = {
            name: [(f"user {number}", *row[1:]) for row in found] for name, found in rows.items() if found
        }
        taker.transaction(partial(put_all, named), durable=False)
    giver.close()
    taker.close()


def put_all(rows: Mapping[str, list[Row]], tx: Transaction) -> None:
    for name, found in rows.items():
        tx.put(name, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server", default="embedded", choices=("embedded", "debian"))
    parser.add_argument("--turns", default="10000,100000")
    parser.add_argument("--spaces", type=int, default=1_000)
    options = parser.parse_args()
    print(f"{sys.platform}, Python {sys.version.split()[0]}, PostgreSQL: {options.server}\n")
    with own(options.server, SETTINGS) as server, tempfile.TemporaryDirectory(prefix="clew-postgres-") as name:

        def places(what: str) -> StoreAddresses:
            return {"sqlite": str(Path(name) / what), "postgres": server.url(schema=what)}

        print("| what | SQLite | PostgreSQL | ratio |\n|---|---:|---:|---:|")
        adding(places("adds"), list(ConversationGenerator().turns(960)))
        for count in map(int, filter(None, options.turns.split(","))):
            sized(places(f"turns_{count}"), count)
        if options.spaces:
            print(
                f"\n| {options.spaces:,} spaces of {SPACE_TURNS:,} turns | recall, one space alone | among all "
                "| ratio | first answer alone | among all | ratio | bytes a turn |\n"
                "|---|---:|---:|---:|---:|---:|---:|---:|"
            )
            many_spaces(places("alone"), places("crowd"), options.spaces)


if __name__ == "__main__":
    main()
