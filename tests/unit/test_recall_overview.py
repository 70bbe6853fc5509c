"""Questions that ask what a conversation was about and name nothing in it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from clew.memory import Memory
from clew.rank.intent.overviews import asks_for_all
from clew.recall.beats_in_short import SESSIONS
from clew.text.counters import counter
from clew.types import Turn
from clew.types.context import Context
from tests.support.memories import quiet
from tests.unit.test_assemble_overview import in_short
from tests.unit.test_assemble_overview import turns as talk

WISH = "Please make the nightly import of tide tables write every day only once."
RESULT = "The import now takes a lease and writes each day once; all 58 tests pass."
FILLER = "I looked at part {} of the importer, where the row key of every tide is built from its reading."
QUESTIONS = ("What was this session about?", "Summarise what we did.", "recap please", "Catch me up!")


def work(session: str = "work") -> list[Turn]:
    """Work with an assistant whose first and last turns say nothing."""
    parts = [Turn(role="assistant", content=FILLER.format(n), session=session) for n in range(40)]
    ends = [Turn(role="user", content="Hi!", session=session), Turn(role="user", content=WISH, session=session)]
    last = [
        Turn(role="assistant", content=RESULT, session=session),
        Turn(role="user", content="Thanks.", session=session),
    ]
    return [*ends, *parts, *last]


@pytest.fixture(scope="module")
def memory() -> Memory:
    made = quiet()
    made.add_many([*work(), *talk()])
    assert made.drain(None)
    return made


def required(context: Context) -> list[str]:
    return [item.text for item in context.items if item.required == "overview"]


@pytest.mark.requirement("F-TDY-07")
@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("budget", [300, 500, 1_000, 4_000])
def test_the_block_has_the_first_wish_and_the_last_result(memory: Memory, asked: str, budget: int) -> None:
    context = memory.recall(asked, budget=budget, session="work")
    assert required(context) == [WISH, RESULT]
    assert context.text.index(WISH) < context.text.index(RESULT)
    assert context.text.count(WISH) == context.text.count(RESULT) == 1
    assert context.tokens == counter()(context.text) <= budget
    assert len(context.items) > 2
    assert context.confidence is None


@pytest.mark.requirement("F-TDY-07")
@pytest.mark.parametrize("budget", [300, 500, 1_000])
def test_between_people_a_quarter_goes_to_beats_and_the_rest_to_turns(memory: Memory, budget: int) -> None:
    context = memory.recall("What was this session about?", budget=budget, session="s")
    beats = [item for item in context.items if item.node_id in in_short(context)]
    assert required(context) == []
    assert 0 < sum(item.tokens for item in beats) <= budget * 0.3
    assert len(beats) < len(context.items)
    assert 0.8 * budget < context.tokens <= budget


@pytest.mark.requirement("F-TDY-07")
def test_turns_that_are_filtered_out_are_in_no_overview(memory: Memory) -> None:
    context = memory.recall("What did we do?", budget=1_000, session="work", role="assistant")
    assert required(context) == [RESULT]
    assert WISH not in context.text
    assert memory.recall("What did we do?", budget=1_000, session="work", role="tool").text == ""


@pytest.mark.requirement("F-TDY-07")
def test_of_a_long_turn_the_line_is_an_excerpt_unless_the_turn_is_shown_whole() -> None:
    with quiet() as memory:
        long = " ".join(f"The importer reads file number {n} of the feed twice." for n in range(60))
        memory.add_many([Turn(role="user", content=WISH), Turn(role="assistant", content=long)])
        context, large = (memory.recall("What did we do?", budget=budget) for budget in (500, 2_000))
    (shown,) = [item for item in context.items if item.required and item.turn_ids == ("default:turn:1",)]
    assert long.startswith(shown.text.removesuffix("…").rstrip())
    assert len(shown.text) < len(long) / 2
    assert shown.restore == "default:turn:1"
    assert [item.text for item in large.items if item.turn_ids == ("default:turn:1",)] == [long]


@pytest.mark.requirement("F-TDY-07")
@pytest.mark.parametrize(
    ("question", "of_all"),
    [
        ("what was this session about?", True),
        ("Summarize the whole meeting.", True),
        ("Can you give me a quick overview of our conversation?", True),
        ("What have we done so far in this project?", True),
        ("Tell me what we discussed", True),
        ("What happened in our conversations?", True),
        ("bring me up to speed", True),
        ("What was I asking for?", True),
        ("What was I asking about the importer?", False),
        ("Summarise what we did about the importer", False),
        ("What did Ann talk about?", False),
        ("What happened to the boat?", False),
        ("What did we decide?", False),
        ("Summarise what we did last week", False),
        ("What was the book about?", False),
        ("Where did we stop?", False),
        ("", False),
    ],
)
def test_which_questions_name_nothing(question: str, of_all: bool) -> None:
    assert asks_for_all(question) is of_all


@pytest.mark.requirement("F-TDY-07")
def test_a_session_of_a_time_to_come_is_none_of_the_latest_ones_of_an_overview() -> None:
    """By a wrong clock, or a date that was misread; the place belongs to one that took place."""
    with quiet() as memory:
        for session, days in (("oldest", -200), ("to come", 4_000)):
            at = memory.reads.clock() + timedelta(days=days)
            memory.add_many(
                [replace(turn, session=session, at=at + timedelta(seconds=n)) for n, turn in enumerate(talk()[:100])]
            )
        between = memory.reads.clock() - timedelta(days=100)
        names = [f"session {n}" for n in range(SESSIONS - 1)]
        memory.add_many([Turn(role="user", content="Hello.", session=name, at=between) for name in names])
        assert memory.drain(None)
        context = memory.recall("What did we talk about?", budget=1_000)
        assert {item.session for item in context.items if item.node_id in in_short(context)} == {"oldest"}
