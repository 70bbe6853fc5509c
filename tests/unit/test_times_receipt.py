"""What was told of a time leaves a receipt: what was asked and chosen, every signal, what was left out."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clew.assemble.changes import changes
from clew.errors import NotFoundError
from clew.learn.feedback import shown
from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Receipt
from tests.support.memories import quiet, told
from tests.support.talks import NOW, remembered, talk

SESSIONS = "where are our sessions?"


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with remembered() as opened:
        yield opened


def receipt(memory: Memory, *asked: Any, **how: Any) -> Receipt:
    return memory.explain(memory.remember_when(*asked, **how).receipt_id)


@pytest.mark.requirement("F-TIME-12")
def test_a_receipt_says_what_was_asked_and_what_auto_chose(memory: Memory) -> None:
    found = receipt(memory, SESSIONS, "April 2023", datetime(2023, 6, 1, tzinfo=UTC), budget=60, session="talk-1")
    assert (found.kind, found.query, found.considered, found.created_at) == ("when", SESSIONS, 16, NOW)
    settings = found.settings
    assert settings["asked"] == {"mode": "auto", "since": "April 2023", "until": "2023-06-01T00:00:00+00:00"}
    assert (settings["mode"], settings["in_time"], settings["budget"]) == ("lookup", 4, 60)
    assert settings["filter"]["session"] == "talk-1"
    assert settings["filter"]["since"].startswith("2023-04-01")
    assert settings["filter"]["until"].startswith("2023-06-01")
    assert found.understood["looked_for"] == SESSIONS
    assert found.tokens <= 60
    asked = receipt(memory, query="what was our store for sessions in April 2023?")
    assert asked.settings["mode"] == "state_at_time"
    assert "since" not in asked.settings["filter"]  # a state is what was said before its end, whenever
    assert "2023" not in asked.understood["looked_for"]
    over = receipt(memory, query="what did we say today?", session="talk-0")
    assert over.settings["counted_from"] == "2023-03-06"


@pytest.mark.requirement("F-TIME-12")
@pytest.mark.parametrize("mode", ["lookup", "state_at_time", "change_over_time"])
def test_every_row_of_a_question_has_its_signals_and_places(memory: Memory, mode: str) -> None:
    found = memory.remember_when(query=SESSIONS, mode=mode, budget=60)
    record = memory.explain(found.receipt_id)
    assert [row["turn_ids"] for row in record.chosen] == [list(moment.turn_ids) for moment in found.moments]
    assert record.omitted
    assert len(record.omitted) == min(20, found.left_out)
    for row in (*record.chosen, *record.omitted):
        assert sum(row["signals"].values()) == pytest.approx(row["score"], abs=1e-4)
        assert set(row["ranks"]) == {"lexical"}
        assert row["fused"] >= 1
    for row in record.omitted:
        assert row["reason"].startswith(f"rank {row['rank']}: takes about {row['tokens']} tokens")
        assert memory.restore(row["restore"]).id == row["turn_ids"][0]
    assert record.settings["weights"]["lexical"] > 0
    ranked = {row["fused"]: row["score"] for row in (*record.chosen, *record.omitted)}
    assert [ranked[place] for place in sorted(ranked)] == sorted(ranked.values(), reverse=True)


@pytest.mark.requirement("F-TIME-12")
def test_without_a_question_the_receipt_names_outlines_and_what_weighed_for_turns(memory: Memory) -> None:
    record = receipt(memory, None, "2023-03-01", "2023-06-30", mode="window_overview")
    outlines = [row for row in record.chosen if row["kind"] != "turn"]
    turns = [row for row in record.chosen if row["kind"] == "turn"]
    assert outlines
    assert turns
    assert {row["node_id"] for row in outlines} & {"talk-0:beat:0", "talk-0:open"}
    assert all("score" not in row and row["rendering"] == "title" for row in outlines)
    assert all(row["signals"]["importance"] > 0 for row in turns)
    assert "embedder" not in record.settings
    assert shown(record) == [row["turn_ids"][0] for row in turns]
    assert "SQLite" not in str(record.to_dict())  # no word of a turn, no title


@pytest.mark.requirement("F-TIME-12")
def test_a_long_turn_is_named_as_shortened() -> None:
    filler = "Nothing of note was said about anything else at all. " * 8
    with quiet() as memory:
        memory.add(told(f"About the cellar.\n\n{filler}\n\nThe red wine stands behind the door.\n\n{filler}", at=NOW))
        memory.drain(200)
        (asked,) = receipt(memory, query="red wine behind the door", mode="lookup").chosen
        assert (asked["rendering"], asked["restore"]) == ("pieces", "s:turn:0")
        plain = receipt(memory, None, "2023-06-01", "2023-07-01", mode="state_at_time").chosen
        assert "snippet" in {row["rendering"] for row in plain}


@pytest.mark.requirement("F-TIME-12", "F-RECEIPT-04")
def test_two_times_are_compared(memory: Memory) -> None:
    small, large = (receipt(memory, query=SESSIONS, mode="lookup", budget=budget) for budget in (60, 200))
    found = changes(small, large)
    assert found.settings == {"budget": [60, 200]}
    assert {each.kind for each in found.turns} == {"entered"}
    spring, year = receipt(memory, None, "2023-03", "2023-05"), receipt(memory, None, "2023-03", "2023-12")
    entered = {each.turn_id for each in changes(spring, year).turns if each.kind == "entered"}
    assert any(":turn:" not in name for name in entered)  # outlines too, each by its own name


@pytest.mark.requirement("F-TIME-12")
def test_what_was_told_of_a_time_can_be_marked_as_used(memory: Memory) -> None:
    found = memory.remember_when(since="April 2023", query=SESSIONS, mode="lookup", budget=200)
    assert memory.mark_used(found.receipt_id, found.moments[0].turn_ids) == 1
    plain = memory.remember_when(since="April 2023", until="May 2023")
    assert memory.mark_used(plain.receipt_id, plain.moments[0].turn_ids) == 2  # an outline's first turn and its last
    report = memory.tune(dry_run=True)
    assert report.feedback["used"] == 3


@pytest.mark.requirement("F-TIME-13")
def test_it_goes_by_the_rules_of_every_receipt() -> None:
    clock = FrozenClock(NOW)
    with Memory.open(":memory:", embedder="none", clock=clock, config={"receipts": 10}) as memory:
        memory.add_many(talk())
        memory.drain(None)
        first = memory.remember_when(query=SESSIONS).receipt_id
        assert memory.explain().id == first  # the newest, as `clew explain last` has it
        memory.pause()
        held_back = memory.remember_when(query="what of Otto?").receipt_id
        with pytest.raises(NotFoundError):
            memory.explain(held_back)
        memory.resume()
        for number in range(12):
            clock.advance(60)
            memory.remember_when(query=f"sessions {number}")
        memory.drain(None)
        with pytest.raises(NotFoundError):
            memory.explain(first)
        last = memory.remember_when(query="Redis").receipt_id
        memory.forget(match="Redis")
        with pytest.raises(NotFoundError):
            memory.explain(last)


@pytest.mark.requirement("F-TIME-12")
def test_a_receipt_keeps_its_form_in_the_store(memory: Memory) -> None:
    record = receipt(memory, query="summarize 2023")
    memory.drain(None)
    assert Receipt.from_dict(record.to_dict()) == record
    assert memory.explain(record.id) == record


@pytest.mark.requirement("S-LINE-06")
def test_what_has_no_title_is_called_by_its_first_words() -> None:
    words = ["So it is, and so it was, was it not?", "Well, then it was so.", "It was, was it not?"]
    with quiet() as memory:
        memory.add_many([told(text, at=NOW) for text in words])
        memory.drain()
        text = memory.remember_when(since="2020", mode="window_overview").text
    assert "no title" not in text
    assert "(3 turns): So it is, and so it was" in text
