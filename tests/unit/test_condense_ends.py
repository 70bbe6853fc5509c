"""The ends of compactions and recaps: receipts, newer turns, and budgets that are too small."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.errors import InputError
from clew.text.counters import counter
from clew.types import Part, Receipt, Turn
from tests.support.cli_runs import record, run
from tests.support.memories import quiet, rows
from tests.unit.test_condense_recap import read, work
from tests.unit.test_memory_compaction import added, talk

COUNT = counter()
DUE = {"condense": {"session_tokens": 500, "protected_turns": 2, "recap_tokens": 200}}


@pytest.mark.requirement("F-CONDEND-01")
def test_a_compaction_of_the_background_leaves_a_receipt() -> None:
    with quiet(config=DUE) as memory:
        added(memory, talk(0, 200))
        made = [str(row[8]) for row in rows(memory.reads.store, "compaction")]
        assert len(made) >= 2
        assert sorted(str(row[1]) for row in rows(memory.reads.store, "receipt")) == sorted(made)
        last = memory.explain()
        assert last.id in made
        assert last == memory.explain(last.id)
        assert memory.reads.receipts.recent(1) == [last]


@pytest.mark.requirement("F-CONDEND-01")
def test_where_no_receipts_are_kept_a_compaction_leaves_none() -> None:
    with quiet(config={**DUE, "receipts": 0}) as memory:
        added(memory, talk(0, 200))
        assert rows(memory.reads.store, "receipt") == []
        name = str(rows(memory.reads.store, "compaction")[-1][8])
        assert memory.explain(name).id == name


@pytest.mark.requirement("F-CONDEND-01")
def test_what_was_not_done_has_no_id(tmp_home: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 20))
        tried = memory.condense("s", force=True, dry_run=True)
        refused = memory.condense("s")
        assert tried.understood["compacted"]
        assert (tried.id, refused.id) == (None, None)
        assert Receipt.from_dict(refused.to_dict()) == refused
        with pytest.raises(InputError, match="condense receipt has no id"):
            assert refused.name
    assert "id" not in record("condense", "s", "--json")


@pytest.mark.requirement("F-CONDEND-02")
def test_a_recap_says_which_turns_are_newer_than_it(tmp_home: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 40))
        assert (memory.recap("s").last, memory.recap("s").turns) == (39, 40)
        whole = run("recap", "s")
        memory.condense("s", force=True)
        before = memory.recap("s")
        memory.add_many(talk(40, 3))
        made = memory.recap("s")
        assert (made.last, made.turns, made.text) == (33, 43, before.text)
        assert made == before
        assert Recap.from_dict(json.loads(json.dumps(made.to_dict()))).turns == 43
        assert memory.recap("s", budget=500).turns == 43
    assert "covers" not in whole.stderr
    told = run("recap", "s", "--stored")
    assert told.stderr.strip() == "covers turns 0 to 33 of 43; the newer ones are not in it"
    assert "covers" not in told.stdout
    assert record("recap", "s", "--stored", "--json")["turns"] == 43


@pytest.mark.requirement("C-LINE-01")
@pytest.mark.parametrize("cut", [0, 1])
def test_a_recap_by_itself_tells_of_the_last_turns_too(tmp_home: Path, cut: int) -> None:
    end = Turn(role="assistant", content="The harbour import runs at night now, and its tests pass.", session="s")
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 40))
        if cut:
            memory.condense("s", force=True)
        memory.add_many([*talk(40, 3), end])
        if not cut:
            memory.condense("s", force=True)
        assert memory.drain()
        stored, made = memory.recap("s", budget=900), memory.recap("s", budget=900, until_now=True)
        assert "harbour import" not in stored.text
        assert "The harbour import runs at night now" in made.text.partition("### Last words")[2]
        assert (made.last, made.turns, made.tokens <= 900) == (43, 44, True)
        assert made == memory.recap("s", budget=900, until_now=True)
        assert stored == memory.recap("s", budget=900)
    assert record("recap", "s", "--json", "--budget", "900")["text"] == made.text
    assert "covers" not in run("recap", "s").stderr


@pytest.mark.requirement("F-CONDEND-03")
def test_where_nothing_fits_nothing_is_shown(tmp_home: Path) -> None:
    turns = [replace(turn, is_shift=True) for turn in read(work())]
    for budget in (0, 10, 30, 50):
        made = compose_recap(RecapSource("s", turns), COUNT, budget=budget, style="quest")
        assert all(f"#{seq}" in made.text for seq in made.shown)
        assert made.tokens <= budget
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many(talk(0, 40))
        assert memory.recap("s", budget=30).shown == ()
    told = run("recap", "s", "--budget", "30")
    assert "nothing of the session fits into 30 tokens; give a larger --budget" in told.stderr


@pytest.mark.requirement("F-TOPIC-03")
@pytest.mark.parametrize("cut", [0, 1])
def test_an_open_task_names_the_turn_that_told_it_also_after_a_compaction_and_a_restart(
    tmp_home: Path, cut: int
) -> None:
    def todo(*tasks: tuple[str, str]) -> Turn:
        told = json.dumps({"todos": [{"content": text, "status": state} for text, state in tasks]})
        return Turn(role="assistant", content=(Part(type="tool_call", name="TodoWrite", text=told),), session="s")

    first = todo(("Mend the lease", "pending"), ("Ask the port for offsets", "pending"))
    then = todo(("Mend the lease", "completed"), ("Ask the port for offsets", "pending"), ("Tell Bo", "pending"))
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many([*talk(0, 20), first, *talk(20, 20)])
        if cut:
            memory.condense("s", force=True)
        memory.add_many([then, *talk(40, 10)])
        memory.condense("s", force=True)
    with quiet(tmp_home / ".clew") as memory:
        for until_now in (False, True):
            made = memory.recap("s", budget=900, style="quest", until_now=until_now)
            tasks = made.text.partition("### Open tasks\n")[2].partition("\n\n")[0].splitlines()
            assert tasks == ["- [#20] Ask the port for offsets", "- [#41] Tell Bo"]
            assert {20, 41} <= set(made.shown)
