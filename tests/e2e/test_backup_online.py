"""Backups that are written while others add: each is a whole home, with all that was acknowledged before it began."""

import shutil
import threading
from pathlib import Path

import pytest

from tests.support.memories import quiet, told

INDEX = {"index": {"pack_minimum": 8, "fan_out": 2}}


@pytest.mark.requirement("F-HOLD-10")
def test_backups_beside_writers_restore_to_whole_homes(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    stop = threading.Event()
    with quiet(tmp_path / "home", config=INDEX) as memory:
        memory.add_many(told(f"before {n}", "first") for n in range(200))

        def add() -> None:
            while not stop.is_set():
                acknowledged.append(memory.add(told(f"beside {len(acknowledged)}", "beside")))

        writer = threading.Thread(target=add)
        writer.start()
        said = []
        for number in range(4):
            while len(acknowledged) < 5 * number:
                threading.Event().wait(0.01)
            said.append(set(acknowledged))
            assert memory.backup(tmp_path / f"{number}.db") > 0
        stop.set()
        writer.join()
    for number, known in enumerate(said):
        home = tmp_path / f"restored-{number}"
        home.mkdir()
        shutil.copy(tmp_path / f"{number}.db", home / "clew.db")
        with quiet(home, config=INDEX) as restored:
            assert restored.verify().problems == ()
            assert restored.stats().turns >= 200 + len(known)
            assert all(restored.get(name).text for name in known)
            assert restored.add(told("after the restore", "new")) == "new:turn:0"
