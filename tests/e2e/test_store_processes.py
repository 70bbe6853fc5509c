"""Several processes on one home: nothing lost, no error, no writer left waiting, every commit seen."""

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from clew.store.sqlite import SqliteStore
from clew.store.statements import migrations
from tests.support.store_rows import everything, put, session

WRITERS, READERS, EACH = 4, 2, 100

WRITER = """
import sys
from pathlib import Path
from clew.store.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
def work(tx):
    count = tx.get("session", ("a", "counter"))[2]
    tx.put("session", [("a", "counter", count + 1, None, "{}", 1), ("a", "twin", count + 1, None, "{}", 1)])
    tx.put("tail", [("a", count, sys.argv[2].encode())])
for _ in range(int(sys.argv[3])):
    store.transaction(work)
store.close()
"""

READER = """
import json, sys, threading
from pathlib import Path
from clew.store.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), sys.stdin.readline(), stop.set()), daemon=True).start()
print("ready", flush=True)
torn, counts, unseen, seen = 0, [], 0, {}
while not (len(counts) > 1 and stop.is_set()):
    before = store.version()
    with store.snapshot() as reader:
        rows = reader.scan("session", ("a",), ("a",), columns=("next_seq",))
        tail = reader.count("tail", ("a",), ("a",))
    torn += len(set(rows)) != 1 or tail != rows[0][0]
    if store.version() == before:  # no commit meanwhile, so that this version has this count and no other
        unseen += seen.setdefault(before, rows[0][0]) != rows[0][0]
    counts.append(rows[0][0])
    stop.wait(0.001)
print(json.dumps({"torn": torn, "back": counts != sorted(counts), "unseen": unseen, "looks": len(counts)}))
store.close()
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until_ready(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def contested(tail: list[str]) -> list[str]:
    """The writers of the commits that were made while all of them were at it."""
    writers = set(tail)
    first = max(tail.index(writer) for writer in writers)
    last = len(tail) - max(tail[::-1].index(writer) for writer in writers)
    return tail[first:last]


@pytest.mark.requirement("F-STORE-21", "F-STORE-12", "F-STORE-11")
def test_writers_and_readers_of_several_processes(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    put(store, "session", session("counter"), session("twin"))
    writers = [start(WRITER, str(tmp_path), f"w{number}", str(EACH)) for number in range(WRITERS)]
    readers = [start(READER, str(tmp_path)) for _ in range(READERS)]
    wait_until_ready([*writers, *readers])
    for process in [*readers, *writers]:
        go(process)
    for writer in writers:
        assert writer.communicate()[1] == ""
    for reader in readers:
        output, errors = reader.communicate("stop\n")
        assert errors == ""
        report = json.loads(output)
        assert report.pop("looks") > 1
        assert report == {"torn": 0, "back": False, "unseen": 0}

    tail = [row[2].decode() for row in everything(store, "tail") if isinstance(row[2], bytes)]
    assert len(tail) == WRITERS * EACH
    assert Counter(tail) == {f"w{number}": EACH for number in range(WRITERS)}
    assert store.check() == []
    together = contested(tail)
    if len(together) >= 100:  # else they ran one after the other, for want of processors
        turns = sum(one != other for one, other in pairwise(together))
        assert turns > 0.5 * len(together), "writers were left waiting, which no stop of one of them explains"
    store.close()


@pytest.mark.requirement("F-STORE-24")
def test_many_processes_open_a_new_home_at_once(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from clew.store.sqlite import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore.open(Path(sys.argv[1]) / "home")
store.transaction(lambda tx: tx.put("session", [("a", sys.argv[2], 0, None, "{}", 1)]))
print(store.migrate(), store.check())
store.close()
"""
    openers = [start(code, str(tmp_path), str(number)) for number in range(6)]
    wait_until_ready(openers)
    for opener in openers:
        go(opener)
    for opener in openers:
        assert opener.communicate() == (f"{len(migrations('sqlite'))} []\n", "")
    store = SqliteStore.open(tmp_path / "home")
    assert [row[1] for row in everything(store, "session")] == list("012345")
    store.close()


@pytest.mark.requirement("F-STORE-21")
def test_two_stores_of_one_process_share_a_home(tmp_path: Path) -> None:
    first, second = SqliteStore.open(tmp_path), SqliteStore.open(tmp_path)
    version = second.version()
    put(first, "session", session("from the first"))
    assert second.version() != version
    put(second, "session", session("from the second"))
    first.close()
    put(second, "session", session("later"))
    assert len(everything(second, "session")) == 3
    second.close()
