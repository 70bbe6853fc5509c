"""kill -9 at each moment of a migration, a restore and a compaction: before statements of SQL, and between files.

`CLEW_KILL_MOMENTS` says at how many moments of each operation, spread over all of it; there are some hundreds.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.maintain.verify import verify
from clew.rows.recap_states import TABLES_OF_SESSIONS
from clew.store.sqlite import DATABASE, RESTORED, SqliteStore
from tests.support.kill_operations import opened, told
from tests.support.memories import rows

if sys.platform == "win32":
    pytest.skip("victims are forked, which Windows cannot do", allow_module_level=True)

from tests.e2e.test_kills import filled, make_old
from tests.support.killing import Nursery

MOMENTS = int(os.environ.get("CLEW_KILL_MOMENTS", "12"))

pytestmark = [pytest.mark.slow, pytest.mark.requirement("F-HOLD-05"), pytest.mark.timeout(600 + 20 * MOMENTS)]

Read = Callable[[Path], object]


def killed_at_moments(operation: str, case: Path, read: Read) -> Iterator[tuple[int, object, object]]:
    """For each moment: what the killed operation left, as `read` tells it, and what it left when it was run again.

    The first is of number 0: it was not killed.
    """
    homes = case / "home"
    with Nursery() as nursery:
        shutil.copytree(homes / "never", homes / "whole")
        (count,) = nursery.run(operation, case, "whole", 0).names("moments")
        found = read(homes / "whole")
        yield 0, found, found
        for step in range(1, int(count) + 1, max(1, int(count) // MOMENTS)):
            home = homes / str(step)
            shutil.copytree(homes / "never", home)
            assert nursery.run(operation, case, home.name, step).killed
            shutil.copytree(home, homes / "left")
            left = read(homes / "left")
            shutil.rmtree(homes / "left")
            assert not nursery.run(operation, case, home.name, 0).killed
            yield step, left, read(home)
            shutil.rmtree(home)


def sound(home: Path, *tables: str) -> object:
    """The rows of tables of a home that is sound."""
    store = SqliteStore.open(home)
    assert verify(store, "default").problems == ()
    found = [rows(store, table) for table in tables]
    store.close()
    return found


def test_killed_at_each_moment_of_a_migration(tmp_path: Path) -> None:
    filled(tmp_path / "home" / "never", 60)
    expected = turns_and_schema(tmp_path / "home" / "never")
    make_old(tmp_path / "home" / "never")
    for step, left, again in killed_at_moments("migrating_at", tmp_path, turns_and_schema):
        assert left == again == expected, step


def turns_and_schema(home: Path) -> object:
    """Not checked further: what an old schema has no table for is missing until it is made anew."""
    store = SqliteStore.open(home)
    found = (rows(store, "turn"), rows(store, "session"), store.migrate())
    store.close()
    return found


def test_killed_at_each_moment_of_a_restore(tmp_path: Path) -> None:
    filled(tmp_path / "other", 40, "of the backup")
    with opened(tmp_path / "other") as memory:
        memory.backup(tmp_path / "backup.db")
    filled(tmp_path / "home" / "never", 60)
    before, after = (sound(tmp_path / place, "turn") for place in ("home/never", "other"))
    seen = []
    for step, left, again in killed_at_moments("restoring_at", tmp_path, lambda home: sound(home, "turn")):
        assert left in (before, after), step
        assert again == after, step
        seen.append(left)
    assert before in seen


def test_killed_at_each_moment_of_a_restore_into_a_damaged_home(tmp_path: Path) -> None:
    filled(tmp_path / "other", 40, "of the backup")
    with opened(tmp_path / "other") as memory:
        memory.backup(tmp_path / "backup.db")
    filled(tmp_path / "home" / "never", 60)
    database = tmp_path / "home" / "never" / DATABASE
    database.write_bytes(b"damaged" * 1_000)
    (database.parent / f"{DATABASE}-wal").write_bytes(b"of it" * 1_000)
    after = sound(tmp_path / "other", "turn")

    def read(home: Path) -> object:
        is_damaged = (home / DATABASE).read_bytes()[:7] == b"damaged"
        return None if is_damaged else sound(home, "turn")

    for step, left, again in killed_at_moments("restoring_at", tmp_path, read):
        assert left in (None, after), step
        assert again == after, step
        assert not (tmp_path / "home" / str(step) / RESTORED).exists()


def test_killed_at_each_moment_of_a_compaction(tmp_path: Path) -> None:
    said = ("We decided to keep src/part_{n}.py because it is small.", "What about the harbour of town {n}?", "ok")
    with opened(tmp_path / "home" / "never") as memory:
        memory.add_many(told(said[n % 3].format(n=n // 3), "s") for n in range(300))
        assert memory.drain(None)
    stored = sound(tmp_path / "home" / "never", "turn")
    made = [name for name in TABLES_OF_SESSIONS if name != "recap_state"]
    found = killed_at_moments("condensing_at", tmp_path, lambda home: sound(home, "turn", *made))
    _, expected, _ = next(found)
    for step, left, again in found:
        assert isinstance(left, list)
        assert [left[0]] == stored, step
        assert again == expected, step
