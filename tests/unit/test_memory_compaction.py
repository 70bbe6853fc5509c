"""Compactions one after the other: what they read, when they are made, what they show, and what their ledgers say."""

import json
from collections import Counter as Tally
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clew.condense.recap import compose_recap
from clew.condense.renderings import Rendering
from clew.config import CondenseConfig
from clew.derive.compaction import Compactor
from clew.index.live import LiveIndex
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.rows.recap_source import recap_source
from clew.rows.recap_states import TABLES_OF_SESSIONS, forget_condensed, read_state
from clew.rows.renderings import put_renderings
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock
from clew.text.counters import counter
from clew.types import Part, Receipt, Turn
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, copied, quiet, rows, told

ASKED = {"condense": {"session_tokens": 0}}
COUNT = counter()


def talk(first: int, turns: int, session: str = "s") -> list[Turn]:
    """Turns with values that come again and others that do not."""
    said = (
        "Let us look at src/shop/part_{n}.py, where `load_part()` takes {n} ms.",
        "We decided to keep the cache of src/shop/cart.py because it halves the latency.",
        "Fine. What about the harbour of town {n}?",
        "The tests of src/shop/cart.py failed with ValueError: part {n} is missing.",
        "ok",
    )
    return [
        told(said[n % 5].format(n=n // 5), session, role="user" if n % 2 else "assistant")
        for n in range(first, first + turns)
    ]


def compactor(memory: Memory, store: Store, **config: Any) -> Compactor:
    """A compactor of its own, whose reads nobody else's mix with."""
    live = LiveIndex(store, memory.space)
    limits = CondenseConfig(**{"protected_turns": 2, **config})
    return Compactor(store, memory.space, limits, memory.config.analyze, live, counter, memory.reads.clock)


def added(memory: Memory, turns: Sequence[Turn]) -> None:
    memory.add_many(turns)
    assert memory.drain(200)


@pytest.mark.slow
@pytest.mark.requirement("F-COMPACT-01")
def test_a_compaction_reads_what_is_new_however_long_the_session_is() -> None:
    read = []
    with quiet(config=ASKED) as memory:
        store = Wrapped(memory.reads.store)
        condensing = compactor(memory, as_store(store), recap_tokens=300, target_size=400)
        for part in range(12):
            added(memory, talk(40 * part, 40))
            before = store.rows_read
            assert condensing.compact("s", force=True).understood["compacted"]
            read.append(store.rows_read - before)
    assert max(read) <= read[1] + 8 * len(read), read  # and some titles and chapters for each part, not its turns


@pytest.mark.requirement("F-COMPACT-01")
def test_step_by_step_gives_the_recap_that_all_turns_give() -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store)
        for part in range(4):
            added(memory, talk(30 * part, 30))
            condensing.compact("s", force=True)
        with memory.reads.store.snapshot() as reader:
            source, _ = recap_source(reader, "default", "s", last=117)
            stored = read_state(reader, "default", "s", COUNT.name)
        budget = 1_000  # a quarter of the most: the session is short
        assert memory.recap("s") == compose_recap(source, COUNT, budget=budget)
        assert (stored.state.last, stored.mark, stored.state.turns) == (117, 117, 118)
        for style in ("quest", "chat"):
            made = memory.recap("s", budget=700, style=style)
            assert made == compose_recap(source, COUNT, budget=700, style=style)


@pytest.mark.slow
@pytest.mark.requirement("F-COMPACT-01")
def test_what_is_gathered_has_a_bound() -> None:
    with quiet(config=ASKED) as memory:
        sizes = []
        condensing = compactor(memory, memory.reads.store)
        for part in range(4):
            turns = [
                told(" ".join(f"src/a{part}/file_{n}_{k}.py" for k in range(12)) + f" We decided {n}.")
                for n in range(250)
            ]
            added(memory, turns)
            condensing.compact("s", force=True)
            with memory.reads.store.snapshot() as reader:
                state = read_state(reader, "default", "s", COUNT.name).state
            sizes.append((len(state.kept), len(state.uses.values)))
    assert max(kept for kept, _ in sizes) <= 420
    assert max(values for _, values in sizes) <= 2_600


TRIGGERS = [
    ({"session_tokens": 500}, "tokens"),
    ({"session_tokens": 0, "window": 1_150}, "window"),
    ({"session_tokens": 0, "window": 1_000}, "limit"),
]


@pytest.mark.requirement("F-COMPACT-02")
@pytest.mark.parametrize(("config", "reason"), TRIGGERS)
def test_growth_is_a_reason(config: dict[str, int], reason: str) -> None:
    with quiet(config={"condense": {"protected_turns": 2, "recap_tokens": 200, **config}}) as memory:
        added(memory, talk(0, 70))
        compactions = rows(memory.reads.store, "compaction")
        assert [row[5] for row in compactions] == [reason]
        assert "compacted" in memory.condense("s").understood
        added(memory, talk(70, 2))
        assert rows(memory.reads.store, "compaction") == compactions


def todo(state: str, call_id: str) -> Turn:
    call = Part(type="tool_call", name="TodoWrite", call_id=call_id, text=json.dumps({"todos": [todo_entry(state)]}))
    return Turn(role="assistant", session="s", content=(call,))


def todo_entry(state: str) -> dict[str, str]:
    return {"content": "Move the cart", "status": state}


@pytest.mark.requirement("F-COMPACT-02")
def test_a_completed_task_is_a_reason_once_a_quarter_is_new() -> None:
    with quiet(config={"condense": {"protected_turns": 2, "session_tokens": 2_000}}) as memory:
        added(memory, [todo("in_progress", "a"), *talk(0, 60)])
        assert rows(memory.reads.store, "compaction") == []
        added(memory, [todo("completed", "b"), *talk(60, 3)])
        assert [row[5] for row in rows(memory.reads.store, "compaction")] == ["task"]
        added(memory, talk(63, 60))  # nothing was completed since
        assert len(rows(memory.reads.store, "compaction")) == 1


@pytest.mark.requirement("F-COMPACT-02")
def test_a_prompt_that_cannot_be_smaller_is_not_tried_again_with_every_turn() -> None:
    with quiet(config={"condense": {"session_tokens": 0, "window": 300, "protected_turns": 2}}) as memory:
        for part in range(6):
            added(memory, [*talk(part, 1), told("word " * 400)])
        reasons = [row[5] for row in rows(memory.reads.store, "compaction")]
        assert len(reasons) <= 5
        assert set(reasons) <= {"limit", "window"}


@pytest.mark.requirement("F-COMPACT-02")
def test_a_session_that_comes_all_at_once_takes_several_compactions() -> None:
    with quiet(config={"condense": {"protected_turns": 2, "session_tokens": 500, "recap_tokens": 200}}) as memory:
        added(memory, talk(0, 400))
        made = rows(memory.reads.store, "compaction")
        assert [row[2] for row in made] == list(range(1, len(made) + 1))
        assert 4 <= len(made) <= 10
        assert "not above" in memory.condense("s").understood["why"]
        names = [name for each in memory.shown("s") for name in each.turn_ids]
        assert len(names) == len(set(names)) == 400


@pytest.mark.requirement("F-COMPACT-02")
def test_nothing_is_done_while_the_space_is_paused_and_nothing_waits() -> None:
    with quiet(config={"condense": {"protected_turns": 2, "session_tokens": 100_000}}) as memory:
        added(memory, talk(0, 40))
        condensing = compactor(memory, memory.reads.store, session_tokens=100)
        assert condensing.due() == ["s"]
        memory.pause()
        assert condensing.due() == []
        assert not condensing.step()


@pytest.mark.requirement("F-COMPACT-04")
def test_every_covered_turn_is_shown_in_one_way_and_comes_back_whole() -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=300)
        for part in range(3):
            added(memory, talk(30 * part, 30))
            condensing.compact("s", force=True)
        added(memory, talk(90, 4))
        shown = memory.shown("s")
        names = [name for each in shown for name in each.turn_ids]
        assert sorted(names) == sorted(f"s:turn:{seq}" for seq in range(94))
        assert [each.turn_ids[0] for each in shown if each.is_new] == [f"s:turn:{seq}" for seq in range(88, 94)]
        assert all(each.rendering == "full" and each.text == memory.get(each.turn_ids[0]).text for each in shown[-6:])
        assert all(each.tokens == COUNT(each.text) <= each.full_tokens for each in shown)
        assert memory.restore(names[0]).text == talk(0, 1)[0].text


@pytest.mark.requirement("F-COMPACT-04")
def test_what_is_shown_keeps_to_the_size_and_the_oldest_is_shortest() -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=300, target_size=500)
        for part in range(6):
            added(memory, talk(40 * part, 40))
            receipt = condensing.compact("s", force=True)
            assert receipt.understood["shown"] <= 500
            shown = memory.shown("s")
            assert sum(each.tokens for each in shown) == receipt.understood["shown"]
        order = ["recap", "title", "digest", "summary"]
        groups = [order.index(each.rendering) for each in shown if each.rendering in order and len(each.turn_ids) > 1]
        assert groups == sorted(groups)
        assert groups[0] < groups[-1]


@pytest.mark.requirement("F-COMPACT-04")
def test_a_model_s_summary_is_shown_as_it_was_when_the_turns_were_covered() -> None:
    with quiet(config=ASKED) as memory:
        added(memory, talk(0, 60))
        beats = [row[1] for row in rows(memory.reads.store, "node") if ":beat:" in str(row[1])]
        assert beats
        write_summaries(memory, beats, "The cart was measured and kept.")
        condensing = compactor(memory, memory.reads.store)
        condensing.compact("s", force=True)
        shown = [each for each in memory.shown("s") if each.method == "llm:test"]
        assert shown
        assert all(set(each.text.split("\n")) == {"The cart was measured and kept."} for each in shown)
        write_summaries(memory, beats, "Something else.")
        added(memory, talk(60, 10))
        condensing.compact("s", force=True)
        assert [each for each in memory.shown("s") if each.method == "llm:test"][: len(shown)] == shown


def write_summaries(memory: Memory, beats: Sequence[Any], text: str) -> None:
    made = Rendering(kind="summary", text=text, tokens=COUNT(text), source="00" * 8, coverage=1.0, method="llm:test")
    memory.reads.store.transaction(lambda tx: put_renderings(tx, "default", [(beat, made) for beat in beats]))


@pytest.mark.requirement("F-COMPACT-05")
def test_the_ledgers_add_up_to_what_is_not_in_the_recap() -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=600)
        receipts: list[Receipt] = []
        for part in range(5):
            added(memory, talk(30 * part, 30))
            receipts.append(condensing.compact("s", force=True))
        assert [receipt.understood.get("previous") for receipt in receipts] == [
            None,
            *(receipt.id for receipt in receipts[:-1]),
        ]
        named = [row["restore"] for receipt in receipts for row in receipt.omitted if "value" not in row]
        assert named == [f"s:turn:{seq}" for seq in range(148)]
        with quiet(copied(memory.reads.store), config=ASKED) as other:
            other.reads.store.transaction(partial(forget_condensed, space="default", session="s"))
            whole = compactor(other, other.reads.store, recap_tokens=600).compact("s", force=True)
            assert other.recap("s", budget=600) == memory.recap("s", budget=600)
        assert receipts[-1].understood["lost"] == whole.understood["lost"]
        left = [row for receipt in receipts for row in receipt.omitted if "value" in row]
        assert left
        assert all(row["value"] in memory.restore(row["restore"]).text.casefold() for row in left)


@pytest.mark.requirement("F-COMPACT-05")
def test_forgetting_a_turn_removes_it_from_everything_that_was_made() -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=300)
        secret = told("The launch of project Heliotrope happens on Svalbard at src/secret/plan.py tomorrow morning.")
        added(memory, [*talk(0, 20), secret, *talk(20, 20)])
        condensing.compact("s", force=True)
        added(memory, talk(40, 300))
        stored = condensing.gathering.stored("s", COUNT)
        assert condensing.gathering.step("s", stored, 300, COUNT)  # a compaction under way
        held = {name: len(rows(memory.reads.store, name)) for name in TABLES_OF_SESSIONS}
        assert all(held.values()), held
        traces = traces_of([memory.restore("s:turn:20")])
        memory.forget(turn_ids=["s:turn:20"])
        assert not any(rows(memory.reads.store, name) for name in TABLES_OF_SESSIONS)
        assert not condensing.gathering.step("s", stored, 338, COUNT)  # what was read before is not written now
        assert memory.drain(200)
        assert condensing.compact("s", force=True).understood["first"] == 0
        assert prove(memory.reads.store, "default", traces).found == {}


@pytest.mark.requirement("F-COMPACT-06")
def test_an_add_that_makes_a_session_due_takes_no_more_statements(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    counts = []
    with quiet(store, config={"condense": {"session_tokens": 1_000, "protected_turns": 0}}) as memory:
        added(memory, talk(0, 20))
        memory.parts.worker.stop()
        memory.add(told("the first since"))
        for text in ("short words", "long words " * 1_000, "short words"):
            seen: list[str] = []
            store._writer._connection.exec_trace = lambda _, sql, __, seen=seen: seen.append(sql) is None
            memory.add(told(text))
            store._writer._connection.exec_trace = None
            counts.append(len(seen))
    store.close()
    assert counts[0] == counts[1] == counts[2] > 0


@pytest.mark.requirement("F-COMPACT-07")
def test_a_turn_larger_than_the_window_is_shown_in_part_and_comes_back_whole() -> None:
    config = {"condense": {"session_tokens": 0, "window": 1_000, "protected_turns": 2, "recap_tokens": 200}}
    with quiet(config=config) as memory:
        added(memory, [*talk(0, 10), told("The harbour is deep. " * 1_000)])
        last = memory.shown("s")[-1]
        assert last.tokens < 1_000 < last.full_tokens
        assert last.text.endswith("restore s:turn:10]")
        added(memory, talk(10, 10))
        shown = memory.shown("s")
        assert sum(each.tokens for each in shown) <= 850
        assert memory.restore("s:turn:10").text == ("The harbour is deep. " * 1_000)


def result(call_id: str, text: str) -> Turn:
    return Turn(role="tool", session="s", content=(Part(type="tool_result", call_id=call_id, text=text),))


def call(call_id: str, arguments: str) -> Turn:
    part = Part(type="tool_call", name="Bash", call_id=call_id, text=arguments)
    return Turn(role="assistant", session="s", content=(part,))


ODD: dict[str, list[Turn]] = {
    "tools alone": [result(f"c{n}", f"line {n} of src/a.py\n" * 30) for n in range(20)],
    "broken pairs": [
        *[call(f"c{n}", '{"command": "make') for n in range(10)],
        *[result(f"x{n}", "\u0000 nobody asked") for n in range(10)],
    ],
    "no words": [told(". ! ?") for _ in range(20)],
    "one word": [told("ok") for _ in range(20)],
}


@pytest.mark.requirement("F-COMPACT-07")
@pytest.mark.parametrize("name", ODD)
def test_odd_sessions_are_condensed(name: str) -> None:
    with quiet(config=ASKED) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=200, target_size=20)
        for turn in ODD[name]:
            memory.add(turn)
        assert memory.drain(200)
        before = [memory.get(f"s:turn:{seq}").text for seq in range(20)]
        receipt = condensing.compact("s", force=True)
        assert receipt.understood["compacted"]
        assert memory.recap("s").tokens <= 200
        names = [turn for each in memory.shown("s") for turn in each.turn_ids]
        assert Tally(names) == Tally({f"s:turn:{seq}": 1 for seq in range(20)})
        assert [memory.restore(f"s:turn:{seq}").text for seq in range(20)] == before


@pytest.mark.requirement("F-COMPACT-07")
def test_a_clock_that_goes_back_changes_nothing_but_the_times() -> None:
    clock = FrozenClock(NOON)
    with quiet(config=ASKED, clock=clock) as memory:
        condensing = compactor(memory, memory.reads.store, recap_tokens=300)
        made = []
        for part in range(3):
            added(memory, talk(30 * part, 30))
            made.append(condensing.compact("s", force=True))
            clock.advance(-timedelta(days=3).total_seconds())
        assert [receipt.settings["number"] for receipt in made] == [1, 2, 3]
        assert memory.recap("s").last == 87
        assert memory.explain(made[0].id) == made[0]


@pytest.mark.slow
@pytest.mark.requirement("F-COMPACT-03")
def test_many_at_once_cover_each_turn_once() -> None:
    with quiet(config=ASKED) as memory:
        added(memory, talk(0, 600))
        condensing = [compactor(memory, memory.reads.store) for _ in range(6)]
        with ThreadPoolExecutor(6) as threads:
            made = list(threads.map(lambda each: each.compact("s", force=True), condensing))
        assert sum(receipt.understood["compacted"] for receipt in made) == 1
        names = [name for each in memory.shown("s") for name in each.turn_ids]
        assert len(names) == len(set(names)) == 600
        assert rows(memory.reads.store, "material") == []
