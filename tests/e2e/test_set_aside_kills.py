"""kill -9 within and after each transaction in which stages go on without turns on which their rules fail."""

import shutil
import sys
from pathlib import Path

import pytest

from clew.maintain.verify import verify
from clew.store.sqlite import SqliteStore
from tests.support.kill_operations import opened
from tests.support.memories import rows, told
from tests.unit.test_derive_rule_failures import BAD, MADE, TEXTS

if sys.platform == "win32":
    pytest.skip("victims are forked, which Windows cannot do", allow_module_level=True)

from tests.support.killing import Nursery

pytestmark = [pytest.mark.timeout(900), pytest.mark.slow]
SPOKEN = [f"{text} {BAD}" if n == 2 else text for n, text in enumerate(TEXTS[:6])]


def filled(home: Path) -> None:
    with opened(home) as memory:
        memory.parts.worker.stop()
        memory.add_many(map(told, SPOKEN))


def made(home: Path) -> dict[str, object]:
    """What the stages left, read without a worker that would go on with sound rules."""
    store = SqliteStore.open(home)
    assert verify(store, "default").problems == ()
    found: dict[str, object] = {table: rows(store, table) for table in ("job", "node", "turn", *MADE.values())}
    found["meta"] = [row for row in rows(store, "meta") if row[1] != "facts"]  # it counts what was repeated
    store.close()
    return found


def test_what_is_killed_while_it_sets_turns_aside_goes_on_and_gives_the_same(tmp_path: Path) -> None:
    filled(tmp_path / "home" / "never")
    with Nursery() as nursery:
        shutil.copytree(tmp_path / "home" / "never", tmp_path / "home" / "whole")
        whole = nursery.run("setting_aside", tmp_path, "whole", 0, "after")
        (count,) = whole.names("transactions")
        expected = made(tmp_path / "home" / "whole")
        assert str(expected["job"]).count("deferred") == len(MADE)
        for step in range(1, int(count) + 1):
            home = tmp_path / "home" / str(step)
            shutil.copytree(tmp_path / "home" / "never", home)
            assert nursery.run("setting_aside", tmp_path, home.name, step, ("within", "after")[step % 2]).killed
            assert not nursery.run("setting_aside", tmp_path, home.name, 0, "after").killed
            assert made(home) == expected, step
