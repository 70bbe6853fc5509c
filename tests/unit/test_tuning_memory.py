"""Tuning through a memory: feedback in, learned values out, and the way back."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.config import Config
from clew.errors import InputError, NotFoundError
from clew.learn.feedback import QUOTED, RESTORED, USED, echoes, read_feedback, receipts_of
from clew.learn.silver_questions import GAP, silver_questions
from clew.maintain.copy_space import copy_space
from clew.memory import Memory
from clew.rows.parameters import adopt, read_learned
from clew.store.protocol import Store
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.memories import NOON, copied, empty_store, quiet, rows, told

THINGS = [
    f"{colour}{kind}" for colour in ("amber", "indigo", "scarlet", "teal", "umber", "violet") for kind in "bdgkmptvzx"
]
BAD = {"recall.cost": 0.5, "recall.lexical": 5.2}
"""Weights out of tune: what a turn costs hardly counts, so long turns full of the question's words come first."""


def filled(memory: Memory) -> None:
    """A conversation for each thing: a short turn that tells, and a long one with all the words of the question."""
    for thing in THINGS:
        memory.add(told(f"Old Tom saw to the {thing}.", session=thing))
        for letter in "abcd":
            memory.add(told(f"Fine weather {letter}.", session=thing))
        long = f"The engine of a {thing}, repaired or not, is an engine. Who repaired it is another matter. "
        memory.add(told(long + "Nobody knows much else. " * 60, session=thing))


def question(thing: str) -> str:
    """What both turns could answer."""
    return f"who repaired the engine of the {thing}"


def asked(memory: Memory, clock: FrozenClock, things: list[str], used: int = 0) -> None:
    """Asks about each thing, and marks one of its turns as used."""
    for thing in things:
        clock.advance(1)
        context = memory.recall(question(thing), budget=4000)
        memory.mark_used(context.receipt_id, [f"{thing}:turn:{used}"])


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that the test moves."""
    return FrozenClock(NOON)


@pytest.fixture(scope="module")
def told_once() -> Store:
    """A store with all the conversations; to be copied."""
    store = empty_store()
    with quiet(store) as opened:
        filled(opened)
        assert opened.drain(None)
    return store


@pytest.fixture
def memory(clock: FrozenClock, told_once: Store) -> Iterator[Memory]:
    """A memory whose weights are out of tune, with a question about each thing; blocks hold only what matches."""
    with quiet(copied(told_once), clock=clock, config={"recall": {"floor": 0.0}}) as opened:
        adopt(opened.reads.store, opened.space, BAD, {"test": "out of tune"}, clock(), 0)
        yield opened


def learned(memory: Memory) -> dict[str, float]:
    """The values that hold."""
    with memory.reads.store.snapshot() as reader:
        return dict(read_learned(reader, memory.space).values)


def kinds(memory: Memory) -> dict[str, set[str]]:
    """Turn -> kinds of evidence."""
    with memory.reads.store.snapshot() as reader:
        return {name: each for found in read_feedback(reader, memory.space).values() for name, each in found.items()}


@pytest.mark.requirement("W-TUNE-01")
def test_without_feedback_nothing_moves(memory: Memory, clock: FrozenClock) -> None:
    for thing in THINGS:
        clock.advance(1)
        memory.recall(question(thing))
    report = memory.tune()
    assert (report.feedback, report.verdicts, report.changed) == ({}, (), {})
    assert learned(memory) == BAD


@pytest.mark.requirement("W-TUNE-02", "W-TUNE-05")
def test_feedback_finds_back_to_weights_that_rank_what_is_used(memory: Memory, clock: FrozenClock) -> None:
    asked(memory, clock, THINGS)
    assert memory.ranked(question(THINGS[0]))[0].turn.id == f"{THINGS[0]}:turn:5"
    foreseen = memory.tune(dry_run=True)
    assert learned(memory) == BAD
    assert foreseen.dry_run
    report = memory.tune()
    assert report.changed == foreseen.changed != {}
    adopted = [verdict for verdict in report.verdicts if verdict.adopted]
    assert report.version == 1 + len(adopted), "each family is a change of its own"
    assert memory.ranked(question(THINGS[0]))[0].turn.id == f"{THINGS[0]}:turn:0"
    change = memory.learned()[1]
    assert change.values == {name: value for name, value in report.changed.items() if name in BAD}
    assert change.reason["pairs"] == len(THINGS)
    assert change.reason["before"] < change.reason["after"]
    assert change.reason["low"] > 0
    assert not any(thing in json.dumps(change.to_dict()) for thing in THINGS), "a reason repeats no words"
    assert memory.stats().details["learned"] == report.version
    assert memory.explain(memory.recall("mill").receipt_id).settings["learned"] == report.version


@pytest.mark.slow
@pytest.mark.requirement("W-TUNE-05")
def test_a_change_can_be_taken_back_and_is_not_made_again_from_the_same_history(
    memory: Memory, clock: FrozenClock
) -> None:
    asked(memory, clock, THINGS)
    version = memory.tune().version
    clock.advance(1)
    assert memory.revert(1) == version + 1
    assert learned(memory) == BAD
    report = memory.tune()
    assert report.changed == {}
    assert "since these values changed last" in report.verdicts[0].reason
    assert memory.revert(0) == version + 2
    assert learned(memory) == {}
    assert memory.learned()[-1].values == dict.fromkeys(BAD)
    assert memory.revert(0) == version + 2, "nothing differs, so nothing is written"
    with pytest.raises(NotFoundError, match=f"there are 0 to {version + 2}"):
        memory.revert(9)


@pytest.mark.requirement("W-TUNE-03")
def test_use_without_rhyme_or_reason_moves_nothing(clock: FrozenClock) -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    with quiet(clock=clock, config={"recall": {"floor": 0.0}}) as memory:
        for thing in THINGS:  # turns of one length: to put short ones first would be a reason
            memory.add_many(told(f"Old {name} saw to the {thing}.", session=thing) for name in ("Tom", "Tim", "Ted"))
        for thing in THINGS:
            clock.advance(1)
            context = memory.recall(question(thing), budget=1000)
            memory.mark_used(context.receipt_id, chance.choice(context.items).turn_ids)
        report = memory.tune()
        assert report.feedback == {USED: len(THINGS)}
        assert report.changed == {}
        assert learned(memory) == {}


@pytest.mark.slow
@pytest.mark.requirement("W-TUNE-02")
def test_recalls_that_used_neighbouring_turns_judge_beats(memory: Memory, clock: FrozenClock) -> None:
    assert memory.drain(200)
    for thing in THINGS[:50]:
        clock.advance(1)
        receipt = memory.recall(question(thing), budget=4000).receipt_id
        memory.mark_used(receipt, [f"{thing}:turn:0", f"{thing}:turn:5"])
    beats = memory.tune(dry_run=True).verdicts[2]
    assert (beats.family, beats.pairs, beats.adopted) == ("beats", 50, False)
    assert beats.before == pytest.approx(0.5), "any beat covers them as well as it would elsewhere"


@pytest.mark.requirement("W-TUNE-08")
@pytest.mark.parametrize("chosen", [{"recall": {"cost": 2.0}}, Config()])
def test_what_the_user_chose_is_never_replaced(chosen: Any) -> None:
    store = empty_store()
    with quiet(store, config=chosen) as memory:
        filled(memory)
        adopt(store, memory.space, {"recall.cost": 0.5, "recall.time": 4.2}, {}, NOON, 0)
        found = memory.reads.ranker.frame("mill", NOON).config
        assert found.cost == 2.0
        assert found.time == (chosen.recall.time if isinstance(chosen, Config) else 4.2)


@pytest.mark.requirement("W-TUNE-08")
def test_learned_values_hold_at_once_in_a_memory_that_is_open_already() -> None:
    store = empty_store()
    with quiet(store) as one, quiet(store) as other:
        one.add(told("The mill is old."))
        assert other.reads.ranker.frame("mill", NOON).config.cost == 2.0
        adopt(store, one.space, {"recall.cost": 4.0}, {}, NOON, 0)
        assert other.reads.ranker.frame("mill", NOON).config.cost == 4.0
        adopt(store, one.space, {"recall.cost": 4_000.0, "recall.unheard": 1.0}, {}, NOON, 1)
        assert other.reads.ranker.frame("mill", NOON).config.cost == 8.0, "a value never leaves its bounds"


@pytest.mark.requirement("W-TUNE-08")
def test_a_learned_structure_begins_a_new_epoch_and_weighs_anew() -> None:
    store = empty_store()
    text = "Redis keeps sessions for a day. After a day redis drops sessions. Maybe sessions live in redis longer."
    with quiet(store) as memory:
        for place in range(30):
            memory.add(told(f"{text} Case {place} is closed.", session="s"))
        assert memory.drain(200)
        plain = memory.annotations("s:turn:0")
        before = memory.snapshots("s")
        adopt(store, memory.space, {"window": 2.0, "flag:hedged": -0.5}, {}, NOON, 0)
        memory.parts.worker.wake()
        assert memory.drain(200)
        weighed = memory.annotations("s:turn:0")
        assert weighed["layer1:window"].value == 2
        assert weighed["layer1"].value != plain["layer1"].value
        after = memory.snapshots("s")
        chunk = after[0].chunks[0]
        assert "hedged" in chunk.nuance_flags
        assert chunk.layer1_score == pytest.approx(weighed["layer1"].value / 2)
        assert {row[7] for row in rows(store, "node")} == {1}, "another epoch"
        assert memory.verify().ok
        memory.rebuild()
        assert memory.drain(200)
        assert memory.snapshots("s") == after, "a rebuild keeps what was learned"
        memory.revert(0)
        assert memory.drain(200)
        assert memory.snapshots("s") == before
        assert "layer1:window" not in memory.annotations("s:turn:0")


@pytest.mark.requirement("W-TUNE-05")
def test_a_copy_carries_learned_values_and_feedback(memory: Memory, clock: FrozenClock) -> None:
    asked(memory, clock, THINGS[:2])
    target = empty_store()
    copy_space(memory.reads.store, target, memory.space)
    assert rows(target, "parameter") == rows(memory.reads.store, "parameter")
    assert len(rows(target, "feedback")) == 2


@pytest.mark.requirement("W-TUNE-05")
def test_an_export_carries_learned_values_within_bounds(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    values = {"recall.cost": 0.5, "window": 3.0, "flag:hedged": -0.5}
    with quiet() as memory:
        memory.add(told("The mill is old."))
        adopt(memory.reads.store, memory.space, values, {}, NOON, 0)
        assert memory.export(file) == 1
    with quiet() as memory:
        report = memory.import_path(file)
        assert (report.added, report.skipped) == (1, {"learned values": 1})
        assert learned(memory) == values
        memory.revert(0)
        memory.import_path(file)
        assert learned(memory) == {}, "what a memory learned itself is not replaced"
    strange = '{"learned": {"recall.cost": 1e9, "window": -4, "flag:unheard": 1, "recall.secret": 2, "x": "y"}}'
    file.write_text(file.read_text("utf-8").splitlines()[0] + "\n" + strange, "utf-8")
    with quiet() as memory:
        memory.import_path(file)
        assert learned(memory) == {"recall.cost": 8.0, "window": 2.0}


@pytest.mark.requirement("W-TUNE-06")
def test_marking_says_what_is_wrong(memory: Memory, clock: FrozenClock) -> None:
    receipt = memory.recall(question(THINGS[0])).receipt_id
    with pytest.raises(NotFoundError, match="no receipt 'r0'"):
        memory.mark_used("r0", [f"{THINGS[0]}:turn:0"])
    with pytest.raises(InputError, match=f"{THINGS[30]}:turn:0' is not a turn of receipt"):
        memory.mark_used(receipt, [f"{THINGS[30]}:turn:0"])
    with pytest.raises(InputError, match="name the turns that were used"):
        memory.mark_used(receipt, [])
    with pytest.raises(InputError, match="expected a list of turn ids"):
        memory.mark_used(receipt, f"{THINGS[0]}:turn:0")
    assert memory.mark_used(receipt, [f"{THINGS[0]}:turn:0"] * 2) == 1
    assert memory.mark_used(receipt, [f"{THINGS[0]}:turn:0"]) == 0
    memory.pause()
    with pytest.raises(InputError, match="paused"):
        memory.mark_used(receipt, [f"{THINGS[0]}:turn:5"])


@pytest.mark.requirement("W-TUNE-06")
def test_a_restored_turn_counts_for_the_newest_recall_that_named_it(memory: Memory, clock: FrozenClock) -> None:
    first = memory.recall(question(THINGS[0])).receipt_id
    clock.advance(1)
    second = memory.recall(question(THINGS[0]) + " then").receipt_id
    clock.advance(1)
    memory.recall("something else entirely")
    memory.restore(f"{THINGS[5]}:turn:0")
    assert rows(memory.reads.store, "feedback") == [], "no recall named it"
    memory.restore(f"{THINGS[0]}:turn:0")
    assert [row[1:4] for row in rows(memory.reads.store, "feedback")] == [(second, f"{THINGS[0]}:turn:0", RESTORED)]
    assert first != second


@pytest.mark.requirement("W-TUNE-06")
def test_an_answer_that_echoes_a_recalled_turn_is_found_and_one_that_does_not_is_not(clock: FrozenClock) -> None:
    with quiet(clock=clock) as memory:
        memory.add(told("We keep the spare key under the third flower pot by the shed.", session="then"))
        memory.add(told("The shed needs new paint before the winter.", session="then"))
        for place in range(20):
            memory.add(told(f"Small talk number {place} about the weather.", session="talk"))
        asking = "Where is the spare key of the shed?"
        clock.advance(1)
        memory.recall(asking)
        memory.add(Turn(role="user", content=asking, session="now"))
        memory.add(Turn(role="user", content="Nothing to do with it.", session="talk"))
        answer = "It should be under the third flower pot, as you said."
        memory.add(Turn(role="assistant", content=answer, session="now"))
        foreseen = memory.tune(dry_run=True)
        assert foreseen.feedback == {QUOTED: 1}
        assert rows(memory.reads.store, "feedback") == [], "a dry run writes nothing"
        memory.tune()
        assert kinds(memory) == {"then:turn:0": {QUOTED}}


@pytest.mark.requirement("W-TUNE-06")
def test_turns_after_a_recall_that_another_program_forgot_are_no_answers(clock: FrozenClock) -> None:
    with quiet(clock=clock) as memory:
        memory.add(told("We keep the spare key under the flower pot.", session="then"))
        memory.recall("Where is the spare key?")
        memory.reads.receipts.flush()
        memory.add(told("Under the flower pot, as you said.", session="now"))
        before = memory.reads.live.view()
        with memory.reads.store.snapshot() as reader:
            receipts = receipts_of(reader, memory.space)
        assert receipts
        memory.forget(session="now")
        assert echoes(memory.reads.store, memory.space, before, receipts) == {}


@pytest.mark.requirement("W-TUNE-07")
def test_forgetting_takes_feedback_along_and_learned_values_stay(memory: Memory, clock: FrozenClock) -> None:
    asked(memory, clock, THINGS[:3])
    assert len(rows(memory.reads.store, "feedback")) == 3
    memory.forget(turn_ids=[f"{THINGS[0]}:turn:0"])
    assert rows(memory.reads.store, "feedback") == []
    assert learned(memory) == BAD


@pytest.mark.requirement("W-TUNE-07")
def test_a_dropped_receipt_takes_its_feedback_along(clock: FrozenClock, told_once: Store) -> None:
    with quiet(copied(told_once), clock=clock, config={"receipts": 10}) as memory:
        asked(memory, clock, THINGS[:30])
        memory.reads.receipts.flush()
        kept = {row[1] for row in rows(memory.reads.store, "receipt")}
        assert {row[1] for row in rows(memory.reads.store, "feedback")} <= kept
        assert len(kept) <= 11


@pytest.mark.requirement("W-TUNE-09")
def test_turns_that_refer_back_become_questions() -> None:
    with quiet() as memory:
        memory.add(told("The contract with Zephyrine Ltd ends in May.", session="s"))
        memory.add(told("She said the boat must never leave before sunrise.", session="s"))
        for place in range(GAP + 1):
            memory.add(told(f"Number {place} of the usual.", session="s"))
        memory.add(told("What was it with zephyrine?", session="s"))
        memory.add(told('Remember "never leave before sunrise"?', session="s"))
        memory.add(told("What was it with zephyrine, again?", session="s", role="assistant"))
        view = memory.reads.live.view()
        with memory.reads.store.snapshot() as reader:
            found = silver_questions(reader, memory.space, view, 10)
        places = {each.turn.text: each.positives for each in found}
        assert places["What was it with zephyrine?"] == (0,)
        assert places['Remember "never leave before sunrise"?'] == (1,)
        assert len(places) == 2, "what a program says is no question"
