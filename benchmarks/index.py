"""Measures the index alone: speed, memory, disk, growth. Run `python -m benchmarks.index --help`.

Two texts: terms drawn by Zipf's law, and the words of a real text in random order, cut into turns of about 25 words.
Tokenising, the store's own commits and the embedder are not counted.
"""

import argparse
import gc
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np

from clew.index.bm25 import NeighbourWindow, bm25f, turn_scores
from clew.index.entry import PieceTerms, TurnEntry, decode, encode
from clew.index.live import LiveIndex
from clew.index.packer import pack
from clew.index.vectors import cosine
from clew.index.view import IndexView
from clew.models.quantize import quantize
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore
from clew.text.terms import query_terms, terms

SPACE, MODEL, DIM = "bench", "bench@1", 384
WINDOW = 10_000
TURN_WORDS = 25
SESSION_TURNS = 40
QUERIES = 300
ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"
QUESTIONS = SAMPLE.with_name("questions.json")


def zipf_bags(turns: int) -> Iterator[Counter[str]]:
    """Bags of 16 terms of a vocabulary of 60,000; a turn of 25 words keeps about so many beside its stop words."""
    rng = np.random.default_rng(7)
    shares = 1 / (np.arange(60_000) + 3.0)
    drawn = rng.choice(len(shares), size=(turns, 16), p=shares / shares.sum())
    for row in drawn.tolist():
        yield Counter(f"{'xyz'[n % 3]}{n:x}term"[:9] for n in row)


def real_bags(turns: int, text: str) -> Iterator[Counter[str]]:
    """Bags of the terms of 25 words each, from all words of a text in random order, as often as they are needed."""
    words = re.findall(r"\S+", text)
    known: dict[str, list[str]] = {}
    pick = random.Random(7)  # noqa: S311  # a fixed order is wanted, no secret
    for _ in range(turns):
        bag: Counter[str] = Counter()
        for word in pick.choices(words, k=TURN_WORDS):
            if word not in known:
                known[word] = terms(word)
            bag.update(known[word])
        yield bag


def entries(bags: Iterator[Counter[str]]) -> Iterator[TurnEntry]:
    """Turns of sessions of 40, with speaker, date words and one date mark as extra terms."""
    for n, bag in enumerate(bags):
        session, seq = divmod(n, SESSION_TURNS)
        day = f"2023-{1 + session % 12:02}-{1 + session % 28:02}"
        extra = {("anna", "boris")[n % 2]: 1, day[8:]: 1, day[:4]: 1, f"@day={day}": 1}
        piece = PieceTerms(bag, extra, 150)
        yield TurnEntry(
            n, f"session-{session}", seq, "", ("Anna", "Boris")[n % 2], "user", n * 10**9, 150, (piece,), stated=150
        )


def fill(store: Store, held: Sequence[TurnEntry]) -> list[tuple[float, float]]:
    """Adds turns in batches of 64 and packs after each; microseconds a turn of encoding and of packing, by window."""
    store.transaction(lambda tx: tx.put("space", [(SPACE, 0, 0, b"", 0)]))
    spent: list[tuple[float, float]] = []
    for first in range(0, len(held), WINDOW):
        encoding = packing = 0.0
        for low in range(first, min(first + WINDOW, len(held)), 64):
            start = time.process_time()
            rows = [(SPACE, entry.ordinal, encode(entry)) for entry in held[low : min(low + 64, first + WINDOW)]]
            encoding += time.process_time() - start
            store.transaction(lambda tx, rows=rows: tx.put("tail", rows), durable=False)  # type: ignore[misc]  # bound early
            start = time.process_time()
            pack(store, SPACE)
            packing += time.process_time() - start
        done = min(WINDOW, len(held) - first) / 1e6
        spent.append((encoding / done, packing / done))
    return spent


def timed(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Median and 95th percentile of a call's CPU time, in milliseconds: what one free core takes."""
    work()
    spent = []
    for _ in range(times):
        start = time.thread_time()
        work()
        spent.append((time.thread_time() - start) * 1e3)
    spent.sort()
    return spent[len(spent) // 2], spent[int(len(spent) * 0.95)]


def queries(held: Sequence[TurnEntry]) -> list[list[str]]:
    """Six different terms of one turn's text each, as frequent as they are in text: more frequent than in questions."""
    pick = random.Random(3)  # noqa: S311  # a fixed order is wanted, no secret
    found: list[list[str]] = []
    while len(found) < QUERIES:
        words = list(pick.choice(held).pieces[0].body)
        if len(words) >= 6:
            found.append(pick.sample(words, 6))
    return found


def questions() -> list[list[str]]:
    """The first six terms of each question about the sample, with a speaker and a year where it has fewer."""
    found = [query_terms(each["question"]) for each in json.loads(QUESTIONS.read_text(encoding="utf-8"))]
    return [[*words, "anna", "2023"][:6] for words in found]


def measure_queries(view: IndexView, name: str, asked: list[list[str]]) -> None:
    """Prints the time of a query with the default windows, with none, and with wide ones."""
    windows = {
        "windows": NeighbourWindow(),
        "none": NeighbourWindow.none(),
        "-5..+3": NeighbourWindow((0.5,) * 5, (0.5,) * 3),
    }
    parts = []
    for kind, window in windows.items():
        source = cycle(asked)

        def query(window: NeighbourWindow = window, source: Iterator[list[str]] = source) -> None:
            turn_scores(view, bm25f(view, next(source), window))

        parts.append("{} p50 {:.2f} p95 {:.2f}".format(kind, *timed(query, QUERIES)))
    share = np.median([view.document_frequency(term) for words in asked for term in words]) / len(view.turns.ordinal)
    print(f"  6 terms, {name} (median term in {share:.1%} of turns), ms: {'; '.join(parts)}")


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def child(home: Path) -> None:
    """Opens a filled store and prints what loading costs; runs in a process of its own, for its memory."""
    store = SqliteStore.open(home)
    LiveIndex(store, "nothing").view()
    gc.collect()
    before, start = resident(), time.perf_counter()
    view = LiveIndex(store, SPACE).view()
    loading = time.perf_counter() - start
    bm25f(view, ["anna"])
    gc.collect()
    print(f"{loading * 1e3} {(resident() - before) / len(view.turns.ordinal)}")


def measure_text(name: str, held: list[TurnEntry]) -> None:
    turns = len(held)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        store = SqliteStore.open(home)
        spent = fill(store, held)
        with store.snapshot() as reader:
            rows = reader.scan("segment", (SPACE,), (SPACE,), columns=("data",))
        disk = sum(len(row[0]) for row in rows if isinstance(row[0], bytes)) / turns
        live = LiveIndex(store, SPACE)
        view = live.view()
        print(f"\n{name}, {turns:,} turns, {len(rows)} segments")
        sums = [encoding + packing for encoding, packing in spent]
        print(f"  encode {spent[-1][0]:.1f} us a turn; pack {np.mean([each[1] for each in spent]):.1f} us a turn")
        print(f"  CPU a turn by windows of {WINDOW:,}: {' '.join(f'{each:.0f}' for each in sums)}")
        print(f"  last window / first: {sums[-1] / sums[0]:.2f}; on disk {disk:.0f} bytes a turn")
        command = [sys.executable, "-m", "benchmarks.index", "--child", str(home)]
        loading, memory = map(float, subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.split())
        print(f"  load {loading:.0f} ms; resident {memory:.0f} bytes a turn")
        asked = queries(held)
        measure_queries(view, "drawn from turns", asked)
        if name.startswith("words"):
            measure_queries(view, "of questions", questions())
        rows_new = [(SPACE, turns + n, encode(entry)) for n, entry in enumerate(entries(zipf_bags(100)))]
        after = [decode(row[2]) for row in rows_new]
        print(f"  decode {timed(lambda: [decode(row[2]) for row in rows_new], 20)[0] * 10:.1f} us a turn")
        measure_refresh(store, live, after, asked)
        store.close()


def measure_refresh(store: Store, live: LiveIndex, more: list[TurnEntry], asked: list[list[str]]) -> None:
    """One turn is added, then asked for: the refresh, and the first query on the new view."""
    refresh, first = [], []
    known = len(live.view().turns.ordinal)
    for n, entry in enumerate(more):
        made = TurnEntry(known + n, "new", n, "", None, "user", None, 150, entry.pieces)
        store.transaction(lambda tx, made=made: tx.put("tail", [(SPACE, made.ordinal, encode(made))]), durable=False)  # type: ignore[misc]  # bound early
        start = time.thread_time()
        view = live.view()
        middle = time.thread_time()
        turn_scores(view, bm25f(view, asked[n]))
        refresh.append(middle - start)
        first.append(time.thread_time() - middle)
    idle = timed(live.view, 1000)[0]
    print(f"  view: unchanged {idle * 1e3:.1f} us; after one added turn {np.median(refresh) * 1e6:.0f} us,")
    print(f"  and the first query then p50 {np.median(first) * 1e3:.2f} ms")


def measure_vectors(turns: int) -> None:
    """Random vectors around 200 centres; agreement with float64 is of the ten nearest."""
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(200, DIM))
    matrix = (centres[rng.integers(200, size=turns)] + 0.8 * rng.normal(size=(turns, DIM))).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    asked = matrix[rng.integers(turns, size=50)] + 0.05 * rng.normal(size=(50, DIM)).astype(np.float32)
    asked = (asked / np.linalg.norm(asked, axis=1, keepdims=True)).astype(np.float32)
    codes, scales = quantize(matrix)
    with tempfile.TemporaryDirectory() as directory:
        store = SqliteStore.open(Path(directory) / "home")
        store.transaction(lambda tx: tx.put("space", [(SPACE, 0, 0, b"", 0)]))
        held = list(entries(iter([Counter({"x": 1})] * turns)))
        store.transaction(lambda tx: tx.put("tail", [(SPACE, entry.ordinal, encode(entry)) for entry in held]))
        spent = 0.0
        for low in range(0, turns, 4096):
            rows = [(SPACE, MODEL, n, float(scales[n]), codes[n].tobytes()) for n in range(low, min(low + 4096, turns))]
            store.transaction(lambda tx, rows=rows: tx.put("vector", rows), durable=False)  # type: ignore[misc]  # bound early
            start = time.process_time()
            pack(store, SPACE)
            spent += time.process_time() - start
        view = LiveIndex(store, SPACE).view()
        one = timed(lambda: cosine(view, MODEL, asked[:1]), 50)
        two = timed(lambda: cosine(view, MODEL, asked[:2]), 50)
        found = cosine(view, MODEL, asked)
        store.close()
    wide = matrix.astype(np.float64) @ asked.astype(np.float64).T
    same = [
        len({*np.argsort(-wide[:, n])[:10].tolist()} & {*np.argsort(-found[n])[:10].tolist()}) / 10 for n in range(50)
    ]
    print(
        f"\nvectors, {turns:,} x {DIM}, {len(view.vectors[MODEL])} segments; "
        f"packing {spent / turns * 1e6:.1f} us a turn"
    )
    print(f"  1 query p50 {one[0]:.2f} ms; 2 queries p50 {two[0]:.2f} ms, p95 {two[1]:.2f} ms")
    print(f"  ten nearest shared with float64: {np.mean(same):.3f}; largest error {np.abs(found - wide.T).max():.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--text", type=Path, default=SAMPLE, help="a file whose words make the real text")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        child(chosen.child)
        return
    text = chosen.text.read_text(encoding="utf-8")
    for turns in chosen.turns:
        measure_text("Zipf terms", list(entries(zipf_bags(turns))))
        measure_text(f"words of {chosen.text.name}", list(entries(real_bags(turns, text))))
        measure_vectors(turns)


if __name__ == "__main__":
    main()
