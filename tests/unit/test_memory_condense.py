"""Compactions of sessions: when they are due, what they keep, and what they say left the prompt."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError, NotFoundError
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.store.tables import COMPACTION
from clew.types import Turn
from tests.support.memories import quiet, told
from tests.unit.test_condense_recap import work

pytestmark = pytest.mark.requirement("F-CONDENSE-26")
SMALL = {"condense": {"session_tokens": 100, "recap_tokens": 300, "protected_turns": 2, "minimum_turns": 3}}


def filled(place: str | Path = ":memory:", **more: Any) -> Memory:
    memory = quiet(place, **more)
    memory.add_many(Turn(role=turn.role, content=turn.content, session="work") for turn in work())
    memory.drain()
    return memory


def test_a_session_is_condensed_when_asked_and_its_receipt_lists_what_left() -> None:
    with filled() as memory:
        receipt = memory.condense("work", force=True)
        assert receipt.understood["compacted"]
        assert receipt.kind == "condense"
        assert [row["restore"] for row in receipt.omitted] == [f"work:turn:{seq}" for seq in range(23)]
        text = memory.recap("work").text.casefold()
        lost = {kind for row in receipt.omitted for kind in row["lost"]}
        assert lost or all(mark in text for mark in ("src/shop/lease.py", "pytest tests/test_cart.py -x"))
        assert memory.restore(receipt.omitted[0]["restore"]).text == work()[0].text
        assert memory.explain(receipt.id) == receipt
        again = memory.condense("work", force=True)
        assert not again.understood["compacted"]
        assert "no turn is new" in again.understood["why"]


def test_the_recap_stays_until_the_next_compaction_also_over_a_restart(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.condense("work", force=True)
        before = memory.recap("work")
        memory.add(told("We also have to move src/new/queue.py tomorrow.", "work"))
        memory.drain()
        assert memory.recap("work") == before
        assert "queue.py" not in memory.recap("work", budget=900).text
    with quiet(tmp_path) as memory:
        assert memory.recap("work") == before
        receipts = memory.condense("work", force=True)
        assert receipts.settings["number"] == 2


def test_the_background_work_condenses_what_is_due_and_nothing_else() -> None:
    with filled(config=SMALL) as memory:
        memory.add(told("Short.", "other"))
        memory.drain()
        with memory.reads.store.snapshot() as reader:
            rows = COMPACTION.scan(reader, ("default",), ("default",))
        assert [(row.session, row.number, row.reason) for row in rows] == [("work", 1, "tokens"), ("work", 2, "tokens")]
        assert rows[-1].last == 26
        assert memory.recap("work", budget=300).last == 26
        assert "no turn is new" in memory.condense("work").understood["why"]
        assert "it has only 1 turn; the last 2 stay" in memory.condense("other").understood["why"]


def test_a_session_that_is_not_due_says_why() -> None:
    with filled(config={"condense": {"session_tokens": 0}}) as memory:
        assert "only when asked" in memory.condense("work").understood["why"]
    with filled() as memory:
        assert "not above condense.session_tokens, 120000" in memory.condense("work").understood["why"]
    with filled(config={"condense": {"session_tokens": 5_000}}) as memory:
        assert "not above condense.session_tokens, 5000" in memory.condense("work").understood["why"]
    with filled(config={"condense": {**SMALL["condense"], "minimum_turns": 40}}) as memory:
        assert "fewer than condense.minimum_turns, 40" in memory.condense("work").understood["why"]


def test_a_dry_run_writes_nothing() -> None:
    with filled() as memory:
        assert memory.condense("work", force=True, dry_run=True).understood["compacted"]
        assert memory.condense("work", force=True).settings["number"] == 1


def test_two_at_once_make_one_compaction_each_number() -> None:
    with filled() as memory, ThreadPoolExecutor(8) as threads:
        receipts = list(threads.map(lambda _: memory.condense("work", force=True), range(8)))
        assert sum(receipt.understood["compacted"] for receipt in receipts) == 1


def test_forgetting_a_turn_removes_it_from_recap_and_ledger() -> None:
    with filled() as memory:
        memory.condense("work", force=True)
        turn = memory.get("work:turn:0")
        traces = traces_of([turn])
        assert memory.forget(turn_ids=["work:turn:0"]).rows["compaction"] == 1
        memory.drain()
        assert "billing" not in memory.recap("work").text
        assert prove(memory.reads.store, "default", traces).found == {}


@pytest.mark.requirement("F-TDY-03")
def test_odd_sessions_and_states_are_named() -> None:
    with filled() as memory:
        with pytest.raises(NotFoundError, match="there is no session 'none'"):
            memory.condense("none")
        memory.add(told("One turn.", "short"))
        assert "it has only 1 turn; the last 6 stay" in memory.condense("short", force=True).understood["why"]
        memory.pause()
        with pytest.raises(InputError, match="the space is paused"):
            memory.condense("work", force=True)
