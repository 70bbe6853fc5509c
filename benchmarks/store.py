"""What the embedded store costs, beside bare SQLite doing the same in the same run.

    python benchmarks/store.py [--home DIRECTORY] [--quick]

CPU is of the whole process. The disk of a virtual machine often acknowledges a sync at once, so group commit is also
measured with a disk that takes 2 ms longer (a file layer that sleeps), as a consumer SSD does.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from clew.store.sqlite import SqliteStore
from clew.store.tables import TABLES
from clew.store.values import Row

SLOW_SYNC = 0.002
THREADS = 16
WRITERS, READERS = 4, 2
TEXT = "We picked Redis for sessions, and the old table stays until the end of May. " * 5


class Cost(NamedTuple):
    """Seconds for one piece of work."""

    wall: float
    cpu: float


class SlowDisk(apsw.VFS):
    """The operating system's files, with a sync that takes longer."""

    def __init__(self) -> None:
        super().__init__("slow", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's name
        """See the base class."""
        return _SlowFile("", name, flags)


class _SlowFile(apsw.VFSFile):
    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's name
        time.sleep(SLOW_SYNC)
        super().xSync(flags)


@contextmanager
def opened(place: Path, **options: Any) -> Iterator[SqliteStore]:
    with tempfile.TemporaryDirectory(dir=place) as home:
        store = SqliteStore.open(Path(home), **options)
        yield store
        store.close()


def cost(work: Callable[[], object], times: int) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        work()
    return Cost((time.perf_counter() - wall) / times, (time.process_time() - cpu) / times)


def median(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def turns(amount: int) -> list[Row]:
    """Whole rows of the widest table, three indexes and all."""
    return [
        (
            *("s", f"session-{n // 300:08}", n % 300, n, n.to_bytes(32, "big"), 1_700_000_000_000_000 + n),
            *(f"external-{n}", "main", None, "user", "Alice", "user", "jsonl", 1_700_000_000_000_000, None, None, TEXT),
        )
        for n in range(amount)
    ]


def durable_put(place: Path, times: int) -> None:
    """One row, one durable commit: ours against a bare connection's, in turns."""
    numbers = count()
    with opened(place) as store, tempfile.TemporaryDirectory(dir=place) as other:
        bare = apsw.Connection(str(Path(other) / "bare.db"))
        bare.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").fetchall()
        bare.execute(
            "CREATE TABLE receipt (space TEXT, receipt TEXT, at INTEGER, data TEXT, PRIMARY KEY (space, receipt))"
        )

        def commit_bare() -> None:
            bare.execute("INSERT INTO receipt VALUES (?, ?, ?, ?)", ("s", f"{next(numbers):09}", 1, TEXT))

        def commit_ours() -> None:
            store.transaction(lambda tx: tx.put("receipt", [("s", f"{next(numbers):09}", 1, TEXT)]))

        rounds = [(cost(commit_bare, times // 10), cost(commit_ours, times // 10)) for _ in range(12)][2:]
        bare.close()
    theirs, ours = median([each[0] for each in rounds]), median([each[1] for each in rounds])
    print("One durable row      wall ms   CPU ms")
    print(f"  bare commit       {theirs.wall * 1e3:8.3f} {theirs.cpu * 1e3:8.3f}")
    print(f"  store             {ours.wall * 1e3:8.3f} {ours.cpu * 1e3:8.3f}")
    print(f"  more CPU: {(ours.cpu - theirs.cpu) * 1e3:.3f} ms (bar: at most 0.4)\n")


def together(store: SqliteStore, threads: int, each: int, numbers: Iterator[int]) -> float:
    """Transactions a second; a row that is there already would cost no sync, so each has a number of its own."""

    def add() -> None:
        for _ in range(each):
            store.transaction(lambda tx: tx.put("receipt", [("s", f"{next(numbers):09}", 1, TEXT)]))

    started = [threading.Thread(target=add) for _ in range(threads)]
    began = time.perf_counter()
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return threads * each / (time.perf_counter() - began)


def group_commit(place: Path, times: int) -> None:
    """Threads that add at the same time against one that adds alone."""
    slow = SlowDisk()
    print(f"Durable transactions/s      one   {THREADS} threads   ratio (bar: 5)")
    for name, options in (("this disk", {}), (f"with {SLOW_SYNC * 1e3:.0f} ms a sync", {"vfs": "slow"})):
        with opened(place, **options) as store:
            numbers = count()
            rounds = [
                (together(store, 1, times // 4, numbers), together(store, THREADS, times // THREADS, numbers))
                for _ in range(4)
            ]
        alone, many = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"  {name:20} {alone:9.0f} {many:10.0f} {many / alone:9.1f}")
    print()
    slow.unregister()


def bulk(place: Path, amount: int) -> None:
    """Whole turns, 500 in a transaction."""
    rows = turns(amount)
    with opened(place) as store, tempfile.TemporaryDirectory(dir=place) as other:
        bare = apsw.Connection(str(Path(other) / "bare.db"))
        bare.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000").fetchall()
        table = TABLES["turn"]
        bare.execute(f"CREATE TABLE turn ({', '.join(table.names)}, PRIMARY KEY (space, session, seq))")
        bare.execute("CREATE INDEX o ON turn (space, ordinal, session, seq)")
        bare.execute("CREATE INDEX e ON turn (space, session, external_id, seq)")
        insert = f"INSERT INTO turn VALUES ({', '.join('?' * len(table.names))})"  # noqa: S608  # declared names
        places, bare_places = iter(range(0, amount, 500)), iter(range(0, amount, 500))

        def put_ours() -> None:
            start = next(places)
            store.transaction(lambda tx: tx.put("turn", rows[start : start + 500]))

        def put_bare() -> None:
            start = next(bare_places)
            with bare:
                bare.executemany(insert, rows[start : start + 500])

        theirs, ours = cost(put_bare, amount // 500), cost(put_ours, amount // 500)
        size = store.size()
        bare.close()
    text = len(TEXT) * amount
    print(f"{amount} turns of {len(TEXT)} characters, 500 a transaction     CPU us a row    rows/s")
    print(f"  bare executemany                                {theirs.cpu / 500 * 1e6:8.1f} {500 / theirs.wall:12.0f}")
    print(f"  store                                           {ours.cpu / 500 * 1e6:8.1f} {500 / ours.wall:12.0f}")
    print(f"  on disk beyond the text: {(size - text) / amount:.0f} bytes a row\n")


def reading(place: Path, times: int) -> None:
    with opened(place) as store:
        rows = turns(20_000)
        store.transaction(lambda tx: tx.put("turn", rows))
        places = iter(range(10**9))

        def look() -> None:
            with store.snapshot() as reader:
                reader.get("turn", ("s", "session-00000001", 5))

        print("Reading, CPU us")
        with store.snapshot() as reader:
            works: dict[str, Callable[[], object]] = {
                "get": lambda: reader.get("turn", ("s", f"session-{next(places) % 60:08}", 5)),
                "scan, one row by ordinal": lambda: reader.scan(
                    "turn", ("s", (n := next(places) * 7 % 20_000)), ("s", n), index="ordinal"
                ),
                "scan, two columns of 300": lambda: reader.scan(
                    "turn", ("s", "session-00000003"), ("s", "session-00000003"), columns=("seq", "at")
                ),
                "snapshot and get": look,
                "version": store.version,
            }
            for name, work in works.items():
                print(f"  {name:26} {cost(work, times).cpu * 1e6:8.1f}")
        print()


CHILD = """
import json, sys, time
from pathlib import Path
from clew.store.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
def put(tx):
    tx.put("receipt", [("s", f"{sys.argv[2]}-{number:06}", 1, "x" * 300)])
    return time.perf_counter()
turns = []
for number in range(int(sys.argv[3])):
    asked = time.perf_counter()
    if sys.argv[2].startswith("writer"):
        turns.append((asked, store.transaction(put), time.perf_counter()))
    else:
        with store.snapshot() as reader:
            reader.scan("receipt", ("s",), ("s",), limit=10, reverse=True)
        time.sleep(0.002)
print(json.dumps(turns))
store.close()
"""


def start(command: list[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def processes(place: Path, times: int) -> None:
    """Four writing and two reading processes: what each writer waited, in time and in commits of the others.

    The second says whether turns are fair; the first also holds what the disk and the machine's other work cost.
    """
    with tempfile.TemporaryDirectory(dir=place) as home:
        SqliteStore.open(Path(home)).close()
        names = [f"writer{n}" for n in range(WRITERS)] + [f"reader{n}" for n in range(READERS)]
        children = [start([sys.executable, "-c", CHILD, home, name, str(times)]) for name in names]
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        answers = [child.communicate() for child in children]
        store = SqliteStore.open(Path(home))
        with store.snapshot() as reader:
            kept = reader.count("receipt", ("s",), ("s",))
        store.close()
    errors = [error for _, error in answers if error]
    turns = [turn for output, _ in answers[:WRITERS] for turn in json.loads(output)]
    waits = sorted(done - asked for asked, _, done in turns)
    began = sorted(began for _, began, _ in turns)
    others = sorted(bisect_left(began, own) - bisect_left(began, asked) for asked, own, _ in turns)
    middle, late = statistics.median(waits), waits[int(len(waits) * 0.99)]
    print(f"{WRITERS} writing and {READERS} reading processes, {times} commits a writer")
    print(f"  lost {WRITERS * times - kept}, processes with errors {len(errors)}")
    print(f"  a writer waits: median {middle * 1e3:.2f} ms, 99 % {late * 1e3:.2f}, longest {waits[-1] * 1e3:.2f}")
    print(f"  longest / median: {waits[-1] / middle:.1f} (bar: 10)")
    print(f"  commits of others meanwhile: median {others[len(others) // 2]}, most {others[-1]}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--home", type=Path, default=Path(tempfile.gettempdir()), help="a directory on the disk to measure"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    options = parser.parse_args()
    part = 10 if options.quick else 1
    durable_put(options.home, 2000 // part)
    group_commit(options.home, 3200 // part)
    bulk(options.home, 50_000 // part)
    reading(options.home, 10_000 // part)
    processes(options.home, 1000 // part)


if __name__ == "__main__":
    main()
