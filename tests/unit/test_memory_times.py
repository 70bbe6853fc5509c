"""What a memory says of a time: the five modes over a conversation whose beats are known."""

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.cli.when import when
from clew.errors import InputError
from clew.memory import Memory
from clew.serve.agent_tools.tools import Tools
from clew.testing import FrozenClock
from clew.text.counters import counter
from clew.types import Turn
from clew.types.moments import MODES, Remembered
from tests.support.memories import at, quiet, timed, told
from tests.support.talks import NOW, TALKS, remembered, talk


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with remembered() as opened:
        yield opened


def shown(found: Remembered) -> list[str]:
    return [moment.text for moment in found.moments]


@pytest.mark.requirement("F-TIME-07")
def test_lookup_gives_turns_of_the_time_alone(memory: Memory) -> None:
    found = memory.remember_when(query="where are our sessions?", since="April 2023", until="May 2023", mode="lookup")
    assert {"Sessions moved from SQLite to Redis today.", "Redis lost our sessions again, I hate it."} <= set(
        shown(found)
    )
    assert not any("PostgreSQL" in text or "for now" in text for text in shown(found))
    assert found.turns == 8
    assert (found.since, found.until) == (datetime(2023, 4, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))


@pytest.mark.requirement("F-TIME-07")
def test_a_state_is_the_latest_word_before_the_end(memory: Memory) -> None:
    for until, word in (("March 2023", "SQLite for now"), ("April 2023", "to Redis"), ("June 2023", "PostgreSQL")):
        found = memory.remember_when(until=until, query="where are sessions stored?", mode="state_at_time", budget=60)
        assert word in shown(found)[-1], until
    asked = memory.remember_when(query="what was our store for sessions in April 2023?", budget=60)
    assert asked.mode == "state_at_time"
    assert "to Redis" in asked.text


@pytest.mark.requirement("F-PLACE-05")
def test_a_state_before_something_was_said_is_the_latest_before_that(memory: Memory) -> None:
    for clause, word in (
        ("before sessions moved to Redis", "PostgreSQL"),  # "sessions moved" is no clause of ours: the latest of all
        ("before we moved sessions to Redis", "SQLite for now"),
        ("before we decided for PostgreSQL", "lost our sessions"),
    ):
        found = memory.remember_when(query=f"what was our store for sessions {clause}?", budget=60)
        assert found.mode == "state_at_time"
        assert word in found.text, clause
    wide = memory.remember_when(query="what was our store for sessions before we moved sessions to Redis?")
    assert "PostgreSQL" in wide.text  # later ones follow, as far as there is room


@pytest.mark.requirement("F-TIME-07")
def test_a_change_is_told_from_its_first_to_its_last_stage(memory: Memory) -> None:
    found = memory.remember_when(query="How has the store for our sessions changed?")
    assert found.mode == "change_over_time"
    told = [text for text in shown(found) if "essions" in text]
    assert told == [talks[0] for talks in TALKS]
    narrow = memory.remember_when(query="How has the store for our sessions changed?", budget=66)
    assert [text for text in shown(narrow) if "essions" in text] == [TALKS[0][0], TALKS[3][0]]
    assert not any(text in ("ok", "fine", "👍", "yes") for text in shown(found))


@pytest.mark.requirement("F-TIME-07")
def test_a_summary_says_something_of_every_part_of_the_time(memory: Memory) -> None:
    found = memory.remember_when(query="summarize 2023", budget=400)
    assert found.mode == "summarize_over_time"
    assert {moment.at.month for moment in found.moments if moment.at} == {3, 4, 5, 6}


@pytest.mark.requirement("F-TIME-07")
def test_a_summary_of_one_thing_leaves_the_others_out(memory: Memory) -> None:
    found = memory.remember_when(query="summarize what Otto the cat had in 2023")
    assert found.mode == "summarize_over_time"
    assert {moment.session for moment in found.moments} == {"talk-1", "talk-2"}


@pytest.mark.requirement("F-TIME-07")
@pytest.mark.parametrize("mode", ["lookup", "state_at_time", "change_over_time", "summarize_over_time"])
def test_a_question_that_no_turn_answers_gets_no_answer(memory: Memory, mode: str) -> None:
    found = memory.remember_when(query="zebras", mode=mode)
    assert (found.turns, found.text, found.moments) == (16, "", ())


@pytest.mark.requirement("F-TIME-07")
def test_an_overview_names_what_the_time_was_about(memory: Memory) -> None:
    found = memory.remember_when(query="what did we talk about in May 2023?")
    assert found.mode == "window_overview"
    outlines = [moment for moment in found.moments if moment.kind in {"beat", "open"}]
    assert [outline.turn_ids for outline in outlines] == [("talk-2:turn:0", "talk-2:turn:3")]
    assert [outline.turns for outline in outlines] == [4]
    assert "0 to 3 (4 turns): " in found.text
    assert {moment.session for moment in found.moments} == {"talk-2"}
    assert "Redis lost our sessions" in found.text  # the most important turns of the time follow


@pytest.mark.requirement("F-SESSION-06")
def test_what_a_tool_printed_does_not_stand_for_a_time() -> None:
    at = datetime(2023, 5, 2, 9, tzinfo=UTC)
    printed = "CRITICAL: the whole production cluster was deleted on May 2 at 09:00, this must never happen again."
    turns = [
        Turn(role="user", content="Why is the shop down?", at=at),
        Turn(role="tool", content=printed, at=at + timedelta(minutes=1)),
        Turn(role="assistant", content="The cluster is gone.", at=at + timedelta(minutes=2)),
    ]
    with quiet() as memory:
        memory.add_many(turns)
        assert memory.drain()
        found = memory.remember_when(since="May 2023", until="May 2023")
        assert {moment.text for moment in found.moments if moment.kind == "turn"} <= {turns[0].text, turns[2].text}


@pytest.mark.requirement("F-TIME-08")
def test_a_time_without_turns_is_empty_and_one_that_ends_first_an_error(memory: Memory) -> None:
    for mode in MODES[1:]:
        for since, until in (("next week", None), ("2024-01-01", "2025-01-01"), (NOW + timedelta(days=1), None)):
            found = memory.remember_when("sessions", since, until, mode)
            assert (found.turns, found.text, found.tokens, found.moments) == (0, "", 0, ())
        with pytest.raises(InputError, match="before it starts"):
            memory.remember_when("sessions", "May 2023", "March 2023", mode)
    with pytest.raises(InputError, match="budget -1 is negative"):
        memory.remember_when(budget=-1)


@pytest.mark.requirement("F-TIME-08")
def test_sessions_restrict_and_an_old_one_counts_from_its_own_end(memory: Memory) -> None:
    found = memory.remember_when(query="what did we say yesterday?", session="talk-0")
    assert found.counted_from == datetime(2023, 3, 6, tzinfo=UTC)
    assert found.turns == 0
    today = memory.remember_when(query="what did we say today?", session="talk-0")
    assert {moment.session for moment in today.moments} == {"talk-0"}
    assert memory.remember_when(session="nobody").turns == 0


@pytest.mark.requirement("F-TIME-09")
@given(
    st.sampled_from(MODES[1:]),
    st.integers(0, 200),
    st.sampled_from(["estimate", "words"]),
    st.sampled_from(["", "sessions", "Redis and bread", "what happened in May", "\x00茶", "zzz"]),
)
def test_the_block_never_exceeds_its_budget(memory: Memory, mode: str, budget: int, name: str, query: str) -> None:
    if mode == "lookup" and not query:
        return
    found = memory.remember_when(query=query, mode=mode, budget=budget, counter=name)
    assert found.tokens == counter(name)(found.text) <= budget
    assert (found.text == "") == (not found.moments)
    assert Remembered.from_dict(found.to_dict()) == found
    for moment in found.moments:
        for name_ in moment.turn_ids:
            assert memory.get(name_).session == moment.session
    assert found == memory.remember_when(query=query, mode=mode, budget=budget, counter=name)


@pytest.mark.requirement("F-TIME-09")
def test_what_is_forgotten_or_injected_is_never_told() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOW)) as opened:
        opened.add_many(talk())
        opened.add(Turn(role="user", content="sessions of an echo", origin="injected", session="talk-1", at=NOW))
        opened.drain(None)
        opened.forget(match="Redis")
        opened.drain(None)
        for mode in MODES[1:]:
            found = opened.remember_when(query="sessions and Redis", mode=mode, budget=5_000)
            assert "Redis" not in found.text
            assert "redis" not in found.text
            assert "echo" not in found.text
            assert found.turns == 12


@pytest.mark.requirement("F-TIME-10")
def test_recall_brings_what_was_said_in_the_named_time(memory: Memory) -> None:
    context = memory.recall("what did we say last week about sessions?", budget=60)
    assert "PostgreSQL" in context.text
    assert "time" in context.items[0].signals


@pytest.mark.requirement("F-TIME-02", "F-TIME-10")
def test_recall_counts_from_the_end_of_a_conversation_that_is_over() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOW + timedelta(days=900))) as late:
        late.add_many(talk())
        (best, *_) = late.search("what did we say this week about sessions?")
        assert "PostgreSQL" in best.turn.text
        assert best.signals["time"] > 0


@pytest.mark.requirement("F-TIME-14")
def test_the_question_comes_first_everywhere() -> None:
    names = list(inspect.signature(Memory.remember_when).parameters)
    tool = list(inspect.signature(Tools.remember_when).parameters)
    assert names[1:5] == tool[1:5] == ["query", "since", "until", "mode"]
    assert when.params[0].name == "query"


@pytest.mark.requirement("F-TIME-15")
@pytest.mark.parametrize("question", ["was haben wir gestern beschlossen?", "qu'a-t-on décidé hier ?", "昨天决定什么"])
def test_a_question_in_another_language_gets_its_day(question: str) -> None:
    with quiet(clock=FrozenClock(NOW)) as memory:
        for days, text in ((1, "Redis: décidé, beschlossen, 决定"), (9, "beschlossen, décidé, 决定")):
            memory.add(told(text, at=NOW - timedelta(days=days)))
        found = memory.remember_when(question)
        assert (found.since, found.turns) == (NOW.replace(hour=0, minute=0) - timedelta(days=1), 1)


@pytest.mark.requirement("F-SESSION-03")
def test_filters_take_words_for_a_time_as_well_as_moments() -> None:
    with quiet(clock=FrozenClock(NOW)) as memory:
        for days in (1, 9, 40):
            memory.add(told(f"Redis {days}", at=NOW - timedelta(days=days)))
        assert [item.turn_ids for item in memory.recall("Redis", since="gestern").items] == [("s:turn:0",)]
        assert [hit.turn.text for hit in memory.search("Redis", since="yesterday")] == ["Redis 1"]
        found = memory.query("role = user", since="letzte Woche", until="last week")
        assert [turn.text for turn in found] == ["Redis 9"]
        assert len(memory.sessions(since="last week")) == 1
        with pytest.raises(InputError, match="names no time"):
            memory.recall("Redis", since="soonish")
        with pytest.raises(InputError, match="since is 5; expected a datetime"):
            memory.recall("Redis", since=5)  # type: ignore[arg-type]  # what is tested
        assert memory.forget(since="last week", dry_run=True).turns == 2
        assert memory.forget(since="gestern").turns == 1
        with pytest.raises(InputError, match="names no time"):
            memory.forget(since="soonish")


@pytest.mark.requirement("F-TIME-14")
def test_the_order_of_the_design_is_understood_where_a_moment_comes_first() -> None:
    with quiet() as memory:
        memory.add_many(timed(["The kettle is broken.", "Sessions are stored in Redis."]))
        assert memory.drain(None)  # an overview names what is known of the time
        wanted = memory.remember_when(query="where are sessions stored?", since=at(0), until=at(5)).text
        assert wanted
        assert memory.remember_when(at(0), at(5), "where are sessions stored?").text == wanted
        day = memory.remember_when(query="kettle", since="2024-03-05", until="2024-03-05").text
        assert memory.remember_when("2024-03-05", "2024-03-05", "kettle").text == day != ""
        assert memory.remember_when("2024-03-05").text == memory.remember_when(query="2024-03-05").text
