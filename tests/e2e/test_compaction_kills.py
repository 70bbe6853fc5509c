"""kill -9 within and after each transaction of a compaction: it goes on where it stopped, and nothing is lost."""

import shutil
import sys
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.rows.recap_states import TABLES_OF_SESSIONS
from clew.types import Turn
from tests.support.kill_operations import opened
from tests.support.memories import rows, texts

if sys.platform == "win32":
    pytest.skip("victims are forked, which Windows cannot do", allow_module_level=True)

from tests.support.killing import Nursery

pytestmark = [pytest.mark.requirement("F-COMPACT-03"), pytest.mark.timeout(900), pytest.mark.slow]
TURNS = 600  # three stretches
STEPS = 4  # transactions: the stretches, and the compaction


def filled(home: Path) -> list[str]:
    said = ("We decided to keep src/part_{n}.py because it is small.", "What about the harbour of town {n}?", "ok")
    turns = [Turn(role="user", content=said[n % 3].format(n=n // 3), session="s") for n in range(TURNS)]
    with opened(home) as memory:
        memory.add_many(turns)
        assert memory.drain(200)
        return texts(memory)


def made(memory: Memory) -> dict[str, object]:
    """What a compaction leaves, but for how often its state was written."""
    found: dict[str, object] = {name: rows(memory.reads.store, name) for name in TABLES_OF_SESSIONS}
    found["recap_state"] = [row[3:] for row in rows(memory.reads.store, "recap_state")]
    return found


def test_a_compaction_killed_at_each_step_goes_on_and_gives_the_same(tmp_path: Path) -> None:
    stored = filled(tmp_path / "home" / "never")
    homes = [(step, moment) for step in range(1, STEPS + 1) for moment in ("within", "after")]
    for step, moment in homes:
        shutil.copytree(tmp_path / "home" / "never", tmp_path / "home" / f"{step}-{moment}")
    with Nursery() as nursery:
        whole = nursery.run("condensing", tmp_path, "never", 0, "after")
        assert whole.names("condensed") == {"never"}
        with opened(tmp_path / "home" / "never") as memory:
            expected = made(memory)
        for step, moment in homes:
            name = f"{step}-{moment}"
            assert nursery.run("condensing", tmp_path, name, step, moment).killed
            with opened(tmp_path / "home" / name) as memory:
                assert memory.verify().problems == ()
                assert texts(memory) == stored
                assert len(rows(memory.reads.store, "compaction")) == (step == STEPS and moment == "after")
            assert nursery.run("condensing", tmp_path, name, 0, "after").names("condensed") == {name}
            with opened(tmp_path / "home" / name) as memory:
                assert made(memory) == expected, name


def test_one_killed_at_every_step_in_turn_reads_each_turn_once(tmp_path: Path) -> None:
    """Each run is killed after its first transaction, so each stretch is made by another process."""
    filled(tmp_path / "home" / "often")
    last = []
    with Nursery() as nursery:
        for _ in range(STEPS):
            assert nursery.run("condensing", tmp_path, "often", 1, "after").killed
            with opened(tmp_path / "home" / "often") as memory:
                last += [row[3] for row in rows(memory.reads.store, "recap_state")]
    assert last == [255, 511, TURNS - 3, TURNS - 3]
