"""Copies between engines, both ways, and copies that are killed."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.maintain.copy_space import copy_space
from clew.memory import Memory
from clew.store.sqlite import SqliteStore
from clew.testing import HashEmbedder
from clew.types import Turn
from tests.support.cli_runs import done, failure, record, records

LOOPS = int(os.environ.get("CLEW_KILL_LOOPS", "2"))
COPIER = """
import sys
from pathlib import Path
from clew.maintain.copy_space import copy_space
from clew.store.sqlite import SqliteStore
source, target = (SqliteStore.open(Path(each)) for each in sys.argv[1:])
print("begun", flush=True)
copy_space(source, target, "default")
"""


def fill(home: Path, count: int) -> None:
    with Memory.open(home, embedder=HashEmbedder(), config={"index": {"pack_minimum": 64}}) as memory:
        memory.add_many(Turn(role="user", content=f"launch {n} of rocket {n % 7}", session="s") for n in range(count))
        memory.forget(turn_ids=["s:turn:3"])
        memory.drain(None)


@pytest.mark.requirement("S-COPY-01", "S-COPY-09")
@pytest.mark.usefixtures("tmp_home")
def test_a_home_goes_to_a_server_and_back(tmp_path: Path, url: str) -> None:
    home, back = tmp_path / "home", tmp_path / "back"
    fill(home, 150)
    there = record("copy", home, url)
    assert there["rows"]["turn"] == 149
    assert record("verify", "--home", url)["ok"]
    assert records("search", "rocket 5", "--home", url) == records("search", "rocket 5", "--home", home)
    assert record("copy", url, back)["rows"] == there["rows"]
    assert record("verify", "--home", back)["ok"]
    assert "0 written, 0 removed" in done("copy", back, home)
    done("add", "one more", "--session", "new", "--home", back)
    assert record("merge", back, url)["added"] == 1
    assert "as source and as target" in failure(1, "merge", url, url)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.requirement("S-COPY-02")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_a_killed_copy_is_finished_by_the_next(tmp_path: Path) -> None:
    home, chance = tmp_path / "home", random.Random(3)  # noqa: S311  # moments to kill at
    fill(home, 600)
    for loop in range(LOOPS):
        target = tmp_path / str(loop)
        command = [sys.executable, "-c", COPIER, str(home), str(target)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        threading.Event().wait(chance.uniform(0, 0.3))
        process.kill()
        process.communicate()
        first, second = SqliteStore.open(home), SqliteStore.open(target)
        assert second.check() == []
        copy_space(first, second, "default")
        first.close()
        second.close()
        with Memory.open(target, embedder=HashEmbedder(), config={}) as memory:
            assert memory.verify().problems == ()
