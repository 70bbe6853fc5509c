"""Facts in the block of a question about somebody as a whole, or about who takes part."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import ContextItem, Turn
from tests.support.memories import quiet

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLACES = tuple(
    "Rome Oslo Lima Cork Bonn Nice Graz Lund Bath Ghent Turin Porto Kiel Brno Faro Bari Riga Pisa Linz Vigo".split()
)
SAID = (
    ("Ann", "I live in Bergen."),
    ("Bob", "I work at Harbor Labs."),
    ("Cleo", "I teach chemistry in Lyon."),
    ("Ann", "I moved to Oslo last week."),
    ("Ann", "I plan to visit Rome next month."),
    ("Bob", "The weather is dull."),
)


def filled(said: Sequence[tuple[str, str]] = SAID, now: datetime = NOW) -> Memory:
    memory = quiet(clock=FrozenClock(now))
    memory.add_many(
        Turn(role="user", speaker=speaker, content=text, session="chat", at=BEGAN + timedelta(days=30 * place))
        for place, (speaker, text) in enumerate(said)
    )
    memory.drain()
    return memory


def lines(items: Sequence[ContextItem]) -> dict[str, str]:
    """The lines of facts by the turn that states them."""
    return {item.turn_ids[0]: item.text for item in items if item.required == "profile"}


@pytest.mark.requirement("K-SUR-03")
@pytest.mark.parametrize("question", ["What do you know about Ann?", "Who is Ann?", "Please tell me about ann."])
def test_a_question_about_somebody_gets_what_is_known_with_its_sources(question: str) -> None:
    with filled() as memory:
        context = memory.recall(question, budget=800)
        told = lines(context.items)
        assert told.keys() == {"chat:turn:3", "chat:turn:4"}
        assert "Ann lives in Oslo" in told["chat:turn:3"]
        assert "before: Ann lives in Bergen" in told["chat:turn:3"]
        assert context.tokens <= 800
        receipt = memory.explain(context.receipt_id)
        assert {each.get("required") for each in receipt.chosen} == {None, "profile"}


@pytest.mark.requirement("K-SUR-03")
@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "What have I told you about myself?",
        "what have you learned about me so far",
        "What did I tell you about me?",
    ],
)
def test_who_asks_about_themselves_gets_what_they_said_of_all_sessions_and_no_turn_that_they_did_not_ask_for(
    question: str,
) -> None:
    places = ("Rome", "Oslo", "Lima", "Cork", "Bonn", "Nice", "Graz", "Lund", "Bath", "Ghent")
    said = (
        *(f"I like {place}." for place in places),
        "I teach chemistry.",
        "What have you learned about it?",
    )
    with quiet(clock=FrozenClock(NOW)) as memory:
        memory.add_many(
            Turn(role="user", content=text, session=f"s{place}", at=BEGAN + timedelta(days=30 * place))
            for place, text in enumerate(said)
        )
        memory.drain()
        context = memory.recall(question, budget=800)
        told = lines(context.items)
        assert len(told) == len(context.items) == len(places) + 1
        assert "user teaches chemistry" in " ".join(told.values())
        assert context.confidence is None
        assert 0 < memory.recall(question, budget=100).tokens <= 100


@pytest.mark.requirement("K-SUR-03")
@pytest.mark.parametrize(("others", "knows"), [((), True), (("Bo",), False)])
def test_with_an_assistant_the_only_person_who_has_a_name_is_meant(others: tuple[str, ...], knows: bool) -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", speaker="Ann", content="I teach chemistry in Lyon.", session="s"))
        memory.add(Turn(role="assistant", content="How interesting.", session="s"))
        memory.add_many(Turn(role="user", speaker=name, content="Good morning.", session="s") for name in others)
        memory.drain()
        told = " ".join(lines(memory.recall("What have I told you about myself?", budget=400).items).values())
        assert ("Ann teaches chemistry" in told) is knows


@pytest.mark.requirement("K-SUR-03")
@pytest.mark.parametrize("speaker", [None, "Ann"])
def test_what_somebody_told_of_their_family_is_about_them_too(speaker: str | None) -> None:
    said = (
        "My dog is called Rex.",
        "My sister Zoe is a vet.",
        "My wife teaches chemistry.",
        *(f"I like {place}." for place in PLACES),
    )
    with quiet(clock=FrozenClock(NOW)) as memory:
        memory.add_many(
            Turn(role="user", speaker=speaker, content=text, session=f"s{place}", at=BEGAN + timedelta(days=place))
            for place, text in enumerate(said)
        )
        memory.add(Turn(role="assistant", content="I see.", session="s0"))
        if speaker is None:
            memory.add(Turn(role="user", speaker="Bob", content="My dog is called Kira.", session="other"))
            memory.add(Turn(role="user", speaker="Cleo", content="So is mine.", session="other"))
        memory.drain()
        told = " ".join(lines(memory.recall("What do you know about me?", budget=2000).items).values())
        assert [name for name in ("is named Rex", "wife teaches chemistry", "Zoe works as") if name not in told] == []
        assert "Kira" not in told
        assert told.count("likes") >= 16


@pytest.mark.requirement("K-SUR-03")
def test_of_whom_nothing_is_known_turns_are_looked_up_as_before() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="The weather is dull.", session="s"))
        memory.drain()
        assert lines(memory.recall("What have I told you about myself?", budget=800).items) == {}


@pytest.mark.requirement("K-SUR-03")
def test_what_was_corrected_is_not_told_as_something_that_was_so_before() -> None:
    with filled([("Ann", "I live in Bergen."), ("Ann", "I moved to Oslo.")]) as memory:
        (home,) = memory.facts("Ann", "home")
        memory.correct(home.id, "Faro")
        memory.drain()
        (line,) = lines(memory.recall("Who is Ann?", budget=800).items).values()
    assert "Ann lives in Faro" in line
    assert "before: Ann lives in Bergen)" in line


@pytest.mark.requirement("K-SUR-03")
def test_the_lines_take_a_quarter_of_the_block_at_most_and_none_elsewhere() -> None:
    places = ("Rome", "Oslo", "Lima", "Cork", "Bonn", "Nice", "Graz", "Lund")
    with filled([("Ann", f"I like {place} and I own a house in {place}.") for place in places]) as memory:
        context = memory.recall("Who is Ann?", budget=200)
        spent = sum(item.tokens for item in context.items if item.required == "profile")
        assert 0 < spent <= 50
        for question in ("Where is Ann's house in Rome?", "Who is Zed?", "Who is in Rome?"):
            assert lines(memory.recall(question, budget=800).items) == {}


@pytest.mark.requirement("K-SUR-04")
def test_a_past_plan_says_so_and_a_filter_hides_facts_of_other_turns() -> None:
    with filled() as memory:
        assert (
            "its time has passed, and nobody said that it happened"
            in (lines(memory.recall("Who is Ann?", budget=800).items)["chat:turn:4"])
        )
        early = memory.recall("Who is Ann?", budget=800, until="2025-04-05")
        assert lines(early.items).keys() == {"chat:turn:3"}
        before = memory.recall("Who is Ann?", budget=800, known_at=datetime(2025, 2, 1, tzinfo=UTC))
        assert "Oslo" not in " ".join(lines(before.items).values())
    with filled(now=BEGAN + timedelta(days=125)) as memory:
        assert "planned for 2025-06-01)" in lines(memory.recall("Who is Ann?", budget=800).items)["chat:turn:4"]


@pytest.mark.requirement("K-SUR-04")
def test_what_rested_on_a_replaced_fact_says_so() -> None:
    said = [
        ("Ann", "I work at Harbor Labs."),
        ("Ann", "I plan to present the tide study at Harbor Labs in December."),
        ("Ann", "I quit Harbor Labs and now I work at Northlight."),
    ]
    with filled(said, now=BEGAN + timedelta(days=80)) as memory:
        told = " ".join(lines(memory.recall("Who is Ann?", budget=800).items).values())
        assert "may be out of date: what it was built on was replaced) Ann works at Northlight" in told


@pytest.mark.requirement("K-SUR-05")
@pytest.mark.parametrize("question", ["Who is who in this chat?", "Introduce everyone.", "Who is in this group?"])
def test_in_company_every_speaker_has_a_card(question: str) -> None:
    with filled() as memory:
        told = " ".join(lines(memory.recall(question, budget=1000).items).values())
        for words in ("Ann lives in Oslo", "Bob works at Harbor Labs", "Cleo teaches chemistry"):
            assert words in told
    with filled(SAID[:2]) as memory:
        assert lines(memory.recall("Introduce everyone.", budget=1000).items) == {}


@pytest.mark.requirement("K-SUR-04")
def test_a_question_about_the_present_gets_what_has_changed_and_no_other_question_does() -> None:
    with filled() as memory:
        told = " ".join(lines(memory.recall("Does Ann still live in Bergen?", budget=800).items).values())
        assert "Ann lives in Bergen" in told
        assert "replaced since by: Ann lives in Oslo" in told
        plan = " ".join(lines(memory.recall("Is Ann going to visit Rome?", budget=800).items).values())
        assert "its time has passed, and nobody said that it happened" in plan
        for question in ("Did Ann live in Bergen?", "Does Bob still work at Harbor Labs?"):
            assert lines(memory.recall(question, budget=800).items) == {}
