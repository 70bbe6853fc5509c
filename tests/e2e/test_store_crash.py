"""kill -9 at random moments: what was acknowledged is there, and nothing is there by half."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.store.sqlite import SqliteStore
from tests.support.killing import Program

LOOPS = int(os.environ.get("CLEW_KILL_LOOPS", "2"))

ADDER = """
import os, sys, threading
from pathlib import Path
from clew.store.sqlite import SqliteStore
from clew.store.writer import Limits
store = SqliteStore.open(Path(sys.argv[1]), limits=Limits(checkpoint=50, too_long=200))
def add(thread):
    for number in range(1_000_000):
        name, old = (f"{sys.argv[2]}-{thread}-{n:06}" for n in (number, number - 2))
        def work(tx):
            tx.put("session", [("a", name, 0, None, "{}", 1)])
            tx.put_blob("a", name, name.encode() * 300)
            tx.delete("session", ("a", old), ("a", old))
            tx.put("tail", [("a", hash((name, n)), b"part") for n in range(5)])
            tx.put("receipt", [("a", name, 5, b"{}")])
        store.transaction(work)
        os.write(1, f"{name}\\n".encode())
for thread in range(3):
    threading.Thread(target=add, args=(thread,)).start()
"""


@pytest.mark.thorough
@pytest.mark.requirement("F-STORE-20")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_nothing_acknowledged_is_lost_when_processes_are_killed(tmp_path: Path) -> None:
    home, acknowledged, chance = tmp_path / "home", set[str](), random.Random(7)  # noqa: S311  # moments to kill at
    for loop in range(LOOPS):
        first, second = (Program(ADDER, home, f"{loop}{side}") for side in "ab")
        first.wait_for(1)
        threading.Event().wait(chance.uniform(0, 0.2))
        first.kill()
        second.wait_for(len(second.said) + 5)  # goes on, whatever the other held
        threading.Event().wait(chance.uniform(0, 0.05))
        second.kill()
        acknowledged.update(first.said, second.said)
        check(home, acknowledged)


def check(home: Path, acknowledged: set[str]) -> None:
    store = SqliteStore.open(home)
    assert store.check() == []
    with store.snapshot() as reader:
        receipts = {str(name) for (name,) in reader.scan("receipt", ("a",), ("a",), columns=("receipt",))}
        blobs = {str(name): data for _, name, _, data in reader.scan("blob", ("a",), ("a",))}
        sessions = {str(name) for (name,) in reader.scan("session", ("a",), ("a",), columns=("session",))}
        assert acknowledged <= receipts
        assert blobs == {name: name.encode() * 300 for name in receipts}
        assert reader.count("tail", ("a",), ("a",)) == 5 * len(receipts)
        assert sessions == newest_two(receipts)
    store.close()


def newest_two(names: set[str]) -> set[str]:
    """What each thread's deletions leave."""
    by_thread: dict[str, list[str]] = {}
    for name in sorted(names):
        by_thread.setdefault(name.rpartition("-")[0], []).append(name)
    return {name for mine in by_thread.values() for name in mine[-2:]}


OPENER = """
import sys
from pathlib import Path
from clew.store.sqlite import SqliteStore
print("opening", flush=True)
SqliteStore.open(Path(sys.argv[1]))
"""


@pytest.mark.thorough
@pytest.mark.requirement("F-STORE-20", "F-STORE-23")
def test_a_home_opens_after_its_first_opening_was_killed(tmp_path: Path) -> None:
    chance = random.Random(11)  # noqa: S311  # moments to kill at
    for loop in range(LOOPS):
        home = tmp_path / str(loop)
        opener = subprocess.Popen([sys.executable, "-c", OPENER, str(home)], stdout=subprocess.PIPE)
        assert opener.stdout is not None
        opener.stdout.readline()
        threading.Event().wait(chance.uniform(0, 0.01))
        opener.kill()
        opener.communicate()
        store = SqliteStore.open(home)
        assert store.check() == []
        store.transaction(lambda tx: tx.put("session", [("a", "s", 0, None, "{}", 1)]))
        store.close()
