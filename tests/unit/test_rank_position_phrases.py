"""Where a question points by its words: what is read, what it finds, that it raises and never filters, what is told."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory import Memory
from clew.rank.anchors import NOWHERE, anchor, on_side, resolve_positions
from clew.rank.intent.position_phrases import (
    MOST,
    MOST_CHARACTERS,
    PositionPhrase,
    position_phrases,
    without_position_phrases,
)
from clew.rank.session_order import TalksByTime
from clew.types import Turn
from clew.types.turn import Role
from tests.support.memories import NOON, at, quiet, told
from tests.support.ranking_spaces import asked, said, space
from tests.unit.test_memory_hierarchy import TALK


def read(question: str) -> list[tuple[str, str, int, str]]:
    return [(place.kind, place.unit, place.count, place.subject) for place in position_phrases(question)]


@pytest.mark.requirement("F-PLACE-01")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did we say three beats ago?", ("ago", "beat", 3, "")),
        ("and 12 chapters back?", ("ago", "chapter", 12, "")),
        ("What was it a couple of messages ago?", ("ago", "turn", 2, "")),
        ("what did we plan two sessions ago", ("ago", "session", 2, "")),
        ("what was it in the session before last?", ("ago", "session", 2, "")),
        ("and our conversation before the last one", ("ago", "session", 2, "")),
        ("What came up in the last two chapters?", ("last", "chapter", 2, "")),
        ("What was the last message about?", ("last", "turn", 1, "")),
        ("over the past few conversations", ("last", "session", 3, "")),
        ("What did I want at the beginning of our conversation?", ("start", "", 0, "")),
        ("Earlier in this session you named a port.", ("session", "", 0, "")),
        ("What did we decide last time?", ("previous", "", 0, "")),
        ("Last time we talked about tea, what was it?", ("previous", "", 0, "")),
        ("in our previous session", ("previous", "", 0, "")),
        ("What did we use before we chose Redis?", ("before", "", 0, "Redis")),
        ("Until I finally moved to Oslo what did I do?", ("before", "", 0, "Oslo")),
        ("What broke since we’d chosen Redis?", ("after", "", 0, "Redis")),
        ("after I started working on the login", ("after", "", 0, "the login")),
        ("What did you suggest when I was debugging the login?", ("around", "", 0, "debugging the login")),
        ("The first time we talked about cats, who was it?", ("first", "", 0, "cats")),
        ("What did we store before the queue worker was first mentioned?", ("before", "", 0, "the queue worker")),
        ("what did we think before Rust came up?", ("before", "", 0, "Rust")),
    ],
)
def test_words_for_a_place_are_read(question: str, expected: tuple[str, str, int, str]) -> None:
    assert read(question) == [expected]


@pytest.mark.requirement("F-PLACE-01")
@pytest.mark.parametrize(
    "question",
    [
        "",
        "When did we choose Redis?",
        "When was Redis first mentioned?",
        "When was the last time Elise saw her ex?",
        "What did Ann do before she moved?",
        "What did Ann do after the accident?",
        "What shall I pack when we meet tomorrow?",
        "We have lived here since we are four.",
        "two days ago",
        "What is the last chapter of the book about?",
        "What happened last week?",
        "What happened in the session before last Monday?",
        "What did I say in our conversations?",
    ],
)
def test_other_questions_point_nowhere(question: str) -> None:
    assert position_phrases(question) == ()
    assert without_position_phrases(question, ()) == question


@pytest.mark.requirement("F-PLACE-01")
def test_several_places_are_read_in_their_order_and_clauses_end_where_the_question_goes_on() -> None:
    question = "How long was it between when I got the key and when I finished the draft, two beats ago?"
    assert [(place.kind, place.clause) for place in position_phrases(question)] == [
        ("around", "got the key"),
        ("around", "finished the draft"),
        ("ago", ""),
    ]
    (before,) = position_phrases("Before we chose Redis what did we use?")
    assert (before.words, before.clause) == ("Before we chose Redis", "chose Redis")
    assert len(position_phrases("two beats ago, " * 20)) == MOST
    assert position_phrases("two beats ago " + "x" * MOST_CHARACTERS) == ()


@pytest.mark.requirement("F-PLACE-01")
def test_only_words_that_name_nothing_said_are_left_out_of_the_look_up() -> None:
    asked_of = asked(space("red"), "What was red three beats ago, before we chose Redis?").intent
    assert "beat" not in asked_of.terms
    assert {"red", "redi"} <= set(asked_of.terms)
    assert asked_of.about == "What was red, before we chose Redis?"
    alone = asked(space("red"), "What was red, two turns ago, in Rome?").intent
    assert alone.about == "What was red, in Rome?"
    plain = asked(space("red"), "What was red?").intent
    assert (plain.about, plain.positions) == ("", ())


TOLD = (
    said("We keep the sessions in SQLite.", "a", at=at(0)),
    said("Redis looks fine, they say.", "a", at=at(1)),
    said("We chose Redis for the sessions.", "a", at=at(2)),
    said("The cache is warm.", "b", at=at(60)),
    said("Redis lost the sessions.", "b", at=at(61)),
    said("An old note.", "c", at=at(-500)),
    said("A note without a day.", "d"),
)


def held(question: str) -> int | None:
    return anchor(space(*TOLD), position_phrases(question)[0])


@pytest.mark.requirement("F-PLACE-02")
def test_what_was_said_is_looked_up_by_its_rarest_words_the_first_of_equals() -> None:
    assert held("before we chose Redis") == 2  # the turn that has the verb too
    assert held("the first time we discussed Redis") == 1
    assert held("before Redis was mentioned") == 1
    assert held("after we moved the sessions") == 0
    assert held("before we bought a horse") is None
    assert held("before we bought a horse with Redis and a cart in Lyon") is None  # less than half of it
    assert anchor(space(), PositionPhrase("before", (0, 0), "", clause="chose Redis", subject="Redis")) is None


@pytest.mark.requirement("F-PLACE-02")
def test_a_side_goes_by_place_then_time_then_arrival() -> None:
    view = space(*TOLD)
    (side,) = resolve_positions(view, position_phrases("before we chose Redis"), TalksByTime(view, NOON), None).sides
    assert on_side(view, side).tolist() == [True, True, False, False, False, True, False]
    (side,) = resolve_positions(view, position_phrases("since we chose Redis"), TalksByTime(view, NOON), None).sides
    assert on_side(view, side).tolist() == [False, False, True, True, True, False, True]


AFTER = at(70)
"""Within an hour of the last turn."""


def values(question: str, session: str | None = None, now: datetime = AFTER) -> list[float]:
    view = space(*TOLD)
    found = [0.0] * len(TOLD)
    for stretch in resolve_positions(view, position_phrases(question), TalksByTime(view, now, session), None).stretches:
        for place, turn in enumerate(TOLD):
            seq = sum(other.session == turn.session for other in TOLD[:place])
            if turn.session == stretch.session and stretch.low <= seq <= stretch.high:
                found[place] = max(found[place], stretch.value)
    return found


@pytest.mark.requirement("F-PLACE-02")
def test_sessions_and_turns_are_counted_from_the_end() -> None:
    assert values("in our last session") == [1, 1, 1, 1, 1, 0, 0]  # nobody says whether the newest still goes on
    assert values("in our last session", "b") == [1, 1, 1, 0, 0, 0, 0]
    assert values("in the last two sessions", "d") == [1, 1, 1, 1, 1, 0, 0]  # without a time, by its arrival
    assert values("two sessions ago", "d") == [1, 1, 1, 0, 0, 0, 0]
    assert values("two sessions ago", "b") == [0, 0, 0, 0, 0, 1, 0]  # the old note arrived after it
    assert values("nine sessions ago", "d") == [0] * 7
    assert values("earlier in this session", "a") == [1, 1, 1, 0, 0, 0, 0]
    assert values("at the start of our conversation", "b") == [0, 0, 0, 1, 1, 0, 0]
    assert values("at the start of our conversation") == [0, 0, 0, 1, 1, 1, 0]
    assert values("in the last two messages", "a") == [0, 1, 1, 0, 0, 0, 0]
    assert values("two messages ago", "a") == [1, 1, 0, 0, 0, 0, 0]
    assert values("three beats ago") == [0] * 7  # nobody knows of beats


@pytest.mark.requirement("F-PLACE-02")
def test_sessions_are_counted_from_a_new_one_where_the_last_one_is_over() -> None:
    later = at(600)
    assert values("in our last session", now=later) == [0, 0, 0, 1, 1, 0, 0]
    assert values("two sessions ago", now=later) == [1, 1, 1, 0, 0, 0, 0]
    assert values("in the session before last", now=later) == [1, 1, 1, 0, 0, 0, 0]
    assert values("in our last three sessions", now=later) == [1, 1, 1, 1, 1, 1, 0]
    assert values("five sessions ago", now=later) == [0] * 7


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with quiet() as held:
        for hour, beat in enumerate(TALK):
            held.add_many(
                told(text, at=NOON + timedelta(hours=2 * hour, minutes=place)) for place, text in enumerate(beat)
            )
        assert held.drain(None)
        yield held


def shares(memory: Memory, question: str, **only: str) -> dict[str, float]:
    """What the words for a place gave each turn, by its number."""
    hits = memory.ranked(question, limit=100, **only)  # names alone are given
    return {str(hit.turn.id).rpartition(":")[2]: hit.signals["position"] for hit in hits if hit.signals.get("position")}


@pytest.mark.requirement("F-PLACE-03")
def test_beats_are_counted_from_the_end_and_raise_their_turns(memory: Memory) -> None:
    assert len(memory.snapshots("s")) == 2
    assert {turn for turn, share in shares(memory, "what was at noon two beats ago?").items() if share == 3} == set(
        "012"
    )
    assert set(shares(memory, "what was at noon in the last two beats?")) == set("345678")
    assert shares(memory, "what was at noon nine beats ago?") == {}
    found = memory.ranked("noon two beats ago", limit=100)
    assert found[0].turn.id == "s:turn:0"
    assert len(found) == 9  # nothing is kept out
    assert memory.recall("what did we talk about two beats ago?", budget=60).items  # no word of it is in a turn


@pytest.mark.requirement("F-PLACE-03", "F-PLACE-04")
def test_a_time_side_raises_and_the_receipt_says_what_was_understood(memory: Memory) -> None:
    question = "What were we about before we lost the cache on the server?"
    assert set(shares(memory, question)) == set("01234")
    assert set(shares(memory, question).values()) == {1.5}
    receipt = memory.explain(memory.recall(question).receipt_id)
    assert receipt.understood["places"] == [
        {"words": "before we lost the cache on the server", "kind": "before", "turn": "s:turn:5"}
    ]
    assert receipt.settings["intent"] == "position"
    far = memory.explain(memory.recall("what was it two beats ago, and before we bought a horse?").receipt_id)
    assert far.understood["places"] == [
        {"words": "two beats ago", "kind": "ago", "turns": ["s:turn:0 to 2"]},
        {"words": "before we bought a horse", "kind": "before", "turns": []},
    ]
    asked_of = memory.remember_when(query="what did the server do when we lost the cache?", mode="lookup")
    assert memory.explain(asked_of.receipt_id).understood["places"][0]["turn"] == "s:turn:5"
    plain = memory.explain(memory.recall("What about the server?").receipt_id)
    assert "places" not in plain.understood


@pytest.mark.requirement("F-PLACE-03")
def test_the_position_that_the_caller_gives_and_that_of_the_words_both_count(memory: Memory) -> None:
    items = memory.recall("noon two beats ago", position=2, budget=1000).items
    raised = {turn for item in items for turn in item.turn_ids if item.signals.get("position") == 3}
    assert raised == {f"s:turn:{number}" for number in (0, 1, 2, 6, 7, 8)}
    assert asked(space("red"), "list all of it two beats ago").intent.kind(placed=False) == "broad"
    assert asked(space("red"), "who was it two beats ago").intent.kind(placed=False) == "position"


@pytest.mark.requirement("F-PLACE-03")
def test_a_weight_of_nothing_looks_nothing_up() -> None:
    with quiet(config={"recall": {"position": 0}}) as memory:
        memory.add_many([told("tea"), told("more tea")])
        receipt = memory.explain(memory.recall("tea two turns ago").receipt_id)
        assert "places" not in receipt.understood


pieces = st.sampled_from(
    "two three 99 a few beats turns chapters ago back earlier before after since when until the first time last we I "
    "chose was mentioned came up Redis in our session of conversation beginning , . ? 喝茶 \u2028 (".split(" ")
)


@pytest.mark.requirement("F-PLACE-01")
@given(st.lists(pieces, max_size=30).map(" ".join) | st.text(max_size=60))
def test_every_text_is_read(text: str) -> None:
    found = position_phrases(text)
    assert len(found) <= MOST
    ends = [end for place in found for end in place.span]
    assert ends == sorted(ends)
    for place in found:
        assert text[slice(*place.span)] == place.words
    view = space(*TOLD)
    pointed = resolve_positions(view, found, TalksByTime(view, NOON, "a"), None)
    assert len(pointed.explained) == len(found)
    assert (pointed == NOWHERE) == (not found)
    assert isinstance(without_position_phrases(text, found), str)


@pytest.mark.requirement("F-PLACE-01")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the last thing I asked?", "last"),
        ("what was my last question?", "last"),
        ("What did the user ask last?", "last"),
        ("and the most recent request", "last"),
        ("What did I ask for at the end?", "last"),
        ("What did I ask at the beginning?", "start"),
        ("What did I ask at the end of May?", None),
        ("What did I ask first?", "start"),
        ("what did the user want at first?", "start"),
        ("What was the very first question?", "start"),
        ("What was the last question of the exam?", None),
        ("What did I ask Ann first?", None),
        ("Who asked first?", None),
    ],
)
def test_a_request_is_counted_from_an_end(question: str, expected: str | None) -> None:
    found = [(place.kind, place.unit) for place in position_phrases(question)]
    assert found == ([] if expected is None else [(expected, "request")])


REQUESTS: tuple[tuple[Role, str], ...] = (
    ("user", "Build the app."),
    ("assistant", "Built. Which port shall I ask the server for?"),
    ("user", "8081"),
    ("assistant", "The server listens."),
    ("user", "Is it tested?"),
    ("assistant", "The tests pass."),
)


@pytest.mark.requirement("F-PLACE-03")
def test_the_last_and_the_first_request_are_found(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        for number, (role, text) in enumerate(REQUESTS):
            memory.add(Turn(role=role, content=text, session="port", at=at(number)))
        memory.add(
            Turn(role="assistant", content="The last thing I asked the server was its version.", session="notes")
        )
        for question, wanted in (
            ("What was the last thing I asked?", "port:turn:4"),
            ("What did I ask first?", "port:turn:0"),
        ):
            receipt = memory.explain(memory.recall(question, budget=120).receipt_id)
            assert min(receipt.chosen, key=lambda chosen: chosen["rank"])["turn_ids"] == [wanted]
