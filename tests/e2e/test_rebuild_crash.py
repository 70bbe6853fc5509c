"""Recalls and new turns beside a rebuild; rebuilds that are killed are in test_kills."""

import threading
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.types import Turn

CONFIG = {"index": {"pack_minimum": 64}, "embedder": "none"}


def fill(home: Path) -> list[tuple[str | None, float]]:
    """Six hundred turns, and what a question finds among them."""
    with Memory.open(home, config=CONFIG) as memory:
        memory.add_many(Turn(role="user", content=f"launch {n} of rocket {n % 7}", session="s") for n in range(600))
        memory.rebuild()
        return answers(memory)


def answers(memory: Memory) -> list[tuple[str | None, float]]:
    return [(hit.turn.id, hit.score) for hit in memory.search("rocket 3 launch 10")]


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
