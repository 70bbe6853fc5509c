"""Greetings and thanks take no room in a block that they say nothing for, and are there when they are asked for."""

from pathlib import Path

import pytest

from clew.memory import Memory
from clew.text.small_talk import is_bare, is_greeting, is_small_talk
from clew.types import Turn
from tests.support.cli_runs import run
from tests.support.memories import at, quiet, timed

TALK = (
    ("Ben", "Hi Anna!"),
    ("Anna", "hey"),
    ("Ben", "How was your weekend?"),
    ("Anna", "I moved to Oslo and finally unpacked."),
    ("Ben", "Thanks, good night"),
    ("Anna", "Which colour did you choose?"),
    ("Ben", "Good one, green."),
)


def chat() -> Memory:
    memory = quiet()
    for number, (speaker, text) in enumerate(TALK):
        memory.add(Turn(role="user", content=text, speaker=speaker, session="c", at=at(number)))
    return memory


@pytest.mark.requirement("F-BLOCK-04")
def test_greetings_are_left_out_and_the_receipt_says_so() -> None:
    with chat() as memory:
        block = memory.recall("where did Anna move?", budget=400)
        assert "Oslo" in block.text
        assert not any(text in block.text for text in ("Hi Anna!", "hey", "good night"))
        reasons = {each.turn_ids[0]: each.reason for each in block.omitted}
        assert reasons["c:turn:0"].endswith("a greeting or thanks")
        assert "green" in block.text


@pytest.mark.requirement("F-BLOCK-04")
@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("who said good night?", "Thanks, good night"),
        ("did Ben thank Anna?", "Thanks, good night"),
        ("how did Ben greet Anna?", "Hi Anna!"),
        ("what was the first thing that Ben said?", "Hi Anna!"),
        ("what did Ben say at the beginning of our conversation?", "Hi Anna!"),
    ],
)
def test_they_are_shown_when_asked_for(question: str, shown: str) -> None:
    with chat() as memory:
        assert shown in memory.recall(question, budget=400).text


@pytest.mark.requirement("F-BLOCK-04")
def test_a_pinned_greeting_is_shown() -> None:
    with chat() as memory:
        memory.pin("c:turn:1")
        assert "hey" in memory.recall("where did Anna move?", budget=400).text


@pytest.mark.requirement("F-BLOCK-04")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thank you so much, Anna!", True),
        ("ok, bye", True),
        ("Good morning everyone", True),
        ("You're welcome", True),
        ("Merci", True),
        ("ok", False),
        ("good", False),
        ("Monday morning", False),
        ("Hi, I moved", False),
        ("hello?", False),
        ("Thanks for Bruno", False),
        ("", False),
    ],
)
def test_what_small_talk_is(text: str, *, expected: bool) -> None:
    assert is_small_talk(text, {"anna"}) is expected


@pytest.mark.requirement("F-BLOCK-04")
@pytest.mark.parametrize(
    ("text", "expected"), [("Any time!", True), ("Anytime", True), ("My pleasure.", True), ("No time.", False)]
)
def test_a_refusal_for_want_of_time_is_no_courtesy(text: str, *, expected: bool) -> None:
    assert is_greeting(text) is expected


@pytest.mark.requirement("F-BLOCK-04")
@pytest.mark.usefixtures("tmp_home")
def test_a_block_that_is_empty_for_their_sake_asks_for_no_more_room(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add_many(timed(("hi", "thanks")))
        assert memory.drain()
    assert "Nothing relevant was found" in run("recall", "where does Anna live?", "--home", tmp_path).stderr
    unknown = run("search", "where does Anna live?", "--project", "shop", "--home", tmp_path).stderr
    assert "No conversation is of the project 'shop'; no conversation has a project." in unknown


@pytest.mark.requirement("F-BLOCK-15")
@pytest.mark.parametrize(
    "text", ["run it", "---", "success...?", "Yes, go ahead.", "...", "ok continue", "now try again!"]
)
def test_bare_words_tell_nothing_alone(text: str) -> None:
    assert is_bare(text)


@pytest.mark.requirement("F-BLOCK-15")
@pytest.mark.parametrize(
    "text", ["", "No.", "run it in Oslo", "+1", "\N{THUMBS UP SIGN}", "seven", "use tabs", "はい", "x" * 50]
)
def test_what_answers_or_names_something_is_not_bare(text: str) -> None:
    assert not is_bare(text)


@pytest.mark.requirement("F-BLOCK-15")
def test_a_block_is_not_filled_with_bare_words() -> None:
    noise = ["run it", "---", "success...?", "ok, go on"]
    with quiet() as memory:
        said = "The backup of the ledger is made on the Heron host at three in the night."
        for number in range(300):
            text = said if number == 150 else noise[number % len(noise)]
            memory.add(Turn(role="user", content=text, speaker="Ben", session="c", at=at(number)))
        block = memory.recall("where is the backup of the ledger made?", budget=2000)
        assert said in block.text
        assert block.tokens < 200
        assert any(each.reason.endswith("says nothing alone") for each in block.omitted)


@pytest.mark.requirement("F-BLOCK-15")
def test_bare_words_that_answer_a_question_or_are_asked_for_are_shown() -> None:
    talk = [
        ("Ben", "Shall we move the ledger to Heron?"),
        ("Anna", "yes please"),
        ("Ben", "I suggest Redis for the sessions."),
        ("Anna", "ok do it"),
        ("Ben", "run it again"),
    ]
    with quiet() as memory:
        for number, (speaker, text) in enumerate(talk):
            memory.add(Turn(role="user", content=text, speaker=speaker, session="c", at=at(number)))
        assert "yes please" in memory.recall("did Anna agree to move the ledger?", budget=400).text
        assert "ok do it" in memory.recall("did Anna want Redis for the sessions?", budget=400).text
        assert "run it again" in memory.recall("when did Ben say run it again?", budget=400).text
