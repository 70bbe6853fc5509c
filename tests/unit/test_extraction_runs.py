"""Extraction of stored sessions: what is asked, kept, counted, tried again, deferred and given up."""

import json
import logging
import threading
from typing import Any, cast

import pytest

from clew.errors import (
    BudgetExceeded,
    ModelUnavailable,
    StoreReadOnly,
)
from clew.memory import Memory
from clew.models.prompt import Completion, Prompt
from clew.rows.extraction_runs import runs_of
from clew.rows.spend_ledger import read_ledger
from clew.store.protocol import Reader
from clew.store.tables import TURN
from clew.types import Part, Turn
from clew.types.extraction import ExtractionMode
from tests.support.extraction import (
    DEFERRED,
    DONE,
    FAILED,
    LIMIT,
    PENDING,
    Unwritable,
    asked,
    copying,
    delta,
    edge,
    entity,
    extractor,
    is_semantic,
    long_talk,
    memory_of_two_chunks,
    model,
    payload,
    turns_of,
)
from tests.support.memories import at, quiet, rows, told

memory = pytest.fixture(memory_of_two_chunks)


def fails_in(place: int, error: Any = "nonsense") -> Any:
    """A model that gives an unusable answer about the chunk that begins at a turn."""
    return lambda prompt: error if turns_of(prompt)[0]["turn"] == place else copying(prompt)


def second(memory: Memory) -> int:
    """The first turn of the second chunk."""
    return extractor(memory, model()).extract("s").run.chunks[1].first


@pytest.mark.requirement("K-TRI-01")
def test_a_small_session_takes_one_call(memory: Memory) -> None:
    llm = model()
    made = extractor(memory, llm, limit=6_000).extract("s")
    assert (made.run.state, made.run.mode, len(made.run.chunks)) == (DONE, ExtractionMode.SINGLE, 1)
    assert len(asked(llm)) == 1
    assert [turn["turn"] for turn in turns_of(asked(llm)[0])] == list(range(60))
    assert made.vector is not None
    assert made.vector.summary == "The mill of Arden turns slowly."


@pytest.mark.requirement("K-TRI-05", "K-TRI-04")
def test_each_chunk_is_asked_about_by_itself(memory: Memory) -> None:
    llm = model()
    made = extractor(memory, llm).extract("s")
    spans = sorted((turns_of(prompt)[0]["turn"], turns_of(prompt)[-1]["turn"]) for prompt in asked(llm))
    assert spans == [(record.first, record.last) for record in made.run.chunks]
    assert [record.id for record in made.run.chunks] == ["s:chunk:0", "s:chunk:1"]
    assert made.vector is not None
    assert [(node.name, len(node.turn_ids)) for node in made.vector.nodes] == [("Ann", 60)]


@pytest.mark.requirement("K-TRI-06")
def test_the_order_in_which_answers_come_changes_nothing(memory: Memory) -> None:
    later = threading.Event()

    def backwards(prompt: Prompt) -> Any:
        number = turns_of(prompt)[0]["turn"]
        if number == 0:
            later.wait(60)
        else:
            later.set()
        made: dict[str, Any] = payload(open_deltas=[delta(f"Note {number}", int(number))])
        return made

    reordered = extractor(memory, model(backwards)).extract("s").vector
    assert reordered is not None
    assert [each.text for each in reordered.open_deltas] == ["Note 0", f"Note {second(memory)}"]


@pytest.mark.requirement("K-TRI-08")
def test_a_failed_chunk_is_recorded_and_ends_the_run(memory: Memory) -> None:
    place = second(memory)
    with quiet() as other:
        other.add_many(long_talk())
        made = extractor(other, model(fails_in(place))).extract("s")
        assert (made.vector, made.run.state, made.run.attempts) == (None, FAILED, 1)
        assert [record.state for record in made.run.chunks] == [DONE, FAILED]
        assert made.run.reason is not None
        assert made.run.reason.startswith("s:chunk:1: scripted gave no usable answer, asked 3 times")
        (stored,) = other.extractions()
        assert (stored.run.state, stored.vector) == (FAILED, None)
        assert [record.reason is None for record in stored.run.chunks] == [True, False]
        assert rows(other.reads.store, "fact") == []


@pytest.mark.requirement("K-TRI-09")
def test_another_try_asks_the_failed_chunk_alone(memory: Memory) -> None:
    place = second(memory)
    with quiet() as other:
        other.add_many(long_talk())
        extractor(other, model(fails_in(place))).extract("s")
        llm = model()
        made = extractor(other, llm).extract("s")
        assert [turns_of(prompt)[0]["turn"] for prompt in asked(llm)] == [place]
        assert (made.run.state, made.run.attempts, made.run.number) == (DONE, 0, 2)
        assert [record.cached for record in made.run.chunks] == [True, False]
        assert made.run.telemetry["kept"] == 1
        again = extractor(other, llm).extract("s")
        assert len(asked(llm)) == 1
        assert again.vector == made.vector


@pytest.mark.requirement("K-TRI-03", "K-TRI-09")
def test_a_session_that_grew_is_asked_about_its_new_part_alone(memory: Memory) -> None:
    llm = model()
    before = extractor(memory, llm).extract("s")
    memory.add_many(long_talk(64)[60:])
    after = extractor(memory, llm).extract("s")
    assert len(asked(llm)) == 3
    assert [record.cached for record in after.run.chunks] == [True, False]
    assert after.run.chunks[0].digest == before.run.chunks[0].digest
    assert len(rows(memory.reads.store, "extraction_chunk")) == 2


@pytest.mark.requirement("K-TRI-10")
def test_three_failures_of_its_own_defer_a_session_until_it_is_retried(memory: Memory) -> None:
    bad = model("nonsense")
    work = extractor(memory, bad)
    assert [work.extract("s").run.state for _ in range(3)] == [FAILED, FAILED, DEFERRED]
    assert work.due() == []
    calls = len(bad.prompts)
    assert work.extract("s").run.state == DEFERRED
    assert len(bad.prompts) == calls
    assert memory.retry() == 1
    assert work.due() == ["s"]
    assert extractor(memory, model()).extract("s").run.state == DONE
    assert memory.retry() == 0


@pytest.mark.requirement("K-TRI-10")
def test_new_turns_lift_the_deferral_of_a_chunk_that_they_change(memory: Memory) -> None:
    place = second(memory)
    with quiet() as other:
        other.add_many(long_talk())
        work = extractor(other, model(fails_in(place)))
        assert [work.extract("s").run.state for _ in range(3)][-1] == DEFERRED
        other.add_many(long_talk(61)[60:])
        assert work.due() == ["s"]
        assert extractor(other, model()).extract("s").run.state == DONE


@pytest.mark.requirement("K-TRI-10", "K-TRI-21")
@pytest.mark.parametrize(
    "error",
    [ModelUnavailable("the server is down"), BudgetExceeded("nothing is left"), ModelUnavailable("401: check the key")],
    ids=["down", "budget", "key"],
)
def test_what_is_no_failure_of_a_session_leaves_it_waiting(memory: Memory, error: Exception) -> None:
    llm = model(error)
    work = extractor(memory, llm, concurrency=1)
    for _ in range(5):
        made = work.extract("s")
        assert (made.vector, made.run.state, made.run.attempts) == (None, PENDING, 0)
        assert made.run.reason is not None
        assert str(error) in made.run.reason
    assert len(llm.prompts) == 5  # once the model cannot be reached, nothing more is asked
    assert work.due() == ["s"]
    assert extractor(memory, model()).extract("s").ok


@pytest.mark.requirement("K-TRI-11")
def test_one_bad_session_does_not_block_the_others() -> None:
    def by_session(prompt: Prompt) -> Any:
        return "nonsense" if "Bad" in str(turns_of(prompt)[0]["text"]) else copying(prompt)

    with quiet(llm=model(by_session)) as memory:
        for name in ("a", "b", "c"):
            word = "Bad" if name == "b" else "Good"
            memory.add(told(f"{word} weather in Arden today.", session=name))
        made = {each.run.session: each.run.state for each in memory.extract()}
        assert made == {"a": DONE, "b": FAILED, "c": DONE}
        assert {each.run.session: each.ok for each in memory.extractions()} == {"a": True, "b": False, "c": True}
        assert [each.run.session for each in memory.extract()] == ["b"]
        memory.extract()
        assert memory.extract() == []
        assert memory.retry() >= 1


@pytest.mark.requirement("K-TRI-11")
def test_a_session_that_cannot_be_read_at_all_is_recorded_and_blocks_nobody() -> None:
    with quiet() as memory:
        for name in ("a", "b", "c"):
            memory.add(told("Good weather in Arden today.", session=name))
        unreadable(memory, "b")
        made = extractor(memory, model()).extract_due()
        assert {each.run.session: each.run.state for each in made} == {"a": DONE, "b": FAILED, "c": DONE}
        assert "nobody" in str(made[1].run.reason)
        assert memory.extractions()[1].run.state == FAILED


def unreadable(memory: Memory, session: str) -> None:
    """Makes the first turn of a session one that cannot be read."""
    store = memory.reads.store
    with store.snapshot() as reader:
        row = TURN.get(reader, (memory.space, session, 0))
    assert row is not None
    store.transaction(lambda tx: TURN.put(tx, [row._replace(role="nobody")]))


@pytest.mark.requirement("K-KEEP-04")
def test_a_session_that_cannot_be_read_is_deferred_after_three_tries_until_it_grows_or_is_retried() -> None:
    with quiet() as memory:
        memory.add(told("Good weather in Arden today.", session="b"))
        unreadable(memory, "b")
        work = extractor(memory, model())
        tried = [made.run for _ in range(4) for made in work.extract_due()]
        assert [(run.state, run.attempts) for run in tried] == [(FAILED, 1), (FAILED, 2), (DEFERRED, 3)]
        memory.add(told("It rains in Arden now.", session="b"))
        assert [(made.run.state, made.run.attempts) for made in work.extract_due()] == [(FAILED, 1)]
        assert memory.retry() == 1
        assert [made.run.attempts for made in work.extract_due()] == [1]


class _ReadRows:
    """A reader that counts the rows of extractions that it gives."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self.runs = reader, 0

    def __getattr__(self, name: str) -> Any:
        def call(table: str, *args: Any, **more: Any) -> Any:
            found = getattr(self._reader, name)(table, *args, **more)
            if table == "extraction_run" and isinstance(found, list):
                self.runs += len(found)
            return found

        return call


@pytest.mark.requirement("K-KEEP-05")
def test_what_failed_is_listed_without_reading_what_is_done() -> None:
    with quiet() as memory:
        for n in range(12):
            memory.add(told("Good weather in Arden today.", session=f"s{n:02}"))
        for name in ("s03", "s05", "s07"):
            unreadable(memory, name)
        extractor(memory, model()).extract_due()
        for done, limit, sessions in (
            (False, None, ["s03", "s05", "s07"]),
            (False, 2, ["s03", "s05"]),
            (True, 4, ["s00", "s01", "s02", "s03"]),
        ):
            with memory.reads.store.snapshot() as reader:
                counting = cast(Any, _ReadRows(reader))
                found = runs_of(counting, memory.space, done=done, limit=limit)
            assert [each.run.session for each in found] == sessions
            assert counting.runs == len(sessions)
        assert [each.run.session for each in memory.extractions("s05")] == ["s05"]
        assert memory.extractions("other") == []


@pytest.mark.requirement("K-KEEP-08")
def test_an_extraction_of_short_answers_uses_what_was_complete() -> None:
    answer = json.dumps(payload(summary="The mill of Arden turns.", entities=[entity("Ann"), entity("Arden")]))
    cut = Completion(answer[: answer.index('"Arden"')], 9, 60, "scripted", "length")
    with quiet() as memory:
        memory.add(told("The mill of Arden turns.", session="s", speaker="Ann"))
        llm = model(lambda _: cut)
        (made,) = extractor(memory, llm, budget={"answer_tokens": 60}).extract_due()
    assert made.vector is not None
    assert [node.name for node in made.vector.nodes] == ["Ann"]
    (prompt,) = asked(llm)
    assert cast(Any, prompt.schema)["properties"]["entities"]["maxItems"] == 2


@pytest.mark.requirement("K-TRI-12")
def test_an_oversized_turn_is_refused_before_anything_is_asked() -> None:
    with quiet() as memory:
        memory.add_many([*long_talk(5), told("A long story of stones. " * 400, at=at(9)), *long_talk(9)[6:]])
        llm = model()
        made = extractor(memory, llm).extract("s")
        assert (made.run.state, len(llm.prompts)) == (FAILED, 0)
        assert [record.turns for record in made.run.chunks] == [5, 1, 3]
        assert [record.state for record in made.run.chunks] == [PENDING, FAILED, PENDING]
        assert "more than the limit of 2200" in str(made.run.reason)
        by_rules = extractor(memory, llm, oversized="rules").extract("s")
        assert (by_rules.run.state, len(asked(llm))) == (DONE, 2)
        assert by_rules.vector is not None
        assert "story of stones" in by_rules.vector.summary


@pytest.mark.requirement("K-TRI-13")
@pytest.mark.parametrize("limit", [None, 0, -1, "many", float("nan")])
def test_an_invalid_limit_means_one_pass_and_is_told(memory: Memory, limit: Any) -> None:
    made = extractor(memory, model(), limit=limit).extract("s")
    assert (made.ok, made.run.mode, made.run.telemetry["activated"]) == (True, ExtractionMode.SINGLE, False)
    assert "not valid" in made.run.telemetry["why"]


@pytest.mark.requirement("K-TRI-14", "K-TRI-24")
def test_the_run_and_the_log_hold_the_counts(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "clew.models")
    made = extractor(memory, model()).extract("s")
    telemetry = made.run.telemetry
    assert telemetry["activated"] is True
    assert (telemetry["limit"], telemetry["chunks"], telemetry["turns"], telemetry["kept"]) == (LIMIT, 2, 60, 0)
    assert telemetry["single_pass_tokens"] > LIMIT
    assert (telemetry["map_calls"], telemetry["reduce_calls"]) == (2, 0)
    assert telemetry["map_tokens_in"] > 0
    assert telemetry["map_tokens_out"] > 0
    assert f"{telemetry['single_pass_tokens']} tokens are above {LIMIT}: 2 chunks" in caplog.text
    assert "Arden" not in json.dumps(telemetry) + caplog.text
    with memory.reads.store.snapshot() as reader:
        booked = {row["purpose"]: row["calls"] for row in read_ledger(reader, memory.space)}
    assert booked == {"extract": 2}


@pytest.mark.requirement("K-TRI-16")
@pytest.mark.parametrize("after", range(4))
def test_a_store_that_fails_on_the_way_loses_nothing_silently(memory: Memory, after: int) -> None:
    work = extractor(memory, None)
    broken = type(work)(Unwritable(memory.reads.store, after), *[getattr(work, n) for n in work.__slots__[1:6]])
    if after < 2:
        with pytest.raises(StoreReadOnly):
            broken.extract("s")
        assert not any(each.ok for each in memory.extractions())
    else:
        assert broken.extract("s").ok


@pytest.mark.requirement("K-TRI-17")
def test_without_a_model_rules_fill_the_vectors() -> None:
    plan = json.dumps(
        {"todos": [{"content": "Write the migration", "status": "pending"}, {"content": "Ask", "status": "completed"}]}
    )
    calls = [
        Part(type="text", text="I will plan this with Maria Lopez in Lisbon."),
        Part(type="tool_call", name="TodoWrite", text=plan, call_id="1"),
    ]
    with quiet() as memory:
        memory.add(told("We picked Redis for the sessions in Lisbon.", speaker="Ann"))
        memory.add(Turn(role="assistant", content=tuple(calls), session="s"))
        (made,) = memory.extract()
        assert made.run.extractor == "rules"
        assert made.vector is not None
        assert {"Lisbon", "Redis", "Maria Lopez", "Ann"} <= {node.name for node in made.vector.nodes}
        lisbon = next(node for node in made.vector.nodes if node.name == "Lisbon")
        assert lisbon.turn_ids == ("s:turn:0", "s:turn:1")
        assert [(each.text, each.turn_ids) for each in made.vector.open_deltas] == [
            ("Write the migration", ("s:turn:1",))
        ]
        assert "We picked Redis" in made.vector.summary
        assert memory.extract() == []


OPEN = payload(
    entities=[entity("Arden", "place"), entity("mill of Arden", "place")],
    edges=[edge("Ann", "speaks of", "Arden", 0)],
)


def undecided(prompt: Prompt) -> Any:
    """Leaves an alias open; decides when it is asked."""
    if is_semantic(prompt):
        return {"decisions": [{"number": 0, "decision": "yes", "verb": ""}]}
    first = int(turns_of(prompt)[0]["turn"])
    return OPEN | {"edges": [edge("Ann", "speaks of", "Arden", first)]}


@pytest.mark.requirement("K-TRI-18")
def test_what_is_left_open_is_named_and_decided_within_the_calls(memory: Memory) -> None:
    llm = model(undecided)
    made = extractor(memory, llm).extract("s")
    assert [(each.kind, each.items) for each in made.unresolved] == [("alias", ("Arden", "mill of Arden"))]
    assert made.run.telemetry["unresolved"] == 1
    assert memory.extractions()[0].unresolved == made.unresolved
    decided = extractor(memory, llm, semantic_calls=3).extract("s")
    assert decided.unresolved == ()
    assert decided.vector is not None
    assert [(node.name, node.aliases) for node in decided.vector.nodes] == [("Arden", ("mill of Arden",))]
    assert decided.run.telemetry["reduce_calls"] == 1
    assert decided.run.telemetry["map_calls"] == 0  # the chunks' answers were kept


@pytest.mark.requirement("K-TRI-18")
@pytest.mark.parametrize("error", ["nonsense", ModelUnavailable("down"), BudgetExceeded("nothing is left")])
def test_a_semantic_reduce_that_fails_leaves_the_deterministic_vector(memory: Memory, error: Any) -> None:
    llm = model(lambda prompt: error if is_semantic(prompt) else undecided(prompt))
    made = extractor(memory, llm, semantic_calls=2).extract("s")
    assert (made.run.state, len(made.unresolved)) == (DONE, 1)
    assert "the semantic reduce failed" in str(made.run.reason)
    better = extractor(memory, model(undecided), semantic_calls=2).extract("s")
    assert (better.unresolved, better.run.telemetry["map_calls"], better.run.reason) == ((), 0, None)
    assert made.vector is not None
    assert len(made.vector.nodes) == 2


@pytest.mark.requirement("K-TRI-19")
@pytest.mark.parametrize("most", [1, 2, 5])
def test_chunks_are_asked_about_at_the_same_time_and_no_more_than_allowed(most: int) -> None:
    lock, together, at_once = threading.Lock(), threading.Event(), [0, 0]

    def slow(prompt: Prompt) -> Any:
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
            if at_once[0] == most:
                together.set()
        assert together.wait(60)  # nobody answers before `most` are asked
        with lock:
            at_once[0] -= 1
        return copying(prompt)

    with quiet() as memory:
        memory.add_many(long_talk(300))
        made = extractor(memory, model(slow), limit=1_400, concurrency=most).extract("s")
    assert made.ok
    assert len(made.run.chunks) >= 10
    assert at_once[1] == most
