"""How far a compaction is, and what `clew condense`, `clew recap` and `clew restore` say of odd wishes."""

import json
from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, run
from tests.support.memories import quiet
from tests.unit.test_memory_compaction import talk


@pytest.mark.requirement("F-TASKS-01")
@pytest.mark.parametrize("limit", [None, pytest.param(100, marks=pytest.mark.slow)])
def test_a_compaction_tells_how_far_it_is(limit: int | None) -> None:
    with quiet() as memory:
        memory.add_many(talk(0, 520))
        for dry_run in (True, False):
            told: list[tuple[int, int]] = []

            def tell(done: int, total: int, told: list[tuple[int, int]] = told) -> None:
                told.append((done, total))

            memory.condense("s", force=True, dry_run=dry_run, session_tokens=limit, on_progress=tell)
            assert len(told) >= 3
            assert told == sorted(told)
            assert {total for _, total in told} == {514}
            assert told[-1] == (514, 514)


@pytest.mark.requirement("F-TASKS-01")
def test_nothing_to_compact_is_no_progress() -> None:
    with quiet() as memory:
        memory.add_many(talk(0, 3))
        told: list[tuple[int, int]] = []
        memory.condense("s", force=True, on_progress=lambda done, total: told.append((done, total)))
        assert told == []


@pytest.mark.requirement("F-TASKS-02")
def test_odd_wishes_are_named(tmp_home: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 12))
    for odd in (["--force"], ["--dry-run"], ["--session-tokens", "5"]):
        assert "--shown compacts nothing" in failure(2, "condense", "s", "--shown", *odd)
    small = run("recap", "s", "--budget", "3")
    assert (small.exit_code, small.stdout) == (0, "")
    assert "nothing of the session fits into 3 tokens; give a larger --budget" in small.stderr


@pytest.mark.requirement("F-TASKS-02")
def test_a_collapsed_chain_is_restored_by_its_reference(tmp_home: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "src/shop/cart.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "def cart(): ...\n" * 200}
    chain = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    talked = [{"role": role, "content": "so be it"} for _ in range(6) for role in ("assistant", "user")]
    with quiet(tmp_home / ".clew") as memory:
        short = json.dumps(memory.collapse([{"role": "user", "content": "read it"}, *chain, *talked]))
    start = short.index("chain-")
    ref = short[start : start + len("chain-") + 16]
    assert "def cart(): ..." in done("restore", ref)
    assert f"{ref} has no part 9" in failure(1, "restore", ref, "--part", "9")
