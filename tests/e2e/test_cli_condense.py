"""`clew condense` at a terminal: what is due, what stands for which turns, and what left the prompt."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, record, records, run
from tests.support.memories import quiet
from tests.unit.test_memory_compaction import talk

pytestmark = pytest.mark.requirement("F-COMPACT-02", "F-COMPACT-04", "F-COMPACT-05")


@pytest.fixture
def home(tmp_home: Path) -> Path:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 60))
        assert memory.drain(200)
    return tmp_home


def test_a_session_is_condensed_from_so_many_tokens_and_listed(home: Path) -> None:
    assert "not above condense.session_tokens, 5000" in run("condense", "s", "--session-tokens", "5000").stderr
    shown = records("condense", "s", "--shown")
    assert [each["rendering"] for each in shown] == ["full"] * 60
    receipt = record("condense", "--session-tokens", "100")
    assert receipt["understood"]["reason"] == "tokens"
    after = records("condense", "s", "--shown")
    assert len(after) < 60
    assert sum(len(each["turn_ids"]) for each in after) == 60
    table = done("condense", "s", "--shown")
    assert "60 turns:" in table
    assert "summary" in table
    assert "\n59 " in table
    explained = done("explain", receipt["id"])
    assert "compaction 1, up to turn 53" in explained
    assert "tokens" in explained


def test_the_list_has_room_for_text_beside_a_long_session_name(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "7f0c9a52-1111-4222-8333-123456789abc"
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many([replace(turn, session=name) for turn in talk(0, 60)])
        assert memory.drain(200)
    record("condense", name, "--force")
    rows = done("condense", name, "--shown").partition(f"`clew restore {name}")[0]
    assert name not in rows
    assert all(len(row) <= 80 for row in rows.splitlines())
    assert max(len(row) - row.index("full:") for row in rows.splitlines() if "full:" in row) > 40


def test_a_second_receipt_names_the_one_before(home: Path) -> None:
    first = record("condense", "s", "--force")
    with quiet(home / ".clew") as memory:
        memory.add_many(talk(60, 20))
        assert memory.drain(200)
    second = record("condense", "s", "--force")
    assert second["understood"]["previous"] == first["id"]
    assert first["id"] in done("explain", second["id"])


def test_a_session_that_is_not_there_is_named(home: Path) -> None:
    assert "there is no session 'none'" in failure(1, "condense", "none", "--shown")
    assert "--session-tokens" in failure(2, "condense", "s", "--session-tokens", "-1")
