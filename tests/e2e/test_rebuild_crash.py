"""Rebuilds that are killed, and recalls beside a rebuild."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.types import Turn

LOOPS = int(os.environ.get("CLEW_KILL_LOOPS", "5"))
CONFIG = {"index": {"pack_minimum": 64}, "embedder": "none"}
REBUILDER = """
import sys
from clew.memory import Memory
memory = Memory.open(sys.argv[1], config={"index": {"pack_minimum": 64}}, embedder="none")
print("begun", flush=True)
while True:
    memory.rebuild()
"""


def fill(home: Path) -> list[tuple[str | None, float]]:
    """Six hundred turns, and what a question finds among them."""
    with Memory.open(home, config=CONFIG) as memory:
        memory.add_many(Turn(role="user", content=f"launch {n} of rocket {n % 7}", session="s") for n in range(600))
        memory.rebuild()
        return answers(memory)


def answers(memory: Memory) -> list[tuple[str | None, float]]:
    return [(hit.turn.id, hit.score) for hit in memory.search("rocket 3 launch 10")]


@pytest.mark.requirement("S-DOCTOR-03")
@pytest.mark.timeout(60 + 10 * LOOPS)
def test_a_killed_rebuild_is_made_good_by_the_next(tmp_path: Path) -> None:
    home, chance = tmp_path / "home", random.Random(5)  # noqa: S311  # moments to kill at
    expected = fill(home)
    for _ in range(LOOPS):
        process = subprocess.Popen([sys.executable, "-c", REBUILDER, str(home)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        threading.Event().wait(chance.uniform(0, 1))
        process.kill()
        process.communicate()
        with Memory.open(home, config=CONFIG) as memory:
            assert answers(memory) == expected, "also before the next rebuild"
            assert memory.rebuild() == 600
            assert memory.verify().problems == ()
            assert answers(memory) == expected


@pytest.mark.requirement("S-DOCTOR-04")
def test_recall_and_adding_go_on_during_a_rebuild(tmp_path: Path) -> None:
    home = tmp_path / "home"
    expected = fill(home)
    with Memory.open(home, config=CONFIG) as memory:
        done = threading.Event()

        def rebuild() -> None:
            memory.rebuild()
            done.set()

        worker = threading.Thread(target=rebuild)
        worker.start()
        asked = 0
        while not done.is_set() or not asked:
            assert answers(memory) == expected
            asked += 1
        worker.join()
        assert answers(memory) == expected
        memory.add(Turn(role="user", content="a zebra came by", session="s"))
        assert memory.search("zebra")[0].turn.id == "s:turn:600"
        assert memory.verify().problems == ()
