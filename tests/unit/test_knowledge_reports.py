"""Facts by rules: what an agent at work reports of the project."""

from typing import Literal

import pytest

from clew.knowledge.rules.extract import statements
from clew.types.turn import Part, Turn
from tests.support.memories import at


def _turn(text: str, seq: int = 0, *, role: Literal["assistant", "tool"] = "assistant", calls: bool = True) -> Turn:
    parts = [Part(type="text", text=text)]
    if calls:
        parts.append(Part(type="tool_call", name="Edit", text="{}"))
    return Turn(role=role, content=tuple(parts), at=at(1)).stored(seq=seq, ordinal=seq, ingested_at=at(1))


def said(*turns: Turn) -> list[tuple[str, str, str]]:
    """What turns state, as subject, verb and object."""
    return [(each.subject, each.verb, each.object) for each in statements(turns)]


@pytest.mark.requirement("K-READ-15")
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("`build()` calls `parse()` which reads a file.", ("`build()`", "calls", "`parse()`")),
        ("The `Loader` class is defined in `core/load.py`.", ("`Loader` class", "is defined in", "`core/load.py`")),
        ("The `parse` function lives in `cli/args.py`.", ("`parse` function", "is located in", "`cli/args.py`")),
        ("`MAX_RETRIES` is set to 5.", ("`MAX_RETRIES`", "is set to", "5")),
        ("`UserService` depends on `AuthClient`.", ("`UserService`", "depends on", "`AuthClient`")),
        ("The server listens on port 8080.", ("server port", "is set to", "8080")),
        ("The app requires Node 20.", ("app", "requires", "Node 20")),
        ("- **The config file** is located at `conf/app.toml`.", ("config file", "is located at", "`conf/app.toml`")),
        ("We use `ruff` for linting.", ("we", "uses", "`ruff`")),
    ],
)
def test_an_agent_states_what_named_code_does(text: str, fact: tuple[str, str, str]) -> None:
    assert said(_turn(text)) == [fact]


@pytest.mark.requirement("K-READ-15")
def test_a_choice_of_an_agent_is_one_of_the_group_with_its_reason() -> None:
    (choice,) = statements([_turn("I chose Redis over Memcached because we need persistence.")])
    assert (choice.subject, choice.verb, choice.object, choice.instead_of) == ("we", "decides on", "Redis", "Memcached")
    assert choice.reason == "we need persistence"


@pytest.mark.requirement("K-READ-15")
@pytest.mark.parametrize(
    "text",
    [
        "I need to modify `parse()` to handle tuples.",
        "I'll use `printf` instead of `puts`.",
        "The `src` directory likely contains the sources of `ponyc`.",
        "The issue is related to `CommandParser`.",
        "The `src` directory contains several directories.",
        "The user lives in Porto and works at `acme.io`.",
        "Should `load()` call `parse()`?",
        "If `load()` calls `parse()`, the test fails.",
        "I have `parse()` in mind.",
        "`load()` does not call `parse()`.",
    ],
)
def test_steps_guesses_people_and_questions_are_no_report(text: str) -> None:
    assert said(_turn(text)) == []


@pytest.mark.requirement("K-READ-15")
def test_only_a_model_that_works_with_tools_reports() -> None:
    text = "`UserService` depends on `AuthClient`."
    assert said(_turn(text, calls=False)) == []
    assert said(_turn("Done.", 0), _turn(text, 1, calls=False)) == [("`UserService`", "depends on", "`AuthClient`")]
    assert said(_turn(text, role="tool", calls=False)) == []
