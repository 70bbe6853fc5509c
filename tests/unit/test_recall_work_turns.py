"""Questions for the last work of a kind: what is read, which turns are found, where others are looked up by words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.memory import Memory
from clew.rank.intent.work_questions import MOST_CHARACTERS, WorkAsked, work_asked
from clew.types import Part, Turn
from tests.support.memories import at, quiet


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which files did we change?", "change"),
        ("what files were modified in the last session?", "change"),
        ("the last file that you edited", "change"),
        ("What was the last error?", "error"),
        ("show me the last three errors", "error"),
        ("What failed last?", "error"),
        ("What was the last command you ran?", "command"),
        ("which commands did you run?", "command"),
        ("Did the tests pass last time?", "test"),
        ("What was the result of the last test run?", "test"),
        ("did the build succeed?", "build"),
        ("Did the linter pass?", "lint"),
        ("What were the checks?", "lint"),
        ("What was the build output?", "build"),
        ("What are test results?", "test"),
    ],
)
def test_work_that_alone_is_asked_for_is_read(question: str, kind: str) -> None:
    found = work_asked(question)
    assert found is not None
    assert (found.kind, found.is_first) == (kind, False)


@pytest.mark.requirement("F-PLACE-06")
def test_the_first_work_of_a_kind_is_read() -> None:
    assert work_asked("What was the first error?") == WorkAsked("error", is_first=True)


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    "question",
    [
        "Which files did we change for the login?",
        "What was the last error in the parser?",
        "When did the build fail?",
        "Did the tests pass before we chose Redis?",
        "Which tests did we write?",
        "What are checks?",
        "what is build?",
        "What's lint?",
        "What are tests again?",
        "What was the last thing we said?",
        "What was the last error?" + " " * MOST_CHARACTERS + "x",
    ],
)
def test_a_question_that_names_more_is_looked_up_by_that(question: str) -> None:
    assert work_asked(question) is None


def call(number: int, name: str, session: str = "new", **given: Any) -> Turn:
    part = Part(type="tool_call", name=name, call_id=f"{session}{number}", text=json.dumps(given))
    return Turn(role="assistant", content=(part,), session=session, at=at(number))


def result(number: int, text: str, session: str = "new", **extra: Any) -> Turn:
    part = Part(type="tool_result", call_id=f"{session}{number}", text=text, extra=extra or None)
    return Turn(role="tool", content=(part,), session=session, at=at(number + 0.5))


def work() -> Iterator[Turn]:
    """An agent's work, the session before it stored behind it."""
    yield Turn(
        role="user", content="Fix the login; errors of the last command fail the tests.", session="new", at=at(0)
    )
    yield call(1, "Edit", file_path="src/login.py", old_string="a", new_string="b")
    yield result(1, "The file was updated.")
    yield call(2, "Bash", command="pytest -q tests")
    yield result(2, "1 failed, 3 passed")
    yield call(3, "Edit", file_path="src/token.py", old_string="a", new_string="b")
    yield result(3, "String to replace not found", is_error=True)
    yield call(4, "Write", file_path="src/login.py", content="c")
    yield result(4, "The file was updated.")
    yield call(5, "Bash", command="pytest -q tests")
    yield result(5, "4 passed")
    yield call(6, "Read", file_path="ci.log")
    yield result(6, "FAILED tests/test_old.py")
    yield call(-9, "Edit", "old", file_path="src/menu.py", old_string="a", new_string="b")
    yield result(-9, "The file was updated.", "old")


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with quiet() as held:
        held.add_many(work())
        assert held.drain(None)
        yield held


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which files did we change?", ["new:turn:7", "old:turn:0", "new:turn:1"]),
        ("What was the last error?", ["new:turn:6", "new:turn:4"]),
        ("What was the first error?", ["new:turn:4", "new:turn:6"]),
        ("What was the last command you ran?", ["new:turn:9", "new:turn:3"]),
        ("Did the tests pass last time?", ["new:turn:10", "new:turn:9", "new:turn:4", "new:turn:3"]),
    ],
)
def test_the_last_work_comes_first_and_nothing_else_comes(memory: Memory, question: str, expected: list[str]) -> None:
    assert [hit.turn.id for hit in memory.search(question, limit=20)] == expected
    context = memory.recall(question, budget=600)
    assert expected[0] in {turn for item in context.items for turn in item.turn_ids}
    assert memory.explain(context.receipt_id).understood["places"][0]["turns"] == expected[:1]


@pytest.mark.requirement("F-PLACE-06")
def test_where_there_is_no_such_work_the_words_are_looked_up(memory: Memory) -> None:
    hits = memory.search("Did the build fail?", limit=20)
    assert "new:turn:0" in [hit.turn.id for hit in hits]
    assert [hit.turn.id for hit in memory.search("Which files did we change?", session="old")] == ["old:turn:0"]


@pytest.mark.requirement("F-PLACE-06")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Did the tests pass?", [1, 0]),
        ("Did the linter pass?", [3, 2]),
        ("Did the build pass?", [5, 4]),
    ],
)
def test_a_check_is_of_the_kind_that_is_run_whatever_it_is_run_on(question: str, expected: list[int]) -> None:
    runs = (
        ("phpunit src", "OK (4 tests)"),
        ("ruff check build tests", "All checks passed!"),
        ("tsc -p tests", "Process exited with code 0"),
    )
    with quiet() as memory:
        for number, (command, output) in enumerate(runs):
            memory.add(call(number, "Bash", command=command))
            memory.add(result(number, output, is_error=False))
        assert memory.drain(None)
        found = [hit.turn.id for hit in memory.search(question, limit=20)]
        assert found == [f"new:turn:{seq}" for seq in expected]


@pytest.mark.requirement("F-PLACE-06")
def test_the_last_work_is_that_which_the_filters_let_through(memory: Memory) -> None:
    hits = memory.search("What was the last command you ran?", until=at(4))
    assert [hit.turn.id for hit in hits] == ["new:turn:3"]
    hits = memory.search("Which files did we change?", until=at(0))
    assert [hit.turn.id for hit in hits] == ["old:turn:0"]
