"""The ends of compactions and recaps: receipts, newer turns, and budgets that are too small."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.errors import InputError
from clew.text.counters import counter
from clew.types import Receipt
from tests.cli_runs import record, run
from tests.memories import quiet, rows
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
    told = run("recap", "s")
    assert told.stderr.strip() == "covers turns 0 to 33 of 43; the newer ones are not in it"
    assert "covers" not in told.stdout
    assert record("recap", "s", "--json")["turns"] == 43


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
