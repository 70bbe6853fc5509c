"""Where the bytes of a home are: `clew bench speed`'s disk and memory a turn, and the disk by table.

    python -m benchmarks.disk [--turns N] [--data PATH] [--asked N]

A home is made of invented turns, as `clew bench speed` makes it: first without an embedder, then each turn gets a
random vector of 384 dimensions, then questions are asked, each of which leaves a receipt. With `--data` (a file or
folder of `clew bench recall`) it holds those conversations instead.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from clew.evaluate.datasets import load
from clew.evaluate.speed.clocks import settle
from clew.evaluate.speed.footprint import measure_home
from clew.evaluate.speed.synthetic import ConversationGenerator, Probe
from clew.evaluate.speed.vectors import RandomEmbedder
from clew.memory import Memory
from clew.store.sqlite import DATABASE
from clew.types.turn import Turn

LEAST = 0.5
"""Bytes a turn from which a table is named."""


def build(home: Path, turns: Sequence[Turn], questions: Sequence[str]) -> None:
    """Makes the home and lets it come to rest."""
    with Memory.open(home, embedder="none") as memory:
        memory.add_many(turns)
        settle(memory)
    with Memory.open(home, embedder=RandomEmbedder()) as memory:
        memory.add_many([])
        settle(memory)
    with Memory.open(home, embedder=RandomEmbedder()) as memory:
        for question in questions:
            memory.recall(question, budget=2000)


def tables(home: Path) -> Iterator[tuple[str, int, int, int]]:
    """Each table and index with its bytes, those of its rows, and those that its pages leave unused; largest first."""
    connection = apsw.Connection(str(home / DATABASE))
    query = "SELECT name, sum(pgsize), sum(payload), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC, 1"
    for name, size, payload, unused in connection.execute(query):
        yield str(name), int(size), int(payload), int(unused)
    connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=10_000, help="invented turns")
    parser.add_argument("--data", type=Path, help="conversations instead of invented turns")
    parser.add_argument("--asked", type=int, default=220, help="questions, as many as clew bench speed asks")
    options = parser.parse_args()
    writer = ConversationGenerator()
    invented = list(writer.turns(options.turns))
    turns = [said.to_turn() for talk in load(options.data) for said in talk.turns] if options.data else invented
    texts = [turn.text for turn in turns]
    probes: list[Probe] = writer.probes(texts, options.asked + 1)
    with tempfile.TemporaryDirectory(prefix="clew-disk-") as name:
        home, small = Path(name) / "home", Path(name) / "small"
        build(home, turns, [probe.question for probe in probes[1:]])
        build(small, turns[:20], ())
        for measure in measure_home(home, small, probes[0], texts):
            print(f"{measure.title}: {measure.value:,.4g} {measure.unit}")
        print(f"\n{'bytes a turn':24}{'all':>8}{'rows':>8}{'unused':>8}")
        for table, size, payload, unused in tables(home):
            if size >= LEAST * len(turns):
                print(f"{table:24}" + "".join(f"{each / len(turns):8.1f}" for each in (size, payload, unused)))


if __name__ == "__main__":
    main()
