"""What a group decided: found when somebody asks for nothing else, and told by recaps and briefs."""

import pytest

from clew.condense.recap import RecapSource, compose_recap
from clew.condense.statements import kind_of, statements
from clew.memory import Memory
from clew.rank.intent.decisions import asks_for_decisions
from clew.text.counters import counter
from tests.support.memories import quiet, told
from tests.unit.test_condense_recap import read

TALK = (
    ("Ann", "We need a billing provider until Friday, Stripe or Adyen."),
    ("Ben", "Has anybody seen my blue umbrella?"),
    ("Ann", "Finance says no to Stripe. We switch to Adyen."),
    ("Cleo", "Lunch at noon?"),
    ("Ben", "Then we move the launch to Monday 13 October."),
    ("Cleo", "Decision from the board: Austria comes first, Germany follows in January."),
    ("Ann", "The kitchen is out of milk again."),
)


def talk() -> Memory:
    memory = quiet()
    memory.add_many([told(text, speaker=speaker) for speaker, text in TALK])
    return memory


@pytest.mark.requirement("U-DECIDED-01")
@pytest.mark.parametrize(
    "question",
    ["what did we decide?", "List all decisions.", "What has been decided so far?", "Was haben wir beschlossen?"],
)
def test_who_asks_only_what_was_decided_gets_the_decisions(question: str) -> None:
    with talk() as memory:
        context = memory.recall(question, budget=90)
        assert "Adyen" in context.text
        assert "13 October" in context.text
        assert "Austria" in context.text
        assert "umbrella" not in context.text
        assert context.confidence is None  # every decision is an answer: nothing can be missing
        assert memory.remember_when(query=question).moments


@pytest.mark.requirement("U-DECIDED-01")
@pytest.mark.parametrize(
    "question",
    [
        "What did we decide about the car?",
        "what did we decide on Redis?",
        "What did Jon decide?",
        "Was haben wir zur Datenbank beschlossen?",
    ],
)
def test_a_question_with_a_subject_is_answered_by_its_subject(question: str) -> None:
    assert not asks_for_decisions(question)


@pytest.mark.requirement("U-DECIDED-01")
def test_where_nothing_was_decided_nothing_is_found() -> None:
    with quiet() as memory:
        memory.add(told("My umbrella is blue.", speaker="Ann"))
        assert memory.recall("what did we decide?").text == ""


@pytest.mark.requirement("U-DECIDED-02")
@pytest.mark.parametrize(
    "sentence",
    [
        "OK decided: RabbitMQ for the ingest queue.",
        "Agreed, no second replica for now.",
        "Then let's switch: NATS instead of RabbitMQ.",
        "Then we move release 1.0 to Monday 13 October.",
        "Decision from the board: we launch in Austria first.",
        "The lawyer wants the data here, so Frankfurt it is.",
        "Standup moves to 9:45 because of the kindergarten.",
    ],
)
def test_the_outcome_of_a_talk_is_a_decision(sentence: str) -> None:
    assert [kind for _, _, kind in statements(sentence)] == ["decision"]


@pytest.mark.requirement("U-DECIDED-02")
@pytest.mark.parametrize(
    "sentence",
    [
        "Agreed, nature is so inspiring!",
        "Should we move it to Monday?",
        "He moved to a flat by the river.",
        "So it is.",
    ],
)
def test_consent_questions_and_news_are_no_decision(sentence: str) -> None:
    assert kind_of(sentence) is None


@pytest.mark.requirement("U-DECIDED-02")
def test_a_recap_of_a_talk_names_what_it_came_to() -> None:
    turns = read([told(text, speaker=speaker) for speaker, text in TALK])
    text = compose_recap(RecapSource("s", turns), counter(), style="chat").text
    decisions = text.partition("### Key decisions")[2].partition("###")[0]
    assert "We switch to Adyen" in decisions
    assert "Monday 13 October" in decisions
    assert "Austria comes first" in decisions
    assert "umbrella" not in decisions
