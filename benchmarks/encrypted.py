"""Measures an encrypted home beside a plain one, in turn. Run `python -m benchmarks.encrypted [TURNS]`.

It needs the SQLite that encrypts: after `./dev test-encrypted --co -q`, put `PYTHONPATH=.venv/encrypted` before it.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import apsw

from clew.evaluate.speed.clocks import quantile, settle
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.memory import Memory
from clew.store.rekey import rekey
from clew.store.rows import turn_row
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.values import Row

SECRET: Final = "for measuring only"  # noqa: S105  # it opens what lives as long as this program
BLOCK: Final = 20
QUESTIONS: Final = 200


def main(turns: int) -> None:
    build = getattr(apsw, "mc_version", None)
    if build is None:
        raise SystemExit("this needs the SQLite that encrypts; see the first lines of this file")
    print(f"{build}, {turns:,} turns; median milliseconds by the wall, processor time of the process in brackets")
    texts = ConversationGenerator()
    told = list(texts.turns(turns))
    probes = texts.probes([turn.text for turn in told], QUESTIONS)
    with tempfile.TemporaryDirectory(prefix="clew-encrypted-") as folder:
        places = {name: Path(folder) / name for name in ("plain", "encrypted")}
        stores = {
            "plain": SqliteStore.open(places["plain"]),
            "encrypted": SqliteStore.open(places["encrypted"], secret=SECRET),
        }
        memories = {name: Memory.open(store, embedder="none") for name, store in stores.items()}
        single, rest = told[: min(1000, turns // 2)], told[min(1000, turns // 2) :]
        rows = [turn_row("bare", replace(turn, seq=seq), b"hash") for seq, turn in enumerate(single)]
        _compare("durable row", stores, [lambda store, row=row: _put(store, row) for row in rows])
        _compare("durable add", memories, [lambda memory, turn=turn: memory.add(turn) for turn in single])
        parts = [rest[start : start + 500] for start in range(0, len(rest), 500)]
        _compare("500 turns at once", memories, [lambda memory, part=part: memory.add_many(part) for part in parts], 1)
        for memory in memories.values():
            settle(memory)
        asked = [probe.question for probe in probes]
        _compare("recall", memories, [lambda memory, asked=each: memory.recall(asked, budget=2000) for each in asked])
        for name, store in stores.items():
            memories[name].close()
            store.close()
        opened = {
            "plain": lambda: SqliteStore.open(places["plain"]).close(),
            "encrypted": lambda: SqliteStore.open(places["encrypted"], secret=SECRET).close(),
        }
        _compare("opening", opened, [lambda open_home: open_home()] * 20, 1)
        megabytes = (places["plain"] / DATABASE).stat().st_size / 1e6
        started = time.perf_counter()
        rekey(places["plain"], None, SECRET)
        print(f"rekey of {megabytes:.0f} MB: {time.perf_counter() - started:.1f} s")


def _put(store: SqliteStore, row: Row) -> None:
    store.transaction(lambda tx: tx.put("turn", [row]))


def _compare(
    title: str, subjects: Mapping[str, Any], works: Sequence[Callable[..., object]], block: int = BLOCK
) -> None:
    """Does each work on each subject, `block` in turn, and prints medians and their ratio."""
    walls: dict[str, list[float]] = {name: [] for name in subjects}
    spent: dict[str, list[float]] = {name: [] for name in subjects}
    for start in range(0, len(works), block):
        for name, subject in sorted(subjects.items(), reverse=start // block % 2 == 0):  # each is first as often
            for work in works[start : start + block]:
                wall, processor = time.perf_counter(), time.process_time()
                work(subject)
                walls[name].append(1000 * (time.perf_counter() - wall))
                spent[name].append(1000 * (time.process_time() - processor))
    kept = {name: (quantile(walls[name][block:], 0.5), quantile(spent[name][block:], 0.5)) for name in subjects}
    (plain, plain_cpu), (encrypted, encrypted_cpu) = kept["plain"], kept["encrypted"]
    print(
        f"{title}: plain {plain:.2f} ({plain_cpu:.2f}), encrypted {encrypted:.2f} ({encrypted_cpu:.2f}), "
        f"ratio {encrypted / plain:.2f} ({encrypted_cpu / plain_cpu:.2f})"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
