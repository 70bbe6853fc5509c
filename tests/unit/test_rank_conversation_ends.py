"""Questions for the end or the beginning of a conversation: what is read, which turns are found, what else is not."""

from datetime import timedelta

import pytest

from clew.memory import Memory
from clew.rank.filter import TurnFilters
from clew.rank.intent.conversation_ends import MOST_CHARACTERS, ConversationEnd, conversation_end
from clew.recall.sessions import NOTES_SOURCE
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.memories import NOON, at, quiet

LAST = ConversationEnd(is_first=False, by="anybody")
FIRST = ConversationEnd(is_first=True, by="anybody")
WHOLE = ConversationEnd(is_first=False, by="anybody", is_whole=True)


def read(question: str, *, with_assistant: bool = True) -> ConversationEnd | None:
    return conversation_end(question, {"Ann", "Bo"}, with_assistant=with_assistant)


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did we say last?", LAST),
        ("so, what was the last thing we talked about?", LAST),
        ("What's the last thing that was said?", LAST),
        ("do you remember what we discussed last?", LAST),
        ("where did we leave off", LAST),
        ("Where were we?", LAST),
        ("last message", LAST),
        ("what were we talking about just now?", LAST),
        ("What did I ask you last?", ConversationEnd(is_first=False, by="user")),
        ("my last question", ConversationEnd(is_first=False, by="user")),
        ("What was your last answer?", ConversationEnd(is_first=False, by="assistant")),
        ("What did Ann say last?", ConversationEnd(is_first=False, by="named")),
        ("Bo's last message", ConversationEnd(is_first=False, by="named")),
        ("what did we talk about first?", FIRST),
        ("How did our first conversation begin?", ConversationEnd(is_first=True, by="anybody", is_ever=True)),
        ("What did we talk about last time?", WHOLE),
        ("what was our last conversation about?", WHOLE),
    ],
)
def test_an_end_that_alone_is_asked_for_is_read(question: str, expected: ConversationEnd) -> None:
    assert read(question) == expected


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    "question",
    [
        "What did the doctor say last?",
        "What did Ann say about the boat last?",
        "When did we last talk about skiing?",
        "What was the last message about the printer?",
        "What did we do last weekend?",
        "What was the first thing we did in Rome?",
        "What was the last error?",
        "What did we decide last time?",
        "Where were we in June?",
        "What did we say last?" + " " * MOST_CHARACTERS + "x",
    ],
)
def test_a_question_that_names_something_asks_for_that(question: str) -> None:
    assert read(question) is None


@pytest.mark.requirement("F-PLACE-06")
def test_what_people_did_is_told_somewhere_and_is_no_end_of_their_talk() -> None:
    assert read("What did we do last?") == LAST
    assert read("What did we do last?", with_assistant=False) is None
    assert read("What's the last thing Ann did?", with_assistant=False) is None


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    ("question", "kind", "count"),
    [
        ("What did we talk about two sessions ago?", "ago", 2),
        ("What did we work on in the session before last?", "ago", 2),
        ("What did we discuss in our last three sessions?", "last", 3),
        ("Summarize our last 3 conversations", "last", 3),
        ("What did we talk about the pump two sessions ago?", "", 0),
        ("What did Cy say two sessions ago?", "", 0),
        ("What did we talk about two sessions ago and in our last chat?", "", 0),
    ],
)
def test_conversations_that_are_counted_back_are_read(question: str, kind: str, count: int) -> None:
    found = read(question)
    place = None if found is None else found.counted
    assert (place.kind, place.count) == (kind, count) if place else not kind


def talk() -> list[Turn]:
    """Three sessions of two people, the newest stored first, and a result of a tool at their end."""
    words = {
        "may": ("Good to see you last spring!", "We last talked in Oslo.", "What did you say last?"),
        "june": ("The kiln is broken.", "Mine too, since Monday.", "Bring it over.", "Gladly."),
        "april": ("Are you Bo?", "That is me."),
    }
    starts = {"april": -3000, "may": -2000, "june": -1000}
    return [
        Turn(role="user", speaker=("Ann", "Bo")[place % 2], content=text, session=name, at=at(starts[name] + place))
        for name in ("june", "may", "april")
        for place, text in enumerate(words[name])
    ]


def shown(memory: Memory, question: str, session: str | None = None) -> list[str]:
    return [turn for item in memory.recall(question, budget=400, session=session).items for turn in item.turn_ids]


@pytest.mark.requirement("F-PLACE-06")
def test_the_latest_turns_are_shown_though_others_have_the_words() -> None:
    with quiet() as memory:
        memory.add_many(talk())
        found = shown(memory, "What did we say last?")
        assert {"june:turn:3", "june:turn:2"} <= set(found)
        hits = memory.search("What did we say last?", limit=3)
        assert [hit.turn.id for hit in hits] == ["june:turn:3", "june:turn:2", "june:turn:1"]
        assert [hit.turn.id for hit in memory.search("What did Ann say last?", limit=2)] == [
            "june:turn:2",
            "june:turn:0",
        ]
        assert [hit.turn.id for hit in memory.search("What did we say last?", session="may", limit=1)] == ["may:turn:2"]
        receipt = memory.explain(memory.recall("What did we say last?", budget=400).receipt_id)
        assert receipt.understood["places"][0]["turns"] == ["june:turn:3"]


@pytest.mark.requirement("F-PLACE-06")
def test_people_begin_with_their_first_session_and_tools_say_nothing() -> None:
    with quiet() as memory:
        memory.add_many(talk())
        assert memory.search("How did our conversation begin?", limit=1)[0].turn.id == "april:turn:0"
        memory.add(Turn(role="tool", content="0 files changed", session="june", at=at(-900)))
        assert memory.search("Where did we leave off?", limit=1)[0].turn.id == "june:turn:3"


@pytest.mark.requirement("F-PLACE-06")
def test_conversations_are_counted_by_their_time_and_not_by_the_order_of_an_import() -> None:
    def sessions(question: str) -> set[str]:
        return {turn.split(":")[0] for turn in shown(memory, question)}

    with quiet() as memory:
        memory.add_many(talk())
        memory.add(Turn(role="user", content="Look into the oven.", session="app/june/agent", source="app", at=at(-5)))
        for asked in ("What did we talk about two sessions ago?", "What was said in the session before last?"):
            assert sessions(asked) == {"may"}
        assert sessions("What did we talk about in our last three sessions?") == {"june", "may", "april"}
        assert sessions("What did we talk about in our last two sessions?") == {"june", "may"}
        assert sessions("What did we talk about nine sessions ago?") == set()
        hits = memory.ranked("What broke in the kiln two sessions ago?", limit=20)
        assert {hit.turn.session for hit in hits if hit.signals.get("position")} == {"may"}
        assert memory.search("What did we talk about two sessions ago?", limit=1)[0].turn.session == "may"


@pytest.mark.requirement("F-PLACE-06")
def test_last_time_is_the_last_session_and_the_one_before_where_that_may_go_on() -> None:
    asked = "What did we talk about last time?"
    with quiet() as memory:
        memory.add_many(talk())
        assert {turn.split(":")[0] for turn in shown(memory, asked)} == {"june"}
        assert {turn.split(":")[0] for turn in shown(memory, asked, session="may")} == {"may"}
    with quiet(clock=FrozenClock(NOON - timedelta(minutes=990))) as memory:
        memory.add_many(talk())
        assert {turn.split(":")[0] for turn in shown(memory, asked)} == {"june", "may"}


@pytest.mark.requirement("F-PLACE-06")
def test_an_end_is_that_of_the_conversations_that_the_filters_let_through() -> None:
    pump = [
        Turn(
            role="user", content=f"The pump runs for {n} hours.", session="pump", at=at(n), metadata={"cwd": "/w/pump"}
        )
        for n in range(70)
    ]
    shop = [
        Turn(role="user", content=f"Shelf {n} is full.", session=name, at=at(start + n), metadata={"cwd": "/w/shop"})
        for name, start in (("shop", 100), ("store", 200))
        for n in range(3)
    ]
    with quiet(clock=FrozenClock(at(3000))) as memory:
        memory.add_many([*pump, *shop])
        for asked in ("Where did we leave off?", "What did we talk about last time?", "What did we say last?"):
            assert {turn.split(":")[0] for turn in shown(memory, asked)} <= {"shop", "store"}
            for only in (TurnFilters(project="pump"), TurnFilters(until=at(90)), TurnFilters(as_of=at(90))):
                assert {hit.turn.session for hit in memory.search(asked, **only)} == {"pump"}
        found = memory.search("Where did we leave off?", limit=1, until=at(3))
        assert [hit.turn.id for hit in found] == ["pump:turn:2"]
        found = memory.search("What did we talk about two sessions ago?", until=at(190))
        assert {hit.turn.session for hit in found} == {"pump"}
        assert memory.search("Where did we leave off?", until=at(-1)) == []
        assert memory.search("What did we discuss in our last session?", until=at(-1)) == []


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize("question", ["What did we talk about last time?", "Where did we leave off?"])
def test_a_session_without_a_turn_has_no_end(question: str) -> None:
    with quiet() as memory:
        memory.add_many(talk())
        assert memory.recall(question, session="new").text == ""
        assert memory.search(question, session="new") == []


@pytest.mark.requirement("F-PLACE-06")
def test_where_nobody_talked_the_beginning_is_that_of_the_first_notes() -> None:
    with quiet() as memory:
        for number, name in enumerate(("one", "two", "three")):
            note = Turn(role="user", content=f"Note {number}.", session=name, source=NOTES_SOURCE, at=at(number))
            memory.add(note)
        assert memory.search("How did our very first conversation begin?", limit=1)[0].turn.id == "one:turn:0"


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize("question", ["Summarize our conversation", "What did we talk about last time?"])
def test_nothing_is_told_of_an_empty_memory(question: str) -> None:
    with quiet() as memory:
        assert memory.recall(question).text == ""
        assert memory.search(question) == []
