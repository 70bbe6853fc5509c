"""`clew chat`: a conversation that goes on, is condensed, and knows what was said in another one."""

import json
from typing import Any

import pytest

from clew.memory import Memory
from tests.support.cli_runs import Terminal, done, failure, records, run
from tests.support.llm_servers import answer, llm_server

FILLER = "The garden needs water, and the shed a new roof of larch. " * 12


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_home: Any) -> Any:  # the home is the test's own
    """The bodies that a model on this machine gets; it repeats the last line that it was asked."""
    bodies: list[dict[str, Any]] = []

    def say(body: Any) -> tuple[int, Any]:
        bodies.append(body)
        text = str(body["messages"][-1]["content"]).strip().splitlines()[-1]
        return 200, answer("openai", f"You asked: {text}")

    with llm_server() as server:
        server.say = say
        monkeypatch.setenv("CLEW_LLM_MODEL", f"openai:small@{server.url}")
        monkeypatch.setenv("CLEW_LLM_TASKS", "[]")
        yield bodies


def instructions(body: dict[str, Any]) -> str:
    return str(body["messages"][0]["content"])


@pytest.mark.requirement("SRV-CHAT-01")
def test_questions_are_answered_and_remembered(asked: list[dict[str, Any]]) -> None:
    told = done("chat", "--session-id", "boat", given="The boat is called Alma.\n\nWhat is it called?\n")
    assert "You asked: The boat is called Alma." in told
    assert "You asked: What is it called?" in told
    first = records("chat", "--session-id", "later", given="Which boat do we have, Alma?\n")
    assert [(each["session"], each["question"]) for each in first] == [("later", "Which boat do we have, Alma?")]
    mine = [body for body in asked if "You talk with a user" in instructions(body)]
    assert "Alma" in mine[1]["messages"][-1]["content"]
    assert "The boat is called Alma." in mine[2]["messages"][-1]["content"]
    with Memory.open(embedder="none", config={"llm": {"model": "none"}}) as memory:
        assert [(turn.role, turn.text) for turn in memory.turns("boat")] == [
            ("user", "The boat is called Alma."),
            ("assistant", "You asked: The boat is called Alma."),
            ("user", "What is it called?"),
            ("assistant", "You asked: What is it called?"),
        ]


@pytest.mark.requirement("SRV-CHAT-01")
@pytest.mark.usefixtures("asked")
def test_the_output_for_programs_is_json_also_where_a_person_types() -> None:
    result = run("chat", "--session-id", "boat", "--json", given=Terminal(b"Is this JSON?\n"))
    assert [json.loads(line)["question"] for line in result.stdout.splitlines()] == ["Is this JSON?"]
    assert "> " in result.stderr


@pytest.mark.requirement("SRV-CHAT-01")
@pytest.mark.usefixtures("asked")
def test_a_question_that_is_no_utf_8_is_told() -> None:
    assert "not valid UTF-8 (at byte 2)" in failure(1, "chat", "--session-id", "boat", given=b"gr\xfc\xdfe\n")


@pytest.mark.requirement("SRV-CHAT-01")
def test_a_long_conversation_is_condensed_and_goes_on_with_its_recap(asked: list[dict[str, Any]]) -> None:
    lines = "".join(f"Plan {n}: we decided to paint door {n} in blue. {FILLER}\n" for n in range(8))
    shown = run("chat", "--session-id", "house", "--session-tokens", "500", "--debug", given=lines)
    assert shown.exit_code == 0, shown.output
    assert "condensed up to turn" in shown.stderr
    assert "asked with" in shown.stderr
    mine = [body for body in asked if "You talk with a user" in instructions(body)]
    assert "The conversation so far:" not in instructions(mine[0])
    assert "door" in instructions(mine[-1])
    done("chat", "--session-id", "house", "--session-tokens", "100000", given="Which doors?\n")
    again = [body for body in asked if "You talk with a user" in instructions(body)][len(mine)]
    assert "The conversation so far:" in instructions(again)


@pytest.mark.requirement("D-SIGMA-07")
@pytest.mark.parametrize(("value", "is_shown"), [("true", True), ("false", False), ("", False)])
@pytest.mark.usefixtures("asked")
def test_the_source_s_variable_shows_what_is_asked(
    monkeypatch: pytest.MonkeyPatch, value: str, *, is_shown: bool
) -> None:
    monkeypatch.setenv("SIGMA_DEBUG", value)
    shown = run("chat", "--session-id", "boat", given="The boat is called Alma.\n")
    assert shown.exit_code == 0, shown.output
    assert ("asked with" in shown.stderr) is is_shown


@pytest.mark.requirement("SRV-CHAT-01")
@pytest.mark.usefixtures("tmp_home")
def test_without_a_model_or_when_it_fails_the_next_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "set llm.model" in failure(1, "chat", given="Hello?\n")
    with llm_server() as server:
        server.script((400, {"error": {"message": "no such model"}}))
        monkeypatch.setenv("CLEW_LLM_MODEL", f"openai:small@{server.url}")
        assert failure(1, "chat", "--session-id", "x", given="Is the question kept?\n")
    with Memory.open(embedder="none", config={"llm": {"model": "none"}}) as memory:
        assert [turn.text for turn in memory.turns("x")] == ["Is the question kept?"]
