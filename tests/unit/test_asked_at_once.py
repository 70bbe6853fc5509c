"""How many statements a user's call costs the store: few, however many rows it takes."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from clew.maintain.copy_space import copy_space
from clew.memory import Memory
from clew.store.access import SqliteReader, SqliteTransaction
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.calls import Call, observed
from tests.support.ranking_spaces import NOON

TURNS = 300


KINDS = (SqliteReader, SqliteTransaction)
SCANS = {kind._fetch.__code__ for kind in KINDS}
LOOK_UPS = {look_up.__code__ for kind in KINDS for look_up in (kind._look_up, kind._all_of)}


@pytest.fixture
def asked() -> Iterator[Counter[str]]:
    """Counts the statements of this thread by the table that they read."""
    counts: Counter[str] = Counter()

    def note(call: Call) -> None:
        if call.function in SCANS:
            counts[call.arguments["sql"].partition('FROM "')[2].partition('"')[0]] += 1
        elif call.function in LOOK_UPS:
            counts[call.arguments["table"].name] += 1

    with observed(note):
        yield counts


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the turns, all work done; to be copied."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with Memory.open(home, embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(
            Turn(role="user", content=f"wine number {n} " + "red " * (n % 9), session=f"s{n % 7}") for n in range(TURNS)
        )
        assert memory.drain(200)
    return home


@pytest.fixture
def memory(tmp_path: Path, filled: Path) -> Iterator[Memory]:
    copytree(filled, tmp_path / "home")
    with Memory.open(tmp_path / "home", embedder="none", clock=FrozenClock(NOON)) as opened:
        opened.recall("wine")  # reads the index
        assert opened.drain(200)
        yield opened


@pytest.mark.requirement("S-POSTGRES-23")
@pytest.mark.parametrize("budget", [100, 2_000])
def test_a_block_costs_a_few_statements(memory: Memory, asked: Counter[str], budget: int) -> None:
    context = memory.recall("where is the red wine?", budget=budget)
    assert len(context.items) > budget // 40
    assert 1 <= asked["turn"] <= 6


@pytest.mark.requirement("P-BYTE-04")
def test_a_recall_asks_only_for_what_changed_and_for_what_it_shows(memory: Memory, asked: Counter[str]) -> None:
    memory.recall("where is the red wine?", budget=2_000)
    asked.clear()
    memory.recall("where is the red wine?", budget=2_000)
    assert not asked, "the words of turns that were shown are kept"
    memory.add(Turn(role="user", content="And where is the white wine?", session="s1"))
    asked.clear()
    memory.recall("where is the red wine?", budget=2_000)
    changed = ("space", "lease", "tail", "vector", "parameter", "pin", "meta", "session")
    assert asked == {"turn": 1, **dict.fromkeys(changed, 1)}, "nothing is asked of facts, projects and labels"


@pytest.mark.requirement("S-POSTGRES-23")
def test_a_list_and_a_quote_cost_one_statement_each(memory: Memory, asked: Counter[str]) -> None:
    assert len(memory.search("red wine", limit=100)) == 100
    assert asked["turn"] == 1
    assert len(memory.find_quote("wine number", limit=100)) == 100
    assert asked["turn"] == 2


@pytest.mark.requirement("S-POSTGRES-23")
def test_forgetting_by_names_and_copying_again_cost_no_statement_a_row(
    memory: Memory, asked: Counter[str], tmp_path: Path
) -> None:
    target = SqliteStore.open(tmp_path / "other")
    copy_space(memory.reads.store, target, "default")
    asked.clear()
    assert copy_space(memory.reads.store, target, "default").written == 0
    assert asked["turn"] <= 12
    target.close()
    asked.clear()
    assert memory.forget(turn_ids=[f"s0:turn:{n}" for n in range(40)], dry_run=True).turns == 40
    assert asked["turn"] == 2, "the turns, and corrections that quote them"
