"""kill -9 in the middle of every operation: nothing acknowledged is lost, the home opens, and run again it is done.

`CLEW_KILL_LOOPS` says how often each operation is killed; after a kill the same run is started again and left alone.
"""

import os
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import apsw
import pytest

from clew.maintain.copy_space import space_digest
from clew.memory import Memory
from clew.store.migrate import migrate
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.statements import migrations
from clew.store.tables import TABLES
from clew.testing import HashEmbedder
from clew.types import turn_id
from tests.support.kill_operations import OPERATIONS, opened, told
from tests.support.memories import raw, rows, texts

if sys.platform == "win32":
    pytest.skip("victims are forked, which Windows cannot do", allow_module_level=True)

from tests.support.killing import Nursery, Run

LOOPS = int(os.environ.get("CLEW_KILL_LOOPS", "2"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.requirement("F-HOLD-05"),
    pytest.mark.timeout(300 + 60 * LOOPS),
]


@pytest.fixture(scope="module")
def home_of_victims() -> Iterator[Nursery]:
    with Nursery() as made:
        yield made


@pytest.fixture
def nursery(home_of_victims: Nursery, record_property: Callable[[str, object], None]) -> Iterator[Nursery]:
    """The nursery; how many victims were killed in time stands in the report (`--junitxml`, family xunit1)."""
    before = home_of_victims.killed
    yield home_of_victims
    record_property("killed", home_of_victims.killed - before)


class Said:
    """What all victims of one case said."""

    def __init__(self) -> None:
        self.turns: set[str] = set()
        self.going: set[str] = set()
        self.gone: set[str] = set()

    def hear(self, run: Run) -> None:
        self.turns |= run.names("turn")
        self.going |= run.names("going")
        self.gone |= run.names("gone")

    def check(self, memory: Memory) -> None:
        """Every acknowledged turn is there, unless it was about to be forgotten; what is forgotten is not."""
        stored = {turn_id(str(row[1]), cast(int, row[2])) for row in rows(memory.reads.store, "turn")}
        assert self.turns - self.going <= stored
        assert not self.gone & stored


def killed(nursery: Nursery, name: str, case: Path, home: Path, loops: int = LOOPS) -> Iterator[tuple[int, Said]]:
    """Kills an operation at a random moment, checks, lets it run to its end, and gives what was said until then."""
    chance, said, length = random.Random(name), Said(), 0.3  # noqa: S311  # moments to kill at
    for number in range(loops):
        run = nursery.run(name, case, number, kill_after=chance.uniform(0, 1.1 * length))
        said.hear(run)
        with opened(home / str(number) if (home / str(number)).is_dir() else home) as memory:
            said.check(memory)
        whole = nursery.run(name, case, number)
        assert not whole.killed
        length = 0.5 * (length + whole.seconds)
        said.hear(whole)
        yield number, said


def sound(home: Path, said: Said) -> None:
    with opened(home) as memory:
        said.check(memory)
        assert memory.verify().problems == ()


def filled(home: Path, count: int, session: str = "first") -> None:
    with opened(home, embedder=HashEmbedder()) as memory:
        memory.add_many(told(f"turn {n} of {session} about tea", session) for n in range(count))
        assert memory.drain(None)


@pytest.mark.parametrize("name", ["add", "add_many", "packing", "pausing"])
def test_killed_while_turns_come(nursery: Nursery, tmp_path: Path, name: str) -> None:
    for _, said in killed(nursery, name, tmp_path, tmp_path / "home"):
        sound(tmp_path / "home", said)
    with opened(tmp_path / "home") as memory:
        assert not any("unheard" in text for text in texts(memory))


def test_killed_while_importing(nursery: Nursery, tmp_path: Path) -> None:
    lines = [f'{{"role": "user", "content": "line {n} of the talk"}}' for n in range(1_500)]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for number, said in killed(nursery, "importing", tmp_path, tmp_path / "home"):
        with opened(tmp_path / "home") as memory:
            own = [row for row in rows(memory.reads.store, "turn") if row[1] == f"talk-{number}"]
            assert len(own) == 1_500, "imported again, a part is not there twice"
        sound(tmp_path / "home", said)


@pytest.mark.requirement("S-DOCTOR-03", "F-HOLD-01")
def test_killed_while_rebuilding(nursery: Nursery, tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home, 400)
    with opened(home) as memory:
        expected = found(memory)
    for _, said in killed(nursery, "rebuilding", tmp_path, home):
        sound(home, said)
        with opened(home) as memory:
            assert memory.stats().details["rebuilt_up_to"] is None
            assert found(memory) == expected


def found(memory: Memory) -> list[str | None]:
    return [hit.turn.id for hit in memory.search("turn 17 about tea", session="first")]


def test_killed_while_migrating(nursery: Nursery, tmp_path: Path) -> None:
    for number in range(LOOPS):
        home = tmp_path / "home" / str(number)
        filled(home, 60)
        make_old(home)
    for number, said in killed(nursery, "migrating", tmp_path, tmp_path / "home"):
        with opened(tmp_path / "home" / str(number)) as memory:
            assert sum(text.startswith("turn ") for text in texts(memory)) == 60
            memory.rebuild()  # what the dropped tables held
        said.turns.clear()  # each run has a home of its own
        sound(tmp_path / "home" / str(number), said)


def make_old(home: Path) -> None:
    """Makes of a home one of the first schema, with the rows whose form is the same; their receipts are left behind."""
    database, newer = home / DATABASE, home / "newer.db"
    database.rename(newer)
    connection = apsw.Connection(str(database))
    migrate(connection, migrations("sqlite")[:1], lambda _: None)
    connection.execute("ATTACH ? AS newer", (str(newer),))
    tables = {str(name) for (name,) in connection.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")}
    for table in sorted(tables & TABLES.keys() - {"receipt"}):
        connection.execute(f"INSERT INTO main.{table} SELECT * FROM newer.{table}")  # noqa: S608  # our own tables
    connection.close()
    newer.unlink()


def test_killed_while_copying(nursery: Nursery, tmp_path: Path) -> None:
    filled(tmp_path / "home", 1_200)
    for number, _ in killed(nursery, "copying", tmp_path, tmp_path / "copies"):
        assert digest(tmp_path / "copies" / str(number)) == digest(tmp_path / "home")


def digest(home: Path) -> str:
    store = SqliteStore.open(home)
    with store.snapshot() as reader:
        found = space_digest(reader, "default")
    store.close()
    return found


def test_killed_while_merging(nursery: Nursery, tmp_path: Path) -> None:
    filled(tmp_path / "other", 300, "other")
    for number in range(LOOPS):
        filled(tmp_path / "home" / str(number), 50)
    for number, said in killed(nursery, "merging", tmp_path, tmp_path / "home"):
        home = tmp_path / "home" / str(number)
        sound(home, said)
        with opened(home) as memory:
            assert (memory.stats().turns, memory.stats().vectors) == (350, 350)
            assert len(set(texts(memory))) == 350


def test_killed_while_forgetting(nursery: Nursery, tmp_path: Path) -> None:
    for number, said in killed(nursery, "forgetting", tmp_path, tmp_path / "home"):
        sound(tmp_path / "home", said)
        assert not re.search(rb"secret%dx(0|3|6|9)\b" % number, raw(tmp_path / "home"))


def test_killed_while_old_turns_expire(nursery: Nursery, tmp_path: Path) -> None:
    for number, said in killed(nursery, "expiring", tmp_path, tmp_path / "home"):
        sound(tmp_path / "home", said)
        assert b"old%dx" % number not in raw(tmp_path / "home")


def test_killed_while_a_backup_is_written(nursery: Nursery, tmp_path: Path) -> None:
    filled(tmp_path / "home", 500)
    for number, said in killed(nursery, "backing_up", tmp_path, tmp_path / "home"):
        sound(tmp_path / "home", said)
        for path in tmp_path.glob(f"backup-{number}-*.db"):
            restored = tmp_path / "restored" / path.stem
            restored.mkdir(parents=True)
            shutil.copy(path, restored / "clew.db")
            with opened(restored) as memory:
                assert memory.verify().problems == ()
                assert memory.stats().turns >= 500


def test_killed_while_the_embedding_model_changes(nursery: Nursery, tmp_path: Path) -> None:
    filled(tmp_path / "home", 150)
    for number, said in killed(nursery, "switching", tmp_path, tmp_path / "home"):
        sound(tmp_path / "home", said)
        with opened(tmp_path / "home") as memory:
            stats = memory.stats()
            assert stats.details["vectors_by_model"] == {HashEmbedder(revision=number + 2).name: stats.turns}


def test_every_operation_is_killed() -> None:
    files = Path(__file__).parent.glob("test_*kills*.py")
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    assert [name for name in OPERATIONS if f'"{name}"' not in source] == []
